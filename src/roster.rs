//! The bots in memory: loaded before the listener opens, refreshed in the background, the last good list kept.
//! No request reads them from the database.

mod digests;

use crate::bot::Bot;
use crate::clock::Timestamp;
use crate::shutdown::Tasks;
use crate::storage::{self, Storage};
use crate::telegram::id::BotId;
use crate::telemetry::degradation::Degradation;
use crate::telemetry::metrics::{self, Dependency};
use arc_swap::ArcSwap;
use digests::Digests;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Display;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Most bots that each have a metric label of their own.
pub const LABELS_MAX: usize = 100;
/// How often the list is read anew.
const REFRESH_INTERVAL: Duration = Duration::from_secs(1);
/// How long one reading of the list may take.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(5);

/// A bot with what the edge needs of it, computed once.
#[derive(Debug)]
pub struct Known {
    /// The bot.
    pub bot: Bot,
    /// Its name as a metric label; `all` where there are too many bots for a label each.
    pub label: Arc<str>,
    digests: Digests,
}

impl Known {
    /// `bot`, called `label` in metrics.
    pub fn new(bot: Bot, label: Arc<str>) -> Self {
        let digests = Digests::of(&bot);
        Self { bot, label, digests }
    }
}

/// Whether `offered`, the secret that came with a request, is one of `known`'s at the moment `now`.
///
/// An unknown bot, a missing, a shorter and a wrong secret cost the same work.
pub fn accepts(known: Option<&Known>, offered: Option<&[u8]>, now: Timestamp) -> bool {
    static NOBODY: LazyLock<Digests> = LazyLock::new(Digests::of_nobody);

    let digests = known.map_or(&*NOBODY, |known| &known.digests);
    // Both are looked at after the digests were compared, never instead.
    let fits = digests.accept(offered.unwrap_or_default(), now);
    fits & known.is_some() & offered.is_some_and(|offered| !offered.is_empty())
}

/// The bots that the process answers for. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Roster(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bots: ArcSwap<HashMap<BotId, Arc<Known>>>,
    degradation: Degradation,
}

impl Roster {
    /// Reads the list for the first time.
    ///
    /// # Errors
    /// If it cannot be read: there is no good list to go on with yet.
    pub async fn load(storage: &Storage) -> Result<Self, storage::Error> {
        Ok(Self::of(storage.bots().await?))
    }

    /// These bots.
    pub fn of(bots: Vec<Bot>) -> Self {
        let roster = Self(Arc::new(Inner { bots: ArcSwap::default(), degradation: Degradation::of(Dependency::Bots) }));
        roster.replace(bots);
        roster
    }

    /// The bot of that id.
    pub fn get(&self, id: BotId) -> Option<Arc<Known>> {
        self.0.bots.load().get(&id).cloned()
    }

    /// All bots, by id.
    pub fn all(&self) -> Vec<Arc<Known>> {
        let mut all: Vec<_> = self.0.bots.load().values().cloned().collect();
        all.sort_by_key(|known| known.bot.id);
        all
    }

    /// Whether the list is an old one, because it cannot be read anew.
    pub fn is_degraded(&self) -> bool {
        self.0.degradation.is_degraded()
    }

    /// These bots from now on. A bot that did not change keeps its digests.
    pub fn replace(&self, bots: Vec<Bot>) {
        let before = self.0.bots.load();
        let everybody: Option<Arc<str>> = (bots.len() > LABELS_MAX).then(|| "all".into());
        let unchanged = bots.len() == before.len()
            && bots.iter().all(|bot| before.get(&bot.id).is_some_and(|known| known.bot == *bot));
        if unchanged {
            return;
        }
        let after: HashMap<_, _> = bots
            .into_iter()
            .map(|bot| {
                let label = everybody.clone().unwrap_or_else(|| bot.name.as_str().into());
                let same = before.get(&bot.id).filter(|known| known.bot == bot && known.label == label);
                (bot.id, same.cloned().unwrap_or_else(|| Arc::new(Known::new(bot, label))))
            })
            .collect();
        report_connections(&before, &after);
        self.0.bots.store(Arc::new(after));
    }

    fn take(&self, read: Result<Vec<Bot>, &dyn Display>) {
        match read {
            Ok(bots) => {
                self.replace(bots);
                self.0.degradation.is_over();
            }
            Err(reason) => self.0.degradation.goes_on(reason),
        }
    }
}

