//! Versions of an extension on the developer API (reference/developers.md#uploads).

pub(crate) mod db;
pub(crate) mod form;
pub mod rest;
mod store;
mod submit;

use api_core::{
    Cx, Input, Operation, Timestamp,
    access::{AnyOperation, Developer, Grants},
};
use developer_access::extensions::READERS;
use diesel::{Queryable, Selectable};
use serde::Serialize;
use shared::{catalogue::AccountPermission, schema::extension_versions};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{CursorQuery, extensions, rates::Rate};
use crate::{
    envelope::{DeveloperError, Result},
    owners,
};

pub use form::VersionForm;
pub use submit::{DEVELOPER_API_SUBMIT_VERSION, developer_api_submit_version};
pub(crate) use submit::{Uploader, newer_than_approved, submit};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&DEVELOPER_API_VERSIONS, &DEVELOPER_API_VERSION, &DEVELOPER_API_SUBMIT_VERSION];

/// A version.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, ToSchema)]
#[diesel(table_name = extension_versions)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// Id.
    pub id: Uuid,
    /// Semantic version.
    pub version: String,
    /// `pending`, `draft`, `testing`, `pending_publish`, `approved`, `rejected`, `archived` or `revoked`.
    pub status: String,
    /// Size of the archive in bytes.
    pub bundle_size_bytes: i64,
    /// Time of the last submission for review.
    pub submitted_at: Timestamp,
    /// Time of the publication; null before it.
    pub approved_at: Option<Timestamp>,
}

/// A page of versions, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionPage {
    /// Versions of this page.
    pub versions: Vec<Version>,
    /// `cursor` of the next page; null on the last.
    pub next_cursor: Option<String>,
}

/// A version that waits for its review.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubmittedVersion {
    /// Id.
    pub id: Uuid,
    /// Semantic version.
    pub version: String,
    /// `pending`.
    pub status: String,
    /// Time of the upload.
    pub submitted_at: Timestamp,
}

pub static DEVELOPER_API_VERSIONS: Operation<Developer> =
    Operation::developer("developerApiVersions", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .in_team(READERS);

/// Lists the versions of an extension, newest upload first.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile and no team, and for a member of the extension's team
///   without the permission.
/// - 404 when the developer has no such extension.
/// - 422 for a limit or cursor out of bounds.
/// - 429 above 120 GET requests of the person in a minute.
#[api_core::operation]
pub async fn developer_api_versions(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<CursorQuery>,
) -> Result<VersionPage> {
    let developer = cx.authorize(&DEVELOPER_API_VERSIONS).await?;
    Rate::Get.count(cx, &developer).await?;
    let (id, cursor) = (id?, query?.check()?);
    let mut connection = developer.db().await?;
    let owner = owners::required(&mut connection, &DEVELOPER_API_VERSIONS, developer.user, id).await?;
    let extension = extensions::db::find(&mut connection, &owner, id).await?;
    let rows = db::list(&mut connection, extension.id, cursor).await?;
    let (versions, next_cursor) = super::page(rows, cursor.limit, |version| version.id);
    Ok(VersionPage { versions, next_cursor })
}

pub static DEVELOPER_API_VERSION: Operation<Developer> =
    Operation::developer("developerApiVersion", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .in_team(READERS);

/// Returns one version of an extension.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile and no team, and for a member of the extension's team
///   without the permission.
/// - 404 when the developer has no such extension, or the extension has no such version.
/// - 429 above 120 GET requests of the person in a minute.
#[api_core::operation]
pub async fn developer_api_version(cx: &Cx, id: Input<Uuid>, version_id: Input<Uuid>) -> Result<Version> {
    let developer = cx.authorize(&DEVELOPER_API_VERSION).await?;
    Rate::Get.count(cx, &developer).await?;
    let (id, version_id) = (id?, version_id?);
    let mut connection = developer.db().await?;
    let owner = owners::required(&mut connection, &DEVELOPER_API_VERSION, developer.user, id).await?;
    let extension = extensions::db::find(&mut connection, &owner, id).await?;
    let version = db::find(&mut connection, extension.id, version_id).await?;
    version.ok_or_else(|| DeveloperError::not_found("version_not_found", "Version not found"))
}
