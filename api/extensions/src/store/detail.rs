//! One extension of the store.

use api_core::{
    ApiError, Cx, Operation, Result, Timestamp,
    access::{AccountCaller, Grants},
    graphql::{Int64, Json},
};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    extensions::Manifest,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{StoreExtension, db};

/// An extension with everything that its page in the store shows.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct StoreExtensionDetail {
    pub extension: StoreExtension,
    /// The long description.
    pub description: String,
    /// `unlisted`, `public`, `paid` or `system`; `private` to whom it is shown.
    pub visibility: String,
    /// `monthly` for a subscription.
    pub pricing_interval: Option<String>,
    /// Paths of images in the bundle.
    pub screenshots: Vec<String>,
    pub tags: Vec<String>,
    pub support_url: Option<String>,
    /// What is installed now.
    pub current_version: String,
    /// What the current version asks for.
    pub permissions: Vec<String>,
    /// What the handlers of the current version may reach.
    pub egress_hosts: Vec<String>,
    /// The settings that the current version declares, by key.
    pub config_schema: Json,
    /// Published versions, the newest first; at most 100.
    pub versions: Vec<StoreVersion>,
    pub reviews: StoreReviewSummary,
}

/// A published version.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct StoreVersion {
    pub id: Uuid,
    /// Semantic version.
    pub version: String,
    pub changelog: String,
    /// Whether accounts must accept it themselves.
    pub breaking: bool,
    pub bundle_size_bytes: Int64,
    pub approved_at: Option<Timestamp>,
}

/// What people think of an extension.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct StoreReviewSummary {
    /// 1 to 5; 0 without reviews.
    pub rating_avg: f64,
    pub rating_count: i32,
    /// From 5 to 1, each rating once.
    pub ratings: Vec<RatingCount>,
}

/// How many reviews gave a rating.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct RatingCount {
    /// 1 to 5.
    pub rating: i32,
    pub count: Int64,
}

/// One extension of the store.
pub static STORE_EXTENSION: Operation<AccountCaller> =
    Operation::account("storeExtension", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions);

/// Reads an extension by its id or slug: one that is listed, or that is offered to the caller without being listed.
///
/// # Errors
/// As the rule; 404 when there is none or it is not offered to the caller.
pub async fn store_extension(cx: &Cx, id: &str) -> Result<StoreExtensionDetail> {
    let caller = cx.authorize(&STORE_EXTENSION).await?;
    let viewer = db::Viewer { account: caller.account, user: caller.user };
    let mut connection = caller.db().await?;
    let row = db::find(&mut connection, viewer, id).await?;
    let row = row.ok_or_else(|| ApiError::not_found("Extension not found"))?;
    let config_schema = row.manifest.get("config_schema").cloned().unwrap_or_else(|| json!({}));
    let manifest = Manifest::stored(row.manifest)?;
    let versions = db::versions(&mut connection, row.row.id).await?;
    let counted = db::ratings(&mut connection, row.row.id).await?;
    let extension = StoreExtension::from(row.row);
    let count = |rating| counted.iter().find(|(given, _)| *given == rating).map_or(0, |(_, count)| *count);
    let ratings = (1..=5).rev().map(|rating| RatingCount { rating, count: Int64(count(rating)) }).collect();
    Ok(StoreExtensionDetail {
        reviews: StoreReviewSummary {
            rating_avg: extension.rating_avg,
            rating_count: extension.rating_count,
            ratings,
        },
        extension,
        description: row.long_description,
        visibility: row.visibility,
        pricing_interval: row.pricing_interval,
        screenshots: row.screenshots,
        tags: row.tags,
        support_url: row.support_url,
        current_version: row.current_version,
        permissions: manifest.permissions,
        egress_hosts: manifest.egress.allow_hosts,
        config_schema: Json(config_schema),
        versions,
    })
}
