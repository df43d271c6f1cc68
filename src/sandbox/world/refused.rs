//! What the bot cannot do, in Telegram's words. Their codes and prefixes are the Bot API's.

/// Why the world does not do what the bot asks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::sandbox) enum Refused {
    #[error("chat not found")]
    ChatNotFound,
    #[error("bot was blocked by the user")]
    Blocked,
    #[error("bot can't initiate conversation with a user")]
    CannotInitiate,
    /// What was sought: `message to edit`.
    #[error("{0} not found")]
    MessageNotFound(&'static str),
    #[error("message can't be edited")]
    NotEditable,
    #[error("there is no text in the message to edit")]
    NoText,
    #[error("there is no caption in the message to edit")]
    NoCaption,
    #[error("there is no media in the message to edit")]
    NoMedia,
    #[error(
        "message is not modified: specified new message content and reply markup are exactly the same as a current \
         content and reply markup of the message"
    )]
    NotModified,
    #[error("message can't be deleted")]
    NotDeletable,
    #[error("message can't be deleted for everyone")]
    NotDeletableForEveryone,
    #[error("query is too old and response timeout expired or query ID is invalid")]
    QueryTooOld,
    #[error("user not found")]
    UserNotFound,
    #[error("wrong remote file identifier specified: {0}")]
    WrongFile(&'static str),
    /// A code of Telegram's own side, which is passed through as it is.
    #[error("{0}")]
    Raw(&'static str),
}

impl Refused {
    /// Its `error_code`.
    pub(in crate::sandbox) fn code(&self) -> u16 {
        match self {
            Self::Blocked | Self::CannotInitiate => 403,
            _ => 400,
        }
    }
}
