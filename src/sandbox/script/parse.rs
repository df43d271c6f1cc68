//! Pure: no I/O, no clock. From text to a script: every line is read, so that all its mistakes are told at once.

use super::step::{Act, Expectation, Fault, Line, Script, Sight, Step, Thing};
use super::words::Words;
use crate::problem::{Problem, Problems};
use crate::sandbox::faults::{ApiFault, DeliveryFault, Lasts};

/// Who is there without being introduced: her name, her client's language, what Telegram calls her.
pub(super) const ANN: (&str, &str, &str) = ("ann", "en", "Ann");

/// Words that begin a line and are nobody's name.
const OPENINGS: [&str; 5] = ["user", "wait", "fault", "no", "nothing"];

/// What may follow a user's name.
const VERBS: [&str; 11] =
    ["sees", "does", "gets", "in", "presses", "sends", "edits", "pays", "blocks", "unblocks", "speaks"];

const THINGS: [&str; 4] = ["photo", "sticker", "voice", "location"];

const FAULTS: [&str; 8] = ["lose-answer", "delay-answer", "twice", "close", "flood", "slow", "fail", "lose-call"];

pub(super) fn script(origin: &str, text: &str) -> Result<Script, Problems> {
    let mut problems = Problems::default();
    let mut reader = Reader { names: vec![ANN.0.to_owned()], spoken_of: false };
    let mut lines = Vec::new();
    let mut begin = 0;
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        let words = Words::new(origin, text, begin, begin + whole.trim_end().len());
        begin += whole.len();
        if words.is_over() {
            continue;
        }
        let column = whole.chars().take_while(|letter| letter.is_whitespace()).count() + 1;
        match reader.step(words) {
            Ok(step) => lines.push(Line { number: index + 1, column, text: whole.trim().to_owned(), step }),
            Err(problem) => problems.push(problem),
        }
    }
    problems.or(Script { origin: origin.to_owned(), lines })
}

/// Who is known so far.
struct Reader {
    names: Vec<String>,
    /// Whether a line has spoken of Ann: from then on she cannot be introduced otherwise.
    spoken_of: bool,
}

impl Reader {
    fn step(&mut self, mut words: Words<'_>) -> Result<Step, Problem> {
        let place = words.place();
        let step = match words.word() {
            "user" => self.user(&mut words)?,
            "wait" => wait(&mut words)?,
            "fault" => self.fault(&mut words)?,
            "no" => words.expect("faults").map(|()| Step::NoFaults)?,
            "nothing" => {
                words.expect("for")?;
                let place = words.place();
                let who = words.word();
                Step::Expect { who: self.known(&words, place, who, &[])?, what: Expectation::Nothing }
            }
            name => {
                let who = self.known(&words, place, name, &OPENINGS)?;
                // Texts as they stand may hold anything, so they end their line.
                if words.takes(":") {
                    return Ok(Step::Act { who, act: said(&mut words)? });
                }
                verb(&mut words, who)?
            }
        };
        words.finish()?;
        Ok(step)
    }

    fn user(&mut self, words: &mut Words<'_>) -> Result<Step, Problem> {
        let place = words.place();
        let name = words.word();
        let fits = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') && !OPENINGS.contains(&name);
        if name.is_empty() || !fits {
            return Err(words.problem(place, format!("`{name}` cannot be a name")).help("letters, digits and _"));
        }
        let known = self.names.iter().any(|known| known == name);
        if known && (name != ANN.0 || self.spoken_of) {
            return Err(words.problem(place, format!("`{name}` is known already")));
        }
        if !known {
            self.names.push(name.to_owned());
        }
        self.spoken_of |= name == ANN.0;
        let language = language(words)?;
        let first_name = words.quoted("the first name")?;
        Ok(Step::User { name: name.to_owned(), language, first_name })
    }

    /// The user called `name`; a word that is nobody's name may have been meant to be one of `others`.
    fn known(&mut self, words: &Words<'_>, place: usize, name: &str, others: &[&str]) -> Result<String, Problem> {
        if self.names.iter().any(|known| known == name) {
            self.spoken_of |= name == ANN.0;
            return Ok(name.to_owned());
        }
        let known: Vec<&str> = self.names.iter().map(String::as_str).chain(others.iter().copied()).collect();
        Err(words.unknown(place, "there is nobody called", name, &known))
    }

