//! How a flow is read: what its author is told, all of it at once, and where.

use super::{DEFINITION, TEXTS, sources};
use tapgate::flow::Flow;
use tapgate::flow::chat::Chat;
use tapgate::flow::definition::Sources;
use tapgate::telegram::keyboard::{ButtonAction, InlineButton, WebApp};

fn problems(change: impl FnOnce(&mut Sources)) -> String {
    let mut sources = sources();
    change(&mut sources);
    Flow::parse(&sources).map(|_| String::new()).unwrap_or_else(|problems| problems.to_string())
}

/// What is wrong once `from` reads `to` in the definition, a line each, without the line's number.
#[track_caller]
fn told(from: &str, to: &str) -> Vec<String> {
    assert!(DEFINITION.contains(from), "{from}");
    let problems = problems(|sources| sources.definition = DEFINITION.replacen(from, to, 1));
    problems.lines().map(|line| line.split_once(": ").map_or(line, |(_, message)| message).to_owned()).collect()
}

#[test]
fn a_definition_full_of_mistakes_is_told_all_of_them() {
    let definition = r#"
start = "hom"
locale = ["en"]
locales = ["en", "de", "en"]
free_balance = -1

[variables.balance]
[variables.pet]
values = ["cat", ""]

[interrupts]
not_selected = "pets"
generation_busy = "bussy"

[commands.start]
back = true

[commands.go-home]
go = "home"

[screens.home]
keyboard = [
  [{ name = "a", gO = "pets" }, { name = "b", go = "pet" }, { name = "b", back = true, go = "home" }],
  [{ name = "c", set = { pet = "cow" } }, { name = "d", set = { pat = "cat" } }, { name = "e", locale = "ru" }],
  [{ name = "f", url = "http://example.com" }, { name = "g", web_app = "https://example.com", back = true }],
  [{ name = "h" }, { go = "home" }, { name = "Ünnamed", go = "home", requires = { selekted = ["pet"], balance = "1" } }],
  [{ name = "this-name-is-far-too-long-for-it", go = "home" }, { name = "i", back = false }],
  [],
  3,
]
[screens.pets]
keyboard = "none"
[screens.nowhere]
"#;
    insta::assert_snapshot!(problems(|sources| sources.definition = definition.to_owned()));
}

#[test]
fn toml_that_does_not_parse_is_told_with_its_place() {
    insta::assert_snapshot!(problems(
        |sources| sources.definition = "start = \nlocales = [\"en\"\n[screens.home".to_owned()
    ));
}

#[test]
fn texts_that_are_missing_broken_empty_or_too_long_are_told() {
    let broken = TEXTS
        .replace("shop = Shop\n", "")
        .replace("<b>{ $pet }</b>", "<b>{ $pet }<b>")
        .replace("busy = Busy\n", "busy = { \"\" }\n")
        .replace("    .cat = Cat & co\n", "")
        .replace("walk = Walking { $pet }", "walk = Walking { $pat }")
        .replace("command-pets = Pets", &format!("command-pets = {}", "long ".repeat(60)))
        .replace("error = Error", "error = <b></b>\nerror = Twice\n!!!");
    insta::assert_snapshot!(problems(|sources| {
        sources.texts[1].1 = broken;
        sources.texts.push(("de".to_owned(), String::new()));
    }));
}

#[test]
fn the_nearest_name_is_offered() {
    assert_eq!(told("start = \"home\"", "start = \"hmoe\"")[0], "unknown screen `hmoe` (did you mean `home`?)");
    assert_eq!(told("free_balance", "fre_balance"), ["unknown key `fre_balance` (did you mean `free_balance`?)"]);
    assert_eq!(
        told("set = { pet = \"cat\" } }", "set = { pet = \"cot\" } }"),
        ["unknown value of `pet` `cot` (did you mean `cat`?)"]
    );
    assert_eq!(told("locale = \"ru\"", "locale = \"xx\""), ["unknown locale `xx` (there is en, ru, pt-BR)"]);
}

#[test]
fn a_screen_that_nothing_leads_to_is_told() {
    assert_eq!(told("[screens.shop]", "[screens.shop]\n[screens.walk-in]\n")[0], "nothing leads to screen `walk-in`");
}

#[test]
fn a_flow_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    is_shared(&super::flow());
}

#[test]
fn links_and_web_apps_are_buttons_of_their_own() {
    let flow = super::flow();
    let keyboard = super::rendered(&flow, &Chat::default()).keyboard.unwrap().inline_keyboard;
    let row = vec![
        InlineButton { text: "Site".to_owned(), action: ButtonAction::Url("https://example.com/a?b=c".to_owned()) },
        InlineButton {
            text: "App".to_owned(),
            action: ButtonAction::WebApp(WebApp { url: "https://example.com/app".to_owned() }),
        },
    ];
    assert_eq!(keyboard[2], row);
}

#[test]
fn labels_are_plain_and_texts_are_html() {
    let flow = super::flow();
    let mut ann = super::ann::Ann::new(&flow, "en");
    ann.says("/pets");
    ann.chat.vars.insert("pet".to_owned(), "<i>&\"".to_owned());
    assert!(ann.sees().starts_with("Your pet: <b>&lt;i&gt;&amp;&quot;</b>"), "{}", ann.sees());
    assert!(ann.sees().contains("[ Cat & co ]"));
}
