//! Queries of the review, across all developers.

use api_core::{ApiError, Result, Timestamp, graphql::Int64, page::Window};
use chrono::{DateTime, Utc};
use diesel::{
    dsl::sql,
    insert_into,
    prelude::*,
    sql_types::{Bool, Integer},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_bundle::SOURCE;
use serde_json::Value;
use shared::{
    id::UserId,
    schema::{extension_approvals, extension_files, extension_versions, extensions},
};
use uuid::Uuid;

use super::{ReviewFile, ReviewVersion};
use crate::lifecycle::{ExtensionVersionStatus, db::move_extension};

/// Bound of the list; a bundle has fewer files.
const MAX_FILES: i64 = 5000;

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = extension_versions)]
struct Row {
    id: Uuid,
    extension_id: Uuid,
    version: String,
    status: String,
    breaking: bool,
    needs_enhanced_review: bool,
    bundle_size_bytes: i64,
    changelog: String,
    submitted_at: Timestamp,
    approved_at: Option<Timestamp>,
    review_notes: Option<String>,
}

/// Name and slug of the extension, number of approvals, and true when its listing waits for a reviewer.
type Rest = (String, String, i32, bool);

const APPROVALS: &str = "(SELECT count(*)::integer FROM extension_approvals WHERE extension_approvals.version_id = extension_versions.id)";

/// True for the current version of an extension that its developer made public and no reviewer has listed yet
/// (reference/developers.md#visibility).
const AWAITS_LISTING: &str = "(extension_versions.status = 'approved' AND extensions.status = 'approved'
    AND extensions.listed_at IS NULL AND extensions.visibility IN ('public', 'paid')
    AND extensions.current_version_id IS NOT DISTINCT FROM extension_versions.id)";

