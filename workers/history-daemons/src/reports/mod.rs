//! Reports of ended sessions (reference/history.md#reports). A session is due when it ends and when late rows
//! arrive; a statement claims it for a while, so that one copy makes its report and a killed copy delays it only.

mod db;
mod metrics;
mod public;

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use futures::future::{join, join_all};
use history_model::{
    report::{self, Chatter, Made},
    sessions::MAX_LATENESS,
};
use shared::Result;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use worker_core::Context;

use db::{Claim, Stored};
use metrics::{Outcome, ReportMetrics};

/// Interval of checks for due sessions.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Reports that one copy makes at a time.
const MAX_CONCURRENT_REPORTS: usize = 2;
/// Maximum duration of one report.
const REPORT_TIMEOUT: Duration = Duration::from_secs(480);
/// Time for which a session is claimed: longer than a report takes.
const CLAIM_TTL: TimeDelta = TimeDelta::minutes(10);
/// Shortest pause after a failure.
const MIN_BACKOFF: TimeDelta = TimeDelta::minutes(1);
/// Longest pause after a failure.
const MAX_BACKOFF: TimeDelta = TimeDelta::hours(1);
/// Interval at which overdue reports are counted.
const MEASURE_INTERVAL: Duration = Duration::from_secs(30);
/// Time after the end of a session at which a missing report is overdue.
const OVERDUE_AFTER: TimeDelta = TimeDelta::hours(1);

/// Makes reports until `shutdown` is cancelled. A report in progress is then left to another copy.
///
/// # Errors
/// Metrics that cannot be registered.
pub async fn run(context: &Context, shutdown: CancellationToken) -> Result<()> {
    let maker = ReportMaker::new(context)?;
    let makers = (0..MAX_CONCURRENT_REPORTS).map(|_| maker.run(&shutdown));
    join(join_all(makers), maker.measure(&shutdown)).await;
    Ok(())
}

/// Maker of reports. Cheap to clone.
#[derive(Clone)]
pub struct ReportMaker {
    context: Context,
    metrics: ReportMetrics,
}

impl ReportMaker {
    /// Creates a maker that counts in the context's metrics.
    ///
    /// # Errors
    /// Metrics that cannot be registered.
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { context: context.clone(), metrics: ReportMetrics::new(&context.metrics)? })
    }

    async fn run(&self, shutdown: &CancellationToken) {
        let mut ticks = interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
            while !shutdown.is_cancelled() {
                match self.step(shutdown).await {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        tracing::warn!(%error, "due reports cannot be claimed");
                        break;
                    }
                }
            }
        }
    }

    /// Makes the report of the session that is due for the longest time; false when none is due. A failed report
    /// is due again later.
    ///
    /// # Errors
    /// A failure of the main database. The session is due again when its claim ends.
    pub async fn make_next(&self) -> Result<bool> {
        self.step(&CancellationToken::new()).await
    }

    async fn step(&self, shutdown: &CancellationToken) -> Result<bool> {
        let now = self.context.clock.now();
        let mut postgres = self.context.databases.postgres.get().await?;
        let claim = db::claim(&mut postgres, now, now + CLAIM_TTL, now - MAX_LATENESS).await?;
        drop(postgres);
        let Some(claim) = claim else { return Ok(false) };
        if claim.is_late() {
            self.metrics.ended(Outcome::Skipped);
            return Ok(true);
        }
        let began = Instant::now();
        let Some(made) = shutdown.run_until_cancelled(timeout(REPORT_TIMEOUT, self.make(&claim, now))).await
        else {
            self.postpone(&claim, now).await?;
            return Ok(true);
        };
        self.metrics.took(began.elapsed());
        match made.map_err(|_elapsed| shared::Error::Internal("not made in time".to_owned())).flatten() {
            Ok(outcome) => self.metrics.ended(outcome),
            Err(error) => {
                let (session, account_id) = (claim.session_id, claim.account_id);
                tracing::error!(%session, %account_id, %error, "a report cannot be made");
                self.metrics.ended(Outcome::Failed);
                self.postpone(&claim, now + backoff(claim.ended_at, now)).await?;
            }
        }
        Ok(true)
    }

    /// Makes and stores a report. Public figures are written before it: the session stays due until both are
    /// written, and both may be repeated.
    async fn make(&self, claim: &Claim, now: DateTime<Utc>) -> Result<Outcome> {
        let databases = &self.context.databases;
        let (mut postgres, mut timeseries) =
            (databases.postgres.get().await?, databases.timescaledb.get().await?);
        let made = report::make(&mut postgres, &mut timeseries, claim.session_id, now).await?;
        let Some(made) = made.filter(|made| !made.report.session.is_live) else {
            return Ok(Outcome::Skipped);
        };
        let former = public::publish(&mut postgres, &made, now).await?;
        let stored = db::store(&mut postgres, claim, &made, now).await?;
        let stored_chatters = match stored {
            Stored::Written(chatters) => chatters,
            // Another copy stored a newer report, and this one has overwritten its public figures.
            Stored::Outdated => {
                db::make_again(&mut postgres, claim, now).await?;
                Vec::new()
            }
            // Deleted, or open again.
            Stored::Gone => Vec::new(),
        };
        // The session is due until no one is listed who was erased meanwhile.
        let listed = listed(&made, stored_chatters, former);
        report::forget_erased(&mut postgres, &mut timeseries, made.account_id, &listed).await?;
        db::finish(&mut postgres, claim).await?;
        Ok(Outcome::Made)
    }

    async fn postpone(&self, claim: &Claim, until: DateTime<Utc>) -> Result<()> {
        let mut postgres = self.context.databases.postgres.get().await?;
        db::postpone(&mut postgres, claim, until).await
    }

    async fn measure(&self, shutdown: &CancellationToken) {
        let mut ticks = interval(MEASURE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
            match self.count_overdue().await {
                Ok(overdue) => self.metrics.overdue(overdue),
                Err(error) => tracing::warn!(%error, "overdue reports cannot be counted"),
            }
        }
    }

    /// Number of sessions that ended an hour ago and have no report yet, counted up to 10,000.
    ///
    /// # Errors
    /// A failure of the main database.
    pub async fn count_overdue(&self) -> Result<i64> {
        let before = self.context.clock.now() - OVERDUE_AFTER;
        let mut postgres = self.context.databases.postgres.get().await?;
        db::count_overdue(&mut postgres, before).await
    }
}

/// Everyone whom the written rows name.
fn listed(made: &Made, mut chatters: Vec<Chatter>, former: Vec<Chatter>) -> Vec<Chatter> {
    chatters.extend(former);
    chatters.extend(made.streams.iter().flat_map(|stream| stream.top_chatters.iter().cloned()));
    chatters
}

/// Pause after a failure: a quarter of the time since the end of the session.
fn backoff(ended_at: DateTime<Utc>, now: DateTime<Utc>) -> TimeDelta {
    ((now - ended_at) / 4).clamp(MIN_BACKOFF, MAX_BACKOFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_grows_with_the_age_of_the_session_and_is_bounded() {
        let ended_at = DateTime::UNIX_EPOCH;
        for (minutes, pause) in [(-5, 1), (0, 1), (10, 2), (60, 15), (1000, 60)] {
            let expected = if minutes == 10 { TimeDelta::seconds(150) } else { TimeDelta::minutes(pause) };
            assert_eq!(backoff(ended_at, ended_at + TimeDelta::minutes(minutes)), expected, "{minutes}");
        }
    }
}
