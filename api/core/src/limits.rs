//! The plan's limits as operations meet them (specification A §7, C §8.1).

use diesel_async::AsyncPgConnection;
use serde_json::json;
use shared::{
    id::AccountId,
    limits::{self, EffectiveLimits, Quota, Taken},
};

use crate::{ApiError, Code, Result};

/// The limits that hold for an account.
///
/// # Errors
/// 404 when there is no such account.
pub async fn effective_limits(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<EffectiveLimits> {
    let limits = limits::effective_limits(connection, account).await?;
    limits.ok_or_else(|| ApiError::not_found("Account not found"))
}

/// Takes `amount` of what an account's plan allows, in the transaction that makes what is counted. What is taken is
/// given back with [`shared::limits::give_back`].
///
/// # Errors
/// 403 `PLAN_LIMIT_REACHED` when the limit leaves no room for all of it.
pub async fn take(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    quota: Quota,
    amount: i64,
) -> Result<()> {
    match limits::take(connection, account, quota, amount).await? {
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
