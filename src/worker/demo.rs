//! A worker that makes nothing: it gives canned answers, clearly marked, after some seconds, so that one sees how it is.

use super::{Button, Call, Completion, Content, Failure, Image, Job, Kind, Progress, Show, Worker};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;
use tokio::time::sleep;

/// What all of it begins with.
const MARK: &str = "[demo]";
/// The one picture it has.
const PICTURE: &[u8] = include_bytes!("demo.png");
/// In how many steps a text grows.
const STEPS: u32 = 8;

/// What it says, one after the other.
const ANSWERS: [&str; 4] = [
    "That is a good question, and a real model would have an answer. I only pretend to think, word by word, so that you \
     can watch a text grow.",
    "I have read every word of it. If I could understand them, I would now say something wise about each.",
    "Somewhere a worker with a language model could be saying this instead of me. One command starts it: `botctl worker \
     --openai-url URL --model NAME`.",
    "I would rather hear more about that. Whatever you write, I say one of four things, and this is the last of them.",
];

/// A worker for trying out.
#[derive(Clone, Debug)]
pub struct Demo {
    takes: RangeInclusive<Duration>,
}

impl Default for Demo {
    /// One that takes 3 to 10 s.
    fn default() -> Self {
        Self::taking(Duration::from_secs(3)..=Duration::from_secs(10))
    }
}

impl Demo {
    /// One that takes so long.
    pub const fn taking(takes: RangeInclusive<Duration>) -> Self {
        Self { takes }
    }

    /// How long it takes for the job of that number: some are quick, some are slow, and each is the same every time.
    fn pace(&self, number: u32) -> Duration {
        let (least, most) = (*self.takes.start(), *self.takes.end());
        least + most.saturating_sub(least) * (number % STEPS) / (STEPS - 1)
    }
}

impl Worker for Demo {
    async fn work(&self, job: Job, progress: Progress) -> Result<Completion, Failure> {
        let number = job
            .key
            .bytes()
            .chain(job.chat.id.to_be_bytes())
            .fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
        let step = self.pace(number) / STEPS;
        if job.kind == Kind::Call {
            sleep(step).await;
            return Ok(Completion::show(screen(&job)));
        }
        if job.lane.starts_with("image") {
            for done in 1..=STEPS {
                progress.text(format!("{MARK} {}%", done * 100 / STEPS));
                sleep(step).await;
            }
            let image = Image { content_type: "image/png", content: Bytes::from_static(PICTURE) };
            let photo = progress.upload(&image).await?;
            let text = Some(format!("{MARK} This is no picture of it."));
            return Ok(Completion::default().and(Content { text, photo: Some(photo), ..Content::default() }));
        }
        let answer = ANSWERS.get(number as usize % ANSWERS.len()).copied().unwrap_or_default();
        let words: Vec<&str> = answer.split(' ').collect();
        for done in 1..=STEPS as usize {
            let said = words.get(..words.len() * done / STEPS as usize).unwrap_or(&words).join(" ");
            progress.text(format!("{MARK} {said}…"));
            sleep(step).await;
        }
        Ok(Completion::text(format!("{MARK} {answer}")))
    }
}

/// A screen with a page number that its buttons change.
fn screen(job: &Job) -> Show {
    let name = job.name.clone().unwrap_or_default();
    let page: u32 = job.arguments.get("page").and_then(|page| page.parse().ok()).unwrap_or(1);
    let turn = |label: &str, page: u32| {
        let arguments = BTreeMap::from([("page".to_owned(), page.to_string())]);
        Button::calling(label, Call { name: name.clone(), arguments })
    };
    let mut row = Vec::new();
    if page > 1 {
        row.push(turn("‹", page - 1));
    }
    row.push(turn("›", page.saturating_add(1)));
    let text = format!("{MARK} Page {page} of “{name}”. A worker of yours would show something here.");
    Show { text: Some(text), buttons: vec![row], ..Show::default() }
}
