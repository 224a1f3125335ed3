//! Extensions of a developer on the developer API (reference/developers.md#developer-rest-api).

pub(crate) mod db;
pub(crate) mod listing;
pub mod rest;
pub(crate) mod rules;
pub(crate) mod slug;
mod stats;

use api_core::{
    Cx, Input, Operation, Patch, Timestamp,
    access::{AnyOperation, Developer, Grants},
};
use developer_access::{
    extensions::{Owner, READERS},
    profile,
};
use diesel::{Queryable, Selectable};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, TeamPermission},
    schema::extensions,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{CursorQuery, PricingBody, rates::Rate};
use crate::{envelope::Result, owners};

pub(crate) use rules::{changes, chosen_slug, create, delete, max_extensions, update};
pub use stats::{DEVELOPER_API_INSTALL_STATS, InstallStats, developer_api_install_stats};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &DEVELOPER_API_EXTENSIONS,
    &DEVELOPER_API_EXTENSION,
    &DEVELOPER_API_CREATE_EXTENSION,
    &DEVELOPER_API_UPDATE_EXTENSION,
    &DEVELOPER_API_DELETE_EXTENSION,
    &DEVELOPER_API_INSTALL_STATS,
];

/// An extension in a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionSummary {
    /// Id.
    pub id: Uuid,
    /// Slug.
    pub slug: String,
    /// Name.
    pub name: String,
    /// `private`, `unlisted`, `public` or `paid`.
    pub visibility: String,
    /// `draft`, `in_review`, `testing`, `pending_publish`, `approved`, `rejected`, `suspended` or `archived`.
    pub status: String,
    /// Number of installs.
    pub install_count: i32,
    /// Version that new installs get; null before the first publication.
    pub current_version_id: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// An extension.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Extension {
    /// Fields of the list.
    #[serde(flatten)]
    pub summary: ExtensionSummary,
    /// Price.
    pub pricing: PricingBody,
    /// Long description.
    pub description: String,
    /// Short description.
    #[serde(rename = "short_description")]
    pub short_description: String,
    /// Number of reviews.
    pub rating_count: i32,
}

/// A new extension.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedExtension {
    /// Id.
    pub id: Uuid,
    /// Slug, derived from the name.
    pub slug: String,
    /// Name.
    pub name: String,
    /// `draft`.
    pub status: String,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// A page of extensions, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionPage {
    /// Extensions of this page.
    pub extensions: Vec<ExtensionSummary>,
    /// `cursor` of the next page; null on the last.
    pub next_cursor: Option<String>,
}

/// An extension to create.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct CreateExtensionBody {
    /// 1 to 255 characters.
    #[schema(extensions(("maxLength" = json!(rules::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 255 characters.
    #[serde(default)]
    #[schema(extensions(("maxLength" = json!(rules::MAX_SHORT_DESCRIPTION_LENGTH))))]
    pub short_description: String,
    /// At most 10,000 characters.
    #[serde(default)]
    #[schema(extensions(("maxLength" = json!(rules::MAX_DESCRIPTION_LENGTH))))]
    pub description: String,
    /// Price; free when absent.
    pub pricing: Option<PricingBody>,
}

/// Changes of an extension; absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct UpdateExtensionBody {
    /// 1 to 255 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(rules::MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 255 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(rules::MAX_SHORT_DESCRIPTION_LENGTH))))]
    pub short_description: Patch<String>,
    /// At most 10,000 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(rules::MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// Price.
    #[serde(default)]
    #[schema(value_type = Option<PricingBody>)]
    pub pricing: Patch<PricingBody>,
    /// `private`, `unlisted`, `public` or `paid`.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("enum" = json!(listing::VISIBILITIES))))]
    pub visibility: Patch<String>,
}

/// A stored extension.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = extensions)]
pub(crate) struct ExtensionRow {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    pub visibility: String,
    pub status: String,
    pub install_count: i32,
    pub current_version_id: Option<Uuid>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub pricing_type: String,
    pub description: String,
    pub short_description: String,
    pub rating_count: i32,
    pub listed_at: Option<Timestamp>,
    pub short_id: String,
    pub category: Option<String>,
    pub pricing_amount: Option<i64>,
    pub pricing_interval: Option<String>,
    pub icon_key: Option<String>,
    pub screenshots: Vec<String>,
    pub tags: Vec<String>,
    pub support_url: Option<String>,
    pub slug_changed_at: Option<Timestamp>,
    pub rating_avg: f64,
    pub published_at: Option<Timestamp>,
    pub owner_team_id: Option<Uuid>,
}

