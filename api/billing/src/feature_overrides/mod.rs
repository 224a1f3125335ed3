//! Features that operators switch for one account (specification C §7.1 layer 3, §7.3).

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
use shared::{
    catalogue::{AdminPermission, FeatureCategory},
    id::AccountId,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ADMIN_ACCOUNT_FEATURE_OVERRIDES,
    &ADMIN_SET_ACCOUNT_FEATURE_OVERRIDE,
    &ADMIN_REMOVE_ACCOUNT_FEATURE_OVERRIDE,
];

const MAX_REASON_LENGTH: usize = 500;

/// A feature that is switched for an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AccountFeatureOverride {
    pub account_id: Uuid,
    pub feature_id: Uuid,
    pub feature_key: String,
    pub label: String,
    /// On lifts the plan's lock, but not a flag that is off for everybody.
    pub enabled: bool,
    pub reason: Option<String>,
    /// The operator; null once that person is gone.
    pub set_by: Option<Uuid>,
    /// When it was set last.
    pub created_at: Timestamp,
}

/// What is to be switched.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminSetAccountFeatureOverrideInput {
    pub feature_id: Uuid,
    pub enabled: bool,
    /// At most 500 characters.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: Option<String>,
}

/// The overrides of an account.
pub static ADMIN_ACCOUNT_FEATURE_OVERRIDES: Operation<Admin> =
    Operation::admin("adminAccountFeatureOverrides", AdminPermission::FeaturesRead, Grants::Nothing);

/// Lists the features that are switched for an account, in order of their keys.
///
/// # Errors
/// As the rule; 404 `Account not found`.
pub async fn admin_account_feature_overrides(
    cx: &Cx,
    account: Input<Uuid>,
) -> Result<Vec<AccountFeatureOverride>> {
    let admin = cx.authorize(&ADMIN_ACCOUNT_FEATURE_OVERRIDES).await?;
    let account = AccountId(account?);
    let mut connection = admin.db().await?;
    db::hold_account(&mut connection, account).await?.ok_or_else(no_account)?;
    db::list(&mut connection, account).await
}

/// Switches a feature for an account.
pub static ADMIN_SET_ACCOUNT_FEATURE_OVERRIDE: Operation<Admin> =
    Operation::admin("adminSetAccountFeatureOverride", AdminPermission::FeaturesEdit, Grants::Nothing);

/// Switches a feature for an account; what was set before is replaced. It takes effect at once.
///
/// # Errors
/// As the rule; 400 for a `system:*` flag, which no account has, or a reason that is too long; 404 `Account not found`
/// or `Feature flag not found`.
pub async fn admin_set_account_feature_override(
    cx: &Cx,
    account: Input<Uuid>,
    input: Input<AdminSetAccountFeatureOverrideInput>,
) -> Result<AccountFeatureOverride> {
    let admin = cx.authorize(&ADMIN_SET_ACCOUNT_FEATURE_OVERRIDE).await?;
    let (account, input) = (AccountId(account?), input?);
    let reason =
        input.reason.map(|text| validate::text("reason", &text, 0, MAX_REASON_LENGTH)).transpose()?;
    let reason = reason.filter(|text| !text.is_empty());
    let now = cx.state().clock.now();
    let set = admin
        .db()
        .await?
        .transaction(async |connection| {
            db::hold_account(connection, account).await?.ok_or_else(no_account)?;
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
            shared::audit::record(connection, entry).await?;
            let set = db::find(connection, account, input.feature_id).await?;
            set.ok_or_else(|| ApiError::internal("a new override is not there"))
        })
        .await?;
    cx.features_changed(FeaturesOf::Account(account)).await;
    Ok(set)
}

/// Takes an override away.
pub static ADMIN_REMOVE_ACCOUNT_FEATURE_OVERRIDE: Operation<Admin> =
    Operation::admin("adminRemoveAccountFeatureOverride", AdminPermission::FeaturesEdit, Grants::Nothing);

/// Takes an override away, so that the plan decides again. It takes effect at once.
///
/// # Errors
/// As the rule; 404 `Account not found` or `Feature override not found`.
pub async fn admin_remove_account_feature_override(
    cx: &Cx,
    account: Input<Uuid>,
    feature: Input<Uuid>,
) -> Result<()> {
    let admin = cx.authorize(&ADMIN_REMOVE_ACCOUNT_FEATURE_OVERRIDE).await?;
    let (account, feature) = (AccountId(account?), feature?);
    admin
        .db()
        .await?
        .transaction(async |connection| {
            db::hold_account(connection, account).await?.ok_or_else(no_account)?;
            if !db::remove(connection, account, feature).await? {
                return Err(ApiError::not_found("Feature override not found"));
            }
            let key = db::flag(connection, feature).await?.map(|(key, _)| key);
            let mut entry = cx.audit_system("feature_override:removed", "account", account);
            entry.metadata = json!({ "feature": key });
            Ok(shared::audit::record(connection, entry).await?)
        })
        .await?;
    cx.features_changed(FeaturesOf::Account(account)).await;
    Ok(())
}

fn no_account() -> ApiError {
    ApiError::not_found("Account not found")
}
