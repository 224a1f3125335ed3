//! Versions of an extension of one's own (specification C B1.3, B1.6).

pub(crate) mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn},
    graphql::Int64,
};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLObject;
use semver::Version as SemVer;
use serde::Serialize;
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    extensions::announce,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{carries, rules};
use crate::{
    developer_api::versions::{self as uploads, VersionForm},
    envelope, profile,
    review::{ExtensionVersionStatus as Status, allowed_from, db::move_extension},
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
    pub id: Uuid,
    /// Semantic version.
    pub version: String,
    pub status: Status,
    pub changelog: String,
    /// Whether accounts must accept it themselves.
    pub breaking: bool,
    /// Whether two different reviewers must publish it.
    pub needs_enhanced_review: bool,
    pub bundle_size_bytes: Int64,
    /// What the reviewer said.
    pub review_notes: Option<String>,
    pub submitted_at: Timestamp,
    pub approved_at: Option<Timestamp>,
}

/// Uploads a version.
pub static UPLOAD_EXTENSION_VERSION: Operation<SignedIn> =
    Operation::first_party("uploadExtensionVersion", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .rest_only();

/// Uploads a version of an extension of the caller's own, as at the developer API.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension; 400 with `details.fields` for whatever is wrong in the form,
/// the archive, the manifest or the handler code; 409 for a version that exists or is not newer; 403
/// `PLAN_LIMIT_REACHED` beyond 500 versions.
pub async fn upload_extension_version(
    cx: &Cx,
    id: Input<Uuid>,
    form: impl Future<Output = envelope::Result<VersionForm>>,
) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&UPLOAD_EXTENSION_VERSION).await?;
    carries(cx, AccountPermission::ExtensionDevPublish)?;
    let id = id?;
    let profile = profile::owner(&mut *caller.db().await?, Some(caller.user)).await?;
    let uploader = uploads::Uploader::Person(&caller);
    let row = uploads::submit(cx, uploader, &profile, id, form).await?;
    let uploaded = db::find(&mut *caller.db().await?, id, &row.id.to_string()).await?;
    uploaded.ok_or_else(not_found)
}

/// Takes a waiting version back.
pub static WITHDRAW_EXTENSION_VERSION: Operation<SignedIn> =
    Operation::first_party("withdrawExtensionVersion", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment);

/// Takes a version back that waits for its review: it is a draft again.
///
/// # Errors
/// As the rule; 404 when the caller has no such version; 409 when it is not pending.
pub async fn withdraw_extension_version(cx: &Cx, id: Input<Uuid>, version: &str) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&WITHDRAW_EXTENSION_VERSION).await?;
    let step = Step { from: Status::Pending, to: Status::Draft, done: "withdrawn" };
    moved(cx, &caller, id, version, step, "extension:version_withdrawn").await
}

/// Puts a draft up for review again.
pub static SUBMIT_EXTENSION_VERSION: Operation<SignedIn> =
    Operation::first_party("submitExtensionVersion", Grants::Nothing).feature(Feature::ExtensionDevelopment);

/// Puts a draft up for review again. Earlier approvals of it count no more.
///
/// # Errors
/// As the rule; 404 when the caller has no such version; 409 when it is no draft, or when a newer one was approved
/// meanwhile.
pub async fn submit_extension_version(cx: &Cx, id: Input<Uuid>, version: &str) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&SUBMIT_EXTENSION_VERSION).await?;
    let step = Step { from: Status::Draft, to: Status::Pending, done: "submitted" };
    moved(cx, &caller, id, version, step, "extension:version_resubmitted").await
}

/// Asks for the publication of a tested version.
pub static REQUEST_EXTENSION_PUBLICATION: Operation<SignedIn> =
    Operation::first_party("requestExtensionPublication", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment);

/// Asks for the publication of a version that was tested.
///
/// # Errors
/// As the rule; 404 when the caller has no such version; 409 when it is not in testing.
pub async fn request_extension_publication(
    cx: &Cx,
    id: Input<Uuid>,
    version: &str,
) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&REQUEST_EXTENSION_PUBLICATION).await?;
    let step = Step { from: Status::Testing, to: Status::PendingPublish, done: "requested for publication" };
    moved(cx, &caller, id, version, step, "extension:version_publication_requested").await
}

/// Gives a tested version up.
pub static ABANDON_EXTENSION_VERSION: Operation<SignedIn> =
    Operation::first_party("abandonExtensionVersion", Grants::Nothing).feature(Feature::ExtensionDevelopment);

/// Gives a version up that is in testing: it is a draft again.
///
/// # Errors
/// As the rule; 404 when the caller has no such version; 409 when it is not in testing.
pub async fn abandon_extension_version(cx: &Cx, id: Input<Uuid>, version: &str) -> Result<DeveloperVersion> {
    let caller = cx.authorize(&ABANDON_EXTENSION_VERSION).await?;
    let step = Step { from: Status::Testing, to: Status::Draft, done: "abandoned" };
    moved(cx, &caller, id, version, step, "extension:version_abandoned").await
}

/// A move of a version by its developer (C B1.3).
#[derive(Clone, Copy)]
struct Step {
    from: Status,
    to: Status,
    /// What is done, for refusals.
    done: &'static str,
}

async fn moved(
    cx: &Cx,
    caller: &SignedIn,
    id: Input<Uuid>,
    version: &str,
    step: Step,
    action: &str,
) -> Result<DeveloperVersion> {
    carries(cx, AccountPermission::ExtensionDevPublish)?;
    let id = id?;
    let now = cx.state().clock.now();
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, Some(caller.user)).await?;
    let (moved, runners) = connection
        .transaction(async |connection| {
            // The extension is held, so that developer and reviewers move its versions one after the other.
            rules::db::find_locked(connection, profile.id, id).await?;
            let found = db::find(connection, id, version).await?.ok_or_else(not_found)?;
            allowed_from(found.status, &[step.from], step.done)?;
            step.take(connection, id, &found, now).await?;
            let entry = shared::audit::Entry {
                metadata: json!({ "extension_id": id, "version": found.version }),
                ..cx.audit(action, "extension_version", found.id)
            };
            shared::audit::record(connection, entry).await?;
            let runners = db::runners(connection, found.id).await?;
            let moved = db::find(connection, id, &found.id.to_string()).await?.ok_or_else(not_found)?;
            Ok::<_, ApiError>((moved, runners))
        })
        .await?;
    drop(connection);
    announce_to(cx, runners).await;
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
                uploads::db::into_review(connection, extension, now).await?;
            }
            Status::PendingPublish => {
                db::set_status(connection, version.id, self.to).await?;
                move_extension(connection, extension, &["testing"], "pending_publish", now).await?;
            }
            _ => db::set_status(connection, version.id, self.to).await?,
        }
        Ok(())
    }
}

/// What is put up for review is newer than every approved version (C B1.3).
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

/// The workers of the accounts whose installs run the version look again whether it runs. They poll all the same.
pub(crate) async fn announce_to(cx: &Cx, accounts: Vec<Uuid>) {
    for account in accounts {
        if let Err(error) = announce::refresh(&cx.state().redis, account).await {
            tracing::warn!(%account, %error, "the move of a version was not announced");
        }
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Extension version not found")
}
