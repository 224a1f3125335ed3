//! Decisions of operator staff about verifications (reference/programme.md#review-of-verifications).

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{Admin, Grants},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::{GraphQLInputObject, GraphQLObject};
use notices::notify::{self, Notice};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::AdminPermission;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{
    DeveloperVerificationItem, DeveloperVerificationStatus,
    db::{self, Decision},
    details::Details,
};
use crate::{
    developers,
    fields::{self, MAX_NOTES_LENGTH},
    uploads,
};

/// Verification with the data that was submitted, for staff.
#[derive(Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AdminDeveloperVerification {
    /// Identifier.
    pub id: Uuid,
    /// Developer profile.
    pub developer_id: Uuid,
    /// Person.
    pub user_id: Uuid,
    /// Name of the developer.
    pub developer_name: String,
    /// Slug of the developer.
    pub developer_slug: String,
    /// Legal name.
    pub legal_name: String,
    /// Name of the company; null for a person.
    pub company_name: Option<String>,
    /// First line of the address.
    pub address_line1: String,
    /// Second line of the address. Null: none.
    pub address_line2: Option<String>,
    /// Postal code.
    pub postal_code: String,
    /// City.
    pub city: String,
    /// Code of the country, ISO 3166-1 alpha-2.
    pub country: String,
    /// Tax id. Null: none.
    pub tax_id: Option<String>,
    /// Id in the trade register. Null: none.
    pub trade_register_id: Option<String>,
    /// Id of the upload with the document. Null: none.
    pub document_key: Option<Uuid>,
    /// Address of the document, valid for an hour. Null: none.
    pub document_url: Option<String>,
    /// Status.
    pub status: DeveloperVerificationStatus,
    /// Notes of the reviewer. Null: none.
    pub review_notes: Option<String>,
    /// Reviewer; null before a decision.
    pub reviewed_by: Option<Uuid>,
    /// Time of the decision; null before it.
    pub reviewed_at: Option<Timestamp>,
    /// Time of the first submission.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Result of a decision about a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperVerificationDecision {
    /// Always true: a failure is an error.
    pub success: bool,
    /// Status after the decision.
    pub new_status: DeveloperVerificationStatus,
}

/// Filter and page of verifications.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeveloperVerificationQuery {
    /// Status; every status when absent.
    pub status: Option<DeveloperVerificationStatus>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Approval of a verification.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminApproveDeveloperVerificationInput {
    /// Notes for the developer, at most 2,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NOTES_LENGTH))))]
    pub notes: Option<String>,
}

/// Rejection of a verification.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminRejectDeveloperVerificationInput {
    /// Notes for the developer, 1 to 2,000 characters; required.
    #[schema(extensions(("maxLength" = json!(MAX_NOTES_LENGTH))))]
    pub notes: Option<String>,
}

pub static ADMIN_DEVELOPER_VERIFICATIONS: Operation<Admin> = Operation::admin(
    "adminDeveloperVerifications",
    AdminPermission::DeveloperVerificationRead,
    Grants::Nothing,
);

