//! Review of extension versions by staff (reference/developers.md#review).

pub(crate) mod db;
pub mod graphql;
mod publish;
pub mod rest;
mod withdrawal;

use api_core::{
    ApiError, Cx, Input, Operation, Page, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
    graphql::{Int64, Json},
    page::PageRequest,
    validate,
};
use chrono::{DateTime, Utc};
use diesel_async::AsyncConnection;
use extension_model::{Manifest, developers};
use foundation::audit::{Entry, Scope};
use juniper::{GraphQLInputObject, GraphQLObject};
use notices::notify::{self, Notice, ReviewDecision};
use serde::{Deserialize, Serialize};
use shared::catalogue::AdminPermission;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::lifecycle::{self, ExtensionVersionStatus, allowed_from};

pub use publish::{ADMIN_PUBLISH_EXTENSION_VERSION, admin_publish_extension_version};
pub use withdrawal::{
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

/// A version in the list of reviewers.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ReviewVersion {
    /// Id.
    pub id: Uuid,
    /// Extension.
    pub extension_id: Uuid,
    /// Name of the extension.
    pub extension_name: String,
    /// Slug of the extension.
    pub extension_slug: String,
    /// Semantic version.
    pub version: String,
    /// Status.
    pub status: ExtensionVersionStatus,
    /// True when accounts must accept it.
    pub breaking: bool,
    /// True when two different reviewers must publish it.
    pub needs_enhanced_review: bool,
    /// Number of reviewers who approved it.
    pub approvals: i32,
    /// True when its developer made the extension public and a reviewer must publish the version once more to
    /// list it.
    pub awaits_listing: bool,
    /// Size of the archive in bytes.
    pub bundle_size_bytes: Int64,
    /// Changes, as the developer describes them.
    pub changelog: String,
    /// Time of the last submission for review.
    pub submitted_at: Timestamp,
    /// Time of the publication; null before it.
    pub approved_at: Option<Timestamp>,
    /// Notes of the last rejection or revocation, or null.
    pub review_notes: Option<String>,
}

/// A version with all data of its review.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ReviewVersionDetail {
    /// Version.
    pub version: ReviewVersion,
    /// `lumio.config.json` as it was uploaded.
    pub manifest: Json,
    /// Permissions, compared with the last approved version.
    pub permissions: ReviewDiff,
    /// Hosts, compared with the last approved version.
    pub egress_hosts: ReviewDiff,
    /// Ports, compared with the last approved version.
    pub egress_ports: ReviewDiff,
    /// Files of the bundle.
    pub files: Vec<ReviewFile>,
    /// Key of the archive of the sources in the object store; null when there is none.
    pub source_key: Option<String>,
}

/// Difference to the last approved version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ReviewDiff {
    /// Entries that the last approved version does not have.
    pub added: Vec<String>,
    /// Entries that only the last approved version has.
    pub removed: Vec<String>,
}

/// A file of a version.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ReviewFile {
    /// Path in the bundle.
    pub file_path: String,
    /// Content type.
    pub content_type: String,
    /// Size in bytes.
    pub size_bytes: Int64,
    /// SHA-256 of the content.
    pub content_hash: String,
}

/// Filter and page of the versions.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReviewQuery {
    /// Status; all when absent.
    pub status: Option<ExtensionVersionStatus>,
    /// True for versions whose listing waits for a reviewer, false for the others; all when absent.
    pub awaits_listing: Option<bool>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Reason of a rejection.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct RejectExtensionVersionInput {
    /// 1 to 2,000 characters; required.
    #[schema(extensions(("maxLength" = json!(MAX_NOTES_LENGTH))))]
    pub notes: Option<String>,
}

pub static ADMIN_EXTENSION_VERSIONS: Operation<Admin> =
    Operation::admin("adminExtensionVersions", AdminPermission::ExtensionReviewRead, Grants::Nothing)
        .polled();

