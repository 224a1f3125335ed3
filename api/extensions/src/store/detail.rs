//! Details of one extension of the store.

use api_core::{
    ApiError, Cx, Operation, Result,
    access::{AccountCaller, Grants},
    graphql::{Int64, Json},
};
use extension_model::Manifest;
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;

use super::{StoreExtension, db, version::StoreVersion};

/// An extension with the content of its page in the store.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct StoreExtensionDetail {
    /// Entry in the list.
    pub extension: StoreExtension,
    /// Long description.
    pub description: String,
    /// `unlisted`, `public`, `paid` or `system`; `private` for those it is offered to.
    pub visibility: String,
    /// `monthly` for a subscription; null otherwise.
    pub pricing_interval: Option<String>,
    /// Paths of images in the bundle.
    pub screenshots: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Address of the support, or null.
    pub support_url: Option<String>,
    /// Version that new installs get.
    pub current_version: String,
    /// Permissions that the current version asks for.
    pub permissions: Vec<String>,
    /// Hosts that the handlers of the current version may reach.
    pub egress_hosts: Vec<String>,
    /// Settings that the current version declares, by key.
    pub config_schema: Json,
    /// Published versions, the newest first; at most 100.
    pub versions: Vec<StoreVersion>,
    /// Summary of the reviews.
    pub reviews: StoreReviewSummary,
}

/// Summary of an extension's reviews.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct StoreReviewSummary {
    /// Average, 1 to 5; 0 without reviews.
    pub rating_avg: f64,
    /// Number of reviews.
    pub rating_count: i32,
    /// Number of reviews by rating, from 5 to 1, each rating once.
    pub ratings: Vec<RatingCount>,
}

/// Number of reviews with one rating.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct RatingCount {
    /// 1 to 5.
    pub rating: i32,
    /// Number of reviews.
    pub count: Int64,
}

pub static STORE_EXTENSION: Operation<AccountCaller> =
    Operation::account("storeExtension", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions)
        .polled();

/// Returns one extension of the store, by id or slug.
///
/// The extension is listed, or it is offered to the caller without being listed: unlisted, the caller's own,
/// granted to the account, or installed in it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when there is no such extension, or it is not offered to the caller.
#[api_core::operation]
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
