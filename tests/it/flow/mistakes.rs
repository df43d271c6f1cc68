//! What an author is told who uses the language wrongly.

use super::language::{DEFINITION, PNG, TEXTS, sources};
use tapgate::flow::Flow;
use tapgate::flow::definition::{PHOTO_MAX_BYTES, Picture, Sources};

fn told(sources: &Sources) -> String {
    Flow::parse(sources).map(|_| String::new()).unwrap_or_else(|problems| problems.to_string())
}

/// What is wrong once `from` reads `to` in the definition, a line each, without the line's number.
#[track_caller]
fn changed(from: &str, to: &str) -> Vec<String> {
    assert!(DEFINITION.contains(from), "{from}");
    let told = told(&Sources { definition: DEFINITION.replacen(from, to, 1), ..sources() });
    told.lines().map(|line| line.split_once(": ").map_or(line, |(_, message)| message).to_owned()).collect()
}

/// What is wrong once `from` reads `to` in the English texts.
#[track_caller]
fn reworded(from: &str, to: &str) -> String {
    assert!(TEXTS.contains(from), "{from}");
    let mut sources = sources();
    sources.texts[0].1 = TEXTS.replacen(from, to, 1);
    told(&sources)
}

#[test]
fn every_mistake_has_its_words() {
    let definition = r#"
start = "home"
locales = ["en", "ru"]
memory = 201
priority = "paying"

[variables.pet]
values = ["cat", "dog", "cat"]
[variables.name]

[products.free]
stars = 0
[products.unsold]
stars = 1
messages = 1
thanks = "thank-you"

[commands.start]
go = [{ when = { pet = "cat" }, to = "home" }, { to = "pets" }]

[links."a b"]
go = "home"
[links.nothing]
requires = { selected = ["pet"] }

[screens.home]
photo = { file = "hom.png" }
other = "no-such-text"
keyboard = [
    [{ name = "a", when = { pat = "cat" }, go = "pets" }, { name = "b", when = { pet = "cow" }, go = "pets" }],
    [{ name = "c", when = { pet = ["cat", "cat"] }, go = "pets" }, { name = "d", when = { pet = [] }, go = "pets" }],
    [{ name = "e", when = { pet = 1 }, go = "pets" }, { name = "f", when = { balance = true }, go = "pets" }],
    [{ name = "g", when = { busy = "yes" }, go = "pets" }, { name = "h", when = { locale = ["de"] }, go = "pets" }],
    [{ name = "i", when = "cat", go = "pets" }, { name = "j", go = 3 }, { name = "k", go = [] }],
    [{ name = "l", go = [{ when = { pet = "cat" }, to = "pets" }] }, { name = "m", go = [{ to = "pets" }, { to = "home" }] }],
    [{ name = "n", go = [{ when = { pet = "cat" }, to = "pets" }, { when = { pet = "cat" }, to = "home" }, { go = "home" }] }],
    [{ name = "o", generate = {} }, { name = "p", generate = { lane = "imgae", cots = 1 } }],
    [{ name = "q", call = { lane = "text", cost = 1 } }, { name = "r", call = { name = "pets" }, go = "pets" }],
    [{ name = "s", buy = "frea" }, { name = "t", buy = "free", set = { pet = "cat" } }],
    [{ name = "u", url = "https://localhost/x" }, { name = "v", web_app = "http://example.com/" }, { name = "w", url = "ftp://example.com/" }],
    [{ name = "x", url = "https://example.com/", requires = { balance = 1 } }],
    [{ name = "y", cancel = false, go = "pets" }, { name = "z", forget = true, buy = "free" }, { name = "a1", when = { premium = 1 }, go = "pets" }],
]
[screens.home.text]
argument = "nam"
when = { pet = "cat" }

[screens.pets]
photo = { url = "example.com/a.jpg" }
[screens.pets.text]
call = { name = "x" }
go = "home"
generate = { lane = "text", cost = -1, then = "hom" }

[screens.both]
photo = { file = "home.png", id = "x" }
[screens.neither]
photo = {}
[screens.id]
photo = { id = "no id!" }
[screens.no-picture]
photo = { file = "notes.png" }
[screens.large]
photo = { file = "large.png" }
"#;
    let mut sources = Sources { definition: definition.to_owned(), ..sources() };
    sources.pictures.push(Picture::new("notes.png", &b"notes"[..]).into());
    let large = [PNG, &vec![0; PHOTO_MAX_BYTES]].concat();
    sources.pictures.push(Picture::new("large.png", large).into());
    let told = told(&sources);
    let definition: Vec<&str> = told.lines().filter(|line| line.starts_with("kennel/flow.toml")).collect();
    insta::assert_snapshot!(definition.join("\n"));
}

