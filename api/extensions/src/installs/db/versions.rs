//! Queries over the versions that installs run or may run.

use std::collections::HashMap;

use api_core::{ApiError, Result};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use semver::Version;
use serde_json::Value;
use shared::schema::{extension_versions, extensions};
use uuid::Uuid;

/// Manifest of a version.
pub(in crate::installs) async fn manifest(
    connection: &mut AsyncPgConnection,
    version: Uuid,
) -> Result<Value> {
    Ok(extension_versions::table.find(version).select(extension_versions::manifest).first(connection).await?)
}

/// Version that an install runs, with its manifest.
pub(in crate::installs) async fn running(
    connection: &mut AsyncPgConnection,
    version: Uuid,
) -> Result<(Version, Value)> {
    let (version, manifest): (String, Value) = extension_versions::table
        .find(version)
        .select((extension_versions::version, extension_versions::manifest))
        .first(connection)
        .await?;
    Ok((parse(&version)?, manifest))
}

/// A published version of an extension.
pub(in crate::installs) async fn published(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    version: &str,
) -> Result<Option<(Uuid, Value)>> {
    Ok(extension_versions::table
        .filter(extension_versions::extension_id.eq(extension).and(extension_versions::version.eq(version)))
        .filter(extension_versions::status.eq_any(["approved", "archived"]))
        .select((extension_versions::id, extension_versions::manifest))
        .first(connection)
        .await
        .optional()?)
}

/// Current version of an extension.
pub(in crate::installs) async fn current(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Option<(Uuid, Value)>> {
    Ok(extension_versions::table
        .inner_join(extensions::table)
        .filter(extensions::id.eq(extension))
        .filter(extensions::current_version_id.eq(extension_versions::id.nullable()))
        .select((extension_versions::id, extension_versions::manifest))
        .first(connection)
        .await
        .optional()?)
}

/// Breaking versions of several extensions, in one query.
pub(in crate::installs) async fn breaking(
    connection: &mut AsyncPgConnection,
    extensions: Vec<Uuid>,
) -> Result<HashMap<Uuid, Vec<Version>>> {
    let mut by_extension: HashMap<Uuid, Vec<Version>> = HashMap::new();
    if extensions.is_empty() {
        return Ok(by_extension);
    }
    let rows: Vec<(Uuid, String)> = extension_versions::table
        .filter(extension_versions::extension_id.eq_any(extensions))
        .filter(extension_versions::breaking)
        .filter(extension_versions::status.eq_any(["approved", "archived"]))
        .select((extension_versions::extension_id, extension_versions::version))
        .load(connection)
        .await?;
    for (extension, version) in rows {
        by_extension.entry(extension).or_default().push(parse(&version)?);
    }
    Ok(by_extension)
}

/// Parses a stored version number.
pub(in crate::installs) fn parse(version: &str) -> Result<Version> {
    Version::parse(version).map_err(ApiError::internal)
}
