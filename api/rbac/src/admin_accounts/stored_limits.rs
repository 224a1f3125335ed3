//! Queries over `account_limits` (reference/billing.md#account-limits).

use api_core::{Result, Timestamp, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    id::{AccountId, UserId},
    schema::account_limits,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Limits of an account that have priority over its plan. Null: the plan decides.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AccountLimits {
    /// Identifier of the account.
    pub account_id: Uuid,
    /// Number of overlays.
    pub max_overlays: Option<Int64>,
    /// Storage in bytes.
    pub max_storage_bytes: Option<Int64>,
    /// Size of one upload in bytes.
    pub max_upload_size_bytes: Option<Int64>,
    /// Number of integrations.
    pub max_integrations: Option<Int64>,
    /// Retention of chat messages in days.
    pub chat_retention_days: Option<Int64>,
    /// True when the account may connect its own bot.
    pub custom_bot_allowed: Option<bool>,
    /// True when the account may use OBS remote control.
    pub obs_remote_allowed: Option<bool>,
    /// True when the account may use copyright detection.
    pub copyright_detection_allowed: Option<bool>,
    /// Remarks for other operators. Null: none.
    pub notes: Option<String>,
    /// Person who set the limits last. Null when they were never set, or when that person was deleted.
    pub updated_by: Option<Uuid>,
    /// Time of the last change. Null when they were never set.
    pub updated_at: Option<Timestamp>,
}

/// Limits as they are stored.
#[derive(Debug, Clone, Default, Serialize, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = account_limits, treat_none_as_null = true)]
pub(super) struct StoredLimits {
    pub max_overlays: Option<i64>,
    pub max_storage_bytes: Option<i64>,
    pub max_upload_size_bytes: Option<i64>,
    pub max_integrations: Option<i64>,
    pub chat_retention_days: Option<i64>,
    pub custom_bot_allowed: Option<bool>,
    pub obs_remote_allowed: Option<bool>,
    pub copyright_detection_allowed: Option<bool>,
    pub notes: Option<String>,
}

impl AccountLimits {
    /// Returns stored limits with their last change.
    pub(super) fn of(
        account: AccountId,
        stored: StoredLimits,
        updated_by: Option<Uuid>,
        updated_at: Option<Timestamp>,
    ) -> Self {
        Self {
            account_id: account.uuid(),
            max_overlays: stored.max_overlays.map(Int64),
            max_storage_bytes: stored.max_storage_bytes.map(Int64),
            max_upload_size_bytes: stored.max_upload_size_bytes.map(Int64),
            max_integrations: stored.max_integrations.map(Int64),
            chat_retention_days: stored.chat_retention_days.map(Int64),
            custom_bot_allowed: stored.custom_bot_allowed,
            obs_remote_allowed: stored.obs_remote_allowed,
            copyright_detection_allowed: stored.copyright_detection_allowed,
            notes: stored.notes,
            updated_by,
            updated_at,
        }
    }
}

/// Returns the limits that operators set for an account; `None` when they set none.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Option<AccountLimits>> {
    let set: Option<(StoredLimits, Option<Uuid>, Timestamp)> = account_limits::table
        .find(account)
        .select((StoredLimits::as_select(), account_limits::updated_by, account_limits::updated_at))
        .first(connection)
        .await
        .optional()?;
    Ok(set.map(|(stored, by, at)| AccountLimits::of(account, stored, by, Some(at))))
}

/// Replaces the limits of an account.
pub(super) async fn set(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    limits: &StoredLimits,
    by: UserId,
    now: DateTime<Utc>,
) -> Result<AccountLimits> {
    use account_limits::dsl as t;
    let stamp = (t::updated_by.eq(by), t::updated_at.eq(now));
    insert_into(t::account_limits)
        .values((t::account_id.eq(account), limits, stamp))
        .on_conflict(t::account_id)
        .do_update()
        .set((limits, stamp))
        .execute(connection)
        .await?;
    Ok(AccountLimits::of(account, limits.clone(), Some(by.0), Some(now.into())))
}
