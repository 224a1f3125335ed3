//! Profiles of developers, to themselves and to everyone (reference/programme.md#profiles).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn, Visitor},
    graphql::Int64,
    validate,
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry, Scope};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    developers,
    fields::{self, MAX_DESCRIPTION_LENGTH, MAX_DISPLAY_NAME_LENGTH, MAX_URL_LENGTH},
    uploads,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&DEVELOPER_PROFILE, &UPDATE_DEVELOPER_PROFILE, &PUBLIC_DEVELOPER_PROFILE];

/// Profile of the caller as a developer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperProfile {
    /// Identifier.
    pub id: Uuid,
    /// Person.
    pub user_id: Uuid,
    /// Name.
    pub display_name: String,
    /// Slug, which does not change.
    pub slug: String,
    /// Description. Null: none.
    pub description: Option<String>,
    /// Address at GitHub. Null: none.
    pub github_url: Option<String>,
    /// Address of the website. Null: none.
    pub website_url: Option<String>,
    /// Id of the upload with the picture. Null: none.
    pub avatar_key: Option<Uuid>,
    /// True when staff has verified the developer.
    pub verified: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Profile of a developer as everyone sees it.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicDeveloperProfile {
    /// Identifier.
    pub id: Uuid,
    /// Name.
    pub display_name: String,
    /// Slug.
    pub slug: String,
    /// Description. Null: none.
    pub description: Option<String>,
    /// Address at GitHub. Null: none.
    pub github_url: Option<String>,
    /// Address of the website. Null: none.
    pub website_url: Option<String>,
    /// Id of the upload with the picture. Null: none.
    pub avatar_key: Option<Uuid>,
    /// Address of the picture, valid for an hour. Null: none.
    pub avatar_url: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Figures over the listed extensions.
    pub stats: PublicDeveloperStats,
    /// Listed extensions, most installs first: at most 100.
    pub extensions: Vec<PublicDeveloperExtension>,
}

/// Figures over the listed extensions of a developer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicDeveloperStats {
    /// Number of extensions.
    pub extension_count: i32,
    /// Number of installs.
    pub total_installs: i32,
    /// Average of all ratings, 1 to 5; 0 without ratings.
    pub avg_rating: f64,
}

/// Listed extension of a developer.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicDeveloperExtension {
    /// Identifier.
    pub id: Uuid,
    /// Short id of eight characters.
    pub short_id: String,
    /// Slug.
    pub slug: String,
    /// Name.
    pub name: String,
    /// Short description.
    pub description: String,
    /// `widget`, `bot_module`, `automation_node`, `theme` or `integration`.
    pub category: Option<String>,
    /// Path of an image in the bundle. Null: none.
    pub icon_key: Option<String>,
    /// `free`, `one_time` or `subscription`.
    pub pricing_type: String,
    /// Price in cents; null when it is free.
    pub pricing_amount: Option<Int64>,
    /// `EUR`; null when it is free.
    pub pricing_currency: Option<String>,
    /// Number of installs.
    pub install_count: i32,
    /// Average of the ratings, 1 to 5; 0 without ratings.
    pub rating_avg: f64,
    /// Number of ratings.
    pub rating_count: i32,
    /// Time of the first publication.
    pub published_at: Option<Timestamp>,
}

/// Changes of the caller's profile. An absent field stays as it is.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "display_name": "Pixel Works" }))]
pub struct UpdateDeveloperProfileInput {
    /// Name: 1 to 60 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DISPLAY_NAME_LENGTH))))]
    pub display_name: Patch<String>,
    /// 1 to 2,000 characters; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// An https address; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_URL_LENGTH))))]
    pub github_url: Patch<String>,
    /// An https address; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_URL_LENGTH))))]
    pub website_url: Patch<String>,
    /// Id of an image among the uploads of the account; null for none.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub avatar_key: Patch<Uuid>,
}

