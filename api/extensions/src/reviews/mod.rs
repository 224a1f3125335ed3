//! Reviews of extensions (reference/extensions.md#reviews-of-users). The extension's rating changes in the
//! same transaction.

mod db;
pub mod graphql;
pub mod rest;

use std::ops::RangeInclusive;

use api_core::{
    ApiError, CursorPage, CursorRequest, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::Entry;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::store::db::{Viewer, is_installed};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_REVIEWS, &CREATE_EXTENSION_REVIEW, &UPDATE_EXTENSION_REVIEW, &DELETE_EXTENSION_REVIEW];

const RATINGS: RangeInclusive<i32> = 1..=5;
const MAX_TITLE_LENGTH: usize = 100;
const MAX_BODY_LENGTH: usize = 2000;

/// A review.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionReview {
    /// Id.
    pub id: Uuid,
    /// Extension.
    pub extension_id: Uuid,
    /// 1 to 5.
    pub rating: i32,
    /// Title; may be empty.
    pub title: String,
    /// Text; may be empty.
    pub body: String,
    /// Author.
    pub author: ReviewAuthor,
    /// Reply of the developer, or null.
    pub developer_reply: Option<String>,
    /// Time of the review.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Author of a review.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ReviewAuthor {
    /// Person.
    pub id: Uuid,
    /// Display name.
    pub display_name: String,
    /// Address of the picture, or null.
    pub avatar_url: Option<String>,
}

/// A new review.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "rating": 5, "title": "Very useful", "body": "It greets everybody." }))]
pub struct CreateExtensionReviewInput {
    /// 1 to 5.
    #[schema(extensions(("minimum" = json!(RATINGS.start())), ("maximum" = json!(RATINGS.end()))))]
    pub rating: i32,
    /// At most 100 characters.
    #[schema(extensions(("maxLength" = json!(MAX_TITLE_LENGTH))))]
    pub title: Option<String>,
    /// At most 2,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: Option<String>,
}

/// Changes of a review; absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "rating": 4 }))]
pub struct UpdateExtensionReviewInput {
    /// 1 to 5.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(RATINGS.start())), ("maximum" = json!(RATINGS.end()))))]
    pub rating: Patch<i32>,
    /// At most 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_TITLE_LENGTH))))]
    pub title: Patch<String>,
    /// At most 2,000 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: Patch<String>,
}

pub static EXTENSION_REVIEWS: Operation<AccountCaller> =
    Operation::account("extensionReviews", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions)
        .polled();

/// Lists the reviews of an extension, newest first.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a page out of bounds.
/// - 404 when the extension is not offered to the caller.
#[api_core::operation]
pub async fn extension_reviews(
    cx: &Cx,
    id: Input<Uuid>,
    page: Input<CursorRequest>,
) -> Result<CursorPage<ExtensionReview>> {
    let caller = cx.authorize(&EXTENSION_REVIEWS).await?;
    let id = id?;
    let part = page?.check(cx, &EXTENSION_REVIEWS, &id)?;
    let mut connection = caller.db().await?;
    offered(&mut connection, &caller, id).await?;
    db::list(&mut connection, id, part).await
}

pub static CREATE_EXTENSION_REVIEW: Operation<AccountCaller> =
    Operation::account("createExtensionReview", AccountPermission::ExtensionStoreReview, Grants::Nothing)
        .feature(Feature::Extensions)
        .idempotent();

/// Reviews an extension that the account has installed.
///
/// Each person reviews an extension once. The extension's rating changes with it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field.
/// - 403 for a credential without a person, for a popout of another member, and for an account that has not
///   installed the extension.
/// - 404 when the extension is not offered to the caller.
/// - 409 for a second review.
#[api_core::operation]
pub async fn create_extension_review(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<CreateExtensionReviewInput>,
) -> Result<ExtensionReview> {
    let caller = cx.authorize(&CREATE_EXTENSION_REVIEW).await?;
    let person = cx.person()?;
    let (id, input) = (id?, input?);
    let rating = rating(input.rating)?;
    let (title, body) = (title(&input.title.unwrap_or_default())?, body(&input.body.unwrap_or_default())?);
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let is_installed = offered(connection, &caller, id).await?;
            let user = person.ok_or_else(|| ApiError::forbidden("Reviews are written by people"))?;
            if !is_installed {
                return Err(ApiError::forbidden("Only accounts that installed the extension can review it"));
            }
            let new = db::NewReview {
                id: shared::id::new(),
                extension_id: id,
                user_id: user,
                rating,
                title,
                body,
                created_at: now,
                updated_at: now,
            };
            if !db::insert(connection, &new).await? {
                return Err(ApiError::conflict("You have already reviewed this extension"));
            }
            let entry = Entry {
                metadata: json!({ "extension_id": id, "rating": new.rating }),
                ..cx.audit("extension:reviewed", "extension_review", new.id)
            };
            foundation::audit::record(connection, entry).await?;
            db::find(connection, id, user, new.id).await?.ok_or_else(not_found)
        })
        .await
}