#[test]
fn an_interrupt_needs_a_screen_only_where_something_can_meet_it() {
    let interrupts =
        "[interrupts]\nnot_selected = \"pets\"\ninsufficient_messages = \"shop\"\ngeneration_busy = \"busy\"\n";
    assert_eq!(
        changed(interrupts, ""),
        [
            "this needs the interrupt `not_selected`, which has no screen (add `not_selected = \"SCREEN\"` below `[interrupts]`)",
            "this needs the interrupt `generation_busy`, which has no screen (add `generation_busy = \"SCREEN\"` below `[interrupts]`)",
            "this needs the interrupt `insufficient_messages`, which has no screen (add `insufficient_messages = \"SCREEN\"` below `[interrupts]`)",
            "nothing leads to screen `busy`",
        ]
    );
    let without = DEFINITION.split("[screens.home]").next().unwrap().replace(interrupts, "");
    let without = without.split("[links.free]").next().unwrap().replace("\"kennel\"", "\"home\"");
    let (before, products) = without.split_once("[products.ten]").unwrap();
    let without = format!("{before}[commands.start]{}", products.split_once("[commands.start]").unwrap().1);
    let without = without.split("[commands.draw]").next().unwrap().to_owned();
    assert_eq!(told(&Sources { definition: format!("{without}[screens.home]\n"), ..sources() }), "");
}

#[test]
fn a_text_is_looked_at_in_each_of_its_branches() {
    let branch = |inside: &str| {
        format!("Kennel {{ $pet ->\n    [cat] <b>cat</b>\n    [dog] {inside}\n   *[other] other\n  }}\n")
    };
    assert_eq!(reworded("Kennel of { $pet }\n", &branch("<i>dog</i>")), "");
    assert_eq!(
        reworded("Kennel of { $pet }\n", &branch("<i>dog")),
        "kennel/en.ftl:12:1: the text of screen `kennel` is refused by Telegram: \
         Can't find end tag corresponding to start tag \"i\""
    );
    assert_eq!(
        reworded("Kennel of { $pet }\n", &branch("1 < 2")),
        "kennel/en.ftl:12:1: the text of screen `kennel` is refused by Telegram: \
         Unsupported start tag \"\" (a `<` that begins no tag is written `&lt;`)"
    );
    assert_eq!(
        reworded("Kennel of { $pet }\n", &branch("{ $pit }")),
        "kennel/en.ftl:12:1: the text `kennel` uses the unknown variable `$pit` (did you mean `$pet`?)"
    );
    assert_eq!(
        reworded("Kennel of { $pet }\n", &branch(&"long".repeat(300))),
        "kennel/en.ftl:12:1: the text of screen `kennel` is up to 1207 characters long, more than 1024"
    );
    assert_eq!(
        reworded("Busy\n", &format!("{}\n", "x".repeat(4097))),
        "kennel/en.ftl:20:1: the text of screen `busy` is up to 4097 characters long, more than 4096"
    );
    assert_eq!(
        reworded("Busy\n", &format!("{}\n", "&amp;<b>x</b>".repeat(2048))),
        "",
        "what is counted is what is seen"
    );
    assert_eq!(
        reworded("Busy\n", &format!("{}\n", "<b>x</b>".repeat(4097))).lines().next().unwrap(),
        "kennel/en.ftl:20:1: the text of screen `busy` is refused by Telegram: 32776 bytes with its markup are more than 32768"
    );
    assert_eq!(
        reworded("Pets\n    .cat", "{ $name }<br>\n    .cat").split(" (it knows").next().unwrap(),
        "kennel/en.ftl:9:1: the text of screen `pets` is refused by Telegram: Unsupported start tag \"br\""
    );
}

