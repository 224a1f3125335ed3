//! Versions of an extension (specification B §2.1, §3; C B1.3, B2).

pub(crate) mod db;
pub(crate) mod form;
pub mod rest;
mod store;
mod submit;

use api_core::{
    Cx, Input, Operation, Timestamp,
    access::{AnyOperation, Developer, Grants},
};
use diesel::{Queryable, Selectable};
use serde::Serialize;
use shared::{catalogue::AccountPermission, db::schema::extension_versions};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{CursorQuery, extensions, rates::Rate};
use crate::{
    envelope::{DeveloperError, Result},
    profile,
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
    pub id: Uuid,
    /// Semantic version.
    pub version: String,
    /// `pending`, `draft`, `testing`, `pending_publish`, `approved`, `rejected`, `archived` or `revoked`.
    pub status: String,
    pub bundle_size_bytes: i64,
    pub submitted_at: Timestamp,
    pub approved_at: Option<Timestamp>,
}

/// A page of versions, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionPage {
    pub versions: Vec<Version>,
    /// Null on the last page.
    pub next_cursor: Option<String>,
}

/// A version that waits for its review.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubmittedVersion {
    pub id: Uuid,
    pub version: String,
    /// `pending`.
    pub status: String,
    pub submitted_at: Timestamp,
}

/// The versions of an extension.
pub static DEVELOPER_API_VERSIONS: Operation<Developer> =
    Operation::developer("developerApiVersions", AccountPermission::ExtensionDevRead, Grants::Nothing);

/// Lists the versions of an extension, newest upload first.
///
/// # Errors
/// As the rule; 404 when the developer has no such extension; 422 for a limit out of bounds.
pub async fn developer_api_versions(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<CursorQuery>,
) -> Result<VersionPage> {
    let developer = cx.authorize(&DEVELOPER_API_VERSIONS).await?;
    Rate::Get.count(cx, &developer).await?;
    let (id, cursor) = (id?, query?.check()?);
    let mut connection = developer.db().await?;
    let profile = profile::required(&mut connection, developer.user).await?;
    let extension = extensions::db::find(&mut connection, profile.id, id).await?;
    let rows = db::list(&mut connection, extension.id, cursor).await?;
    let (versions, next_cursor) = super::page(rows, cursor.limit, |version| version.id);
    Ok(VersionPage { versions, next_cursor })
}

/// One version of an extension.
pub static DEVELOPER_API_VERSION: Operation<Developer> =
    Operation::developer("developerApiVersion", AccountPermission::ExtensionDevRead, Grants::Nothing);

/// Reads one version of an extension.
///
/// # Errors
/// As the rule; 404 when the developer has no such extension or the extension no such version.
pub async fn developer_api_version(cx: &Cx, id: Input<Uuid>, version_id: Input<Uuid>) -> Result<Version> {
    let developer = cx.authorize(&DEVELOPER_API_VERSION).await?;
    Rate::Get.count(cx, &developer).await?;
    let (id, version_id) = (id?, version_id?);
    let mut connection = developer.db().await?;
    let profile = profile::required(&mut connection, developer.user).await?;
    let extension = extensions::db::find(&mut connection, profile.id, id).await?;
    let version = db::find(&mut connection, extension.id, version_id).await?;
    version.ok_or_else(|| DeveloperError::not_found("version_not_found", "Version not found"))
}