    fn fault(&mut self, words: &mut Words<'_>) -> Result<Step, Problem> {
        let place = words.place();
        let fault = match words.word() {
            "lose-answer" => Fault::Delivery(DeliveryFault::LoseAnswer),
            "delay-answer" => Fault::Delivery(DeliveryFault::DelayAnswer(span(words)?)),
            "twice" => Fault::Delivery(DeliveryFault::DeliverTwice),
            "close" => Fault::Delivery(DeliveryFault::CloseEarly),
            "slow" => Fault::Call(ApiFault::Slow(span(words)?)),
            "lose-call" => Fault::Call(ApiFault::LoseAnswer),
            "fail" => {
                let place = words.place();
                let status = words.word();
                let status = status.parse().ok().filter(|status| (400..600).contains(status));
                Fault::Call(ApiFault::Fail(
                    status.ok_or_else(|| words.problem(place, "a status from 400 to 599 is missing"))?,
                ))
            }
            "flood" => {
                let place = words.place();
                let who = words.word();
                Fault::Flood { who: self.known(words, place, who, &[])?, retry_after: span(words)? }
            }
            word => return Err(words.unknown(place, "there is no fault", word, &FAULTS)),
        };
        let lasts = if words.takes("always") { Lasts::Standing } else { Lasts::Times(words.times()?.unwrap_or(1)) };
        Ok(Step::Fault { fault, lasts })
    }
}

fn wait(words: &mut Words<'_>) -> Result<Step, Problem> {
    let place = words.place();
    let text = words.rest().split('#').next().unwrap_or_default().trim_end();
    let duration = words.duration(text, place)?;
    words.takes(text);
    Ok(Step::Wait(duration))
}

/// One word that is a length of time.
fn span(words: &mut Words<'_>) -> Result<std::time::Duration, Problem> {
    let place = words.place();
    let text = words.word();
    words.duration(text, place)
}

/// A language tag; `-` is none.
fn language(words: &mut Words<'_>) -> Result<Option<String>, Problem> {
    let place = words.place();
    match words.word() {
        "-" => Ok(None),
        tag if !tag.is_empty() && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') => {
            Ok(Some(tag.to_owned()))
        }
        _ => {
            Err(words.problem(place, "a language is missing").help("such as en, pt-BR; - where the client tells none"))
        }
    }
}

/// What follows `NAME:`.
fn said(words: &mut Words<'_>) -> Result<Act, Problem> {
    if words.rest().starts_with('[') {
        let label = words.label()?;
        let times = words.times()?.unwrap_or(1);
        let place = words.place();
        let help = "a text that begins with [ stands in \"quotation marks\"";
        words.finish().map_err(|_| words.problem(place, "a button is all that is pressed").help(help))?;
        return Ok(Act::Presses { label, times });
    }
    text(words).map(Act::Says)
}

/// A text as it stands, to the end of the line, or in quotation marks.
fn text(words: &mut Words<'_>) -> Result<String, Problem> {
    if words.rest().starts_with('"') {
        let text = words.quoted("a text")?;
        words.finish()?;
        return Ok(text);
    }
    match words.rest() {
        "" => Err(words.problem(words.place(), "the text is missing")),
        text => Ok(text.to_owned()),
    }
}