pub static DEVELOPER_API_EXTENSIONS: Operation<Developer> =
    Operation::developer("developerApiExtensions", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .in_team(READERS);

/// Lists the developer's extensions and those of the developer's teams, newest first.
///
/// An extension of a team is shown to members with a permission of `team-extensions`.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile.
/// - 422 for a limit or cursor out of bounds.
/// - 429 above 120 GET requests of the person in a minute.
#[api_core::operation]
pub async fn developer_api_extensions(cx: &Cx, query: Input<CursorQuery>) -> Result<ExtensionPage> {
    let developer = cx.authorize(&DEVELOPER_API_EXTENSIONS).await?;
    Rate::Get.count(cx, &developer).await?;
    let cursor = query?.check()?;
    let mut connection = developer.db().await?;
    profile::required_or_member(&mut connection, developer.user).await?;
    let rows = db::list(&mut connection, developer.user, cursor).await?;
    let (rows, next_cursor) = super::page(rows, cursor.limit, |row| row.id);
    Ok(ExtensionPage { extensions: rows.into_iter().map(ExtensionSummary::from).collect(), next_cursor })
}

pub static DEVELOPER_API_EXTENSION: Operation<Developer> =
    Operation::developer("developerApiExtension", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .in_team(READERS);

/// Returns one of the developer's extensions.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile and no team, and for a member of the extension's team
///   without the permission.
/// - 404 when the developer has no such extension.
/// - 429 above 120 GET requests of the person in a minute.
#[api_core::operation]
pub async fn developer_api_extension(cx: &Cx, id: Input<Uuid>) -> Result<Extension> {
    let developer = cx.authorize(&DEVELOPER_API_EXTENSION).await?;
    Rate::Get.count(cx, &developer).await?;
    let mut connection = developer.db().await?;
    let id = id?;
    let owner = owners::required(&mut connection, &DEVELOPER_API_EXTENSION, developer.user, id).await?;
    Ok(db::find(&mut connection, &owner, id).await?.into())
}

pub static DEVELOPER_API_CREATE_EXTENSION: Operation<Developer> = Operation::developer(
    "developerApiCreateExtension",
    AccountPermission::ExtensionDevCreate,
    Grants::Nothing,
)
.idempotent();

/// Creates an extension.
///
/// The extension is a private draft. Its slug is derived from the name.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile.
/// - 422 for an invalid field, for a price of a developer who is not verified, and above 25 extensions.
/// - 429 above 10 requests of the person in an hour.
#[api_core::operation]
pub async fn developer_api_create_extension(
    cx: &Cx,
    body: Input<CreateExtensionBody>,
) -> Result<CreatedExtension> {
    let developer = cx.authorize(&DEVELOPER_API_CREATE_EXTENSION).await?;
    Rate::CreateExtension.count(cx, &developer).await?;
    let body = body?;
    let mut connection = developer.db().await?;
    let profile = profile::required(&mut connection, developer.user).await?;
    let row = create(cx, &mut connection, &Owner::solo(&profile), body).await?;
    Ok(CreatedExtension {
        id: row.id,
        slug: row.slug,
        name: row.name,
        status: row.status,
        created_at: row.created_at,
    })
}

pub static DEVELOPER_API_UPDATE_EXTENSION: Operation<Developer> =
    Operation::developer("developerApiUpdateExtension", AccountPermission::ExtensionDevEdit, Grants::Nothing)
        .in_team(&[TeamPermission::TeamExtensionsEdit]);

/// Changes an extension.
///
/// Absent fields stay. The first change to `public` or `paid` does not list the extension; a reviewer's next
/// publication does. `private` removes it from the store at once. Existing installs keep running.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile.
/// - 403 for a member of the extension's team without `team-extensions:edit`, and without
///   `team-extensions:publish` for the visibility.
/// - 404 when the developer has no such extension.
/// - 422 for an invalid field.
#[api_core::operation]
pub async fn developer_api_update_extension(
    cx: &Cx,
    id: Input<Uuid>,
    body: Input<UpdateExtensionBody>,
) -> Result<Extension> {
    let developer = cx.authorize(&DEVELOPER_API_UPDATE_EXTENSION).await?;
    let (id, body) = (id?, body?);
    let mut connection = developer.db().await?;
    profile::required_or_member(&mut connection, developer.user).await?;
    let found = owners::find(&mut connection, Some(developer.user), id).await?;
    let publishes = matches!(body.visibility, Patch::Value(_));
    let changes = changes(body, found.is_verified(), cx.state().clock.now())?;
    let owner = found.permitted(&DEVELOPER_API_UPDATE_EXTENSION)?;
    if publishes {
        owner.require_also(TeamPermission::TeamExtensionsPublish)?;
    }
    let row = update(cx, &mut connection, &owner, id, changes).await?;
    Ok(row.into())
}

pub static DEVELOPER_API_DELETE_EXTENSION: Operation<Developer> = Operation::developer(
    "developerApiDeleteExtension",
    AccountPermission::ExtensionDevDelete,
    Grants::Extensions,
)
.in_team(&[TeamPermission::TeamExtensionsDelete]);

/// Deletes an extension that was never publicly listed.
///
/// Its versions, installs and uploads are deleted with it. Accounts that had it installed are informed.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile and no team, and for a member of the extension's team
///   without the permission.
/// - 404 when the developer has no such extension.
/// - 422 when it was ever listed.
/// - 429 above 30 DELETE requests of the person in a minute.
#[api_core::operation]
pub async fn developer_api_delete_extension(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let developer = cx.authorize(&DEVELOPER_API_DELETE_EXTENSION).await?;
    Rate::Delete.count(cx, &developer).await?;
    let id = id?;
    let mut connection = developer.db().await?;
    let owner =
        owners::required(&mut connection, &DEVELOPER_API_DELETE_EXTENSION, developer.user, id).await?;
    delete(cx, connection, &owner, id).await
}

impl ExtensionRow {
    fn pricing(&self) -> PricingBody {
        PricingBody {
            pricing_type: self.pricing_type.clone(),
            amount: self.pricing_amount,
            interval: self.pricing_interval.clone(),
        }
    }
}

impl From<ExtensionRow> for ExtensionSummary {
    fn from(row: ExtensionRow) -> Self {
        Self {
            id: row.id,
            slug: row.slug,
            name: row.name,
            visibility: row.visibility,
            status: row.status,
            install_count: row.install_count,
            current_version_id: row.current_version_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

impl From<ExtensionRow> for Extension {
    fn from(row: ExtensionRow) -> Self {
        Self {
            pricing: row.pricing(),
            description: row.description.clone(),
            short_description: row.short_description.clone(),
            rating_count: row.rating_count,
            summary: row.into(),
        }
    }
}
