//! Verifications of developers (reference/programme.md#verifications).

mod countries;
mod db;
mod details;
pub mod graphql;
mod input;
pub mod rest;
pub mod review;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry, Scope};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{developers, masking::masked, uploads};
use details::Details;
pub use input::SubmitDeveloperVerificationInput;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &DEVELOPER_VERIFICATION,
    &SUBMIT_DEVELOPER_VERIFICATION,
    &review::ADMIN_DEVELOPER_VERIFICATIONS,
    &review::ADMIN_DEVELOPER_VERIFICATION,
    &review::ADMIN_APPROVE_DEVELOPER_VERIFICATION,
    &review::ADMIN_REJECT_DEVELOPER_VERIFICATION,
];

/// Status of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeveloperVerificationStatus {
    /// Waits for a decision.
    Pending,
    /// The developer is verified.
    Verified,
    /// The developer may submit it again.
    Rejected,
}

/// Verification of the caller as a developer.
#[derive(Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperVerification {
    /// Identifier.
    pub id: Uuid,
    /// Developer profile.
    pub developer_id: Uuid,
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
    /// Tax id, of which the last four characters are shown. Null: none.
    pub tax_id: Option<String>,
    /// Id in the trade register, of which the last four characters are shown. Null: none.
    pub trade_register_id: Option<String>,
    /// Id of the upload with the document. Null: none.
    pub document_key: Option<Uuid>,
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

/// Verification in a list, without the data that was submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperVerificationItem {
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
    /// Status.
    pub status: DeveloperVerificationStatus,
    /// Reviewer; null before a decision.
    pub reviewed_by: Option<Uuid>,
    /// Time of the decision; null before it.
    pub reviewed_at: Option<Timestamp>,
    /// Time of the first submission.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

pub static DEVELOPER_VERIFICATION: Operation<SignedIn> =
    Operation::first_party("developerVerification", Grants::Nothing);

/// Returns the verification of the caller as a developer; null when nothing was submitted.
///
/// Of the tax id and the id in the trade register, the last four characters are returned.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn developer_verification(cx: &Cx) -> Result<Option<DeveloperVerification>> {
    let person = cx.authorize(&DEVELOPER_VERIFICATION).await?;
    let row = db::of_person(&mut *person.db().await?, person.user).await?;
    row.map(|row| shown(cx, row)).transpose()
}

pub static SUBMIT_DEVELOPER_VERIFICATION: Operation<SignedIn> =
    Operation::first_party("submitDeveloperVerification", Grants::Nothing).idempotent().sealed_answer();

/// Submits the data by which staff verifies the caller as a developer.
///
/// It replaces what was submitted before, and the verdict on it. The data is stored encrypted.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 403 for a person who is no developer; 404 when the
/// document is none of an account that the caller owns; 409 when the caller is verified.
#[api_core::operation]
pub async fn submit_developer_verification(
    cx: &Cx,
    input: Input<SubmitDeveloperVerificationInput>,
) -> Result<DeveloperVerification> {
    let person = cx.authorize(&SUBMIT_DEVELOPER_VERIFICATION).await?;
    let (input, now) = (input?, cx.state().clock.now());
    let document_key = input.document_key;
    let details = input.check()?;
    let mut connection = person.db().await?;
    let row = connection
        .transaction(async |connection| {
            let developer = developers::lock_of_person(connection, person.user).await?.ok_or_else(|| {
                ApiError::forbidden("You must be an approved developer to submit verification")
            })?;
            if let Some(key) = document_key {
                uploads::check_document(connection, (person.account, person.user), key).await?;
            }
            let before = db::of_developer(connection, developer.id).await?;
            let is_verified = |row: &db::Row| row.status == DeveloperVerificationStatus::Verified.as_str();
            if developer.verified || before.as_ref().is_some_and(is_verified) {
                return Err(ApiError::conflict("Your developer verification is already approved"));
            }
            // Staff decides about the submission that it has read, by its id.
            let id = shared::id::new();
            let sealed = details.seal(&cx.state().keyring, id)?;
            let new = db::Submission { id, developer_id: developer.id, details: &sealed, document_key, now };
            let row = db::put(connection, &new).await?;
            let entry = cx.audit("developer:verification_submitted", "developer_verification", id);
            audit::record(connection, Entry { scope: Scope::User, ..entry }).await?;
            Ok::<_, ApiError>(row)
        })
        .await?;
    shown(cx, row)
}

/// Opens a row for its developer.
fn shown(cx: &Cx, row: db::Row) -> Result<DeveloperVerification> {
    let details = Details::open(&cx.state().keyring, row.id, &row.details)?;
    Ok(DeveloperVerification {
        id: row.id,
        developer_id: row.developer_id,
        legal_name: details.legal_name,
        company_name: details.company_name,
        address_line1: details.address_line1,
        address_line2: details.address_line2,
        postal_code: details.postal_code,
        city: details.city,
        country: details.country,
        tax_id: details.tax_id.as_deref().map(masked),
        trade_register_id: details.trade_register_id.as_deref().map(masked),
        document_key: row.document_key,
        status: DeveloperVerificationStatus::stored(&row.status)?,
        review_notes: row.review_notes,
        reviewed_by: row.reviewed_by,
        reviewed_at: row.reviewed_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}

impl DeveloperVerificationStatus {
    const ALL: [Self; 3] = [Self::Pending, Self::Verified, Self::Rejected];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Verified => "verified",
            Self::Rejected => "rejected",
        }
    }

    /// Status of a stored text.
    fn stored(text: &str) -> Result<Self> {
        let status = Self::ALL.into_iter().find(|status| status.as_str() == text);
        status.ok_or_else(|| ApiError::internal("a developer verification has an unknown status"))
    }
}
