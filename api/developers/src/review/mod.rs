//! Review of extension versions by operator staff (specification C B1.2, B1.3, B1.5).

pub(crate) mod db;
pub mod graphql;
mod publish;
pub mod rest;
mod standing;

use api_core::{
    ApiError, Cx, Input, Operation, Page, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
    graphql::{Int64, Json},
    page::PageRequest,
    validate,
};
use chrono::{DateTime, Utc};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    audit::{Entry, Scope},
    catalogue::AdminPermission,
    extensions::{Manifest, developers},
    notify::{self, Notice, ReviewDecision},
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::extensions::versions;

pub use publish::{ADMIN_PUBLISH_EXTENSION_VERSION, admin_publish_extension_version};
pub use standing::{
    ADMIN_REVOKE_EXTENSION_VERSION, ADMIN_SUSPEND_EXTENSION, ADMIN_UNSUSPEND_EXTENSION, ReviewedExtension,
    RevokeExtensionVersionInput, SuspendExtensionInput, admin_revoke_extension_version,
    admin_suspend_extension, admin_unsuspend_extension,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ADMIN_EXTENSION_VERSIONS,
    &ADMIN_EXTENSION_VERSION,
    &ADMIN_APPROVE_EXTENSION_TESTING,
    &ADMIN_PUBLISH_EXTENSION_VERSION,
    &ADMIN_REJECT_EXTENSION_VERSION,
    &ADMIN_REVOKE_EXTENSION_VERSION,
    &ADMIN_SUSPEND_EXTENSION,
    &ADMIN_UNSUSPEND_EXTENSION,
];

const MAX_NOTES_LENGTH: usize = 2000;

/// What became of a version (C B1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtensionVersionStatus {
    Pending,
    Draft,
    Testing,
    PendingPublish,
    Approved,
    Rejected,
    Archived,
    Revoked,
}

/// A version as reviewers see it in a list.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ReviewVersion {
    pub id: Uuid,
    pub extension_id: Uuid,
    pub extension_name: String,
    pub extension_slug: String,
    /// Semantic version.
    pub version: String,
    pub status: ExtensionVersionStatus,
    /// Whether accounts must accept it themselves.
    pub breaking: bool,
    /// Whether two different reviewers must publish it.
    pub needs_enhanced_review: bool,
    /// Reviewers who approved it so far.
    pub approvals: i32,
    /// Whether its developer made the extension public and a reviewer has to publish it once more to let it into the
    /// store.
    pub awaits_listing: bool,
    pub bundle_size_bytes: Int64,
    pub changelog: String,
    pub submitted_at: Timestamp,
    pub approved_at: Option<Timestamp>,
    pub review_notes: Option<String>,
}

/// A version with everything that its review looks at.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ReviewVersionDetail {
    pub version: ReviewVersion,
    /// `lumio.config.json` as it was uploaded.
    pub manifest: Json,
    /// Compared with the last approved version.
    pub permissions: ReviewDiff,
    pub egress_hosts: ReviewDiff,
    pub egress_ports: ReviewDiff,
    pub files: Vec<ReviewFile>,
    /// Where the archive of the sources is kept; null when there is none.
    pub source_key: Option<String>,
}

/// What a version asks for beyond the last approved one, and what no longer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ReviewDiff {
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

/// A file of a version.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ReviewFile {
    pub file_path: String,
    pub content_type: String,
    pub size_bytes: Int64,
    /// SHA-256.
    pub content_hash: String,
}

/// Which versions are listed.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReviewQuery {
    pub status: Option<ExtensionVersionStatus>,
    /// Only those whose listing waits for a reviewer, or only the others.
    pub awaits_listing: Option<bool>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Why a version is refused.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct RejectExtensionVersionInput {
    /// 1 to 2,000 characters; required.
    #[schema(extensions(("maxLength" = json!(MAX_NOTES_LENGTH))))]
    pub notes: Option<String>,
}

