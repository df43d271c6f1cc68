//! The support desk and the quiz as their users meet them on the wire, in every language.

use crate::simulator::script::transcript;
use std::path::Path;

async fn plays(flow: &str, script: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/flows").join(flow);
    transcript(script, &["--flow", &folder.display().to_string()]).await
}

#[tokio::test]
async fn a_quiz_in_english() {
    let script = "\
ann: /start
ann: [Begin]
ann: [About a month]
ann sends a sticker
ann sees \"buttons\"
ann: [A star]
ann sees \"Which planet\"
ann: [Saturn]
ann: [And the result is…]
ann sees \"All three\"
ann: [To the beginning]
ann: [My last answers]
ann: [And the result is…]
ann: /start play
ann: [A week]
ann: [A star]
ann: [Mars]
ann: [And the result is…]
ann sees \"Not bad\"
";
    insta::assert_snapshot!(plays("quiz", script).await);
}

#[tokio::test]
async fn a_quiz_in_german() {
    let script = "\
user jana de \"Jana\"
jana: /quiz
jana: [Ein Jahr]
jana: [Ein Planet]
jana: [Venus]
jana: [Und das Ergebnis ist…]
jana sees \"Keine.\"
jana: [Zum Anfang]
jana: [English]
jana: [Deutsch]
jana: /help
";
    insta::assert_snapshot!(plays("quiz", script).await);
}

#[tokio::test]
async fn a_support_desk_in_english() {
    let script = "\
ann: /start
ann: [Opening hours]
ann: [Back]
ann: \"Where is my <parcel>?\"
ann sees \"What is it about?\"
ann: [An order]
ann sees \"<parcel>\"
ann: [Send it]
ann sees \"on its way to us\"
ann: [Back]
ann: [Another topic]
ann: [A payment]
ann: Was it paid twice?
ann sees \"paid twice\"
ann: [Write it anew]
ann sends a voice
ann: It was.
ann: /start
ann: [My question]
";
    insta::assert_snapshot!(plays("support", script).await);
}

#[tokio::test]
async fn a_support_desk_in_spanish() {
    let script = "\
user lola es \"Lola\"
lola: /start order
lola sees \"un pedido\"
lola: ¿Dónde está?
lola: [Enviar]
lola sees \"en camino\"
lola: [Atrás]
lola: [Otro tema]
lola: [Otra cosa]
lola: /start
lola: [Horario]
lola: [Atrás]
lola: [English]
lola: [Español]
lola: /ask
";
    insta::assert_snapshot!(plays("support", script).await);
}
