//! Budgets of the account as a whole (reference/usage.md#budgets).

use api_core::{Result, Timestamp, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use shared::id::AccountId;
use usage_model::{
    SubjectKind, Unit,
    budgets::{Budget, list},
};

use super::{PresentLimit, PresentLimitScope, PresentLimitSource};

/// Budgets that are read, of extensions and keys too.
const MAX_BUDGETS: i64 = 100;

/// Budgets with the present use.
pub(super) async fn present(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Vec<PresentLimit>> {
    let budgets = list(connection, account, now, MAX_BUDGETS).await?;
    let of_account = |budget: &Budget| budget.subject_kind == SubjectKind::Account;
    Ok(budgets.into_iter().filter(of_account).map(|budget| limit(&budget, now)).collect())
}

fn limit(budget: &Budget, now: DateTime<Utc>) -> PresentLimit {
    let unit = match budget.unit {
        Unit::HandlerMs => "milliseconds",
        Unit::StoredBytes => "bytes",
        other => other.as_str(),
    };
    let window = budget.resets_at - budget.period.begin(now);
    PresentLimit {
        name: format!("usage_{}_{}", budget.unit.as_str(), budget.period.as_str()),
        scope: PresentLimitScope::Account,
        limit: Int64(budget.maximum),
        unit: unit.to_owned(),
        window_secs: i32::try_from(window.num_seconds()).ok(),
        used: Some(Int64(budget.used)),
        remaining: Some(Int64(budget.maximum.saturating_sub(budget.used).max(0))),
        resets_at: Some(Timestamp::from(budget.resets_at)),
        source: PresentLimitSource::Budget,
    }
}
