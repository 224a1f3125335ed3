//! Taking back what was published: one version, or a whole extension (specification C B1.2, B1.3, B1.5).

mod db;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, Grants},
    validate,
};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit::{Entry, Scope},
    catalogue::AdminPermission,
    extensions::{announce, developers},
    jobs::RollOutVersion,
    notify::{self, Notice, ReviewDecision},
    outbox,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{ExtensionVersionStatus as Status, ReviewVersion, allowed_from, not_found, tell};

const MAX_REASON_LENGTH: usize = 2000;

/// Versions that somebody may run. What only waits for its review is rejected instead.
const REVOCABLE: [Status; 4] = [Status::Testing, Status::PendingPublish, Status::Approved, Status::Archived];

/// Why a version is taken back.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "reason": "It sends what it reads to a host of its own." }))]
pub struct RevokeExtensionVersionInput {
    /// 1 to 2,000 characters, for the developer.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: String,
}

/// Why an extension is stopped.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "reason": "It impersonates another product." }))]
pub struct SuspendExtensionInput {
    /// 1 to 2,000 characters, for the developer.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: String,
}

/// An extension as reviewers decide about it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ReviewedExtension {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    /// `private`, `unlisted`, `public`, `paid` or `system`.
    pub visibility: String,
    /// `draft`, `in_review`, `testing`, `pending_publish`, `approved`, `rejected`, `suspended` or `archived`.
    pub status: String,
    /// What new installs get; null when no version is published.
    pub current_version: Option<String>,
    pub suspended_at: Option<Timestamp>,
    pub suspension_reason: Option<String>,
}

/// Takes a version back.
pub static ADMIN_REVOKE_EXTENSION_VERSION: Operation<Admin> =
    Operation::admin("adminRevokeExtensionVersion", AdminPermission::ExtensionReviewEdit, Grants::Nothing);

/// Takes a version back for good: its files are nobody's any more and its code stops everywhere. The newest approved
/// version takes its place, for new installs and, where it asks for nothing that the account did not grant, for those
/// that ran it; the others stop until their account consents to a newer one. Developer and accounts are told.
///
/// # Errors
/// As the rule; 400 without a reason; 404 when there is no such version; 409 for one that nobody runs, and for one that
/// is built in.
pub async fn admin_revoke_extension_version(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<RevokeExtensionVersionInput>,
) -> Result<ReviewVersion> {
    let admin = cx.authorize(&ADMIN_REVOKE_EXTENSION_VERSION).await?;
    let (id, input) = (id?, input?);
    let reason = validate::long_text("reason", &input.reason, 1, MAX_REASON_LENGTH)?;
    let now = cx.state().clock.now();
    let revoked = admin
        .db()
        .await?
        .transaction(async |connection| {
            let version = super::db::find_locked(connection, id).await?.ok_or_else(not_found)?;
            let extension = find_locked(connection, version.extension_id).await?;
            allowed_from(version.status, &REVOCABLE, "revoked")?;
            db::revoke(connection, id, &reason).await?;
            if extension.current_version_id == Some(id) {
                db::fall_back(connection, version.extension_id, now).await?;
            }
            if !db::has_a_chance(connection, version.extension_id).await? {
                let tested = ["testing", "pending_publish"];
                let extension = version.extension_id;
                super::db::move_extension(connection, extension, &tested, "rejected", now).await?;
            }
            let metadata = json!({
                "extension_id": version.extension_id, "version": version.version, "reason": reason,
            });
            let entry = cx.audit("extension:version_revoked", "extension_version", id);
            shared::audit::record(connection, Entry { scope: Scope::System, metadata, ..entry }).await?;
            tell(connection, &version, ReviewDecision::Revoked, Some(&reason), now).await?;
            follow(connection, version.extension_id).await?;
            Ok::<_, ApiError>(ReviewVersion {
                status: Status::Revoked,
                review_notes: Some(reason),
                ..version
            })
        })
        .await?;
    if let Err(error) = announce::stop(&cx.state().redis, revoked.extension_id, Some(id)).await {
        tracing::warn!(%error, version_id = %id, "workers could not be told of a revoked version; they poll");
    }
    Ok(revoked)
}

/// Stops an extension everywhere.
pub static ADMIN_SUSPEND_EXTENSION: Operation<Admin> =
    Operation::admin("adminSuspendExtension", AdminPermission::ExtensionReviewEdit, Grants::Nothing);

