//! Feature overrides of accounts, set by staff (reference/features.md#account-overrides).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, AnyOperation, FeaturesOf, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AdminPermission, FeatureCategory};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ADMIN_ACCOUNT_FEATURE_OVERRIDES,
    &ADMIN_SET_ACCOUNT_FEATURE_OVERRIDE,
    &ADMIN_REMOVE_ACCOUNT_FEATURE_OVERRIDE,
];

const MAX_REASON_LENGTH: usize = 500;

/// Override of a feature flag for an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AccountFeatureOverride {
    /// Id of the account.
    pub account_id: Uuid,
    /// Id of the flag.
    pub feature_id: Uuid,
    /// Key of the flag.
    pub feature_key: String,
    /// Name of the flag.
    pub label: String,
    /// True lifts the lock of the plan, but not a flag that is off globally. False switches the feature off.
    pub enabled: bool,
    /// Reason that staff gave; null when there is none.
    pub reason: Option<String>,
    /// Person who set the override; null once that person was deleted.
    pub set_by: Option<Uuid>,
    /// Time of the last change.
    pub created_at: Timestamp,
}

/// Override to set.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminSetAccountFeatureOverrideInput {
    /// Id of the flag.
    pub feature_id: Uuid,
    /// True lifts the lock of the plan; false switches the feature off.
    pub enabled: bool,
    /// Reason for staff, at most 500 characters.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: Option<String>,
}

pub static ADMIN_ACCOUNT_FEATURE_OVERRIDES: Operation<Admin> =
    Operation::admin("adminAccountFeatureOverrides", AdminPermission::FeaturesRead, Grants::Nothing);

/// Lists the feature overrides of an account.
///
/// The list is ordered by the key of the flag.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: no such account exists.
#[api_core::operation]
pub async fn admin_account_feature_overrides(
    cx: &Cx,
    account: Input<Uuid>,
) -> Result<Vec<AccountFeatureOverride>> {
    let admin = cx.authorize(&ADMIN_ACCOUNT_FEATURE_OVERRIDES).await?;
    let account = admin.account(account?);
    let mut connection = admin.db().await?;
    db::lock_account(&mut connection, account).await?.ok_or_else(no_account)?;
    db::list(&mut connection, account).await
}

pub static ADMIN_SET_ACCOUNT_FEATURE_OVERRIDE: Operation<Admin> =
    Operation::admin("adminSetAccountFeatureOverride", AdminPermission::FeaturesEdit, Grants::Nothing);

/// Sets the override of a feature flag for an account.
///
/// It replaces an earlier override and takes effect in every process at once. True does not switch on a flag
/// that is off globally.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the flag is `system:*`, which accounts do not have, or the reason is too long.
/// - 404: no such account or flag exists.
#[api_core::operation]
pub async fn admin_set_account_feature_override(
    cx: &Cx,
    account: Input<Uuid>,
    input: Input<AdminSetAccountFeatureOverrideInput>,
) -> Result<AccountFeatureOverride> {
    let admin = cx.authorize(&ADMIN_SET_ACCOUNT_FEATURE_OVERRIDE).await?;
    let (account, input) = (admin.account(account?), input?);
    let reason =
        input.reason.map(|text| validate::text("reason", &text, 0, MAX_REASON_LENGTH)).transpose()?;
    let reason = reason.filter(|text| !text.is_empty());
    let now = cx.state().clock.now();
    let set = admin
        .db()
        .await?
        .transaction(async |connection| {
            db::lock_account(connection, account).await?.ok_or_else(no_account)?;
            let flag = db::flag(connection, input.feature_id).await?;
            let (key, category) = flag.ok_or_else(|| ApiError::not_found("Feature flag not found"))?;
            if FeatureCategory::parse(&category) == Some(FeatureCategory::System) {
                return Err(ApiError::invalid(format!("{key} cannot be overridden for an account")));
            }
            let wanted = db::Override {
                account_id: account,
                feature_id: input.feature_id,
                enabled: input.enabled,
                reason: reason.as_deref(),
                set_by: admin.user,
                created_at: now,
            };
            db::set(connection, &wanted).await?;
            let mut entry = cx.audit_system("feature_override:set", "account", account);
            entry.metadata = json!({ "feature": key, "enabled": input.enabled, "reason": reason });
            foundation::audit::record(connection, entry).await?;
            let set = db::find(connection, account, input.feature_id).await?;
            set.ok_or_else(|| ApiError::internal("a new override is not there"))
        })
        .await?;
    cx.features_changed(FeaturesOf::Account(account)).await;
    Ok(set)
}

pub static ADMIN_REMOVE_ACCOUNT_FEATURE_OVERRIDE: Operation<Admin> =
    Operation::admin("adminRemoveAccountFeatureOverride", AdminPermission::FeaturesEdit, Grants::Nothing);

/// Removes the override of a feature flag for an account.
///
/// The plan decides about the feature again. The change takes effect in every process at once.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: no such account exists, or it has no such override.
#[api_core::operation]
pub async fn admin_remove_account_feature_override(
    cx: &Cx,
    account: Input<Uuid>,
    feature: Input<Uuid>,
) -> Result<()> {
    let admin = cx.authorize(&ADMIN_REMOVE_ACCOUNT_FEATURE_OVERRIDE).await?;
    let (account, feature) = (admin.account(account?), feature?);
    admin
        .db()
        .await?
        .transaction(async |connection| {
            db::lock_account(connection, account).await?.ok_or_else(no_account)?;
            if !db::remove(connection, account, feature).await? {
                return Err(ApiError::not_found("Feature override not found"));
            }
            let key = db::flag(connection, feature).await?.map(|(key, _)| key);
            let mut entry = cx.audit_system("feature_override:removed", "account", account);
            entry.metadata = json!({ "feature": key });
            Ok(foundation::audit::record(connection, entry).await?)
        })
        .await?;
    cx.features_changed(FeaturesOf::Account(account)).await;
    Ok(())
}

fn no_account() -> ApiError {
    ApiError::not_found("Account not found")
}
