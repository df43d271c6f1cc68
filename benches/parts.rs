//! The parts of an update's path that neither wait nor share anything: parse, decide, render; and the check of a flow.

mod support;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use support::{bot, updates};
use tapgate::clock::Timestamp;
use tapgate::flow::chat::{Chat, Waiting};
use tapgate::flow::definition::Sources;
use tapgate::flow::event::{Event, Reading, read};
use tapgate::flow::{Flow, decide};
use tapgate::telegram::update::{envelope, parse as parse_update};

const CHAT: i64 = 700_000_001;
const NOW: Timestamp = Timestamp::from_unix_seconds(1_790_000_000);

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for (name, body) in [("press", updates::press(1, CHAT)), ("message", updates::message(1, CHAT))] {
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_with_input(BenchmarkId::new("envelope", name), body.as_bytes(), |bencher, body| {
            bencher.iter(|| envelope(black_box(body)));
        });
        group.bench_with_input(BenchmarkId::new("whole", name), body.as_bytes(), |bencher, body| {
            bencher.iter(|| parse_update(black_box(body)));
        });
    }
}

fn decide_all(criterion: &mut Criterion) {
    let flow = bot::flow();
    let (text, press) = (updates::message(1, CHAT), updates::press(2, CHAT));
    let command = text.replacen("\"text\":\"", "\"text\":\"/start ", 1);
    let known = after(&flow, &Chat::default(), &event(&press));
    let mut group = criterion.benchmark_group("decide");
    for (name, body, chat) in
        [("first command", &command, &Chat::default()), ("text", &text, &known), ("press", &press, &known)]
    {
        let event = event(body);
        group.bench_function(name, |bencher| bencher.iter(|| decide(&flow, black_box(chat), black_box(&event), NOW)));
    }
}

fn render(criterion: &mut Criterion) {
    let flow = bot::flow();
    let start = after(&flow, &Chat::default(), &event(&updates::message(1, CHAT)));
    let mut group = criterion.benchmark_group("render");
    for locale in ["en", "ru"] {
        let chat = Chat { locale: Some(locale.to_owned()), ..start.clone() };
        group.bench_function(BenchmarkId::new("start screen", locale), |bencher| {
            bencher.iter(|| flow.render(black_box(&chat), &Waiting::default()));
        });
    }
}

/// What `botctl check` does when an author saves: a flow of that many screens, each of which leads to two others.
fn check(criterion: &mut Criterion) {
    const SCREENS: usize = 1_000;
    let interrupts = "[interrupts]\nnot_selected = \"s0\"\ninsufficient_messages = \"s0\"\ngeneration_busy = \"s0\"\n";
    let mut definition = format!(
        "start = \"s0\"\nlocales = [\"en\", \"ru\"]\n{interrupts}[variables.pet]\nvalues = [\"cat\", \"dog\"]\n\
         [commands.start]\ngo = \"s0\"\n"
    );
    let mut text = "command-start = Start\nerror = Error\nnotice-suspended = Suspended\n\
                    notice-unknown-command = Unknown\nnotice-old-button = Old\n"
        .to_owned();
    for screen in 0..SCREENS {
        let (next, far) = ((screen + 1) % SCREENS, screen * 7 % SCREENS);
        definition += &format!(
            "[screens.s{screen}]\nkeyboard = [[{{ name = \"next\", go = \"s{next}\" }}], \
             [{{ name = \"far\", go = \"s{far}\", set = {{ pet = \"cat\" }} }}, {{ name = \"back\", back = true }}]]\n"
        );
        text += &format!(
            "s{screen} = Screen <b>{screen}</b>, {{ $pet }}\n    .next = Next\n    .far = Far\n    .back = Back\n"
        );
    }
    let texts = ["en", "ru"].map(|locale| (locale.to_owned(), text.clone())).to_vec();
    let sources = Sources { name: "large".to_owned(), definition, texts, ..Sources::default() };
    let mut group = criterion.benchmark_group("check");
    group.throughput(Throughput::Elements(SCREENS as u64)).sample_size(20);
    group.bench_function(BenchmarkId::new("screens", SCREENS), |bencher| {
        bencher.iter(|| Flow::parse(black_box(&sources)).unwrap_or_else(|problems| panic!("{problems}")));
    });
    group.finish();
}

fn event(body: &str) -> Event<'_> {
    match read(parse_update(body.as_bytes()).expect("our own update is one"), None) {
        Reading::Event(_, event) => event,
        other => panic!("our own update is an event, not {other:?}"),
    }
}

fn after(flow: &Flow, chat: &Chat, event: &Event<'_>) -> Chat {
    decide(flow, chat, event, NOW).change.expect("it changes the chat").chat
}

criterion_group!(benches, parse, decide_all, render, check);
criterion_main!(benches);
