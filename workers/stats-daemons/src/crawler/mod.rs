//! Crawler of public channels (reference/public-stats.md#crawler). It reads figures, profiles and catalogues
//! from the documented public interfaces of the platforms, within the scope that staff set.
//!
//! Any number of copies may run. They share the budget of calls in Redis; of the copies, one at a time walks the
//! directory of a platform, and each channel is visited by the copy that has claimed its row. A platform that
//! fails stops no other: each has its own tasks.

mod batches;
pub mod budget;
mod calls;
mod catalogue;
mod credentials;
mod directory;
mod hidden;
mod metrics;
pub mod profiles;
mod scope;
mod sightings;
mod slots;
mod visits;
mod watchlist;

use std::time::Duration;

use futures::{FutureExt, future::join_all};
use platform_daemons::PlatformContext;
use shared::{Result, platform::Platform};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use calls::Calls;
use metrics::CrawlerMetrics;
use scope::{CRAWLED, Scope, scope_of};

/// Interval at which the flag and the scope are read.
const SCOPE_INTERVAL: Duration = Duration::from_secs(1);
/// Longest pause of a task, after which it sees a change of the scope.
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Pause after a failure of a database or Redis.
const FAILURE_PAUSE: Duration = Duration::from_secs(2);
/// Pause while nothing is due.
const IDLE: Duration = Duration::from_millis(500);

/// Kinds of work on a platform, which run beside each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    /// Walks the directory of live channels.
    Directory,
    /// Visits single channels.
    Visits,
    /// Reads profiles.
    Profiles,
    /// Finds the channels of the watch list.
    Watchlist,
    /// Reads games and emotes.
    Catalogue,
}

impl Task {
    const ALL: [Self; 5] = [Self::Directory, Self::Visits, Self::Profiles, Self::Watchlist, Self::Catalogue];
}

/// Crawler of one platform in this process.
struct PlatformCrawler {
    context: PlatformContext,
    platform: Platform,
    /// Name of this copy in claims.
    owner: Uuid,
    calls: Calls,
    metrics: CrawlerMetrics,
    scope: watch::Receiver<Option<Scope>>,
    shutdown: CancellationToken,
}

/// Runs until `shutdown` is cancelled. Nothing is read while the flag `system:crawler` or the scope is off.
///
/// # Errors
/// None in practice: the names of the metrics are constants.
pub async fn run(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    let metrics = CrawlerMetrics::new(&context.metrics)?;
    let (sender, scope) = watch::channel(None);
    let owner = shared::id::new();
    let crawlers: Vec<PlatformCrawler> = CRAWLED
        .into_iter()
        .map(|platform| PlatformCrawler {
            context: context.clone(),
            platform,
            owner,
            calls: Calls::new(&context, platform, &metrics, &scope, &shutdown),
            metrics: metrics.clone(),
            scope: scope.clone(),
            shutdown: shutdown.clone(),
        })
        .collect();
    let tasks = crawlers.iter().flat_map(|crawler| Task::ALL.map(|task| crawler.repeat(task)));
    futures::join!(follow_scope(&context, &sender, &shutdown), join_all(tasks));
    Ok(())
}

/// Keeps the scope up to date. It is off while it cannot be read.
async fn follow_scope(
    context: &PlatformContext,
    sender: &watch::Sender<Option<Scope>>,
    shutdown: &CancellationToken,
) {
    let mut ticks = tokio::time::interval(SCOPE_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        let read = read_scope(context).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the scope of the crawler cannot be read");
            None
        });
        sender.send_if_modified(|known| {
            let is_changed = *known != read;
            *known = read;
            is_changed
        });
    }
}

async fn read_scope(context: &PlatformContext) -> Result<Option<Scope>> {
    scope::read(&mut *context.databases.postgres.get().await?).await
}

impl PlatformCrawler {
    /// Repeats a task while the platform is in the scope.
    async fn repeat(&self, task: Task) {
        let mut pause = Duration::ZERO;
        while self.shutdown.run_until_cancelled(tokio::time::sleep(pause)).await.is_some() {
            pause = match self.scope() {
                None => self.rest(task),
                Some(scope) => self.step(task, &scope).await.unwrap_or_else(|error| {
                    tracing::warn!(platform = %self.platform, ?task, %error, "a task of the crawler failed");
                    FAILURE_PAUSE
                }),
            };
            pause = pause.min(MAX_PAUSE);
        }
        if task == Task::Directory {
            directory::release(self).await;
        }
    }

    /// Records that a task has no work; returns the pause before the scope is read again.
    fn rest(&self, task: Task) -> Duration {
        if task == Task::Visits {
            self.metrics.lateness(self.platform, 0.0);
        }
        IDLE
    }

    /// Executes a small part of a task; returns the pause before the next one.
    async fn step(&self, task: Task, scope: &Scope) -> Result<Duration> {
        // The parts of a task are large, and every task would hold those of all.
        let step = match task {
            Task::Directory => directory::step(self, scope).boxed(),
            Task::Visits => visits::step(self, scope).boxed(),
            Task::Profiles => profiles::step(self, scope).boxed(),
            Task::Watchlist => watchlist::step(self).boxed(),
            Task::Catalogue => catalogue::step(self).boxed(),
        };
        step.await
    }

    /// Scope in force for the platform.
    fn scope(&self) -> Option<Scope> {
        scope_of(&self.scope, self.platform)
    }
}