/// Reads the list anew in `tasks`, every second, until they are stopped.
pub fn refresh(roster: Roster, storage: Storage, tasks: &Tasks) {
    let stopping = tasks.clone();
    tasks.spawn(async move {
        let mut ticks = interval(REFRESH_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let reading = async {
            loop {
                ticks.tick().await;
                match timeout(REFRESH_TIMEOUT, storage.bots()).await {
                    Ok(Ok(bots)) => roster.take(Ok(bots)),
                    Ok(Err(error)) => roster.take(Err(&with_cause(&error))),
                    Err(_) => roster.take(Err(&"the list of bots did not come in time")),
                }
            }
        };
        tokio::select! {
            () = stopping.stopping() => {}
            () = reading => {}
        }
    });
}

fn with_cause(error: &storage::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

/// Where bots share a label, their connections are added up; a label that is gone goes to 0.
fn report_connections(before: &HashMap<BotId, Arc<Known>>, after: &HashMap<BotId, Arc<Known>>) {
    let mut connections: BTreeMap<&str, u16> = before.values().map(|known| (&*known.label, 0)).collect();
    for known in after.values() {
        let sum = connections.entry(&*known.label).or_default();
        *sum = sum.saturating_add(known.bot.max_connections);
    }
    for (label, sum) in connections {
        metrics::max_connections(label, sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    pub(super) fn bot(id: i64, secret: &str) -> Bot {
        Bot {
            id: BotId(id),
            name: format!("bot{id}"),
            username: None,
            token: Secret::new(format!("{id}:token")),
            secret: Secret::new(secret),
            previous_secret: None,
            max_connections: 40,
            base_url: None,
            flow: "companion".into(),
            paused: false,
        }
    }

    const NOW: Timestamp = Timestamp::from_unix_seconds(1_700_000_000);

    #[test]
    fn each_bot_accepts_its_own_secret_and_no_other() {
        let roster = Roster::of(vec![bot(1, "one"), bot(2, "two")]);
        let (one, two) = (roster.get(BotId(1)).unwrap(), roster.get(BotId(2)).unwrap());

        assert!(accepts(Some(&one), Some(b"one"), NOW));
        assert!(accepts(Some(&two), Some(b"two"), NOW));
        for offered in [&b"two"[..], b"", b"on", b"onee", b"One", &[0xFF; 400]] {
            assert!(!accepts(Some(&one), Some(offered), NOW), "{offered:?}");
        }
        assert!(!accepts(Some(&two), Some(b"one"), NOW));
    }

    #[test]
    fn nobody_is_refused_whatever_is_offered() {
        assert!(!accepts(None, Some(b"one"), NOW));
        assert!(!accepts(None, None, NOW));
    }

    #[test]
    fn an_empty_secret_opens_to_nobody() {
        let known = Known::new(bot(1, ""), "bot1".into());

        assert!(!accepts(Some(&known), None, NOW));
        assert!(!accepts(Some(&known), Some(b""), NOW));
    }

    #[test]
    fn the_previous_secret_is_accepted_until_its_time_is_over() {
        let until = NOW.plus(Duration::from_secs(60));
        let rotated = Bot { previous_secret: Some((Secret::new("old"), until)), ..bot(1, "new") };
        let known = Known::new(rotated, "bot1".into());

        assert!(accepts(Some(&known), Some(b"old"), NOW));
        assert!(accepts(Some(&known), Some(b"new"), NOW));
        assert!(!accepts(Some(&known), Some(b"old"), until));
        assert!(accepts(Some(&known), Some(b"new"), until));
    }

    #[test]
    fn a_list_that_cannot_be_read_leaves_the_last_good_one() {
        let roster = Roster::of(vec![bot(1, "one")]);

        roster.take(Err(&"storage is unavailable"));
        assert!(roster.is_degraded());
        assert!(roster.get(BotId(1)).is_some());

        roster.take(Ok(vec![bot(2, "two")]));
        assert!(!roster.is_degraded());
        assert!(roster.get(BotId(1)).is_none());
        assert!(roster.get(BotId(2)).is_some());
    }

    #[test]
    fn a_changed_secret_counts_from_the_next_list_on_and_unchanged_bots_stay_as_they_are() {
        let roster = Roster::of(vec![bot(1, "one"), bot(2, "two")]);
        let kept = roster.get(BotId(2)).unwrap();

        roster.replace(vec![bot(1, "other"), bot(2, "two")]);

        assert!(!accepts(roster.get(BotId(1)).as_deref(), Some(b"one"), NOW));
        assert!(accepts(roster.get(BotId(1)).as_deref(), Some(b"other"), NOW));
        assert!(Arc::ptr_eq(&kept, &roster.get(BotId(2)).unwrap()));
    }

    #[test]
    fn the_label_is_the_name_while_there_are_at_most_a_hundred() {
        let roster = Roster::of((1..=100).map(|id| bot(id, "s")).collect());
        assert_eq!(&*roster.get(BotId(7)).unwrap().label, "bot7");

        roster.replace((1..=101).map(|id| bot(id, "s")).collect());
        assert_eq!(&*roster.get(BotId(7)).unwrap().label, "all");
    }

    #[test]
    fn all_are_listed_by_id() {
        let ids: Vec<_> =
            Roster::of(vec![bot(3, "c"), bot(1, "a"), bot(2, "b")]).all().iter().map(|known| known.bot.id.0).collect();
        assert_eq!(ids, [1, 2, 3]);
    }
}
