//! Limits that operators set for an account beside its plan (reference/billing.md#account-limits).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, FeaturesOf, Grants},
    graphql::Int64,
    validate,
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::catalogue::AdminPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use super::stored_limits::{self, AccountLimits, StoredLimits};
use crate::people;

const MAX_NOTES_LENGTH: usize = 2000;

/// Highest limit. Beyond 2^53 numbers in JSON lose their last digits.
const MAX_VALUE: i64 = 1 << 53;

/// Complete set of limits: absent or null leaves a limit to the plan.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminUpsertAccountLimitsInput {
    /// Number of overlays, 0 or more; 2147483647: unlimited.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub max_overlays: Option<Int64>,
    /// Storage in bytes, 0 or more.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub max_storage_bytes: Option<Int64>,
    /// Size of one upload in bytes, 0 or more.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub max_upload_size_bytes: Option<Int64>,
    /// Number of integrations, 0 or more; 2147483647: unlimited.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub max_integrations: Option<Int64>,
    /// Retention of chat messages in days, 0 or more; 2147483647: without end.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_VALUE))))]
    pub chat_retention_days: Option<Int64>,
    /// True when the account may connect its own bot.
    pub custom_bot_allowed: Option<bool>,
    /// True when the account may use OBS remote control.
    pub obs_remote_allowed: Option<bool>,
    /// True when the account may use copyright detection.
    pub copyright_detection_allowed: Option<bool>,
    /// Remarks for other operators, at most 2000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NOTES_LENGTH))))]
    pub notes: Option<String>,
}

pub static ADMIN_ACCOUNT_LIMITS: Operation<Admin> =
    Operation::admin("adminAccountLimits", AdminPermission::AccountsRead, Grants::Nothing);

/// Returns the limits of an account that have priority over its plan.
///
/// Every limit is null when none was ever set.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such account.
#[api_core::operation]
pub async fn admin_account_limits(cx: &Cx, account: Input<Uuid>) -> Result<AccountLimits> {
    let admin = cx.authorize(&ADMIN_ACCOUNT_LIMITS).await?;
    let (account, mut connection) = (admin.account(account?), admin.db().await?);
    people::find_account(&mut connection, account).await?;
    let set = stored_limits::find(&mut connection, account).await?;
    Ok(set.unwrap_or_else(|| AccountLimits::of(account, StoredLimits::default(), None, None)))
}

pub static ADMIN_UPSERT_ACCOUNT_LIMITS: Operation<Admin> =
    Operation::admin("adminUpsertAccountLimits", AdminPermission::AccountsEdit, Grants::Nothing);

/// Sets the limits of an account that have priority over its plan.
///
/// The call replaces the whole set: a limit that is absent or null is left to the plan. Features that depend
/// on the limits change at once.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input, `Limit cannot be negative` among them; 404 when
/// there is no such account.
#[api_core::operation]
pub async fn admin_upsert_account_limits(
    cx: &Cx,
    account: Input<Uuid>,
    input: Input<AdminUpsertAccountLimitsInput>,
) -> Result<AccountLimits> {
    let admin = cx.authorize(&ADMIN_UPSERT_ACCOUNT_LIMITS).await?;
    let (account, limits) = (admin.account(account?), checked(input?)?);
    let mut connection = admin.db().await?;
    let set = connection
        .transaction(async |connection| {
            people::lock_account(connection, account).await?;
            let now = cx.state().clock.now();
            let set = stored_limits::set(connection, account, &limits, admin.user, now).await?;
            let mut entry = cx.audit_system("account:limits_updated", "account", account);
            entry.metadata = json!(limits);
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(set)
        })
        .await;
    drop(connection);
    let set = set?;
    // Two of the limits decide about features.
    cx.features_changed(FeaturesOf::Account(account)).await;
    Ok(set)
}

fn checked(input: AdminUpsertAccountLimitsInput) -> Result<StoredLimits> {
    let notes = input.notes.map(|text| validate::long_text("notes", &text, 0, MAX_NOTES_LENGTH));
    Ok(StoredLimits {
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

fn limit(field: &str, given: Option<Int64>) -> Result<Option<i64>> {
    match given {
        Some(Int64(value)) if value < 0 => Err(ApiError::invalid("Limit cannot be negative")),
        Some(Int64(value)) if value > MAX_VALUE => {
            Err(ApiError::invalid(format!("{field} must be at most {MAX_VALUE}")))
        }
        given => Ok(given.map(|Int64(value)| value)),
    }
}
