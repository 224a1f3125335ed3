//! Publication of versions.

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, Grants},
};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::Manifest;
use foundation::{jobs::RollOutVersion, outbox};
use notices::notify::ReviewDecision;
use semver::Version as SemVer;
use shared::{catalogue::AdminPermission, id::UserId};
use uuid::Uuid;

use super::{ReviewVersion, db, not_found, notify_developer, record};
use crate::lifecycle::{ExtensionVersionStatus as Status, allowed_from};

/// Number of different reviewers for an enhanced review (reference/developers.md#enhanced-review).
const ENHANCED_REVIEWERS: i32 = 2;

pub static ADMIN_PUBLISH_EXTENSION_VERSION: Operation<Admin> =
    Operation::admin("adminPublishExtensionVersion", AdminPermission::ExtensionReviewEdit, Grants::Nothing)
        .idempotent();

/// Publishes a version.
///
/// - The version becomes the extension's current one. Installs that need no consent follow; the accounts of
///   the others are asked.
/// - The extension is listed if its developer made it public. Publishing the approved current version once
///   more lists an extension that was made public later.
/// - A version that needs an enhanced review is published by the second reviewer. The first approval is
///   stored and the version keeps waiting.
///
/// The developer is notified.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when there is no such version.
/// - 409 when it does not wait for publication, when a published version is not older, or when the same
///   reviewer approves twice.
#[api_core::operation]
pub async fn admin_publish_extension_version(cx: &Cx, id: Input<Uuid>) -> Result<ReviewVersion> {
    let admin = cx.authorize(&ADMIN_PUBLISH_EXTENSION_VERSION).await?;
    let id = id?;
    let now = cx.state().clock.now();
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let version = db::find_locked(connection, id).await?.ok_or_else(not_found)?;
            if version.status == Status::Approved
                && db::awaits_listing(connection, version.extension_id).await?
            {
                db::list_publicly(connection, version.extension_id, now).await?;
                record(cx, connection, "extension:listing_approved", &version).await?;
                notify_developer(connection, &version, ReviewDecision::Published, None, now).await?;
                return Ok(ReviewVersion { awaits_listing: false, ..version });
            }
            allowed_from(version.status, &[Status::Pending, Status::PendingPublish], "published")?;
            let version = approve(connection, version, admin.user, now).await?;
            if version.needs_enhanced_review && version.approvals < ENHANCED_REVIEWERS {
                record(cx, connection, "extension:version_approved_once", &version).await?;
                return Ok(version);
            }
            let version = publish(connection, version, now).await?;
            record(cx, connection, "extension:version_published", &version).await?;
            notify_developer(connection, &version, ReviewDecision::Published, None, now).await?;
            Ok(version)
        })
        .await
}

/// Records a reviewer's approval.
async fn approve(
    connection: &mut AsyncPgConnection,
    version: ReviewVersion,
    reviewer: UserId,
    now: DateTime<Utc>,
) -> Result<ReviewVersion> {
    if !db::approve(connection, version.id, reviewer, now).await? {
        return Err(ApiError::conflict("A second reviewer must approve this version"));
    }
    Ok(ReviewVersion { approvals: version.approvals + 1, ..version })
}

async fn publish(
    connection: &mut AsyncPgConnection,
    version: ReviewVersion,
    now: DateTime<Utc>,
) -> Result<ReviewVersion> {
    let manifest = Manifest::stored(db::manifest(connection, version.id).await?)?;
    let current = db::current(connection, version.extension_id).await?;
    let mut breaking = version.breaking;
    if let Some((current_version, current_manifest)) = current {
        newer(&version.version, &current_version)?;
        // The current version may have changed since the upload.
        breaking |= manifest.asks_more_than(&Manifest::stored(current_manifest)?);
    }
    db::publish(connection, version.id, breaking, now).await?;
    db::make_current(connection, version.extension_id, version.id, manifest.category.as_str(), now).await?;
    if db::awaits_listing(connection, version.extension_id).await? {
        db::list_publicly(connection, version.extension_id, now).await?;
    }
    let job = RollOutVersion { extension_id: version.extension_id };
    outbox::add(connection, &job, &format!("roll_out:{}", version.id)).await?;
    Ok(ReviewVersion { status: Status::Approved, breaking, approved_at: Some(now.into()), ..version })
}

/// Checks that versions are published in their order (reference/developers.md#version-numbers).
fn newer(version: &str, current: &str) -> Result<()> {
    let parse = |text: &str| SemVer::parse(text).map_err(ApiError::internal);
    if parse(version)?.cmp_precedence(&parse(current)?).is_gt() {
        return Ok(());
    }
    Err(ApiError::conflict(format!("Version {current} is published already and is not older")))
}