/// Lists the verifications of developers, newest first, without the data that was submitted.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status or a page out of bounds.
#[api_core::operation]
pub async fn admin_developer_verifications(
    cx: &Cx,
    query: Input<DeveloperVerificationQuery>,
) -> Result<Page<DeveloperVerificationItem>> {
    let admin = cx.authorize(&ADMIN_DEVELOPER_VERIFICATIONS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::page(&mut *admin.db().await?, query.status, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_DEVELOPER_VERIFICATION: Operation<Admin> = Operation::admin(
    "adminDeveloperVerification",
    AdminPermission::DeveloperVerificationRead,
    Grants::Nothing,
);

/// Returns the verification of a developer with the data that was submitted.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such verification.
#[api_core::operation]
pub async fn admin_developer_verification(cx: &Cx, id: Input<Uuid>) -> Result<AdminDeveloperVerification> {
    let admin = cx.authorize(&ADMIN_DEVELOPER_VERIFICATION).await?;
    let id = id?;
    let (row, person) = db::find(&mut *admin.db().await?, id).await?.ok_or_else(not_found)?;
    let details = Details::open(&cx.state().keyring, row.id, &row.details)?;
    Ok(AdminDeveloperVerification {
        id: row.id,
        developer_id: row.developer_id,
        user_id: person.user_id,
        developer_name: person.display_name,
        developer_slug: person.slug,
        legal_name: details.legal_name,
        company_name: details.company_name,
        address_line1: details.address_line1,
        address_line2: details.address_line2,
        postal_code: details.postal_code,
        city: details.city,
        country: details.country,
        tax_id: details.tax_id,
        trade_register_id: details.trade_register_id,
        document_key: row.document_key,
        document_url: uploads::address(cx, row.document_key),
        status: DeveloperVerificationStatus::stored(&row.status)?,
        review_notes: row.review_notes,
        reviewed_by: row.reviewed_by,
        reviewed_at: row.reviewed_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}

pub static ADMIN_APPROVE_DEVELOPER_VERIFICATION: Operation<Admin> = Operation::admin(
    "adminApproveDeveloperVerification",
    AdminPermission::DeveloperVerificationEdit,
    Grants::Nothing,
)
.idempotent();

/// Approves a verification: the developer is verified and may sell extensions and be paid.
///
/// The developer is notified.
///
/// # Errors
/// Refusals of the access rule; 400 for notes that are too long; 404 when there is no such verification; 409
/// when it is not pending.
#[api_core::operation]
pub async fn admin_approve_developer_verification(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminApproveDeveloperVerificationInput>,
) -> Result<DeveloperVerificationDecision> {
    let admin = cx.authorize(&ADMIN_APPROVE_DEVELOPER_VERIFICATION).await?;
    let (id, notes) = (id?, fields::notes(input?.notes.as_deref())?);
    let (status, action) = (DeveloperVerificationStatus::Verified, "developer:verification_approved");
    decide(cx, &admin, id, (status, action), notes.as_deref()).await
}

pub static ADMIN_REJECT_DEVELOPER_VERIFICATION: Operation<Admin> = Operation::admin(
    "adminRejectDeveloperVerification",
    AdminPermission::DeveloperVerificationEdit,
    Grants::Nothing,
)
.idempotent();

/// Rejects a verification.
///
/// The developer is notified and may submit it again.
///
/// # Errors
/// Refusals of the access rule; 400 without notes; 404 when there is no such verification; 409 when it is not
/// pending.
#[api_core::operation]
pub async fn admin_reject_developer_verification(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminRejectDeveloperVerificationInput>,
) -> Result<DeveloperVerificationDecision> {
    let admin = cx.authorize(&ADMIN_REJECT_DEVELOPER_VERIFICATION).await?;
    let (id, notes) = (id?, fields::required_notes(input?.notes.as_deref())?);
    let (status, action) = (DeveloperVerificationStatus::Rejected, "developer:verification_rejected");
    decide(cx, &admin, id, (status, action), Some(&notes)).await
}

/// Decides about a pending verification, with audit entry and notification.
async fn decide(
    cx: &Cx,
    admin: &Admin,
    id: Uuid,
    (status, action): (DeveloperVerificationStatus, &str),
    notes: Option<&str>,
) -> Result<DeveloperVerificationDecision> {
    let now = cx.state().clock.now();
    let decision = Decision { status, notes, reviewer: admin.user, now };
    let mut connection = admin.db().await?;
    connection
        .transaction(async |connection| {
            let (found, _) = db::find(connection, id).await?.ok_or_else(not_found)?;
            // The lock that a submission takes too, before that of the verification.
            let developer = developers::lock(connection, found.developer_id).await?.ok_or_else(not_found)?;
            if !db::decide(connection, id, &decision).await? {
                return Err(ApiError::conflict("Verification is not pending"));
            }
            if status == DeveloperVerificationStatus::Verified {
                db::verify(connection, developer.id).await?;
            }
            let metadata = json!({ "developer_id": developer.id, "user_id": developer.user_id });
            let entry = cx.audit_system(action, "developer_verification", id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            let notice =
                Notice::DeveloperVerification { verification_id: id, decision: status.as_str(), notes };
            Ok(notify::notify(connection, &[developer.user_id], &notice, now).await?)
        })
        .await?;
    Ok(DeveloperVerificationDecision { success: true, new_status: status })
}

fn not_found() -> ApiError {
    ApiError::not_found("Developer verification not found")
}