/// Filter of a list.
pub(super) struct Filter {
    pub status: Option<ExtensionVersionStatus>,
    pub awaits_listing: Option<bool>,
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    filter: Filter,
    window: Window,
) -> Result<(Vec<ReviewVersion>, i64)> {
    // Built-in extensions were never submitted.
    let submitted = extensions::visibility.ne("system");
    let joined = extension_versions::table.inner_join(extensions::table);
    let mut count = joined.filter(submitted).count().into_boxed();
    let mut rows = joined.filter(submitted).into_boxed();
    if let Some(status) = filter.status {
        count = count.filter(extension_versions::status.eq(status.as_str()));
        rows = rows.filter(extension_versions::status.eq(status.as_str()));
    }
    if let Some(awaits) = filter.awaits_listing {
        count = count.filter(sql::<Bool>(AWAITS_LISTING).eq(awaits));
        rows = rows.filter(sql::<Bool>(AWAITS_LISTING).eq(awaits));
    }
    let total = count.get_result(connection).await?;
    let rows: Vec<(Row, Rest)> = rows
        .order((extension_versions::submitted_at, extension_versions::id))
        .limit(window.limit)
        .offset(window.offset())
        .select((
            Row::as_select(),
            (extensions::name, extensions::slug, sql::<Integer>(APPROVALS), sql::<Bool>(AWAITS_LISTING)),
        ))
        .load(connection)
        .await?;
    Ok((rows.into_iter().map(version).collect::<Result<_>>()?, total))
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<ReviewVersion>> {
    let row: Option<(Row, Rest)> = extension_versions::table
        .inner_join(extensions::table)
        .filter(extension_versions::id.eq(id))
        .select((
            Row::as_select(),
            (extensions::name, extensions::slug, sql::<Integer>(APPROVALS), sql::<Bool>(AWAITS_LISTING)),
        ))
        .first(connection)
        .await
        .optional()?;
    row.map(version).transpose()
}

/// Locks the extension until the transaction ends, so that reviews of its versions run one after the other.
pub(super) async fn find_locked(
    connection: &mut AsyncPgConnection,
    id: Uuid,
) -> Result<Option<ReviewVersion>> {
    let of: Option<Uuid> = extension_versions::table
        .find(id)
        .select(extension_versions::extension_id)
        .first(connection)
        .await
        .optional()?;
    let Some(extension) = of else { return Ok(None) };
    let locked = extensions::table.find(extension).select(extensions::id).for_update();
    if locked.first::<Uuid>(connection).await.optional()?.is_none() {
        return Ok(None);
    }
    find(connection, id).await
}

pub(super) async fn manifest(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Value> {
    Ok(extension_versions::table.find(id).select(extension_versions::manifest).first(connection).await?)
}

/// Manifest of the last version that was approved before this one and is not revoked.
pub(super) async fn last_approved_manifest(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    id: Uuid,
) -> Result<Option<Value>> {
    Ok(extension_versions::table
        .filter(extension_versions::extension_id.eq(extension).and(extension_versions::id.ne(id)))
        .filter(extension_versions::approved_at.is_not_null().and(extension_versions::status.ne("revoked")))
        .order(extension_versions::approved_at.desc())
        .select(extension_versions::manifest)
        .first(connection)
        .await
        .optional()?)
}

/// Files, and the key of the source archive.
pub(super) async fn files(
    connection: &mut AsyncPgConnection,
    id: Uuid,
) -> Result<(Vec<ReviewFile>, Option<String>)> {
    let rows: Vec<(String, String, i64, String, String)> = extension_files::table
        .filter(extension_files::version_id.eq(id))
        .order(extension_files::file_path)
        .limit(MAX_FILES)
        .select((
            extension_files::file_path,
            extension_files::content_type,
            extension_files::size_bytes,
            extension_files::content_hash,
            extension_files::storage_key,
        ))
        .load(connection)
        .await?;
    let source = rows.iter().find(|row| row.0 == SOURCE).map(|row| row.4.clone());
    let files = rows
        .into_iter()
        .map(|(file_path, content_type, size_bytes, content_hash, _)| ReviewFile {
            file_path,
            content_type,
            size_bytes: Int64(size_bytes),
            content_hash,
        })
        .collect();
    Ok((files, source))
}

/// Version and manifest of the extension's current version.
pub(super) async fn current(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Option<(String, Value)>> {
    Ok(extension_versions::table
        .inner_join(extensions::table)
        .filter(extensions::id.eq(extension))
        .filter(extensions::current_version_id.eq(extension_versions::id.nullable()))
        .select((extension_versions::version, extension_versions::manifest))
        .first(connection)
        .await
        .optional()?)
}

/// Records an approval. Returns false when this reviewer has approved already.
pub(super) async fn approve(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    reviewer: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let inserted = insert_into(extension_approvals::table)
        .values((
            extension_approvals::version_id.eq(id),
            extension_approvals::reviewer_id.eq(reviewer),
            extension_approvals::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    Ok(inserted > 0)
}

pub(super) async fn set_status(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    status: ExtensionVersionStatus,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(extension_versions::table.find(id))
        .set(extension_versions::status.eq(status.as_str()))
        .execute(connection)
        .await?;
    touch(connection, id, now).await
}

pub(super) async fn reject(connection: &mut AsyncPgConnection, id: Uuid, notes: &str) -> Result<()> {
    diesel::update(extension_versions::table.find(id))
        .set((extension_versions::status.eq("rejected"), extension_versions::review_notes.eq(notes)))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn publish(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    breaking: bool,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(extension_versions::table.find(id))
        .set((
            extension_versions::status.eq("approved"),
            extension_versions::approved_at.eq(now),
            extension_versions::breaking.eq(breaking),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Makes a version the current one, and approves an extension that is not approved yet
/// (reference/developers.md#extension-states).
pub(super) async fn make_current(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    version: Uuid,
    category: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(extensions::table.find(extension))
        .set((
            extensions::current_version_id.eq(version),
            extensions::category.eq(category),
            extensions::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    diesel::update(extensions::table.find(extension).filter(extensions::published_at.is_null()))
        .set(extensions::published_at.eq(now))
        .execute(connection)
        .await?;
    move_extension(connection, extension, &["in_review", "testing", "pending_publish"], "approved", now).await
}

/// True when the developer requested a public listing that no reviewer has approved yet.
pub(super) async fn awaits_listing(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<bool> {
    let waiting: i64 = extensions::table
        .find(extension)
        .filter(extensions::listed_at.is_null())
        .filter(extensions::visibility.eq_any(["public", "paid"]))
        .count()
        .get_result(connection)
        .await?;
    Ok(waiting > 0)
}

pub(super) async fn list_publicly(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(extensions::table.find(extension))
        .set((extensions::listed_at.eq(now), extensions::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

async fn touch(connection: &mut AsyncPgConnection, version: Uuid, now: DateTime<Utc>) -> Result<()> {
    let of = extension_versions::table
        .filter(extension_versions::id.eq(version))
        .select(extension_versions::extension_id);
    diesel::update(extensions::table.filter(extensions::id.eq_any(of)))
        .set(extensions::updated_at.eq(now))
        .execute(connection)
        .await?;
    Ok(())
}

fn version((row, rest): (Row, Rest)) -> Result<ReviewVersion> {
    let (extension_name, extension_slug, approvals, awaits_listing) = rest;
    let status = ExtensionVersionStatus::parse(&row.status);
    Ok(ReviewVersion {
        id: row.id,
        extension_id: row.extension_id,
        extension_name,
        extension_slug,
        status: status
            .ok_or_else(|| ApiError::internal(format_args!("unknown version status {}", row.status)))?,
        version: row.version,
        breaking: row.breaking,
        needs_enhanced_review: row.needs_enhanced_review,
        approvals,
        awaits_listing,
        bundle_size_bytes: Int64(row.bundle_size_bytes),
        changelog: row.changelog,
        submitted_at: row.submitted_at,
        approved_at: row.approved_at,
        review_notes: row.review_notes,
    })
}
