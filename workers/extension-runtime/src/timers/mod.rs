//! Timers of bot modules (reference/bots.md#timers): every process checks once a second for due timers, and
//! adds the job of each.
//!
//! Time is cut into slots of the timer's interval, shifted by the install so that not everything is due at
//! the same time. A timer runs once in a slot on each platform where the account's bot is switched on, if
//! enough lines were written there since its last run. A slot that no process observes is skipped.

mod lines;

use std::{collections::HashMap, sync::Arc, time::Duration};

use diesel::{
    dsl::{exists, not},
    prelude::*,
};
use diesel_async::RunQueryDsl;
use foundation::{
    db::Database,
    events::{Channel, Event},
    jobs::{Producers, RunTriggers},
};
use serde_json::json;
use shared::{
    clock::Clock,
    schema::{bot_pauses, channel_connections},
};
use uuid::Uuid;

use super::{
    feed::Feed,
    triggers::{TIMER, Timer, Triggers},
};
pub use lines::ChatLines;

/// Interval of checks for due timers.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of accounts of one query.
const BATCH_SIZE: usize = 1000;

/// Timers of every account, as one process sees them.
pub struct Timers {
    /// Feed of installs and triggers.
    pub feed: Feed,
    /// Counts of chat lines.
    pub lines: ChatLines,
    /// Primary database.
    pub database: Database,
    /// Producers of the jobs.
    pub jobs: Producers,
    /// Source of the time.
    pub clock: Clock,
}

/// Timer whose slot has begun.
struct Due {
    account_id: Uuid,
    triggers: Arc<Triggers>,
    /// Index of the timer in `triggers`.
    timer: usize,
    slot: i64,
}

/// Slot of each timer at the last check.
type Slots = HashMap<(Uuid, String), i64>;

impl Timers {
    /// Adds the jobs of due timers; never returns.
    pub async fn run(&self) {
        let mut slots = Slots::new();
        let mut ticks = tokio::time::interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        loop {
            ticks.tick().await;
            let due = self.due(&mut slots).await;
            for accounts in due.chunks(BATCH_SIZE) {
                if let Err(error) = self.start(accounts).await {
                    tracing::warn!(%error, "timers of bot modules could not be started and are skipped");
                }
            }
        }
    }

    /// Returns timers whose slot has changed since the last check. One that is seen for the first time is not
    /// due.
    async fn due(&self, slots: &mut Slots) -> Vec<Due> {
        let now = self.clock.now().timestamp();
        let (mut due, mut seen) = (Vec::new(), Slots::new());
        for account_id in self.feed.accounts_with_timers() {
            let Ok(triggers) = self.feed.triggers(account_id).await else { continue };
            for (index, timer) in triggers.timers().iter().enumerate() {
                let (key, slot) = ((timer.install_id, timer.name.clone()), slot_of(timer, now));
                if slots.get(&key).is_some_and(|last| *last < slot) {
                    due.push(Due { account_id, triggers: triggers.clone(), timer: index, slot });
                }
                seen.insert(key, slot);
            }
        }
        *slots = seen;
        due
    }

    async fn start(&self, due: &[Due]) -> shared::Result<()> {
        let accounts: Vec<Uuid> = due.iter().map(|due| due.account_id).collect();
        let mut platforms: HashMap<Uuid, Vec<String>> = HashMap::new();
        for (account_id, platform) in self.open_platforms(&accounts).await? {
            platforms.entry(account_id).or_default().push(platform);
        }
        for due in due {
            for platform in platforms.get(&due.account_id).into_iter().flatten() {
                self.start_on(due, platform).await?;
            }
        }
        Ok(())
    }

    /// Returns the platforms where the bots of some accounts are switched on, and not paused by staff.
    async fn open_platforms(&self, accounts: &[Uuid]) -> shared::Result<Vec<(Uuid, String)>> {
        /// Maximum number of channels of the query: an account has one on each of six platforms.
        const MAX_CHANNELS: usize = 6 * BATCH_SIZE;
        Ok(channel_connections::table
            .filter(channel_connections::account_id.eq_any(accounts))
            .filter(channel_connections::bot_enabled.and(channel_connections::reconnect_required.eq(false)))
            .filter(not(exists(
                bot_pauses::table.find((channel_connections::account_id, channel_connections::platform)),
            )))
            .order((channel_connections::account_id, channel_connections::platform))
            .limit(i64::try_from(MAX_CHANNELS).unwrap_or(i64::MAX))
            .select((channel_connections::account_id, channel_connections::platform))
            .load(&mut *self.database.get().await?)
            .await?)
    }

    async fn start_on(&self, due: &Due, platform: &str) -> shared::Result<()> {
        let timer = &due.triggers.timers()[due.timer];
        if !timer.platforms.iter().any(|open| open == platform) {
            return Ok(());
        }
        if !self.lines.claim(due.account_id, timer, platform, due.slot).await? {
            return Ok(());
        }
        let data = json!({
            "install_id": timer.install_id,
            "name": timer.name,
            "platform": platform,
            "run": due.slot,
        });
        let source = format!("timer:{}:{}:{platform}:{}", timer.install_id, timer.name, due.slot);
        let (channel, now) = (Channel::Extensions(due.account_id), self.clock.now());
        let event = Event::of_source(channel, TIMER, data, now, &source);
        let job = RunTriggers { account_id: due.account_id, event, channel_id: None };
        self.jobs.enqueue(&job, &source).await.map(drop)
    }
}

/// Returns the number of the timer's slot that a second is in.
fn slot_of(timer: &Timer, now: i64) -> i64 {
    let interval = i64::from(timer.interval_secs);
    let shift =
        i64::try_from(timer.install_id.as_u128() % u128::from(timer.interval_secs)).unwrap_or_default();
    (now + shift).div_euclid(interval)
}
