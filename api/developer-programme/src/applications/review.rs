//! Decisions of operator staff about applications (reference/programme.md#review-of-applications).

use api_core::{
    ApiError, Cx, Input, Operation, PageRequest, Result,
    access::{Admin, Grants},
};
use chrono::{DateTime, Utc};
use developer_access::{
    slugs,
    teams::{self, NewTeam},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use juniper::{GraphQLInputObject, GraphQLObject};
use notices::notify::{self, Notice};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{catalogue::AdminPermission, id::UserId};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{
    DeveloperApplication, DeveloperApplicationList, DeveloperApplicationStatus, DeveloperApplicationType,
    db::{self, Decision},
};
use crate::fields::{self, MAX_NOTES_LENGTH};

/// Result of a decision about an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperApplicationDecision {
    /// Always true: a failure is an error.
    pub success: bool,
    /// Status after the decision.
    pub new_status: DeveloperApplicationStatus,
}

/// Filter and page of applications.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeveloperApplicationQuery {
    /// Status; every status when absent.
    pub status: Option<DeveloperApplicationStatus>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Approval of an application.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminApproveDeveloperApplicationInput {
    /// Notes for the applicant, at most 2,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NOTES_LENGTH))))]
    pub notes: Option<String>,
}

/// Rejection of an application.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminRejectDeveloperApplicationInput {
    /// Notes for the applicant, 1 to 2,000 characters; required.
    #[schema(extensions(("maxLength" = json!(MAX_NOTES_LENGTH))))]
    pub notes: Option<String>,
}

pub static ADMIN_DEVELOPER_APPLICATIONS: Operation<Admin> = Operation::admin(
    "adminDeveloperApplications",
    AdminPermission::DeveloperVerificationRead,
    Grants::Nothing,
);

