//! Reports of sessions that have no stored report yet (reference/history.md#reports). Making one reads
//! everything of the session, so that concurrent requests for one share it, and it is returned again for some
//! seconds.

use std::{sync::Arc, time::Duration};

use api_core::{ApiError, Cx, Result, access::DatabaseAccess};
use history_model::report::{self, Report};
use moka::future::Cache;
use uuid::Uuid;

/// Time for which a report is returned again (reference/history.md#reports).
const REPORT_TTL: Duration = Duration::from_secs(5);
/// Reports that a process keeps.
const MAX_REPORTS: u64 = 1000;

/// Reports by session; `None` for a session that was deleted.
struct LiveReports(Cache<Uuid, Option<Arc<Report>>>);

/// Makes the report of a session of what is known so far. The caller has found the session in its account.
/// `None` when it was deleted meanwhile.
pub(super) async fn report(
    cx: &Cx,
    access: &impl DatabaseAccess,
    session: Uuid,
) -> Result<Option<Arc<Report>>> {
    let reports = cx.state().component(|_| LiveReports::new());
    let made = reports.0.try_get_with(session, made(cx, access, session)).await;
    made.map_err(|error: Arc<ApiError>| Arc::unwrap_or_clone(error))
}

async fn made(cx: &Cx, access: &impl DatabaseAccess, session: Uuid) -> Result<Option<Arc<Report>>> {
    let (mut postgres, mut timeseries) = (access.db().await?, access.timeseries().await?);
    let made = report::build(&mut postgres, &mut timeseries, session, cx.state().clock.now()).await?;
    Ok(made.map(Arc::new))
}

impl LiveReports {
    fn new() -> Self {
        Self(Cache::builder().max_capacity(MAX_REPORTS).time_to_live(REPORT_TTL).build())
    }
}