fn verb(words: &mut Words<'_>, who: String) -> Result<Step, Problem> {
    let place = words.place();
    let expect = |what| Ok(Step::Expect { who: who.clone(), what });
    let act = match words.word() {
        "sees" => return expect(Expectation::Sees(sight(words)?)),
        "does" => {
            words.expect("not see")?;
            return expect(Expectation::SeesNot(sight(words)?));
        }
        "gets" => return expect(Expectation::Gets(words.quoted("what the toast says")?)),
        "in" => {
            words.expect("the group")?;
            if !words.takes(":") {
                return Err(words.problem(words.place(), "`:` is missing"));
            }
            let said = text(words)?;
            words.takes(words.rest());
            Act::SaysInGroup(said)
        }
        "presses" => Act::Forges(words.quoted("a payload")?),
        "sends" => Act::Sends(thing(words)?),
        "edits" => Act::Edits(words.quoted("the new text")?),
        "pays" => Act::Pays,
        "blocks" => words.expect("the bot").map(|()| Act::Blocks)?,
        "unblocks" => words.expect("the bot").map(|()| Act::Unblocks)?,
        "speaks" => Act::Speaks(language(words)?),
        "" => {
            return Err(words
                .problem(place, "this line is not finished")
                .help("`:` and a text, or what they do or see"));
        }
        word => return Err(words.unknown(place, "nobody can", word, &VERBS)),
    };
    Ok(Step::Act { who, act })
}

fn sight(words: &mut Words<'_>) -> Result<Sight, Problem> {
    if words.rest().starts_with('[') {
        return words.label().map(Sight::Button);
    }
    if !words.rest().starts_with('"') {
        return Err(words.problem(words.place(), "what is seen is missing").help("\"words\" or a [button]"));
    }
    words.quoted("what is seen").map(Sight::Text)
}