/// Lists versions of all developers, the longest waiting first.
///
/// Built-in extensions are left out.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an unknown status, or a page out of bounds.
#[api_core::operation]
pub async fn admin_extension_versions(cx: &Cx, query: Input<ReviewQuery>) -> Result<Page<ReviewVersion>> {
    let admin = cx.authorize(&ADMIN_EXTENSION_VERSIONS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let filter = db::Filter { status: query.status, awaits_listing: query.awaits_listing };
    let mut connection = admin.db().await?;
    let (items, total) = db::list(&mut connection, filter, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_EXTENSION_VERSION: Operation<Admin> =
    Operation::admin("adminExtensionVersion", AdminPermission::ExtensionReviewRead, Grants::Nothing);

/// Returns a version with its manifest and files.
///
/// The permissions, hosts and ports are compared with those of the last approved version.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when there is no such version.
#[api_core::operation]
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

pub static ADMIN_APPROVE_EXTENSION_TESTING: Operation<Admin> =
    Operation::admin("adminApproveExtensionTesting", AdminPermission::ExtensionReviewEdit, Grants::Nothing)
        .idempotent();

/// Approves a version for testing.
///
/// Testers may install it. The developer is notified. Nothing is published.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when there is no such version.
/// - 409 when it does not wait for its review.
#[api_core::operation]
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
            lifecycle::db::move_extension(connection, version.extension_id, &["in_review"], "testing", now)
                .await?;
            record(cx, connection, "extension:version_testing_approved", &version).await?;
            notify_developer(connection, &version, ReviewDecision::ApprovedForTesting, None, now).await?;
            Ok(ReviewVersion { status: ExtensionVersionStatus::Testing, ..version })
        })
        .await
}

pub static ADMIN_REJECT_EXTENSION_VERSION: Operation<Admin> =
    Operation::admin("adminRejectExtensionVersion", AdminPermission::ExtensionReviewEdit, Grants::Nothing)
        .idempotent();

/// Rejects a version.
///
/// The notes are required and sent to its developer. The version stops where it is installed. An extension
/// without an approved version is rejected with it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Review notes are required`.
/// - 404 when there is no such version.
/// - 409 when it does not wait for its review or publication.
#[api_core::operation]
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
            // An extension with an approved version stays `approved`.
            let waiting = ["in_review", "pending_publish"];
            lifecycle::db::move_extension(connection, version.extension_id, &waiting, "rejected", now)
                .await?;
            record(cx, connection, "extension:version_rejected", &version).await?;
            notify_developer(connection, &version, ReviewDecision::Rejected, Some(&notes), now).await?;
            let runners = lifecycle::db::runners(connection, id).await?;
            let status = ExtensionVersionStatus::Rejected;
            Ok::<_, ApiError>((ReviewVersion { status, review_notes: Some(notes), ..version }, runners))
        })
        .await?;
    drop(connection);
    lifecycle::announce_to(cx, runners).await;
    Ok(rejected)
}

/// Records an action of a reviewer in the system audit trail.
async fn record(
    cx: &Cx,
    connection: &mut diesel_async::AsyncPgConnection,
    action: &str,
    version: &ReviewVersion,
) -> Result<()> {
    let metadata = serde_json::json!({ "extension_id": version.extension_id, "version": version.version });
    let entry = Entry { scope: Scope::System, metadata, ..cx.audit(action, "extension_version", version.id) };
    Ok(foundation::audit::record(connection, entry).await?)
}

/// Notifies the developer of a decision.
async fn notify_developer(
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

fn not_found() -> ApiError {
    ApiError::not_found("Extension version not found")
}

fn diff(asked: &[String], before: &[String]) -> ReviewDiff {
    let without = |these: &[String], those: &[String]| {
        these.iter().filter(|this| !those.contains(this)).cloned().collect()
    };
    ReviewDiff { added: without(asked, before), removed: without(before, asked) }
}
