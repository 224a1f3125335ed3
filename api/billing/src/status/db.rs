//! Queries over the plan of one account. Each one carries the account.

use api_core::{ApiError, Result, Timestamp};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::AccountId,
    schema::{accounts, subscriptions},
};
use uuid::Uuid;

use super::SubscriptionStatus;

type Subscription = (SubscriptionStatus, Option<Timestamp>);

/// Plan of the account, and status and renewal of its subscription if it has or had one.
pub(super) async fn plan_and_subscription(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<(Uuid, Option<Subscription>)> {
    let found: Option<(Uuid, Option<String>, Option<Timestamp>)> = accounts::table
        .left_join(subscriptions::table)
        .filter(accounts::id.eq(account))
        .select((accounts::plan_id, subscriptions::status.nullable(), subscriptions::renews_at.nullable()))
        .first(connection)
        .await
        .optional()?;
    let (plan, status, renews_at) = found.ok_or_else(|| ApiError::not_found("Account not found"))?;
    let status = status.as_deref().map(stored).transpose()?;
    Ok((plan, status.map(|status| (status, renews_at))))
}

/// Status that a column holds.
pub(crate) fn stored(text: &str) -> Result<SubscriptionStatus> {
    let status = SubscriptionStatus::parse(text);
    status.ok_or_else(|| ApiError::internal("a subscription has an unknown status"))
}
