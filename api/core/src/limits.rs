//! Limits of an account's plan, with the errors of operations (reference/errors.md#plan-limits), and the limits
//! that domains enforce themselves.

mod registry;

use account_model::limits::{self, EffectiveLimits, Quota, Taken};
use diesel_async::AsyncPgConnection;
use serde_json::json;
use shared::id::AccountId;

use crate::{ApiError, Code, Result};

pub use registry::{CountLimit, Counted, Holder, Maximum, WindowLimit, counted, submit, windows};

/// Limits that apply to an account.
///
/// # Errors
/// 404 for an unknown account.
pub async fn effective_limits(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<EffectiveLimits> {
    let limits = limits::effective_limits(connection, account).await?;
    limits.ok_or_else(|| ApiError::not_found("Account not found"))
}

/// Takes `amount` of a quota of the account's plan, in the transaction that creates the counted objects.
/// [`account_model::limits::release`] returns it.
///
/// # Errors
/// 403 `PLAN_LIMIT_REACHED` when less than `amount` is left, or when a budget of stored bytes is used up.
pub async fn take(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    quota: Quota,
    amount: i64,
) -> Result<()> {
    check_budget(connection, account, quota).await?;
    outcome(quota, limits::take(connection, account, quota, amount).await?)
}

/// Checks that `amount` of a quota is left, before work that [`take`]s it once it is done. It only reads: others may
/// take the rest in between.
///
/// # Errors
/// Those of [`take`].
pub async fn check(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    quota: Quota,
    amount: i64,
) -> Result<()> {
    check_budget(connection, account, quota).await?;
    outcome(quota, limits::would_take(connection, account, quota, amount).await?)
}

/// Checks that no budget of the quota is used up.
async fn check_budget(connection: &mut AsyncPgConnection, account: AccountId, quota: Quota) -> Result<()> {
    if quota == Quota::StorageBytes
        && let Some(maximum) = usage_model::budgets::storage_stop(connection, account).await?
    {
        return Err(ApiError::new(Code::PlanLimitReached, "Usage budget of stored bytes reached")
            .with_details(json!({ "limit": maximum })));
    }
    Ok(())
}

fn outcome(quota: Quota, taken: Taken) -> Result<()> {
    match taken {
        Taken::Taken => Ok(()),
        Taken::Full { limit } => Err(full(quota, limit)),
    }
}

fn full(quota: Quota, limit: i64) -> ApiError {
    let message = match quota {
        Quota::Overlays => "Overlay limit reached",
        Quota::StorageBytes => "Storage limit reached",
        Quota::Integrations => "Integration limit reached",
    };
    ApiError::new(Code::PlanLimitReached, message).with_details(json!({ "limit": limit }))
}
