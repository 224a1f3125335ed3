//! Revocation of a version and suspension of an extension (reference/developers.md#revoke-and-suspend).

mod db;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, Grants},
    validate,
};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::{announce, developers};
use foundation::{
    audit::{Entry, Scope},
    jobs::RollOutVersion,
    outbox,
};
use juniper::{GraphQLInputObject, GraphQLObject};
use notices::notify::{self, Notice, ReviewDecision};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::AdminPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{ReviewVersion, not_found, notify_developer};
use crate::lifecycle::{ExtensionVersionStatus as Status, allowed_from, db::move_extension};

const MAX_REASON_LENGTH: usize = 2000;

/// Statuses of versions that may be installed. A version that waits for its review is rejected instead.
const REVOCABLE: [Status; 4] = [Status::Testing, Status::PendingPublish, Status::Approved, Status::Archived];

/// Reason of a revocation.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "reason": "It sends what it reads to a host of its own." }))]
pub struct RevokeExtensionVersionInput {
    /// 1 to 2,000 characters, for the developer.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: String,
}

/// Reason of a suspension.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "reason": "It impersonates another product." }))]
pub struct SuspendExtensionInput {
    /// 1 to 2,000 characters, for the developer.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: String,
}

/// An extension as reviewers see it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ReviewedExtension {
    /// Id.
    pub id: Uuid,
    /// Slug.
    pub slug: String,
    /// Name.
    pub name: String,
    /// `private`, `unlisted`, `public`, `paid` or `system`.
    pub visibility: String,
    /// `draft`, `in_review`, `testing`, `pending_publish`, `approved`, `rejected`, `suspended` or `archived`.
    pub status: String,
    /// Version that new installs get; null when no version is published.
    pub current_version: Option<String>,
    /// Time of the suspension; null when it is not suspended.
    pub suspended_at: Option<Timestamp>,
    /// Reason of the suspension; null when it is not suspended.
    pub suspension_reason: Option<String>,
}

pub static ADMIN_REVOKE_EXTENSION_VERSION: Operation<Admin> =
    Operation::admin("adminRevokeExtensionVersion", AdminPermission::ExtensionReviewEdit, Grants::Nothing)
        .idempotent();

/// Revokes a version for good.
///
/// - Its code stops everywhere and its files are not served to any caller.
/// - The newest approved version becomes current for new installs.
/// - Installs that ran it fall back to an approved version that asks for nothing beyond the account's
///   consent. Without such a version they stop until their account consents to a newer one.
/// - Settings and data of installs are kept.
///
/// The developer and the owners of affected accounts are notified.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 without a reason.
/// - 404 when there is no such version.
/// - 409 for a version that cannot be installed, and for a built-in extension.
#[api_core::operation]
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
                move_extension(connection, extension, &tested, "rejected", now).await?;
            }
            let metadata = json!({
                "extension_id": version.extension_id, "version": version.version, "reason": reason,
            });
            let entry = cx.audit("extension:version_revoked", "extension_version", id);
            foundation::audit::record(connection, Entry { scope: Scope::System, metadata, ..entry }).await?;
            notify_developer(connection, &version, ReviewDecision::Revoked, Some(&reason), now).await?;
            follow(connection, version.extension_id).await?;
            Ok::<_, ApiError>(ReviewVersion {
                status: Status::Revoked,
                review_notes: Some(reason),
                ..version
            })
        })
        .await?;
    let (state, extension_id) = (cx.state().clone(), revoked.extension_id);
    cx.after_commit(async move {
        if let Err(error) = announce::stop(&state.redis, extension_id, Some(id)).await {
            tracing::warn!(%error, version_id = %id, "workers were not notified of a revoked version; they poll");
        }
    })
    .await;
    Ok(revoked)
}

pub static ADMIN_SUSPEND_EXTENSION: Operation<Admin> =
    Operation::admin("adminSuspendExtension", AdminPermission::ExtensionReviewEdit, Grants::Nothing)
        .idempotent();

/// Suspends an extension.
///
/// The store hides it, its code stops everywhere, and its files are served to its developer and system keys
/// only. Installs, their settings and their data are kept; tokens of their pages are deleted. The developer
/// and the owners of affected accounts are notified.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 without a reason.
/// - 404 when there is no such extension.
/// - 409 for a draft, for an extension that is suspended already, and for a built-in one, which its feature
///   flag switches off.
#[api_core::operation]
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
    let state = cx.state().clone();
    cx.after_commit(async move {
        if let Err(error) = announce::stop(&state.redis, id, None).await {
            tracing::warn!(%error, extension_id = %id, "workers were not notified of a suspension; they poll");
        }
    })
    .await;
    Ok(suspended)
}

pub static ADMIN_UNSUSPEND_EXTENSION: Operation<Admin> =
    Operation::admin("adminUnsuspendExtension", AdminPermission::ExtensionReviewEdit, Grants::Nothing)
        .idempotent();

/// Lifts the suspension of an extension.
///
/// The extension returns to its former state, moved by the steps of its developer and reviewers since then,
/// and its installs run again. The developer and the owners of affected accounts are notified.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when there is no such extension.
/// - 409 when it is not suspended, and for a built-in one.
#[api_core::operation]
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
    let state = cx.state().clone();
    cx.after_commit(async move {
        if let Err(error) = announce::resume(&state.redis, id).await {
            tracing::warn!(%error, extension_id = %id, "workers were not notified of the end of a suspension; they poll");
        }
    })
    .await;
    Ok(released)
}

/// Locks an extension that is not built in until the transaction ends.
async fn find_locked(connection: &mut AsyncPgConnection, id: Uuid) -> Result<db::Locked> {
    let extension = db::find_locked(connection, id).await?;
    let extension = extension.ok_or_else(|| ApiError::not_found("Extension not found"))?;
    if extension.visibility == "system" {
        return Err(ApiError::conflict("A built-in extension is switched off by its feature flag"));
    }
    Ok(extension)
}

/// Records a decision and notifies the developer.
async fn decided(
    connection: &mut AsyncPgConnection,
    extension: &db::Locked,
    entry: Entry<'_>,
    decision: ReviewDecision,
    reason: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    let metadata = json!({ "status": extension.status, "reason": reason });
    foundation::audit::record(connection, Entry { scope: Scope::System, metadata, ..entry }).await?;
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

/// Queues a roll-out, which moves the installs that must move and notifies their accounts.
async fn follow(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<()> {
    let job = RollOutVersion { extension_id: extension };
    Ok(outbox::add(connection, &job, &format!("roll_out:standing:{}", shared::id::new())).await?)
}
