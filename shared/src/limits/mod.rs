//! What an account may use up: the limits of its plan, and what operators grant it beside (specification C §8.1).

mod usage;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::{
    Result,
    catalogue::UNLIMITED,
    db::schema::{account_limits, accounts, plans},
    id::AccountId,
};

pub use usage::{Quota, Taken, Usage, give_back, take, usage};

/// Where a limit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSource {
    Plan,
    /// Granted to the account, whatever its plan says.
    Override,
}

/// A limit as it holds for one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectiveLimit {
    pub value: i64,
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
    /// Days that chat is kept; [`UNLIMITED`] means for good.
    pub chat_retention_days: EffectiveLimit,
    /// Whether the account may run a bot of its own. No plan limits that, so it is allowed until an operator denies it.
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

/// The limits that hold for an account: what operators set for it, else its plan's. `None` when there is no such
/// account.
///
/// # Errors
/// When the database fails.
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

/// How long an account's chat is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct ChatRetention {
    pub account: AccountId,
    pub days: i64,
}

/// Accounts whose chat is not kept for good, in order of their ids, after one of them.
///
/// # Errors
/// When the database fails.
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
        .filter(accounts::id.gt(after.map_or_else(Uuid::nil, |account| account.0)))
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
