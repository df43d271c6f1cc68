//! The bot of the benchmarks: another one in each run, so that no Redis remembers its updates from the run before.

use std::sync::LazyLock;
use tapgate::bot::Bot;
use tapgate::clock;
use tapgate::flow::Flow;
use tapgate::library::Library;
use tapgate::secret::Secret;
use tapgate::telegram::id::BotId;

/// What Telegram sends along.
pub const SECRET: &str = "benchmark-secret";
/// Its flow, the shipped one.
pub const FLOW: &str = "companion";

/// Its id: the second in which the run began.
pub fn id() -> BotId {
    static ID: LazyLock<BotId> = LazyLock::new(|| BotId(clock::now().unix_millis() / 1000));
    *ID
}

/// Its token.
pub fn token() -> String {
    format!("{}:benchmark-token", id())
}

/// Its row.
pub fn row() -> Bot {
    Bot {
        id: id(),
        name: "bench".into(),
        username: None,
        token: Secret::new(token()),
        secret: Secret::new(SECRET),
        previous_secret: None,
        max_connections: 40,
        base_url: None,
        flow: FLOW.into(),
        paused: false,
    }
}

/// The flows of the program.
pub fn library() -> Library {
    Library::open(None).unwrap_or_else(|problems| panic!("the flows of the program are not sound: {problems}"))
}

/// Its flow, read.
pub fn flow() -> std::sync::Arc<Flow> {
    library().get(FLOW).expect("the flow is in the program")
}
