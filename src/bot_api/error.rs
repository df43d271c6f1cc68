//! How a call can fail: a variant for each thing the caller can do. Never holds a URL or a token.

use std::time::Duration;

/// Why a call did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Telegram will not do it, however often it is asked (400, 409, 413…). Caller: mend the call or give it up.
    #[error("Telegram refused the call ({code}): {description}")]
    Refused {
        /// `error_code`.
        code: u16,
        /// What it says, see `describe`.
        description: String,
    },
    /// 429. Caller: wait, then call again.
    #[error("Telegram asks to wait {} s", retry_after.as_secs())]
    RateLimited {
        /// How long, at most a day.
        retry_after: Duration,
    },
    /// 401 or 404: the token is revoked or wrong, or the server lacks the method. Caller: hold the bot, tell a person.
    #[error("Telegram does not accept the bot's token")]
    Unauthorized,
    /// 403: the user blocked the bot, is gone, or never started it. Caller: the chat is unreachable.
    #[error("Telegram forbids the call: {description}")]
    Forbidden {
        /// What it says, see `describe`.
        description: String,
    },
    /// It was not done. Caller: call again later.
    #[error("the call failed")]
    Failed(#[source] Cause),
    /// It was sent, but no usable answer came: it may be done. Caller: call again, if twice does no harm.
    #[error("the call was sent, but it is not known whether it was done")]
    Uncertain(#[source] Cause),
}

/// What happened on the wire.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// No connection, or it broke.
    #[error("{}", chain(.0))]
    Transport(reqwest::Error),
    /// No answer in time.
    #[error("no answer came in time")]
    TimedOut,
    /// A status that is no verdict of the Bot API: 5xx, or another server's answer.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// A success that does not say what it should. (What it says is not kept: it may be a user's text.)
    #[error("the server's answer cannot be read")]
    Unreadable,
}

impl Error {
    /// The edit changes nothing, because the message is as it is to be: as good as a success.
    pub fn is_not_modified(&self) -> bool {
        matches!(self, Self::Refused { description, .. } if description.contains("message is not modified"))
    }

    /// The text's markup is not what Telegram takes.
    pub fn is_unparsable(&self) -> bool {
        matches!(self, Self::Refused { description, .. } if description.contains("can't parse entities"))
    }

    /// There is no such chat, for this bot: nothing can be sent to it, as after a 403.
    pub fn is_of_the_chat(&self) -> bool {
        let of_the_chat = |text: &str| ["chat not found", "PEER_ID_INVALID"].iter().any(|it| text.contains(it));
        matches!(self, Self::Refused { description, .. } if of_the_chat(description))
    }

    /// The chat became another one (a group that became a supergroup): not ours to follow, since chats are private.
    pub fn migrated(&self) -> bool {
        matches!(self, Self::Refused { description, .. } if description.contains("upgraded to a supergroup"))
    }

    /// Its label in metrics.
    pub(super) fn label(&self) -> &'static str {
        match self {
            _ if self.is_not_modified() => "not_modified",
            Self::Refused { .. } | Self::Unauthorized | Self::Forbidden { .. } => "refused",
            Self::RateLimited { .. } => "rate_limited",
            Self::Failed(_) => "failed",
            Self::Uncertain(_) => "timeout",
        }
    }
}

/// An error with those below it, which reqwest's own text leaves out. The URL, and with it the token, was taken away.
fn chain(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut below = std::error::Error::source(error);
    while let Some(error) = below {
        text.push_str(": ");
        text.push_str(&error.to_string());
        below = error.source();
    }
    text
}

/// Longest description that is kept, in characters. Telegram's own are shorter.
const DESCRIPTION_MAX_CHARS: usize = 300;

/// A description as it may be logged: on one line, without the token, and without the words of a user
/// that Telegram quotes where it could not parse them.
pub(super) fn describe(description: &str, token: &str) -> String {
    let mut text: String = description
        .replace(token, "***")
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(DESCRIPTION_MAX_CHARS)
        .collect();
    if text.contains("can't parse entities") {
        text = without_quotes(&text);
    }
    text
}

fn without_quotes(text: &str) -> String {
    let parts: Vec<&str> = text.split('"').collect();
    let kept = parts.iter().enumerate().map(|(index, part)| if index % 2 == 0 { part } else { "…" });
    kept.collect::<Vec<_>>().join("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_holds_neither_token_nor_quoted_words_nor_line_breaks() {
        assert_eq!(describe("no bot 1:SECRET\nhere", "1:SECRET"), "no bot *** here");
        assert_eq!(
            describe(
                "Bad Request: can't parse entities: Unsupported start tag \"ann smith\" at byte offset 7",
                "1:SECRET"
            ),
            "Bad Request: can't parse entities: Unsupported start tag \"…\" at byte offset 7"
        );
        assert_eq!(
            describe("can't parse entities: Unmatched end tag, expected \"</b>\", found \"</ann\"…", "1:SECRET"),
            "can't parse entities: Unmatched end tag, expected \"…\", found \"…\"…"
        );
        assert_eq!(describe("parameter \"url\" is required", "1:SECRET"), "parameter \"url\" is required");
        assert_eq!(describe(&"x".repeat(5000), "1:SECRET").len(), DESCRIPTION_MAX_CHARS);
    }
}
