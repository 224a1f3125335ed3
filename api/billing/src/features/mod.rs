//! Features of an account and open platforms (specification A §2.6, §4.3, §4.8 rule 8; C §7).

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{self, AnyOperation, Authenticated, FeatureStatus, Grants, Visitor, global_features},
};
use juniper::GraphQLObject;
use shared::platforms::Platform;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ACCOUNT_FEATURES, &ENABLED_PLATFORMS];

/// The features of an account, without `system:*`.
#[derive(Debug, Clone, GraphQLObject)]
pub struct AccountFeatures {
    /// The keys of the flags that are on.
    pub enabled_features: Vec<String>,
    /// Every flag.
    pub feature_statuses: Vec<FeatureStatus>,
}

/// The features of the caller's active account.
pub static ACCOUNT_FEATURES: Operation<Authenticated> =
    Operation::authenticated("accountFeatures", Grants::Nothing);

/// The features of the caller's active account. Where the caller names an account, it must be that one.
///
/// # Errors
/// As the rule; 404 for another account, or when the caller acts in none.
pub async fn account_features(cx: &Cx, named: Option<Input<Uuid>>) -> Result<AccountFeatures> {
    let caller = cx.authorize(&ACCOUNT_FEATURES).await?;
    let named = named.transpose()?;
    let account = caller.account.filter(|account| named.is_none_or(|named| named == account.0));
    let account = account.ok_or_else(|| ApiError::not_found("Account not found"))?;
    let feature_statuses = access::account_features(cx.state(), account).await?.statuses();
    let enabled = feature_statuses.iter().filter(|status| status.enabled);
    Ok(AccountFeatures {
        enabled_features: enabled.map(|status| status.key.clone()).collect(),
        feature_statuses,
    })
}

/// The platforms that people can sign in with or run a bot on.
pub static ENABLED_PLATFORMS: Operation<Visitor> = Operation::public("enabledPlatforms", Grants::Nothing);

/// Slugs of the platforms whose switch is on and that have sign-in or bots enabled; platforms that are integrations
/// only (`spotify`) have neither.
///
/// # Errors
/// When the database fails.
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
