//! Scripts: what users do and what they have to see, as text, run against the real server in the sandbox.
//! What comes of it is a transcript, the same for the same seed.
//!
//! # The language
//! A line says one thing. What begins with `#` is a comment; after all but texts as they stand, a comment may follow.
//!
//! | line | what it says |
//! |---|---|
//! | `user boris ru "Борис"` | there is a user `boris` with a Russian client whom Telegram calls Борис; `-`: a client that tells no language |
//! | `ann: /start` | Ann writes that; `ann: "two\nlines"` where it needs quotation marks. `ann`, who speaks English, is there by herself |
//! | `ann: [Buy]`, `ann: [Buy] 3 times` | Ann presses the button that says so, of the lowest message that has one; `[Buy]` is also `⭐ Buy` |
//! | `ann presses "shop:buy"` | her client sends that payload, whatever the keyboard under the last message says |
//! | `ann sends a photo "caption"` | or `a photo`, `a sticker`, `a voice`, `a location` |
//! | `ann edits "text"` | Ann edits the last text that she wrote |
//! | `ann pays` | Ann confirms the last invoice |
//! | `ann in the group: text` | Ann writes into the group |
//! | `ann blocks the bot`, `ann unblocks the bot` | |
//! | `ann speaks pt-BR` | Ann's client is in that language from now on |
//! | `wait 5m`, `wait 1h 30m` | so much of the simulated time goes by |
//! | `fault lose-answer` | the next answer of the webhook is lost, so Telegram sends the update again |
//! | `fault delay-answer 3s` | the next answer comes that much later |
//! | `fault twice` | the next update is delivered twice at the same time |
//! | `fault close` | the next connection is closed as soon as the request is written |
//! | `fault flood ann 3s` | the next call that concerns Ann's chat is answered 429 |
//! | `fault slow 3s`, `fault fail 500`, `fault lose-call` | the next call of the Bot API takes longer, fails, is done but its answer lost |
//! | `no faults` | from here on nothing goes wrong |
//! | `ann sees "words"`, `ann sees [Buy]` | expected: words or a button in what came, changed, or stands last |
//! | `ann does not see "words"` | expected: they are not there |
//! | `ann gets "words"` | expected: a toast or an alert with these words came |
//! | `nothing for ann` | expected: nothing came, nothing changed |
//!
//! A fault may end in `3 times` or `always`. After each line the world comes to rest: every update is taken, every
//! message is sent. "Came" and "changed" mean: since the last line on which somebody did something or time went by.

mod cast;
mod difference;
mod expect;
mod label;
mod parse;
mod run;
mod step;
mod transcript;
mod words;

pub use run::{BEGINNING, Passed, run};
pub use step::{Act, Expectation, Fault, Line, Script, Sight, Step, Thing};
