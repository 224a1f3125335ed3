//! Report as it is stored, or made for this request (reference/history.md#reports).

use std::sync::Arc;

use api_core::{Cx, Result, access::DatabaseAccess};
use history_model::report::{Report, SessionRow};
use serde_json::Value;
use shared::id::AccountId;
use uuid::Uuid;

use super::{
    db::{self, Span},
    live, still_live,
};

/// Session of an account with its stored report, if it was made.
pub(crate) struct StoredReport {
    session: db::Session,
    report: Option<Value>,
}

impl StoredReport {
    /// Finds a session of the account.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn find(access: &impl DatabaseAccess, account: AccountId, id: Uuid) -> Result<Option<Self>> {
        let found = db::find_with_report(&mut *access.db().await?, account, id).await?;
        Ok(found.map(|(session, report)| Self { session, report }))
    }

    /// Refuses a session that is live.
    ///
    /// # Errors
    /// 409 for a session that is live.
    pub fn must_have_ended(&self) -> Result<()> {
        if self.session.row.is_live { Err(still_live()) } else { Ok(()) }
    }

    /// Samples that belong to the session.
    pub const fn span(&self) -> &Span {
        &self.session.span
    }

    /// Report of the session: the stored one, or one of what is known so far. `None` when the session was
    /// deleted meanwhile.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when a database fails.
    pub async fn report(self, cx: &Cx, access: &impl DatabaseAccess) -> Result<Option<Arc<Report>>> {
        let row = self.session.row;
        let (id, ended_at) = (row.id, row.ended_at);
        match self.report.filter(|_| !row.is_live).and_then(|report| parsed(report, row)) {
            Some(report) => Ok(Some(Arc::new(report))),
            None => live::report(cx, access, id, ended_at).await,
        }
    }
}

/// Reads a stored report. The figures of the session are those of its row, as in the list.
fn parsed(report: Value, row: SessionRow) -> Option<Report> {
    match serde_json::from_value::<Report>(report) {
        Ok(report) => Some(Report { session: row, ..report }),
        Err(error) => {
            tracing::error!(%error, session = %row.id, "a stored report cannot be read");
            None
        }
    }
}
