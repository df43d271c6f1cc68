//! Claims and recorded answers in Redis. A gate, not a judge: the fence of the row is what makes it true.
//! Never keeps anything in the process: several processes would disagree, and a restart would forget.

mod claims;
mod link;
mod recorder;

pub use claims::{Claim, Claims, Effect, InvalidUrl};

/// How long Redis remembers an update, in seconds; the fence remembers longer.
const REMEMBERED_SECONDS: u64 = 3600;