fn thing(words: &mut Words<'_>) -> Result<Thing, Problem> {
    words.takes("a ");
    let place = words.place();
    Ok(match words.word() {
        "photo" if words.rest().starts_with('"') => Thing::Photo(words.quoted("a caption")?),
        "photo" => Thing::Photo(String::new()),
        "sticker" => Thing::Sticker,
        "voice" => Thing::Voice,
        "location" => Thing::Location,
        word => return Err(words.unknown(place, "nobody can send", word, &THINGS)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn steps(text: &str) -> Vec<Step> {
        let script = script("test.script", text).unwrap_or_else(|problems| panic!("{problems}"));
        script.lines.into_iter().map(|line| line.step).collect()
    }

    fn step(text: &str) -> Step {
        steps(text).remove(0)
    }

    fn act(text: &str) -> Act {
        let Step::Act { who, act } = step(text) else { panic!("{text}") };
        assert_eq!(who, "ann");
        act
    }

    fn presses(label: &str, times: u32) -> Act {
        Act::Presses { label: label.to_owned(), times }
    }

    #[test]
    fn what_people_do() {
        assert_eq!(act("ann: /start friend_7"), Act::Says("/start friend_7".to_owned()));
        assert_eq!(act("ann: 5 # is no comment "), Act::Says("5 # is no comment".to_owned()));
        assert_eq!(act("ann: \"[Buy]\\n\\\"now\\\"\" # is one"), Act::Says("[Buy]\n\"now\"".to_owned()));
        assert_eq!(act("ann: [💬 Talk]"), presses("💬 Talk", 1));
        assert_eq!(act("  ann :[ Buy [1\\] ] 5 times # now"), presses("Buy [1]", 5));
        assert_eq!(act("ann in the group: hello"), Act::SaysInGroup("hello".to_owned()));
        assert_eq!(act("ann presses \"x:y\""), Act::Forges("x:y".to_owned()));
        assert_eq!(act("ann sends a photo"), Act::Sends(Thing::Photo(String::new())));
        assert_eq!(act("ann sends a photo \"me\""), Act::Sends(Thing::Photo("me".to_owned())));
        assert_eq!(act("ann sends a sticker"), Act::Sends(Thing::Sticker));
        assert_eq!(act("ann edits \"hi\""), Act::Edits("hi".to_owned()));
        assert_eq!(act("ann blocks the bot"), Act::Blocks);
        assert_eq!(act("ann unblocks the bot # again"), Act::Unblocks);
        assert_eq!(act("ann speaks -"), Act::Speaks(None));
        assert_eq!(act("ann speaks pt-BR"), Act::Speaks(Some("pt-BR".to_owned())));
    }

    #[test]
    fn what_the_world_does() {
        assert_eq!(step("wait 1h 30m # long"), Step::Wait(Duration::from_secs(5400)));
        let fault = |text: &str| match step(text) {
            Step::Fault { fault, lasts } => (fault, lasts),
            other => panic!("{other:?}"),
        };
        assert_eq!(fault("fault twice"), (Fault::Delivery(DeliveryFault::DeliverTwice), Lasts::Times(1)));
        assert_eq!(fault("fault fail 502 3 times"), (Fault::Call(ApiFault::Fail(502)), Lasts::Times(3)));
        let slow = Fault::Delivery(DeliveryFault::DelayAnswer(Duration::from_secs(3)));
        assert_eq!(fault("fault delay-answer 3s always"), (slow, Lasts::Standing));
        let flood = Fault::Flood { who: "ann".to_owned(), retry_after: Duration::from_secs(2) };
        assert_eq!(fault("fault flood ann 2s"), (flood, Lasts::Times(1)));
        assert_eq!(step("no faults"), Step::NoFaults);
    }

    #[test]
    fn what_is_expected() {
        let expected = |text: &str| match step(text) {
            Step::Expect { who, what } if who == "ann" => what,
            other => panic!("{other:?}"),
        };
        assert_eq!(expected("ann sees \"Hello\""), Expectation::Sees(Sight::Text("Hello".to_owned())));
        assert_eq!(expected("ann does not see [Buy]"), Expectation::SeesNot(Sight::Button("Buy".to_owned())));
        assert_eq!(expected("ann gets \"Sold\""), Expectation::Gets("Sold".to_owned()));
        assert_eq!(expected("nothing for ann"), Expectation::Nothing);
    }

    #[test]
    fn lines_are_counted_and_comments_are_not_read() {
        let script = script("test.script", "# a shop\r\n\r\nann: hi\r\n  nothing for ann").unwrap();
        let lines: Vec<_> = script.lines.iter().map(|line| (line.number, line.column, line.text.as_str())).collect();
        assert_eq!(lines, [(3, 1, "ann: hi"), (4, 3, "nothing for ann")]);
    }

    #[test]
    fn everything_that_is_wrong_is_told_with_its_place_and_what_was_meant() {
        let text = "\
user boris ru \"Борис\"
user boris en \"Boris\"
bros: hi
wiat 5m
wait 5 minuts
ann: [Buy] now
ann: [Buy
ann se \"x\"
ann sees
ann does see \"x\"
  ann gets \"a\\qb\"
fault loose-answer
fault fail 200
fault flood max 3s
ann: [Buy] 0 times
ann sends a stiker
user wait en \"Wait\"
ann blocks
ann: 
ann
user ann ru \"Анна\"
no faults today
";
        insta::assert_snapshot!(script("shop.script", text).unwrap_err(), @r#"
        shop.script:2:6: `boris` is known already
        shop.script:3:1: there is nobody called `bros` (did you mean `boris`?)
        shop.script:4:1: there is nobody called `wiat` (did you mean `wait`?)
        shop.script:5:6: `5 minuts` is no length of time (such as 30s, 5m, 1h 30m)
        shop.script:6:12: a button is all that is pressed (a text that begins with [ stands in "quotation marks")
        shop.script:7:6: `]` is missing
        shop.script:8:5: nobody can `se` (did you mean `sees`?)
        shop.script:9:9: what is seen is missing ("words" or a [button])
        shop.script:10:10: this line is not finished (`not see` stands here)
        shop.script:11:14: this backslash means nothing (\n, \" and \\ do)
        shop.script:12:7: there is no fault `loose-answer` (did you mean `lose-answer`?)
        shop.script:13:12: a status from 400 to 599 is missing
        shop.script:14:13: there is nobody called `max` (there is ann, boris)
        shop.script:15:12: `0` is not from 1 to 1000
        shop.script:16:13: nobody can send `stiker` (did you mean `sticker`?)
        shop.script:17:6: `wait` cannot be a name (letters, digits and _)
        shop.script:18:11: this line is not finished (`the bot` stands here)
        shop.script:19:5: the text is missing
        shop.script:20:4: this line is not finished (`:` and a text, or what they do or see)
        shop.script:21:6: `ann` is known already
        shop.script:22:11: this is too much for the line
        "#);
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_much(text in "(user|ann|wait|fault|no|sees|:|\\[|\\]|\"|\\\\|\n| |5m|é){0,40}") {
            let _ = script("any.script", &text);
        }
    }
}