pub static DEVELOPER_PROFILE: Operation<SignedIn> =
    Operation::first_party("developerProfile", Grants::Nothing);

/// Returns the caller's own profile as a developer.
///
/// # Errors
/// Refusals of the access rule; 404 for a person who is no developer.
#[api_core::operation]
pub async fn developer_profile(cx: &Cx) -> Result<DeveloperProfile> {
    let person = cx.authorize(&DEVELOPER_PROFILE).await?;
    let profile = db::of_person(&mut *person.db().await?, person.user).await?;
    profile.ok_or_else(developers::not_found)
}

pub static UPDATE_DEVELOPER_PROFILE: Operation<SignedIn> =
    Operation::first_party("updateDeveloperProfile", Grants::Nothing);

/// Changes the caller's own profile as a developer. The slug stays as it is.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 404 for a person who is no developer, and when the
/// picture is no image of the account.
#[api_core::operation]
pub async fn update_developer_profile(
    cx: &Cx,
    input: Input<UpdateDeveloperProfileInput>,
) -> Result<DeveloperProfile> {
    let person = cx.authorize(&UPDATE_DEVELOPER_PROFILE).await?;
    let changes = input?.check(cx.state().clock.now())?;
    let mut connection = person.db().await?;
    connection
        .transaction(async |connection| {
            let developer = developers::of_person(connection, person.user).await?;
            if let Some(Some(key)) = changes.avatar_key {
                uploads::check_image(connection, person.account, key).await?;
            }
            let profile = db::update(connection, person.user, &changes).await?;
            let metadata = json!({ "fields": changes.fields() });
            let entry = cx.audit("developer:profile_updated", "developer_profile", developer.id);
            audit::record(connection, Entry { scope: Scope::User, metadata, ..entry }).await?;
            Ok(profile)
        })
        .await
}

pub static PUBLIC_DEVELOPER_PROFILE: Operation<Visitor> =
    Operation::public("publicDeveloperProfile", Grants::Nothing);

/// Returns the public profile of a developer with the listed extensions.
///
/// # Errors
/// 404 when no developer has the slug.
#[api_core::operation]
pub async fn public_developer_profile(cx: &Cx, slug: &str) -> Result<PublicDeveloperProfile> {
    let visitor = cx.authorize(&PUBLIC_DEVELOPER_PROFILE).await?;
    let mut connection = visitor.db().await?;
    let profile = db::of_slug(&mut connection, slug).await?;
    let profile = profile.ok_or_else(|| ApiError::not_found("Developer profile not found"))?;
    let stats = db::stats(&mut connection, profile.id).await?;
    let extensions = db::extensions(&mut connection, profile.id).await?;
    Ok(PublicDeveloperProfile {
        id: profile.id,
        display_name: profile.display_name,
        slug: profile.slug,
        description: profile.description,
        github_url: profile.github_url,
        website_url: profile.website_url,
        avatar_key: profile.avatar_key,
        avatar_url: uploads::address(cx, profile.avatar_key),
        created_at: profile.created_at,
        stats,
        extensions,
    })
}

impl UpdateDeveloperProfileInput {
    fn check(self, now: chrono::DateTime<chrono::Utc>) -> Result<db::Changes> {
        let name = |text: String| validate::text("display_name", &text, 1, MAX_DISPLAY_NAME_LENGTH);
        let description = |text: String| validate::long_text("description", &text, 1, MAX_DESCRIPTION_LENGTH);
        Ok(db::Changes {
            display_name: self.display_name.not_null("display_name")?.map(name).transpose()?,
            description: self.description.try_map(description)?.into_change(),
            github_url: self.github_url.try_map(|url| fields::https("github_url", &url))?.into_change(),
            website_url: self.website_url.try_map(|url| fields::https("website_url", &url))?.into_change(),
            avatar_key: self.avatar_key.into_change(),
            updated_at: now,
        })
    }
}
