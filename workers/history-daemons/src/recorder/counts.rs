//! Marked minutes, counted into the samples of their sessions.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use history_model::{
    minutes::{self, Minute},
    sessions::{self, SessionWindow},
};
use shared::Result;
use uuid::Uuid;

use super::{Recorder, public};

/// Marks of one transaction.
const BATCH_SIZE: i64 = 5000;
/// Transactions of one step; more follow in the next minute.
const MAX_BATCHES: usize = 200;
/// Marks of one step that may fail alone.
const MAX_POSTPONED: usize = 10;
/// Sessions of one step whose minutes are marked again.
const MAX_RECOUNTS: i64 = 100;
/// Time in which late rows gather before their report is made again.
const LATE_ROWS_DELAY: TimeDelta = TimeDelta::seconds(30);

/// Result of one transaction.
#[derive(Default)]
struct Batch {
    marks: i64,
    counted: usize,
    /// Closed sessions with late rows.
    late: Vec<SessionWindow>,
}

impl Recorder {
    /// Marks the minutes of sessions that have grown towards the past; true when there were some. A session that
    /// fails does not delay the others.
    pub(super) async fn mark_grown_sessions(&self) -> Result<bool> {
        let databases = &self.context.databases;
        let grown = sessions::recounts(&mut *databases.postgres.get().await?, MAX_RECOUNTS).await?;
        let mut has_marked = false;
        for recount in &grown {
            let mut timeseries = databases.timescaledb.get().await?;
            let mut postgres = databases.postgres.get().await?;
            match sessions::mark_minutes(&mut postgres, &mut timeseries, recount).await {
                Ok(()) => has_marked = true,
                Err(error) => {
                    let (session_id, account_id) = (recount.session_id, recount.account_id);
                    tracing::warn!(%session_id, %account_id, %error, "a session is not counted again");
                }
            }
        }
        Ok(has_marked)
    }

    /// Counts all marked minutes that belong to a session. Marks of others are dropped. A batch that the database
    /// refuses is tried again with half as many marks; a mark that fails alone waits behind the others.
    pub(super) async fn count_marks(&self) -> Result<()> {
        let (mut size, mut postponed) = (BATCH_SIZE, 0);
        for _ in 0..MAX_BATCHES {
            match self.count_batch(size).await {
                Ok(batch) => {
                    self.metrics.sampled("counts", batch.counted);
                    self.refresh_figures(&batch.late).await?;
                    if batch.marks < size {
                        break;
                    }
                    size = (size * 2).min(BATCH_SIZE);
                }
                Err(error) if !error.is_refusal() => return Err(error),
                Err(error) if size > 1 => {
                    size /= 2;
                    tracing::debug!(%error, size, "the batch of counted minutes is reduced");
                }
                Err(error) if postponed < MAX_POSTPONED => {
                    let mut timeseries = self.context.databases.timescaledb.get().await?;
                    let minute = minutes::postpone_mark(&mut timeseries).await?;
                    tracing::error!(?minute, %error, "a minute cannot be counted");
                    postponed += 1;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Counts one batch in a transaction, at whose end its marks are gone.
    async fn count_batch(&self, size: i64) -> Result<Batch> {
        let mut timeseries = self.context.databases.timescaledb.get().await?;
        timeseries.transaction(async |timeseries| self.count_taken(timeseries, size).await).await
    }

    async fn count_taken(&self, timeseries: &mut AsyncPgConnection, size: i64) -> Result<Batch> {
        let taken = minutes::take_marks(timeseries, size).await?;
        if taken.minutes.is_empty() {
            return Ok(Batch::default());
        }
        let windows = self.windows_of(&taken.minutes).await?;
        let of_sessions: Vec<(&Minute, &SessionWindow)> =
            taken.minutes.iter().filter_map(|minute| Some((minute, windows.of(minute)?))).collect();
        let wanted: Vec<&Minute> = of_sessions.iter().map(|(minute, _)| *minute).collect();
        let counted = minutes::count(timeseries, &wanted).await?;
        let closed = of_sessions.iter().map(|(_, session)| *session).filter(|session| !session.is_open);
        let closed: BTreeMap<Uuid, &SessionWindow> =
            closed.map(|session| (session.session_id, session)).collect();
        // Both before the marks are gone: a process that dies in between repeats them. The samples are written by
        // another connection, because this transaction would hold the marks of their days.
        self.make_reports_due(&closed).await?;
        public::write_samples(&self.context, &counted).await?;
        Ok(Batch {
            marks: taken.marks,
            counted: counted.len(),
            late: closed.into_values().cloned().collect(),
        })
    }

    async fn windows_of(&self, minutes: &[Minute]) -> Result<Windows> {
        let accounts: BTreeSet<Uuid> = minutes.iter().map(|minute| minute.account_id).collect();
        let accounts: Vec<Uuid> = accounts.into_iter().collect();
        let now = self.context.clock.now();
        let mut postgres = self.context.databases.postgres.get().await?;
        let mut windows = Windows::default();
        for window in sessions::windows(&mut postgres, &accounts, now).await? {
            windows.0.entry(window.account_id).or_default().push(window);
        }
        Ok(windows)
    }

    async fn make_reports_due(&self, closed: &BTreeMap<Uuid, &SessionWindow>) -> Result<()> {
        if closed.is_empty() {
            return Ok(());
        }
        let (ids, now) = (closed.keys().copied().collect::<Vec<_>>(), self.context.clock.now());
        let mut postgres = self.context.databases.postgres.get().await?;
        sessions::set_report_due(&mut postgres, &ids, now, LATE_ROWS_DELAY).await?;
        Ok(())
    }

    /// Computes the figures of sessions from their samples.
    pub(super) async fn refresh_figures(&self, sessions: &[SessionWindow]) -> Result<()> {
        if sessions.is_empty() {
            return Ok(());
        }
        let databases = &self.context.databases;
        let mut timeseries = databases.timescaledb.get().await?;
        let mut postgres = databases.postgres.get().await?;
        sessions::refresh_figures(&mut postgres, &mut timeseries, sessions).await
    }
}

/// Sessions by account.
#[derive(Default)]
struct Windows(BTreeMap<Uuid, Vec<SessionWindow>>);

impl Windows {
    fn of(&self, minute: &Minute) -> Option<&SessionWindow> {
        let is_in = |window: &&SessionWindow| {
            window.minutes_from <= minute.minute && window.minutes_to.is_none_or(|to| minute.minute < to)
        };
        self.0.get(&minute.account_id)?.iter().find(is_in)
    }
}