pub static UPDATE_EXTENSION_REVIEW: Operation<AccountCaller> =
    Operation::account("updateExtensionReview", AccountPermission::ExtensionStoreReview, Grants::Nothing)
        .feature(Feature::Extensions);

/// Changes the caller's own review.
///
/// The extension's rating changes with it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field.
/// - 404 when the caller has no such review.
#[api_core::operation]
pub async fn update_extension_review(
    cx: &Cx,
    id: Input<Uuid>,
    review_id: Input<Uuid>,
    input: Input<UpdateExtensionReviewInput>,
) -> Result<ExtensionReview> {
    let caller = cx.authorize(&UPDATE_EXTENSION_REVIEW).await?;
    let person = cx.person()?;
    let (id, review_id, input) = (id?, review_id?, input?);
    let changes = db::Changes {
        rating: input.rating.not_null("rating")?.map(rating).transpose()?,
        title: input.title.not_null("title")?.map(|text| title(&text)).transpose()?,
        body: input.body.not_null("body")?.map(|text| body(&text)).transpose()?,
        updated_at: cx.state().clock.now(),
    };
    let user = person.ok_or_else(not_found)?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !db::update(connection, id, user, review_id, &changes).await? {
                return Err(not_found());
            }
            let entry = Entry {
                metadata: json!({ "extension_id": id, "rating": changes.rating }),
                ..cx.audit("extension:review_updated", "extension_review", review_id)
            };
            foundation::audit::record(connection, entry).await?;
            db::find(connection, id, user, review_id).await?.ok_or_else(not_found)
        })
        .await
}

pub static DELETE_EXTENSION_REVIEW: Operation<AccountCaller> =
    Operation::account("deleteExtensionReview", AccountPermission::ExtensionStoreReview, Grants::Nothing)
        .feature(Feature::Extensions);

/// Deletes the caller's own review.
///
/// The extension's rating changes with it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when the caller has no such review.
#[api_core::operation]
pub async fn delete_extension_review(cx: &Cx, id: Input<Uuid>, review_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_EXTENSION_REVIEW).await?;
    let person = cx.person()?;
    let (id, review_id) = (id?, review_id?);
    let user = person.ok_or_else(not_found)?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !db::delete(connection, id, user, review_id).await? {
                return Err(not_found());
            }
            let entry = Entry {
                metadata: json!({ "extension_id": id }),
                ..cx.audit("extension:review_deleted", "extension_review", review_id)
            };
            Ok(foundation::audit::record(connection, entry).await?)
        })
        .await
}

/// True when the account has installed an extension that is offered to it; 404 when it is not offered.
async fn offered(
    connection: &mut AsyncPgConnection,
    caller: &AccountCaller,
    extension: Uuid,
) -> Result<bool> {
    let viewer = Viewer { account: caller.account, user: caller.user };
    let installed = is_installed(connection, viewer, extension).await?;
    installed.ok_or_else(|| ApiError::not_found("Extension not found"))
}

fn rating(rating: i32) -> Result<i32> {
    if RATINGS.contains(&rating) {
        return Ok(rating);
    }
    let (lowest, highest) = (RATINGS.start(), RATINGS.end());
    Err(ApiError::invalid(format!("rating must be between {lowest} and {highest}")))
}

fn title(title: &str) -> Result<String> {
    validate::text("title", title, 0, MAX_TITLE_LENGTH)
}

fn body(body: &str) -> Result<String> {
    validate::long_text("body", body, 0, MAX_BODY_LENGTH)
}

fn not_found() -> ApiError {
    ApiError::not_found("Review not found")
}
