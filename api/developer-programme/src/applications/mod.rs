//! Applications of people to become developers (reference/programme.md#applications).

mod db;
pub mod graphql;
mod input;
pub mod rest;
pub mod review;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn},
};
use developer_access::slugs;
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry, Scope};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::uploads;
pub use input::SubmitDeveloperApplicationInput;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &DEVELOPER_APPLICATION,
    &SUBMIT_DEVELOPER_APPLICATION,
    &review::ADMIN_DEVELOPER_APPLICATIONS,
    &review::ADMIN_DEVELOPER_APPLICATION,
    &review::ADMIN_APPROVE_DEVELOPER_APPLICATION,
    &review::ADMIN_REJECT_DEVELOPER_APPLICATION,
];

/// Kind of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeveloperApplicationType {
    /// A person who develops alone.
    Solo,
    /// A team, whose owner is the applicant.
    Team,
}

/// Status of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeveloperApplicationStatus {
    /// Waits for a decision.
    Pending,
    /// The applicant is a developer.
    Approved,
    /// The applicant may apply again.
    Rejected,
}

/// Application of a person to become a developer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperApplication {
    /// Identifier.
    pub id: Uuid,
    /// Applicant.
    pub user_id: Uuid,
    /// Kind.
    pub application_type: DeveloperApplicationType,
    /// Name of the developer or team.
    pub display_name: String,
    /// Slug of the developer or team.
    pub slug: String,
    /// Description of the developer or team.
    pub description: String,
    /// Reason of the application.
    pub motivation: String,
    /// Extensions that are planned.
    pub what_to_build: String,
    /// Address at GitHub. Null: none.
    pub github_url: Option<String>,
    /// Address of the website. Null: none.
    pub website_url: Option<String>,
    /// Experience of the applicant. Null: none.
    pub experience: Option<String>,
    /// Id of the upload with the picture. Null: none.
    pub avatar_key: Option<Uuid>,
    /// Status.
    pub status: DeveloperApplicationStatus,
    /// Notes of the reviewer. Null: none.
    pub review_notes: Option<String>,
    /// Reviewer; null before a decision.
    pub reviewed_by: Option<Uuid>,
    /// Time of the decision; null before it.
    pub reviewed_at: Option<Timestamp>,
    /// Time of the application.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Application in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperApplicationItem {
    /// Identifier.
    pub id: Uuid,
    /// Applicant.
    pub user_id: Uuid,
    /// Kind.
    pub application_type: DeveloperApplicationType,
    /// Name of the developer or team.
    pub display_name: String,
    /// Slug of the developer or team.
    pub slug: String,
    /// Status.
    pub status: DeveloperApplicationStatus,
    /// Time of the application.
    pub created_at: Timestamp,
    /// Display name of the applicant.
    pub user_display_name: String,
    /// Address of the applicant's avatar. Null: none.
    pub user_avatar_url: Option<String>,
}

/// Applications with their number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperApplicationList {
    /// Applications of the page.
    pub items: Vec<DeveloperApplicationItem>,
    /// Number of applications on all pages.
    pub total: i32,
}

pub static DEVELOPER_APPLICATION: Operation<SignedIn> =
    Operation::first_party("developerApplication", Grants::Nothing);

/// Returns the latest application of the caller to become a developer.
///
/// # Errors
/// Refusals of the access rule; 404 when the caller has never applied.
#[api_core::operation]
pub async fn developer_application(cx: &Cx) -> Result<DeveloperApplication> {
    let person = cx.authorize(&DEVELOPER_APPLICATION).await?;
    let latest = db::latest(&mut *person.db().await?, person.user).await?;
    latest.ok_or_else(|| ApiError::not_found("No developer application found"))
}

pub static SUBMIT_DEVELOPER_APPLICATION: Operation<SignedIn> =
    Operation::first_party("submitDeveloperApplication", Grants::Nothing).idempotent();

/// Applies to become a developer, alone or with a team.
///
/// The application waits for a decision of staff. Its slug is reserved until then.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 404 when the picture is no image of the account; 409
/// for a developer, for an applicant whose application waits for its decision, and for a slug that another
/// one has.
#[api_core::operation]
pub async fn submit_developer_application(
    cx: &Cx,
    input: Input<SubmitDeveloperApplicationInput>,
) -> Result<DeveloperApplication> {
    let person = cx.authorize(&SUBMIT_DEVELOPER_APPLICATION).await?;
    let (new, now) = (input?.check()?, cx.state().clock.now());
    let mut connection = person.db().await?;
    connection
        .transaction(async |connection| {
            // Applications of one person follow each other.
            db::lock_person(connection, person.user).await?;
            if let Some(key) = new.avatar_key {
                uploads::check_image(connection, person.account, key).await?;
            }
            if db::has_profile(connection, person.user).await? {
                return Err(ApiError::conflict("You already have a developer profile"));
            }
            if db::has_pending(connection, person.user).await? {
                return Err(ApiError::conflict("You already have a pending application"));
            }
            if slugs::is_taken(connection, &new.slug).await? {
                return Err(slugs::taken());
            }
            let application = db::insert(connection, person.user, &new, now).await?;
            let metadata =
                json!({ "application_type": application.application_type, "slug": application.slug });
            let entry = cx.audit("developer:application_submitted", "developer_application", application.id);
            audit::record(connection, Entry { scope: Scope::User, metadata, ..entry }).await?;
            Ok(application)
        })
        .await
}

impl DeveloperApplicationType {
    /// Every kind.
    const ALL: [Self; 2] = [Self::Solo, Self::Team];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Solo => "solo",
            Self::Team => "team",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl DeveloperApplicationStatus {
    const ALL: [Self; 3] = [Self::Pending, Self::Approved, Self::Rejected];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}