#[test]
fn every_text_that_the_language_needs_is_missed_where_it_would_stand() {
    let mut sources = sources();
    sources.texts[1].1 = TEXTS
        .replace("    .draw = Draw\n", "    .darw = Draw\n")
        .replace("words-please =", "word-please =")
        .replace("    .description = Ten more messages\n", "")
        .replace("Ten messages", "Ten messages and a long title of it")
        .replace("who = ", "whoever = ")
        .replace("notice-not-sold =", "notice-not-sould =");
    insta::assert_snapshot!(told(&sources), @r"
    kennel/ru.ftl:12:1: the label of button `draw` on screen `kennel` is missing: attribute `.draw` of message `kennel` (there is `darw`, which flow.toml does not name)
    kennel/ru.ftl:24:1: the title of product `ten` is up to 35 characters long, more than 32
    kennel/ru.ftl:24:1: the description of product `ten` is missing: attribute `.description` of message `product-ten`
    kennel/ru.ftl:60:1: the `other` text of screen `home` is missing: message `words-please` (there is `word-please`, which flow.toml does not name)
    kennel/ru.ftl:60:1: the argument `system` for a worker is missing: message `who` (there is `whoever`, which flow.toml does not name)
    kennel/ru.ftl:60:1: the notice `notice-not-sold` is missing: message `notice-not-sold` (there is `notice-not-sould`, which flow.toml does not name)
    ");
}

#[test]
fn what_asks_workers_or_sells_is_checked_where_it_stands() {
    let start = "go = [\n    { when = { pet = \"dog\", balance = 1 }, to = \"kennel\" },\n    { to = \"home\" },\n]";
    let elsewhere = ["the command `start` goes to the start screen"];
    assert_eq!(changed(start, "call = { name = \"news\" }"), elsewhere);
    assert_eq!(changed(start, "go = \"home\"\nempty = \"help\""), elsewhere);
    assert_eq!(changed(start, "call = { name = \"home\" }"), [""; 0]);
    assert_eq!(
        changed("[commands.paysupport]\ngo = \"help\"\n", ""),
        [
            "who sells for Stars needs the command `paysupport` (Telegram demands that it tells buyers where they get help: `[commands.paysupport]`)",
            "nothing leads to screen `help`",
        ]
    );
    assert_eq!(
        changed(
            "arguments = { style = \"oil\" }",
            "arguments = { style = \"oil\" }, texts = { style = \"who\", Size = \"who\" }"
        ),
        [
            "argument `style` is there twice",
            "`Size` cannot be the name of a worker's argument (a small letter, then small letters, digits, `_` and `-`, at most 24)",
        ]
    );
    assert_eq!(
        changed(
            "call = { name = \"news\", lane = \"text\" }",
            "call = { name = \"news\", lane = \"text\" }\ngenerate = { lane = \"text\" }"
        ),
        ["a `call` goes to the screen that it names; it stands without go, back, generate"]
    );
    assert_eq!(
        changed("thanks = \"thanks\"", "thanks = \"thank\""),
        ["unknown screen `thank` (did you mean `thanks`?)", "nothing leads to screen `thanks`"]
    );
    assert_eq!(changed("empty = \"pets\"", "empty = \"pet\""), ["unknown screen `pet` (did you mean `pets`?)"]);
    assert_eq!(changed("then = \"pets\"", "then = \"pet\""), ["unknown screen `pet` (did you mean `pets`?)"]);
    assert_eq!(changed("premium_days = 30", "premium_days = 0"), ["`premium_days` of a product is at least 1"]);
}
