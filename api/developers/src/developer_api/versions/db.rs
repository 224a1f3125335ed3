//! Queries over `extension_versions` and `extension_files`. Each carries the extension, whose ownership was
//! checked before.

use chrono::{DateTime, Utc};
use diesel::{
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    id::UserId,
    schema::{
        extension_files,
        extension_versions::{self, dsl},
        extensions,
    },
};
use uuid::Uuid;

use super::Version;
use crate::{developer_api::Cursor, envelope::Result};

/// Bound of the list; an extension has fewer versions.
const MAX_ROWS: i64 = 1000;

#[derive(Debug, Insertable)]
#[diesel(table_name = extension_versions)]
pub(super) struct NewVersion {
    pub id: Uuid,
    pub extension_id: Uuid,
    pub version: String,
    pub changelog: String,
    pub manifest: Value,
    pub bundle_size_bytes: i64,
    pub handler_code: Option<String>,
    pub breaking: bool,
    pub needs_enhanced_review: bool,
    pub submitted_by: UserId,
    pub submitted_at: DateTime<Utc>,
}

#[derive(Debug, Insertable)]
#[diesel(table_name = extension_files)]
pub(super) struct NewFile {
    pub id: Uuid,
    pub version_id: Uuid,
    pub file_path: String,
    pub content_type: String,
    pub size_bytes: i64,
    pub content_hash: String,
    pub storage_key: String,
    pub created_at: DateTime<Utc>,
}

/// Fields of an existing version that the rules for a new one read.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = extension_versions)]
pub(crate) struct Known {
    pub id: Uuid,
    pub version: String,
    /// Time of the first publication, whatever the status since; `None` when it was never published.
    pub approved_at: Option<DateTime<Utc>>,
}

/// One row more than the limit, newest first.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    cursor: Cursor,
) -> Result<Vec<Version>> {
    let mut query = dsl::extension_versions.filter(dsl::extension_id.eq(extension)).into_boxed();
    if let Some(before) = cursor.before {
        query = query.filter(dsl::id.lt(before));
    }
    Ok(query
        .order(dsl::id.desc())
        .limit(cursor.limit + 1)
        .select(Version::as_select())
        .load(connection)
        .await?)
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    id: Uuid,
) -> Result<Option<Version>> {
    Ok(dsl::extension_versions
        .filter(dsl::extension_id.eq(extension).and(dsl::id.eq(id)))
        .select(Version::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// Every version of an extension.
pub(crate) async fn known(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<Vec<Known>> {
    Ok(dsl::extension_versions
        .filter(dsl::extension_id.eq(extension))
        .order(dsl::id.desc())
        .limit(MAX_ROWS)
        .select(Known::as_select())
        .load(connection)
        .await?)
}

/// Manifest of the extension's current version.
pub(super) async fn current_manifest(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Option<Value>> {
    Ok(dsl::extension_versions
        .inner_join(extensions::table.on(extensions::current_version_id.eq(dsl::id.nullable())))
        .filter(extensions::id.eq(extension))
        .select(dsl::manifest)
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    version: NewVersion,
    files: &[NewFile],
) -> Result<Version> {
    let row = insert_into(dsl::extension_versions)
        .values(version)
        .returning(Version::as_returning())
        .get_result(connection)
        .await?;
    for files in files.chunks(500) {
        insert_into(extension_files::table).values(files).execute(connection).await?;
    }
    Ok(row)
}

/// Archives approved versions beyond the `kept` newest, except the current one
/// (reference/developers.md#version-states).
pub(super) async fn archive_older(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    kept: i64,
) -> Result<()> {
    sql_query(
        "UPDATE extension_versions SET status = 'archived'
         WHERE extension_id = $1 AND status = 'approved'
           AND id NOT IN (SELECT id FROM extension_versions WHERE extension_id = $1 ORDER BY id DESC LIMIT $2)
           AND id IS DISTINCT FROM (SELECT current_version_id FROM extensions WHERE id = $1)",
    )
    .bind::<SqlUuid, _>(extension)
    .bind::<BigInt, _>(kept)
    .execute(connection)
    .await?;
    Ok(())
}