/// Versions by status.
pub static ADMIN_EXTENSION_VERSIONS: Operation<Admin> =
    Operation::admin("adminExtensionVersions", AdminPermission::ExtensionReviewRead, Grants::Nothing);

/// Lists versions, the longest waiting first.
///
/// # Errors
/// As the rule; 400 for an unknown status or a page out of bounds.
pub async fn admin_extension_versions(cx: &Cx, query: Input<ReviewQuery>) -> Result<Page<ReviewVersion>> {
    let admin = cx.authorize(&ADMIN_EXTENSION_VERSIONS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let filter = db::Filter { status: query.status, awaits_listing: query.awaits_listing };
    let mut connection = admin.db().await?;
    let (items, total) = db::list(&mut connection, filter, window).await?;
    Ok(Page { items, total, window })
}

/// One version.
pub static ADMIN_EXTENSION_VERSION: Operation<Admin> =
    Operation::admin("adminExtensionVersion", AdminPermission::ExtensionReviewRead, Grants::Nothing);

/// Reads a version with its manifest, its files, and what it asks for beyond the last approved one.
///
/// # Errors
/// As the rule; 404 when there is no such version.
pub async fn admin_extension_version(cx: &Cx, id: Input<Uuid>) -> Result<ReviewVersionDetail> {
    let admin = cx.authorize(&ADMIN_EXTENSION_VERSION).await?;
    let id = id?;
    let mut connection = admin.db().await?;
    let version = db::find(&mut connection, id).await?.ok_or_else(not_found)?;
    let manifest = db::manifest(&mut connection, id).await?;
    let asked = Manifest::stored(manifest.clone())?;
    let before = match db::last_approved_manifest(&mut connection, version.extension_id, id).await? {
        Some(manifest) => Manifest::stored(manifest).map(Some)?,
        None => None,
    };
    let of = |list: fn(&Manifest) -> Vec<String>| {
        diff(&list(&asked), &before.as_ref().map(list).unwrap_or_default())
    };
    let (files, source_key) = db::files(&mut connection, id).await?;
    Ok(ReviewVersionDetail {
        permissions: of(|manifest| manifest.permissions.clone()),
        egress_hosts: of(|manifest| manifest.egress.allow_hosts.clone()),
        egress_ports: of(|manifest| manifest.egress.allow_ports.iter().map(ToString::to_string).collect()),
        manifest: Json(manifest),
        version,
        files,
        source_key,
    })
}

/// Lets testers run a version.
pub static ADMIN_APPROVE_EXTENSION_TESTING: Operation<Admin> =
    Operation::admin("adminApproveExtensionTesting", AdminPermission::ExtensionReviewEdit, Grants::Nothing);

/// Moves a waiting version to testing.
///
/// # Errors
/// As the rule; 404 when there is no such version; 409 when it does not wait for its review.
pub async fn admin_approve_extension_testing(cx: &Cx, id: Input<Uuid>) -> Result<ReviewVersion> {
    let admin = cx.authorize(&ADMIN_APPROVE_EXTENSION_TESTING).await?;
    let id = id?;
    let now = cx.state().clock.now();
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let version = db::find_locked(connection, id).await?.ok_or_else(not_found)?;
            allowed_from(version.status, &[ExtensionVersionStatus::Pending], "approved for testing")?;
            db::set_status(connection, id, ExtensionVersionStatus::Testing, now).await?;
            db::move_extension(connection, version.extension_id, &["in_review"], "testing", now).await?;
            record(cx, connection, "extension:version_testing_approved", &version).await?;
            tell(connection, &version, ReviewDecision::ApprovedForTesting, None, now).await?;
            Ok(ReviewVersion { status: ExtensionVersionStatus::Testing, ..version })
        })
        .await
}

/// Refuses a version.
pub static ADMIN_REJECT_EXTENSION_VERSION: Operation<Admin> =
    Operation::admin("adminRejectExtensionVersion", AdminPermission::ExtensionReviewEdit, Grants::Nothing);

