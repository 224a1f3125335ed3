//! Limits of an account: those of its plan, and overrides by staff (reference/billing.md#limits).

mod usage;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use shared::{
    Result,
    catalogue::UNLIMITED,
    id::AccountId,
    schema::{account_limits, accounts, plans},
};

pub use usage::{Quota, Taken, Usage, release, take, usage, would_take};

/// Source of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSource {
    /// The account's plan.
    Plan,
    /// Override of the account, instead of the plan's value.
    Override,
}

/// A limit in effect for one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectiveLimit {
    /// Value, in the unit of the limit.
    pub value: i64,
    /// Source of the value.
    pub source: LimitSource,
}

/// Every limit of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectiveLimits {
    /// Overlays; [`UNLIMITED`] means any number.
    pub max_overlays: EffectiveLimit,
    /// Bytes of uploads, sounds and extension uploads together.
    pub max_storage_bytes: EffectiveLimit,
    /// Bytes of one uploaded file.
    pub max_upload_size_bytes: EffectiveLimit,
    /// Enabled integrations; [`UNLIMITED`] means any number.
    pub max_integrations: EffectiveLimit,
    /// Days that chat is kept; [`UNLIMITED`] means without end.
    pub chat_retention_days: EffectiveLimit,
    /// True when the account may run its own bot. No plan limits that: it is true until staff denies it.
    pub custom_bot_allowed: bool,
}

impl EffectiveLimit {
    /// The account's own value, else the plan's.
    fn of(own: Option<i64>, plan: i64) -> Self {
        match own {
            Some(value) => Self { value, source: LimitSource::Override },
            None => Self { value: plan, source: LimitSource::Plan },
        }
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = plans)]
struct PlanLimits {
    max_overlays: i64,
    max_storage_bytes: i64,
    max_upload_size_bytes: i64,
    max_integrations: i64,
    chat_retention_days: i64,
}

#[derive(Default, Queryable, Selectable)]
#[diesel(table_name = account_limits)]
struct OwnLimits {
    max_overlays: Option<i64>,
    max_storage_bytes: Option<i64>,
    max_upload_size_bytes: Option<i64>,
    max_integrations: Option<i64>,
    chat_retention_days: Option<i64>,
    custom_bot_allowed: Option<bool>,
}

/// Limits in effect for an account: overrides by staff, else its plan's values. `None` when there is no such
/// account.
///
/// # Errors
/// Database failure.
pub async fn effective_limits(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Option<EffectiveLimits>> {
    let found: Option<(PlanLimits, Option<OwnLimits>)> = accounts::table
        .inner_join(plans::table)
        .left_join(account_limits::table)
        .filter(accounts::id.eq(account))
        .select((PlanLimits::as_select(), Option::<OwnLimits>::as_select()))
        .first(connection)
        .await
        .optional()?;
    Ok(found.map(|(plan, own)| {
        let own = own.unwrap_or_default();
        EffectiveLimits {
            max_overlays: EffectiveLimit::of(own.max_overlays, plan.max_overlays),
            max_storage_bytes: EffectiveLimit::of(own.max_storage_bytes, plan.max_storage_bytes),
            max_upload_size_bytes: EffectiveLimit::of(own.max_upload_size_bytes, plan.max_upload_size_bytes),
            max_integrations: EffectiveLimit::of(own.max_integrations, plan.max_integrations),
            chat_retention_days: EffectiveLimit::of(own.chat_retention_days, plan.chat_retention_days),
            custom_bot_allowed: own.custom_bot_allowed.unwrap_or(true),
        }
    }))
}

/// Retention of an account's chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct ChatRetention {
    /// Account.
    pub account: AccountId,
    /// Days that chat is kept.
    pub days: i64,
}

/// Accounts with limited chat retention, by id, after the given one.
///
/// # Errors
/// Database failure.
pub async fn chat_retentions(
    connection: &mut AsyncPgConnection,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Vec<ChatRetention>> {
    let own = account_limits::chat_retention_days.nullable();
    let of_plan = plans::chat_retention_days;
    Ok(accounts::table
        .inner_join(plans::table)
        .left_join(account_limits::table)
        .filter(accounts::id.gt(after.map_or_else(Uuid::nil, AccountId::uuid)))
        .filter(own.lt(UNLIMITED).or(own.is_null().and(of_plan.lt(UNLIMITED))))
        .order(accounts::id)
        .limit(limit)
        .select((
            accounts::id,
            diesel::dsl::case_when(own.is_not_null(), own.assume_not_null()).otherwise(of_plan),
        ))
        .load(connection)
        .await?)
}
