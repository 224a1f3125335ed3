//! What operators grant an account beside its plan (specification C §8.1).

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, FeaturesOf, Grants},
    graphql::Int64,
    validate,
};
use diesel::{AsChangeset, Insertable, Queryable, Selectable};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{audit, catalogue::AdminPermission, db::schema::account_limits, id::AccountId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::db;
use crate::people;

const MAX_NOTES_LENGTH: usize = 2000;

/// More bytes or days than anybody has; beyond 2^53 JSON numbers lose their last digits.
const MAX_VALUE: i64 = 1 << 53;

/// What holds for an account whatever its plan says; null leaves it to the plan.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AccountLimits {
    pub account_id: Uuid,
    pub max_overlays: Option<Int64>,
    pub max_storage_bytes: Option<Int64>,
    pub max_upload_size_bytes: Option<Int64>,
    pub max_integrations: Option<Int64>,
    pub chat_retention_days: Option<Int64>,
    pub custom_bot_allowed: Option<bool>,
    pub obs_remote_allowed: Option<bool>,
    pub copyright_detection_allowed: Option<bool>,
    /// For other operators.
    pub notes: Option<String>,
    /// Null when nothing was ever set, or once that person is gone.
    pub updated_by: Option<Uuid>,
    /// Null when nothing was ever set.
    pub updated_at: Option<Timestamp>,
}

/// Everything that is to hold: what is absent or null is left to the plan.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminUpsertAccountLimitsInput {
    /// 0 or more; 2147483647 is any number.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub max_overlays: Option<Int64>,
    /// 0 or more.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub max_storage_bytes: Option<Int64>,
    /// 0 or more.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub max_upload_size_bytes: Option<Int64>,
    /// 0 or more; 2147483647 is any number.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub max_integrations: Option<Int64>,
    /// 0 or more; 2147483647 is for good.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub chat_retention_days: Option<Int64>,
    pub custom_bot_allowed: Option<bool>,
    pub obs_remote_allowed: Option<bool>,
    pub copyright_detection_allowed: Option<bool>,
    /// At most 2000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NOTES_LENGTH))))]
    pub notes: Option<String>,
}

/// The limits as they are stored.
#[derive(Debug, Clone, Default, Serialize, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = account_limits, treat_none_as_null = true)]
pub(super) struct StoredLimits {
    max_overlays: Option<i64>,
    max_storage_bytes: Option<i64>,
    max_upload_size_bytes: Option<i64>,
    max_integrations: Option<i64>,
    chat_retention_days: Option<i64>,
    custom_bot_allowed: Option<bool>,
    obs_remote_allowed: Option<bool>,
    copyright_detection_allowed: Option<bool>,
    notes: Option<String>,
}

/// The limits of an account.
pub static ADMIN_ACCOUNT_LIMITS: Operation<Admin> =
    Operation::admin("adminAccountLimits", AdminPermission::AccountsRead, Grants::Nothing);

/// Answers what holds for an account whatever its plan says.
///
/// # Errors
/// As the rule; 404 when there is no such account.
pub async fn admin_account_limits(cx: &Cx, account: Input<Uuid>) -> Result<AccountLimits> {
    let admin = cx.authorize(&ADMIN_ACCOUNT_LIMITS).await?;
    let (account, mut connection) = (AccountId(account?), admin.db().await?);
    people::find_account(&mut connection, account).await?;
    let set = db::limits(&mut connection, account).await?;
    Ok(set.unwrap_or_else(|| AccountLimits::of(account, StoredLimits::default(), None, None)))
}

/// Sets the limits of an account.
pub static ADMIN_UPSERT_ACCOUNT_LIMITS: Operation<Admin> =
    Operation::admin("adminUpsertAccountLimits", AdminPermission::AccountsEdit, Grants::Nothing);

/// Sets what holds for an account whatever its plan says, all of it at once.
///
/// # Errors
/// As the rule; 400 for a wrong input, with `Limit cannot be negative`; 404 when there is no such account.
pub async fn admin_upsert_account_limits(
    cx: &Cx,
    account: Input<Uuid>,
    input: Input<AdminUpsertAccountLimitsInput>,
) -> Result<AccountLimits> {
    let admin = cx.authorize(&ADMIN_UPSERT_ACCOUNT_LIMITS).await?;
    let (account, limits) = (AccountId(account?), StoredLimits::checked(input?)?);
    let mut connection = admin.db().await?;
    let set = connection
        .transaction(async |connection| {
            people::hold_account(connection, account).await?;
            let now = cx.state().clock.now();
            let set = db::set_limits(connection, account, &limits, admin.user, now).await?;
            let mut entry = cx.audit_system("account:limits_updated", "account", account);
            entry.metadata = json!(limits);
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(set)
        })
        .await;
    drop(connection);
    let set = set?;
    // Two of them decide about features.
    cx.features_changed(FeaturesOf::Account(account)).await;
    Ok(set)
}

impl AccountLimits {
    pub(super) fn of(
        account: AccountId,
        stored: StoredLimits,
        updated_by: Option<Uuid>,
        updated_at: Option<Timestamp>,
    ) -> Self {
        Self {
            account_id: account.0,
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

impl StoredLimits {
    fn checked(input: AdminUpsertAccountLimitsInput) -> Result<Self> {
        let notes = input.notes.map(|text| validate::long_text("notes", &text, 0, MAX_NOTES_LENGTH));
        Ok(Self {
            max_overlays: limit("max_overlays", input.max_overlays)?,
            max_storage_bytes: limit("max_storage_bytes", input.max_storage_bytes)?,
            max_upload_size_bytes: limit("max_upload_size_bytes", input.max_upload_size_bytes)?,
            max_integrations: limit("max_integrations", input.max_integrations)?,
            chat_retention_days: limit("chat_retention_days", input.chat_retention_days)?,
            custom_bot_allowed: input.custom_bot_allowed,
            obs_remote_allowed: input.obs_remote_allowed,
            copyright_detection_allowed: input.copyright_detection_allowed,
            notes: notes.transpose()?.filter(|text| !text.is_empty()),
        })
    }
}

fn limit(field: &str, given: Option<Int64>) -> Result<Option<i64>> {
    match given {
        Some(Int64(value)) if value < 0 => Err(ApiError::invalid("Limit cannot be negative")),
        Some(Int64(value)) if value > MAX_VALUE => {
            Err(ApiError::invalid(format!("{field} must be at most {MAX_VALUE}")))
        }
        given => Ok(given.map(|Int64(value)| value)),
    }
}
