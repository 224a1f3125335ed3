//! Extensions of a developer on the main API (reference/developers.md#main-api). The owner of an extension is
//! a person or a team; a caller without a relation to it gets 404.

pub mod access;
mod changes;
pub mod graphql;
mod input;
mod new_owner;
mod own;
pub mod rest;
pub mod secrets;
pub mod testers;
mod transfer;
pub mod versions;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, SignedIn},
    graphql::Int64,
};
use developer_access::{
    credentials::carries,
    extensions::{Owner, READERS, owner},
    profile,
};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::catalogue::{AccountPermission, Feature, TeamPermission};
use utoipa::ToSchema;
use uuid::Uuid;

pub use changes::{
    DELETE_EXTENSION, SET_EXTENSION_VISIBILITY, UPDATE_EXTENSION, delete_extension, set_extension_visibility,
    update_extension,
};
pub use input::{
    CreateExtensionInput, ExtensionPricingInput, SetExtensionVisibilityInput, TransferExtensionInput,
    UpdateExtensionInput,
};
pub use transfer::{TRANSFER_EXTENSION, transfer_extension};
use versions::DeveloperVersion;

use crate::developer_api::extensions::{self as rules, ExtensionRow};

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
    /// Id.
    pub id: Uuid,
    /// Team that owns the extension; null for one of a person.
    pub team_id: Option<Uuid>,
    /// Short id of eight characters.
    pub short_id: String,
    /// Slug.
    pub slug: String,
    /// Name.
    pub name: String,
    /// Short description.
    pub short_description: String,
    /// Long description.
    pub description: String,
    /// Category of the current version's manifest; null before the first publication.
    pub category: Option<String>,
    /// `private`, `unlisted`, `public` or `paid`.
    pub visibility: String,
    /// `draft`, `in_review`, `testing`, `pending_publish`, `approved`, `rejected`, `suspended` or `archived`.
    pub status: String,
    /// Price.
    pub pricing: ExtensionPricing,
    /// Path of an image in the bundle, or null.
    pub icon_key: Option<String>,
    /// Paths of images in the bundle.
    pub screenshots: Vec<String>,
    /// Tags, in lower case.
    pub tags: Vec<String>,
    /// Address of the support, or null.
    pub support_url: Option<String>,
    /// Number of installs.
    pub install_count: i32,
    /// Average, 1 to 5; 0 without reviews.
    pub rating_avg: f64,
    /// Number of reviews.
    pub rating_count: i32,
    /// Version that new installs get; null before the first publication.
    pub current_version_id: Option<Uuid>,
    /// Time of the first public listing, which freezes the slug; null before it.
    pub listed_at: Option<Timestamp>,
    /// Time of the first publication; null before it.
    pub published_at: Option<Timestamp>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Price of an extension.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionPricing {
    /// `free`, `one_time` or `subscription`.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub pricing_type: String,
    /// Cents; null when it is free.
    pub amount: Option<Int64>,
    /// `EUR`; null when it is free.
    pub currency: Option<String>,
    /// `monthly` for a subscription; null otherwise.
    pub interval: Option<String>,
}

/// An extension with its versions.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperExtensionDetail {
    /// Extension.
    pub extension: DeveloperExtension,
    /// Versions, the newest upload first; at most 500.
    pub versions: Vec<DeveloperVersion>,
}

pub static DEVELOPER_EXTENSIONS: Operation<AccountCaller> =
    Operation::account("developerExtensions", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(READERS)
        .polled();

/// Lists the caller's extensions and those of the caller's teams, newest first.
///
/// An extension of a team is shown to members with a permission of `team-extensions`. The list is empty for a
/// credential without a person.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn developer_extensions(cx: &Cx) -> Result<Vec<DeveloperExtension>> {
    let caller = cx.authorize(&DEVELOPER_EXTENSIONS).await?;
    let Some(user) = cx.person()? else { return Ok(Vec::new()) };
    let mut connection = caller.db().await?;
    let rows = rules::db::all(&mut connection, user).await?;
    Ok(rows.into_iter().map(DeveloperExtension::from).collect())
}

pub static DEVELOPER_EXTENSION: Operation<AccountCaller> =
    Operation::account("developerExtension", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(READERS)
        .polled();

/// Returns one of the caller's extensions with its versions.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a member of the extension's team without a permission of `team-extensions`.
/// - 404 when the caller has no such extension.
#[api_core::operation]
pub async fn developer_extension(cx: &Cx, id: Input<Uuid>) -> Result<DeveloperExtensionDetail> {
    let caller = cx.authorize(&DEVELOPER_EXTENSION).await?;
    let id = id?;
    let mut connection = caller.db().await?;
    let owner = owner(&mut connection, &DEVELOPER_EXTENSION, cx.person()?, id).await?;
    let row = rules::db::find(&mut connection, &owner, id).await?;
    let versions = versions::db::list(&mut connection, id).await?;
    Ok(DeveloperExtensionDetail { extension: row.into(), versions })
}

pub static CREATE_EXTENSION: Operation<SignedIn> = Operation::first_party("createExtension", Grants::Nothing)
    .feature(Feature::ExtensionDevelopment)
    .in_team(&[TeamPermission::TeamExtensionsCreate])
    .idempotent();

/// Creates an extension.
///
/// The extension is a private draft, the caller's own or, with `team_id`, that of a team. Its slug is derived
/// from the name.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field, and for a price of a developer who is not verified.
/// - 403 for a caller who is not a developer, for a key that does not carry `extension-dev:create`, and for a
///   member of the team without `team-extensions:create`.
/// - 403 `PLAN_LIMIT_REACHED` above 25 extensions.
/// - 404 when the caller does not belong to the team.
#[api_core::operation]
pub async fn create_extension(cx: &Cx, input: Input<CreateExtensionInput>) -> Result<DeveloperExtension> {
    let caller = cx.authorize(&CREATE_EXTENSION).await?;
    carries(cx, AccountPermission::ExtensionDevCreate)?;
    let input = input?;
    let mut connection = caller.db().await?;
    let owner = match input.team_id {
        Some(team) => new_owner::team(&mut connection, &caller, team).await?,
        None => {
            let profile = profile::find(&mut connection, caller.user).await?;
            Owner::solo(&profile.ok_or_else(|| {
                ApiError::forbidden("You must be an approved developer to create extensions")
            })?)
        }
    };
    Ok(rules::create(cx, &mut connection, &owner, input.into()).await?.into())
}

impl From<ExtensionRow> for DeveloperExtension {
    fn from(row: ExtensionRow) -> Self {
        Self {
            id: row.id,
            team_id: row.owner_team_id,
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
