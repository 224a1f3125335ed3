//! Features of an account (reference/features.md#status) and open platforms
//! (reference/features.md#open-platforms).

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{self, AnyOperation, Authenticated, FeatureStatus, Grants, Visitor, global_features},
};
use juniper::GraphQLObject;
use shared::platform::Platform;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ACCOUNT_FEATURES, &ENABLED_PLATFORMS];

/// Features of an account, without `system:*`.
#[derive(Debug, Clone, GraphQLObject)]
pub struct AccountFeatures {
    /// Keys of the flags that are on.
    pub enabled_features: Vec<String>,
    /// Status of every flag.
    pub feature_statuses: Vec<FeatureStatus>,
}

pub static ACCOUNT_FEATURES: Operation<Authenticated> =
    Operation::authenticated("accountFeatures", Grants::Nothing).polled();

/// Returns the feature flags of the active account.
///
/// `system:*` flags are left out. A named account must be the active one. Over REST there are two routes: one
/// lists the keys of the flags that are on, the other the status of every flag with the reason why it is off.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: another account is named, or the caller acts in none.
#[api_core::operation]
pub async fn account_features(cx: &Cx, named: Option<Input<Uuid>>) -> Result<AccountFeatures> {
    let caller = cx.authorize(&ACCOUNT_FEATURES).await?;
    let named = named.transpose()?;
    let account = caller.account.filter(|account| named.is_none_or(|named| named == account.uuid()));
    let account = account.ok_or_else(|| ApiError::not_found("Account not found"))?;
    let feature_statuses = access::account_features(cx.state(), account).await?.statuses();
    let enabled = feature_statuses.iter().filter(|status| status.enabled);
    Ok(AccountFeatures {
        enabled_features: enabled.map(|status| status.key.clone()).collect(),
        feature_statuses,
    })
}

pub static ENABLED_PLATFORMS: Operation<Visitor> =
    Operation::public("enabledPlatforms", Grants::Nothing).polled();

/// Lists the slugs of the platforms that are open for sign-in or bots.
///
/// Needs no credential. Platforms that are switched off and platforms without sign-in and bots (`spotify`)
/// are left out.
///
/// # Errors
/// - 500 `DATABASE_ERROR`: the database fails.
#[api_core::operation]
pub async fn enabled_platforms(cx: &Cx) -> Result<Vec<String>> {
    cx.authorize(&ENABLED_PLATFORMS).await?;
    let features = global_features(cx.state()).await?;
    let is_open = |slug: &str| ["login", "bot"].iter().any(|kind| features.platform_allows(slug, kind));
    Ok(Platform::ALL
        .into_iter()
        .map(Platform::slug)
        .filter(|slug| is_open(slug))
        .map(str::to_owned)
        .collect())
}
