//! A developer's extensions on the main API (specification C B1.6). Teams do not own extensions yet: the owner is a
//! person, and everybody else is told that there is no such extension.

pub mod access;
mod changes;
pub mod graphql;
mod input;
mod own;
pub mod rest;
pub mod secrets;
pub mod testers;
pub mod versions;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, Principal, SignedIn},
    graphql::Int64,
};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

pub use changes::{
    DELETE_EXTENSION, SET_EXTENSION_VISIBILITY, TRANSFER_EXTENSION, UPDATE_EXTENSION, delete_extension,
    set_extension_visibility, transfer_extension, update_extension,
};
pub use input::{
    CreateExtensionInput, ExtensionPricingInput, SetExtensionVisibilityInput, TransferExtensionInput,
    UpdateExtensionInput,
};
use versions::DeveloperVersion;

use crate::{
    developer_api::extensions::{self as rules, ExtensionRow},
    profile,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &DEVELOPER_EXTENSIONS,
    &DEVELOPER_EXTENSION,
    &CREATE_EXTENSION,
    &UPDATE_EXTENSION,
    &DELETE_EXTENSION,
    &SET_EXTENSION_VISIBILITY,
    &TRANSFER_EXTENSION,
];

/// An extension as its developer sees it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperExtension {
    pub id: Uuid,
    /// Eight characters that name it.
    pub short_id: String,
    pub slug: String,
    pub name: String,
    pub short_description: String,
    pub description: String,
    /// Null until the first version is published: the manifest says it.
    pub category: Option<String>,
    /// `private`, `unlisted`, `public` or `paid`.
    pub visibility: String,
    /// `draft`, `in_review`, `testing`, `pending_publish`, `approved`, `rejected`, `suspended` or `archived`.
    pub status: String,
    pub pricing: ExtensionPricing,
    /// Path of an image in the bundle.
    pub icon_key: Option<String>,
    /// Paths of images in the bundle.
    pub screenshots: Vec<String>,
    pub tags: Vec<String>,
    pub support_url: Option<String>,
    pub install_count: i32,
    /// 1 to 5; 0 without reviews.
    pub rating_avg: f64,
    pub rating_count: i32,
    pub current_version_id: Option<Uuid>,
    /// When it was first listed publicly; from then on the slug is frozen.
    pub listed_at: Option<Timestamp>,
    pub published_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What an extension costs.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionPricing {
    /// `free`, `one_time` or `subscription`.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub pricing_type: String,
    /// In cents; null when it is free.
    pub amount: Option<Int64>,
    /// `EUR`; null when it is free.
    pub currency: Option<String>,
    /// `monthly` for a subscription.
    pub interval: Option<String>,
}

/// An extension with its versions.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperExtensionDetail {
    pub extension: DeveloperExtension,
    /// The newest upload first; at most 500.
    pub versions: Vec<DeveloperVersion>,
}

/// The caller's extensions.
pub static DEVELOPER_EXTENSIONS: Operation<AccountCaller> =
    Operation::account("developerExtensions", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment);

/// Lists the caller's extensions, newest first; none of somebody who is no developer.
///
/// # Errors
/// As the rule.
pub async fn developer_extensions(cx: &Cx) -> Result<Vec<DeveloperExtension>> {
    let caller = cx.authorize(&DEVELOPER_EXTENSIONS).await?;
    let Some(user) = cx.person()? else { return Ok(Vec::new()) };
    let mut connection = caller.db().await?;
    let Some(profile) = profile::find(&mut connection, user).await? else { return Ok(Vec::new()) };
    let rows = rules::db::all(&mut connection, profile.id).await?;
    Ok(rows.into_iter().map(DeveloperExtension::from).collect())
}

/// One of the caller's extensions.
pub static DEVELOPER_EXTENSION: Operation<AccountCaller> =
    Operation::account("developerExtension", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment);

/// Reads one of the caller's extensions with its versions.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension.
pub async fn developer_extension(cx: &Cx, id: Input<Uuid>) -> Result<DeveloperExtensionDetail> {
    let caller = cx.authorize(&DEVELOPER_EXTENSION).await?;
    let id = id?;
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, cx.person()?).await?;
    let row = rules::db::find(&mut connection, profile.id, id).await?;
    let versions = versions::db::list(&mut connection, id).await?;
    Ok(DeveloperExtensionDetail { extension: row.into(), versions })
}

/// Creates an extension.
pub static CREATE_EXTENSION: Operation<SignedIn> =
    Operation::first_party("createExtension", Grants::Nothing).feature(Feature::ExtensionDevelopment);

/// Creates an extension of the caller's own: a private draft.
///
/// # Errors
/// As the rule; 400 for a wrong field, or for a price from a developer who is not verified; 403 for somebody who is no
/// developer, and 403 `PLAN_LIMIT_REACHED` beyond 25 extensions.
pub async fn create_extension(cx: &Cx, input: Input<CreateExtensionInput>) -> Result<DeveloperExtension> {
    let caller = cx.authorize(&CREATE_EXTENSION).await?;
    carries(cx, AccountPermission::ExtensionDevCreate)?;
    let input = input?;
    let mut connection = caller.db().await?;
    let profile = profile::find(&mut connection, caller.user).await?;
    let profile = profile
        .ok_or_else(|| ApiError::forbidden("You must be an approved developer to create extensions"))?;
    Ok(rules::create(cx, &mut connection, &profile, input.into()).await?.into())
}

/// A key or popout acts for its person only as far as it carries the permission; a session carries all that the person
/// may do (C B1.6, B7.5).
///
/// # Errors
/// 403 that names the permission.
pub(crate) fn carries(cx: &Cx, permission: AccountPermission) -> Result<()> {
    let scopes = match cx.principal() {
        Principal::PersonalKey { scopes, .. } | Principal::Popout { scopes, .. } => scopes,
        _ => return Ok(()),
    };
    if scopes.contains(permission) {
        return Ok(());
    }
    Err(ApiError::forbidden(format!("This credential does not carry {permission}")))
}

impl From<ExtensionRow> for DeveloperExtension {
    fn from(row: ExtensionRow) -> Self {
        Self {
            id: row.id,
            short_id: row.short_id,
            slug: row.slug,
            name: row.name,
            short_description: row.short_description,
            description: row.description,
            category: row.category,
            visibility: row.visibility,
            status: row.status,
            pricing: ExtensionPricing {
                currency: row.pricing_amount.map(|_| "EUR".to_owned()),
                pricing_type: row.pricing_type,
                amount: row.pricing_amount.map(Int64),
                interval: row.pricing_interval,
            },
            icon_key: row.icon_key,
            screenshots: row.screenshots,
            tags: row.tags,
            support_url: row.support_url,
            install_count: row.install_count,
            rating_avg: row.rating_avg,
            rating_count: row.rating_count,
            current_version_id: row.current_version_id,
            listed_at: row.listed_at,
            published_at: row.published_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}