/// Lists the applications of people to become developers, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status or a page out of bounds.
#[api_core::operation]
pub async fn admin_developer_applications(
    cx: &Cx,
    query: Input<DeveloperApplicationQuery>,
) -> Result<DeveloperApplicationList> {
    let admin = cx.authorize(&ADMIN_DEVELOPER_APPLICATIONS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    db::page(&mut *admin.db().await?, query.status, window).await
}

pub static ADMIN_DEVELOPER_APPLICATION: Operation<Admin> = Operation::admin(
    "adminDeveloperApplication",
    AdminPermission::DeveloperVerificationRead,
    Grants::Nothing,
);

/// Returns an application of a person to become a developer.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such application.
#[api_core::operation]
pub async fn admin_developer_application(cx: &Cx, id: Input<Uuid>) -> Result<DeveloperApplication> {
    let admin = cx.authorize(&ADMIN_DEVELOPER_APPLICATION).await?;
    let id = id?;
    db::find(&mut *admin.db().await?, id).await?.ok_or_else(not_found)
}

pub static ADMIN_APPROVE_DEVELOPER_APPLICATION: Operation<Admin> = Operation::admin(
    "adminApproveDeveloperApplication",
    AdminPermission::DeveloperVerificationEdit,
    // The applicant of a team owns it from then on.
    Grants::TeamPermissions,
)
.idempotent();

/// Approves an application: the applicant becomes a developer.
///
/// The applicant gets a developer profile. For an application of the type `team` the team is created too, with
/// its three default roles and the applicant as its owner. The applicant is notified.
///
/// # Errors
/// Refusals of the access rule; 400 for notes that are too long; 404 when there is no such application; 409
/// when it is not pending.
#[api_core::operation]
pub async fn admin_approve_developer_application(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminApproveDeveloperApplicationInput>,
) -> Result<DeveloperApplicationDecision> {
    let admin = cx.authorize(&ADMIN_APPROVE_DEVELOPER_APPLICATION).await?;
    let (id, notes, now) = (id?, fields::notes(input?.notes.as_deref())?, cx.state().clock.now());
    let status = DeveloperApplicationStatus::Approved;
    let decision = Decision { status, notes: notes.as_deref(), reviewer: admin.user, now };
    let mut connection = admin.db().await?;
    connection
        .transaction(async |connection| {
            let application = decide(connection, id, &decision).await?;
            let team = admit(connection, &application, now).await?;
            let metadata = json!({
                "user_id": application.user_id, "application_type": application.application_type,
                "slug": application.slug, "team_id": team,
            });
            let entry = cx.audit_system("developer:application_approved", "developer_application", id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            notify_applicant(connection, &application, now).await
        })
        .await?;
    Ok(DeveloperApplicationDecision { success: true, new_status: status })
}

pub static ADMIN_REJECT_DEVELOPER_APPLICATION: Operation<Admin> = Operation::admin(
    "adminRejectDeveloperApplication",
    AdminPermission::DeveloperVerificationEdit,
    Grants::Nothing,
)
.idempotent();

/// Rejects an application.
///
/// The applicant is notified and may apply again. The slug is free again.
///
/// # Errors
/// Refusals of the access rule; 400 without notes; 404 when there is no such application; 409 when it is not
/// pending.
#[api_core::operation]
pub async fn admin_reject_developer_application(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminRejectDeveloperApplicationInput>,
) -> Result<DeveloperApplicationDecision> {
    let admin = cx.authorize(&ADMIN_REJECT_DEVELOPER_APPLICATION).await?;
    let (id, notes, now) = (id?, fields::required_notes(input?.notes.as_deref())?, cx.state().clock.now());
    let status = DeveloperApplicationStatus::Rejected;
    let decision = Decision { status, notes: Some(&notes), reviewer: admin.user, now };
    let mut connection = admin.db().await?;
    connection
        .transaction(async |connection| {
            let application = decide(connection, id, &decision).await?;
            let metadata = json!({
                "user_id": application.user_id, "application_type": application.application_type,
                "slug": application.slug,
            });
            let entry = cx.audit_system("developer:application_rejected", "developer_application", id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            notify_applicant(connection, &application, now).await
        })
        .await?;
    Ok(DeveloperApplicationDecision { success: true, new_status: status })
}

/// Decides about a pending application.
///
/// # Errors
/// 404 when there is no such application; 409 when it is not pending.
async fn decide(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    decision: &Decision<'_>,
) -> Result<DeveloperApplication> {
    if let Some(application) = db::decide(connection, id, decision).await? {
        return Ok(application);
    }
    db::find(connection, id).await?.ok_or_else(not_found)?;
    Err(ApiError::conflict("Application is not pending"))
}

/// Gives the applicant what was applied for. Returns the id of the team of a `team` application.
async fn admit(
    connection: &mut AsyncPgConnection,
    application: &DeveloperApplication,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>> {
    // The application does not reserve the slug any more: it is decided about.
    if slugs::is_taken(connection, &application.slug).await? {
        return Err(slugs::taken());
    }
    db::insert_profile(connection, application, now).await?;
    if application.application_type == DeveloperApplicationType::Solo {
        return Ok(None);
    }
    let team = NewTeam {
        owner: UserId(application.user_id),
        name: application.display_name.clone(),
        slug: application.slug.clone(),
        description: Some(application.description.clone()),
        github_url: application.github_url.clone(),
        website_url: application.website_url.clone(),
        avatar_key: application.avatar_key.map(|key| key.to_string()),
        now,
    };
    teams::create(connection, team).await.map(Some)
}

async fn notify_applicant(
    connection: &mut AsyncPgConnection,
    application: &DeveloperApplication,
    now: DateTime<Utc>,
) -> Result<()> {
    let notice = Notice::DeveloperApplication {
        application_id: application.id,
        display_name: &application.display_name,
        decision: application.status.as_str(),
        notes: application.review_notes.as_deref(),
    };
    Ok(notify::notify(connection, &[UserId(application.user_id)], &notice, now).await?)
}

fn not_found() -> ApiError {
    ApiError::not_found("Developer application not found")
}
