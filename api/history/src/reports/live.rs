//! Reports of sessions that have no stored report yet (reference/history.md#reports). Making one reads
//! everything of the session, so that concurrent requests for one share it, and it is returned again for some
//! time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use api_core::{
    ApiError, Code, Cx, Result,
    access::{DatabaseAccess, read_on_replica},
};
use chrono::{DateTime, Utc};
use foundation::db::{ReadPools, ReplicaRead};
use history_model::report::{self, Report};
use moka::{Expiry, future::Cache};
use uuid::Uuid;

/// Shortest time for which a report is returned again (reference/history.md#reports).
const MIN_REPORT_TTL: Duration = Duration::from_secs(5);
/// Longest time for which a report is returned again (reference/history.md#reports).
const MAX_REPORT_TTL: Duration = Duration::from_secs(60);
/// Part of the time that may be spent on making the report of a session anew: one tenth.
const TTL_FACTOR: u32 = 10;
/// Reports that a process keeps.
const MAX_REPORTS: u64 = 1000;

/// Session, and its end: a report of before the end is none of after it.
type Key = (Uuid, Option<DateTime<Utc>>);

/// Report; `None` for a session that was deleted.
type Made = Result<Option<Arc<Report>>>;

/// Reports by session.
struct LiveReports(Cache<Key, Kept>);

/// Report, or the failure to make it, with the time for which it is kept.
#[derive(Clone)]
struct Kept {
    made: Made,
    ttl: Duration,
}

/// Time of each report.
struct OwnTtl;

impl Expiry<Key, Kept> for OwnTtl {
    fn expire_after_create(&self, _key: &Key, kept: &Kept, _created_at: Instant) -> Option<Duration> {
        Some(kept.ttl)
    }

    fn expire_after_update(
        &self,
        _key: &Key,
        kept: &Kept,
        _updated_at: Instant,
        _left: Option<Duration>,
    ) -> Option<Duration> {
        Some(kept.ttl)
    }
}

/// Makes the report of a session of what is known so far. The caller has found the session, with its end, in its
/// account. `None` when it was deleted meanwhile.
///
/// # Errors
/// `DATABASE_ERROR` when a database fails, or failed shortly before; 429 when the caller waited too long for its
/// share of a database.
pub(super) async fn report(
    cx: &Cx,
    access: &impl DatabaseAccess,
    session: Uuid,
    ended_at: Option<DateTime<Utc>>,
) -> Made {
    let reports = cx.state().component(|_| LiveReports::new());
    reports.get((session, ended_at), || made(cx, access, session, ended_at.is_some())).await
}

/// A replica may lack what the caller has read on the primary: the end of the session, or all of it.
async fn made(cx: &Cx, access: &impl DatabaseAccess, session: Uuid, has_ended: bool) -> Made {
    match read(cx, access, session, has_ended.then(Instant::now)).await? {
        Some(report) => Ok(Some(report)),
        None => read(cx, access, session, Some(Instant::now())).await,
    }
}

async fn read(cx: &Cx, access: &impl DatabaseAccess, session: Uuid, since: Option<Instant>) -> Made {
    let now = cx.state().clock.now();
    read_on_replica(access, ReplicaRead::LiveReport, since, |pools| build(pools, session, now)).await
}

async fn build(pools: ReadPools<'_>, session: Uuid, now: DateTime<Utc>) -> Made {
    let (mut postgres, mut timeseries) = (pools.postgres().await?, pools.timeseries().await?);
    let made = report::build(&mut postgres.reader(), &mut timeseries.reader(), session, now).await?;
    Ok(made.map(Arc::new))
}

impl LiveReports {
    fn new() -> Self {
        Self(Cache::builder().max_capacity(MAX_REPORTS).expire_after(OwnTtl).build())
    }

    /// Returns the report that is kept, or makes it. One of concurrent callers makes it for all.
    async fn get<F: Future<Output = Made>>(&self, key: Key, make: impl Fn() -> F) -> Made {
        let is_own = AtomicBool::new(false);
        let making = async {
            is_own.store(true, Relaxed);
            Kept::of(make()).await
        };
        match self.0.try_get_with(key, making).await {
            Ok(kept) => kept.made,
            // The share that was exhausted is that of another caller.
            Err(_busy) if !is_own.load(Relaxed) => {
                let kept = Kept::of(make()).await?;
                self.0.insert(key, kept.clone()).await;
                kept.made
            }
            Err(busy) => Err(Arc::unwrap_or_clone(busy)),
        }
    }
}

impl Kept {
    /// Waits for a report.
    ///
    /// # Errors
    /// 429 of the caller that makes it, which is kept for no other.
    async fn of(making: impl Future<Output = Made>) -> Result<Self, ApiError> {
        let begun = Instant::now();
        match making.await {
            Err(error) if error.code == Code::RateLimitExceeded => Err(error),
            made => Ok(Self { made, ttl: ttl(begun.elapsed()) }),
        }
    }
}

/// Time for which a report is kept that took some time to make.
fn ttl(duration: Duration) -> Duration {
    (duration * TTL_FACTOR).clamp(MIN_REPORT_TTL, MAX_REPORT_TTL)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures::{FutureExt, poll};

    use super::*;

    const KEY: Key = (Uuid::nil(), None);

    fn busy() -> Made {
        Err(shared::Error::Busy.into())
    }

    #[test]
    fn ttl_of_a_report_is_ten_times_its_duration_within_bounds() {
        let secs = |duration| ttl(Duration::from_secs(duration)).as_secs();
        assert_eq!([0, 1, 3, 6, 900].map(secs), [5, 10, 30, 60, 60]);
    }

    #[tokio::test]
    async fn live_reports_keep_a_failure_and_nothing_of_a_caller_that_is_refused() {
        let reports = LiveReports::new();
        let count = Cell::new(0);
        let failing = || async {
            count.set(count.get() + 1);
            Err(ApiError::conflict("away"))
        };
        assert_eq!(reports.get(KEY, || async { busy() }).await, busy());
        for _ in 0..3 {
            assert_eq!(reports.get(KEY, failing).await, Err(ApiError::conflict("away")));
        }
        assert_eq!(count.get(), 1);
        let ended = (Uuid::nil(), DateTime::from_timestamp(0, 0));
        assert_eq!(reports.get(ended, || async { Ok(None) }).await, Ok(None), "another state of the session");
    }

    #[tokio::test]
    async fn live_reports_refuse_no_caller_for_the_share_of_another() {
        let reports = LiveReports::new();
        let (release, released) = futures::channel::oneshot::channel::<()>();
        let released = released.shared();
        let refused = || {
            let released = released.clone();
            async move {
                let _sent = released.await;
                busy()
            }
        };
        let mut first = Box::pin(reports.get(KEY, refused));
        assert!(poll!(&mut first).is_pending());
        let mut second = Box::pin(reports.get(KEY, || async { Ok(None) }));
        assert!(poll!(&mut second).is_pending(), "it waits for the first");
        drop(release);
        let (first, second) = futures::join!(first, second);
        assert_eq!((first, second), (busy(), Ok(None)));
        assert_eq!(reports.get(KEY, || async { busy() }).await, Ok(None), "it is kept");
    }
}
