//! Versions of the caller's extensions (reference/developers.md#version-states).

pub(crate) mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn},
    graphql::Int64,
};
use chrono::{DateTime, Utc};
use developer_access::{credentials::carries, extensions};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLObject;
use semver::Version as SemVer;
use serde::Serialize;
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature, TeamPermission};
use utoipa::ToSchema;
use uuid::Uuid;

use super::rules;
use crate::{
    developer_api::versions::{self as uploads, VersionForm},
    envelope,
    lifecycle::{self, ExtensionVersionStatus as Status, allowed_from},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &UPLOAD_EXTENSION_VERSION,
    &WITHDRAW_EXTENSION_VERSION,
    &SUBMIT_EXTENSION_VERSION,
    &REQUEST_EXTENSION_PUBLICATION,
    &ABANDON_EXTENSION_VERSION,
];

/// A version as its developer sees it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperVersion {
    /// Id.
    pub id: Uuid,
    /// Semantic version.
    pub version: String,
    /// Status.
    pub status: Status,
    /// Changes, as the developer describes them.
    pub changelog: String,
    /// True when accounts must accept it.
    pub breaking: bool,
    /// True when two different reviewers must publish it.
    pub needs_enhanced_review: bool,
    /// Size of the archive in bytes.
    pub bundle_size_bytes: Int64,
    /// Notes of the last rejection or revocation, or null.
    pub review_notes: Option<String>,
    /// Time of the last submission for review.
    pub submitted_at: Timestamp,
    /// Time of the publication; null before it.
    pub approved_at: Option<Timestamp>,
}

pub static UPLOAD_EXTENSION_VERSION: Operation<SignedIn> =
    Operation::first_party("uploadExtensionVersion", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .rest_only()
        .in_team(&[TeamPermission::TeamVersionsCreate])
        .not_idempotent("the version number is its key: a repetition is refused");

/// Uploads a version of one of the caller's extensions for review.
///
/// The upload is checked as a whole: the form, the archive, the manifest and the syntax of the handler code.
/// At most 100 field errors are reported. A refused upload leaves nothing behind. The version waits as
/// `pending`; it is not offered to accounts before its review. More than 100 versions archive older approved
/// ones.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 with `details.fields` for errors in the form, the archive, the manifest or the handler code.
/// - 403 for a key that does not carry `extension-dev:publish`.
/// - 403 `PLAN_LIMIT_REACHED` above 500 versions.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension.
/// - 409 for a version that exists or is not newer than every approved one.
#[api_core::operation]
pub async fn upload_extension_version(
    cx: &Cx,
    id: Input<Uuid>,
    form: impl Future<Output = envelope::Result<VersionForm>>,
) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&UPLOAD_EXTENSION_VERSION).await?;
    carries(cx, AccountPermission::ExtensionDevPublish)?;
    let id = id?;
    let mut connection = caller.db().await?;
    let user = Some(caller.user);
    let owner = extensions::owner(&mut connection, &UPLOAD_EXTENSION_VERSION, user, id).await?;
    drop(connection);
    let uploader = uploads::Uploader::Person(&caller);
    let row = uploads::submit(cx, uploader, &owner, id, form).await?;
    let uploaded = db::find(&mut *caller.db().await?, id, &row.id.to_string()).await?;
    uploaded.ok_or_else(not_found)
}

pub static WITHDRAW_EXTENSION_VERSION: Operation<SignedIn> =
    Operation::first_party("withdrawExtensionVersion", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamVersionsEdit])
        .idempotent();

/// Withdraws a version that waits for its review.
///
/// The version is a draft again and does not run any more. It can be submitted again.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:publish`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such version.
/// - 409 when it is not pending.
#[api_core::operation]
pub async fn withdraw_extension_version(cx: &Cx, id: Input<Uuid>, version: &str) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&WITHDRAW_EXTENSION_VERSION).await?;
    let step = Step { from: Status::Pending, to: Status::Draft, done: "withdrawn" };
    moved(cx, (&caller, &WITHDRAW_EXTENSION_VERSION), id, version, step, "extension:version_withdrawn").await
}

pub static SUBMIT_EXTENSION_VERSION: Operation<SignedIn> =
    Operation::first_party("submitExtensionVersion", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamVersionsEdit])
        .idempotent();

/// Submits a draft for review again.
///
/// Earlier approvals of reviewers are removed. An extension that is a draft or rejected moves into review.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:publish`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such version.
/// - 409 when it is not a draft, or a newer version was approved meanwhile.
#[api_core::operation]
pub async fn submit_extension_version(cx: &Cx, id: Input<Uuid>, version: &str) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&SUBMIT_EXTENSION_VERSION).await?;
    let step = Step { from: Status::Draft, to: Status::Pending, done: "submitted" };
    moved(cx, (&caller, &SUBMIT_EXTENSION_VERSION), id, version, step, "extension:version_resubmitted").await
}