/// Refuses a version with notes for its developer. An extension of which nothing was ever approved is refused with
/// it.
///
/// # Errors
/// As the rule; 400 `Review notes are required`; 404 when there is no such version; 409 when it does not wait for its
/// review or publication.
pub async fn admin_reject_extension_version(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<RejectExtensionVersionInput>,
) -> Result<ReviewVersion> {
    let admin = cx.authorize(&ADMIN_REJECT_EXTENSION_VERSION).await?;
    let (id, input) = (id?, input?);
    let notes = input.notes.filter(|notes| !notes.trim().is_empty());
    let notes = notes.ok_or_else(|| ApiError::invalid("Review notes are required"))?;
    let notes = validate::long_text("notes", &notes, 1, MAX_NOTES_LENGTH)?;
    let now = cx.state().clock.now();
    let mut connection = admin.db().await?;
    let (rejected, runners) = connection
        .transaction(async |connection| {
            let version = db::find_locked(connection, id).await?.ok_or_else(not_found)?;
            allowed_from(
                version.status,
                &[ExtensionVersionStatus::Pending, ExtensionVersionStatus::PendingPublish],
                "rejected",
            )?;
            db::reject(connection, id, &notes).await?;
            // An extension with an approved version is `approved` and stays so.
            let waiting = ["in_review", "pending_publish"];
            db::move_extension(connection, version.extension_id, &waiting, "rejected", now).await?;
            record(cx, connection, "extension:version_rejected", &version).await?;
            tell(connection, &version, ReviewDecision::Rejected, Some(&notes), now).await?;
            let runners = versions::db::runners(connection, id).await?;
            let status = ExtensionVersionStatus::Rejected;
            Ok::<_, ApiError>((ReviewVersion { status, review_notes: Some(notes), ..version }, runners))
        })
        .await?;
    drop(connection);
    versions::announce_to(cx, runners).await;
    Ok(rejected)
}

/// Writes what a reviewer did into the operators' trail.
async fn record(
    cx: &Cx,
    connection: &mut diesel_async::AsyncPgConnection,
    action: &str,
    version: &ReviewVersion,
) -> Result<()> {
    let metadata = serde_json::json!({ "extension_id": version.extension_id, "version": version.version });
    let entry = Entry { scope: Scope::System, metadata, ..cx.audit(action, "extension_version", version.id) };
    Ok(shared::audit::record(connection, entry).await?)
}

/// Tells the developer what a reviewer decided.
async fn tell(
    connection: &mut diesel_async::AsyncPgConnection,
    version: &ReviewVersion,
    decision: ReviewDecision,
    notes: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    let (extension_name, people) = developers(connection, version.extension_id).await?;
    let notice = Notice::ExtensionReview {
        extension_id: version.extension_id,
        extension_name: &extension_name,
        version: Some(&version.version),
        decision,
        notes,
    };
    Ok(notify::notify(connection, &people, &notice, now).await?)
}

pub(crate) fn allowed_from(
    status: ExtensionVersionStatus,
    from: &[ExtensionVersionStatus],
    done: &str,
) -> Result<()> {
    if from.contains(&status) {
        return Ok(());
    }
    Err(ApiError::conflict(format!("A version that is {} cannot be {done}", status.as_str())))
}

fn not_found() -> ApiError {
    ApiError::not_found("Extension version not found")
}

fn diff(asked: &[String], before: &[String]) -> ReviewDiff {
    let without = |these: &[String], those: &[String]| {
        these.iter().filter(|this| !those.contains(this)).cloned().collect()
    };
    ReviewDiff { added: without(asked, before), removed: without(before, asked) }
}

impl ExtensionVersionStatus {
    const ALL: [Self; 8] = [
        Self::Pending,
        Self::Draft,
        Self::Testing,
        Self::PendingPublish,
        Self::Approved,
        Self::Rejected,
        Self::Archived,
        Self::Revoked,
    ];

    /// The stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Draft => "draft",
            Self::Testing => "testing",
            Self::PendingPublish => "pending_publish",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Archived => "archived",
            Self::Revoked => "revoked",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}
