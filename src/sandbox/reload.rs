//! What follows when somebody saves a flow's file: the report, the commands menu, and every screen drawn anew.
//! Never reads a flow: the library does.

use super::bot::Hook;
use crate::clock;
use crate::flow::books::Books;
use crate::flow::decision::Place;
use crate::library::{self, Changed, Library};
use crate::problem::Problems;
use crate::sandbox::world::World;
use crate::shutdown::Tasks;
use crate::storage::{Commit, Key, NewJob, Outcome, Storage};
use crate::telegram::id::{BotId, ChatId};
use serde::Serialize;
use std::sync::Arc;
use tokio::sync::watch;
use tracing::{info, warn};

/// How often a chat is redrawn whose row changes meanwhile.
const TRIES_MAX: usize = 5;

/// What the last reading of the flows led to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// What is wrong; none: nothing.
    pub problems: Option<Problems>,
    /// The flows that are other than before.
    pub changed: Changed,
}

/// Whose screens are drawn anew.
#[derive(Clone, Debug)]
pub(super) struct Screens {
    pub(super) storage: Storage,
    pub(super) world: World,
    pub(super) bot: BotId,
    pub(super) flow: String,
}

/// Watches the folder of `library`, if it has one.
pub(super) fn start(
    library: &Arc<Library>,
    screens: Screens,
    hook: Arc<Hook>,
    tasks: &Tasks,
) -> anyhow::Result<watch::Receiver<Report>> {
    let (told, heard) = watch::channel(Report::default());
    library::watch(Arc::clone(library), tasks, move |read| {
        told.send_replace(match read {
            Ok(changed) => Report { problems: None, changed },
            Err(problems) => Report { problems: Some(problems), changed: Changed::default() },
        });
    })?;
    let (library, group, mut reports) = (Arc::clone(library), tasks.clone(), heard.clone());
    tasks.spawn(async move {
        loop {
            tokio::select! {
                () = group.stopping() => return,
                more = reports.changed() => if more.is_err() { return },
            }
            let report = reports.borrow_and_update().clone();
            match report.problems {
                Some(problems) => warn!("the flow is broken, the old one goes on:\n{problems}"),
                None if report.changed.0.contains(&screens.flow) => {
                    info!("the flow {} was read anew", screens.flow);
                    let Some(flow) = library.dialogue(&screens.flow) else { continue };
                    if let Err(error) = hook.name_commands(&*flow).await {
                        warn!("the commands menu could not be changed: {error}");
                    }
                    screens.redraw().await;
                }
                None => {}
            }
        }
    });
    Ok(heard)
}

impl Screens {
    /// Has every chat's screen sent anew where it is shown. No screen moves and no revision changes.
    async fn redraw(&self) {
        for user in self.world.users() {
            if let Err(error) = self.redraw_one(user.id).await {
                warn!("the screen of chat {} could not be queued: {error}", user.id);
            }
        }
    }

    async fn redraw_one(&self, chat: ChatId) -> Result<(), crate::storage::Error> {
        let key = Key { bot: self.bot, chat };
        for _ in 0..TRIES_MAX {
            let Some(stored) = self.storage.load(&[key]).await?.pop().transpose()?.flatten() else { return Ok(()) };
            if stored.chat.desired.is_none() {
                return Ok(());
            }
            let mut chat = stored.chat;
            chat.version = chat.version.next();
            let jobs = vec![NewJob::Screen(Place::Shown)];
            let commit = Commit {
                key,
                chat,
                fence: stored.fence,
                update: None,
                jobs,
                books: Books::default(),
                at: clock::now(),
            };
            if !matches!(self.storage.commit(&commit).await?, Outcome::Stale | Outcome::Busy) {
                return Ok(());
            }
        }
        Ok(())
    }
}
