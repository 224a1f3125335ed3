//! End of an export whose archive was deleted, discarded or given to another run meanwhile.

use std::time::{Duration, Instant};

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::db::Database;
use uuid::Uuid;

use crate::{Error, Result};

/// Time between two checks.
const INTERVAL: Duration = Duration::from_secs(10);

/// Run of the export of a stored archive.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The archive.
    pub archive: Uuid,
    /// Id of the run.
    pub attempt: Uuid,
}

#[derive(QueryableByName)]
struct State {
    #[diesel(sql_type = Bool)]
    is_open: bool,
}

/// Check that a run is still the one that makes its archive.
pub(crate) struct Watch {
    postgres: Database,
    run: Run,
    checked_at: Option<Instant>,
}

impl Watch {
    /// Check that is made at once for the first time.
    pub const fn new(postgres: Database, run: Run) -> Self {
        Self { postgres, run, checked_at: None }
    }

    /// Fails with [`Error::Gone`] when the archive has ended. Reads its row every 10 s at most.
    pub async fn check(&mut self) -> Result<()> {
        if self.checked_at.is_some_and(|at| at.elapsed() < INTERVAL) {
            return Ok(());
        }
        let state: State = sql_query(
            "SELECT EXISTS (SELECT FROM account_archives
                 WHERE id = $1 AND attempt = $2 AND finished_at IS NULL) AS is_open",
        )
        .bind::<SqlUuid, _>(self.run.archive)
        .bind::<SqlUuid, _>(self.run.attempt)
        .get_result(&mut *self.postgres.get().await?)
        .await?;
        self.checked_at = Some(Instant::now());
        if state.is_open { Ok(()) } else { Err(Error::Gone) }
    }
}