/// Stops an extension: the store hides it, its code runs nowhere, and its files are its developer's alone. Installs,
/// their settings and their data are kept. Developer and accounts are told.
///
/// # Errors
/// As the rule; 400 without a reason; 404 when there is no such extension; 409 for a draft, for one that is suspended,
/// and for one that is built in, which its feature flag switches off.
pub async fn admin_suspend_extension(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<SuspendExtensionInput>,
) -> Result<ReviewedExtension> {
    let admin = cx.authorize(&ADMIN_SUSPEND_EXTENSION).await?;
    let (id, input) = (id?, input?);
    let reason = validate::long_text("reason", &input.reason, 1, MAX_REASON_LENGTH)?;
    let now = cx.state().clock.now();
    let suspended = admin
        .db()
        .await?
        .transaction(async |connection| {
            let extension = find_locked(connection, id).await?;
            if matches!(extension.status.as_str(), "draft" | "suspended") {
                let message = format!("An extension that is {} cannot be suspended", extension.status);
                return Err(ApiError::conflict(message));
            }
            db::suspend(connection, id, &reason, now).await?;
            let entry = cx.audit("extension:suspended", "extension", id);
            decided(connection, &extension, entry, ReviewDecision::Suspended, Some(&reason), now).await?;
            follow(connection, id).await?;
            db::view(connection, id).await
        })
        .await?;
    if let Err(error) = announce::stop(&cx.state().redis, id, None).await {
        tracing::warn!(%error, extension_id = %id, "workers could not be told of a suspension; they poll");
    }
    Ok(suspended)
}

/// Lets a suspended extension run again.
pub static ADMIN_UNSUSPEND_EXTENSION: Operation<Admin> =
    Operation::admin("adminUnsuspendExtension", AdminPermission::ExtensionReviewEdit, Grants::Nothing);

/// Lifts a suspension: the extension is what it was before, with whatever its developer and reviewers did meanwhile, and
/// its installs run again. Developer and accounts are told.
///
/// # Errors
/// As the rule; 404 when there is no such extension; 409 when it is not suspended.
pub async fn admin_unsuspend_extension(cx: &Cx, id: Input<Uuid>) -> Result<ReviewedExtension> {
    let admin = cx.authorize(&ADMIN_UNSUSPEND_EXTENSION).await?;
    let id = id?;
    let now = cx.state().clock.now();
    let released = admin
        .db()
        .await?
        .transaction(async |connection| {
            let extension = find_locked(connection, id).await?;
            if extension.status != "suspended" {
                return Err(ApiError::conflict("The extension is not suspended"));
            }
            db::release(connection, id, now).await?;
            let entry = cx.audit("extension:unsuspended", "extension", id);
            decided(connection, &extension, entry, ReviewDecision::Unsuspended, None, now).await?;
            follow(connection, id).await?;
            db::view(connection, id).await
        })
        .await?;
    if let Err(error) = announce::resume(&cx.state().redis, id).await {
        tracing::warn!(%error, extension_id = %id, "workers could not be told that a suspension ended; they poll");
    }
    Ok(released)
}

/// An extension that was submitted. It is held until the end of the transaction.
async fn find_locked(connection: &mut AsyncPgConnection, id: Uuid) -> Result<db::Locked> {
    let extension = db::find_locked(connection, id).await?;
    let extension = extension.ok_or_else(|| ApiError::not_found("Extension not found"))?;
    if extension.visibility == "system" {
        return Err(ApiError::conflict("A built-in extension is switched off by its feature flag"));
    }
    Ok(extension)
}

/// Writes the trail and tells the developer.
async fn decided(
    connection: &mut AsyncPgConnection,
    extension: &db::Locked,
    entry: Entry<'_>,
    decision: ReviewDecision,
    reason: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    let metadata = json!({ "status": extension.status, "reason": reason });
    shared::audit::record(connection, Entry { scope: Scope::System, metadata, ..entry }).await?;
    let (extension_name, people) = developers(connection, extension.id).await?;
    let notice = Notice::ExtensionReview {
        extension_id: extension.id,
        extension_name: &extension_name,
        version: None,
        decision,
        notes: reason,
    };
    Ok(notify::notify(connection, &people, &notice, now).await?)
}

/// Has the installs follow: other versions for those that have to move, and word to their accounts.
async fn follow(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<()> {
    let job = RollOutVersion { extension_id: extension };
    Ok(outbox::add(connection, &job, &format!("roll_out:standing:{}", shared::id::new())).await?)
}
