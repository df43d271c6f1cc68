//! The lanes of workers: who takes a job, how long it is held, how far it is, and what its end does to its chat.
//! A job ends in the commit of an event, see [`ending`](crate::ending), so no chat waits for one that is not there.
//! Never does a job, and never sends anything: what a result queues is the sender's.

mod bells;
mod checked;
mod ended;
mod floor;
mod leases;
mod looking;
mod places;
mod reaper;
mod sweeper;

pub use bells::Bells;
pub use checked::checked;
pub use ended::GivenUp;
pub use floor::priority;

use crate::config;
use crate::flow::Dialogue;
use crate::flow::books::Turn;
use crate::flow::order::Order;
use crate::library::Library;
use crate::roster::{Known, Roster};
use crate::shutdown::Tasks;
use crate::storage::{self, LeasedJob, Storage};
use floor::Floor;
use leases::Waits;
use std::sync::Arc;

/// The lanes of workers in this process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Lanes(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    storage: Storage,
    library: Arc<Library>,
    roster: Roster,
    bells: Bells,
    settings: config::Lanes,
    floor: Floor,
    waits: Waits,
}

/// A job that a worker holds.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The job.
    pub job: LeasedJob,
    /// What it asks for.
    pub order: Order,
    /// Whose it is.
    pub bot: Arc<Known>,
}

/// A job that a worker has just taken.
#[derive(Clone, Debug)]
pub struct Given {
    /// The job.
    pub taken: Taken,
    /// What was said in its chat before, the oldest first.
    pub dialog: Vec<Turn>,
}

/// Why something could not be done with a job.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Somebody else has it, or it has ended. Caller: drop it.
    #[error("the job is not held any more")]
    Lost,
    /// Caller: try again; a person has to add the bot's flow to this server.
    #[error("the flow of bot {0} is not there")]
    NoFlow(String),
    /// Its chat changed under each decision. Caller: try again.
    #[error("the chat changes all the time")]
    Contended,
    /// Caller: as it says.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl Lanes {
    /// The lanes of `storage`, whose bots speak as `roster` and `library` say.
    pub fn new(storage: Storage, library: Arc<Library>, roster: Roster, bells: Bells, settings: config::Lanes) -> Self {
        let (floor, waits) = (Floor::every(settings.floor), Waits::default());
        Self(Arc::new(Shared { storage, library, roster, bells, settings, floor, waits }))
    }

    /// Starts in `tasks` what looks after the lanes: for jobs of other processes, for jobs that nobody will do any more,
    /// for places in the queue, and for pictures that nobody sends.
    pub fn start(&self, tasks: &Tasks) {
        looking::start(self.clone(), tasks);
        reaper::start(self.clone(), tasks);
        places::start(self.clone(), tasks);
        sweeper::start(self.clone(), tasks);
    }

    /// How long a lease holds.
    pub fn lease_time(&self) -> std::time::Duration {
        self.0.settings.lease
    }
}

impl Shared {
    fn dialogue(&self, bot: &Known) -> Result<Arc<dyn Dialogue>, Error> {
        self.library.dialogue(&bot.bot.flow).ok_or_else(|| Error::NoFlow(bot.bot.name.clone()))
    }
}