pub static REQUEST_EXTENSION_PUBLICATION: Operation<SignedIn> =
    Operation::first_party("requestExtensionPublication", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamExtensionsPublish])
        .idempotent();

/// Requests the publication of a version in testing.
///
/// The version waits for a reviewer as `pending_publish`.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:publish`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such version.
/// - 409 when it is not in testing.
#[api_core::operation]
pub async fn request_extension_publication(
    cx: &Cx,
    id: Input<Uuid>,
    version: &str,
) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&REQUEST_EXTENSION_PUBLICATION).await?;
    let step = Step { from: Status::Testing, to: Status::PendingPublish, done: "requested for publication" };
    moved(
        cx,
        (&caller, &REQUEST_EXTENSION_PUBLICATION),
        id,
        version,
        step,
        "extension:version_publication_requested",
    )
    .await
}

pub static ABANDON_EXTENSION_VERSION: Operation<SignedIn> =
    Operation::first_party("abandonExtensionVersion", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamVersionsEdit])
        .idempotent();

/// Abandons a version in testing.
///
/// The version is a draft again and does not run any more, also where testers installed it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:publish`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such version.
/// - 409 when it is not in testing.
#[api_core::operation]
pub async fn abandon_extension_version(cx: &Cx, id: Input<Uuid>, version: &str) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&ABANDON_EXTENSION_VERSION).await?;
    let step = Step { from: Status::Testing, to: Status::Draft, done: "abandoned" };
    moved(cx, (&caller, &ABANDON_EXTENSION_VERSION), id, version, step, "extension:version_abandoned").await
}

/// A step of a version by its developer (reference/developers.md#version-states).
#[derive(Clone, Copy)]
struct Step {
    from: Status,
    to: Status,
    /// Name of the step, for refusals.
    done: &'static str,
}

async fn moved(
    cx: &Cx,
    (caller, operation): (&SignedIn, &dyn AnyOperation),
    id: Input<Uuid>,
    version: &str,
    step: Step,
    action: &str,
) -> Result<DeveloperVersion> {
    carries(cx, AccountPermission::ExtensionDevPublish)?;
    let id = id?;
    let now = cx.state().clock.now();
    let mut connection = caller.db().await?;
    let owner = extensions::owner(&mut connection, operation, Some(caller.user), id).await?;
    let (moved, runners) = connection
        .transaction(async |connection| {
            // Locks the extension, so that developer and reviewers move its versions one after the other.
            rules::db::find_locked(connection, &owner, id).await?;
            let found = db::find(connection, id, version).await?.ok_or_else(not_found)?;
            allowed_from(found.status, &[step.from], step.done)?;
            step.take(connection, id, &found, now).await?;
            let entry = foundation::audit::Entry {
                metadata: json!({ "extension_id": id, "version": found.version }),
                ..cx.audit(action, "extension_version", found.id)
            };
            foundation::audit::record(connection, entry).await?;
            let runners = lifecycle::db::runners(connection, found.id).await?;
            let moved = db::find(connection, id, &found.id.to_string()).await?.ok_or_else(not_found)?;
            Ok::<_, ApiError>((moved, runners))
        })
        .await?;
    drop(connection);
    lifecycle::announce_to(cx, runners).await;
    Ok(moved)
}

impl Step {
    async fn take(
        self,
        connection: &mut AsyncPgConnection,
        extension: Uuid,
        version: &DeveloperVersion,
        now: DateTime<Utc>,
    ) -> Result<()> {
        match self.to {
            Status::Pending => {
                still_newest(connection, extension, version).await?;
                db::resubmit(connection, version.id, now).await?;
                lifecycle::db::into_review(connection, extension, now).await?;
            }
            Status::PendingPublish => {
                db::set_status(connection, version.id, self.to).await?;
                lifecycle::db::move_extension(connection, extension, &["testing"], "pending_publish", now)
                    .await?;
            }
            _ => db::set_status(connection, version.id, self.to).await?,
        }
        Ok(())
    }
}

/// Checks that a resubmitted version is newer than every approved one
/// (reference/developers.md#version-numbers).
async fn still_newest(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    version: &DeveloperVersion,
) -> Result<()> {
    let mut others = uploads::db::known(connection, extension).await?;
    others.retain(|other| other.id != version.id);
    let parsed = SemVer::parse(&version.version).map_err(ApiError::internal)?;
    uploads::newer_than_approved(&others, &parsed).map_err(|error| ApiError::conflict(error.message))
}

fn not_found() -> ApiError {
    ApiError::not_found("Extension version not found")
}
