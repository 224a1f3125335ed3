//! Queries over `extension_versions`. Each carries the extension or one of its versions; the ownership was
//! checked before.

use api_core::{ApiError, Result, Timestamp, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::{
    extension_approvals,
    extension_versions::{self, dsl},
};
use uuid::Uuid;

use super::DeveloperVersion;
use crate::lifecycle::ExtensionVersionStatus as Status;

/// Maximum number of versions of an extension.
const MAX_ROWS: i64 = 500;

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = extension_versions)]
struct Row {
    id: Uuid,
    version: String,
    status: String,
    changelog: String,
    breaking: bool,
    needs_enhanced_review: bool,
    bundle_size_bytes: i64,
    review_notes: Option<String>,
    submitted_at: Timestamp,
    approved_at: Option<Timestamp>,
}

/// Versions of an extension, the newest upload first.
pub(in crate::extensions) async fn list(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Vec<DeveloperVersion>> {
    let rows: Vec<Row> = dsl::extension_versions
        .filter(dsl::extension_id.eq(extension))
        .order(dsl::id.desc())
        .limit(MAX_ROWS)
        .select(Row::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(version).collect()
}

/// A version by its id or its number.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    name: &str,
) -> Result<Option<DeveloperVersion>> {
    let mut of = dsl::extension_versions.filter(dsl::extension_id.eq(extension)).into_boxed();
    of = match Uuid::try_parse(name) {
        Ok(id) => of.filter(dsl::id.eq(id)),
        Err(_) => of.filter(dsl::version.eq(name)),
    };
    let row: Option<Row> = of.select(Row::as_select()).first(connection).await.optional()?;
    row.map(version).transpose()
}

pub(super) async fn set_status(connection: &mut AsyncPgConnection, id: Uuid, status: Status) -> Result<()> {
    diesel::update(dsl::extension_versions.find(id))
        .set(dsl::status.eq(status.as_str()))
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns a version to the start of its review.
pub(super) async fn resubmit(connection: &mut AsyncPgConnection, id: Uuid, now: DateTime<Utc>) -> Result<()> {
    diesel::update(dsl::extension_versions.find(id))
        .set((
            dsl::status.eq(Status::Pending.as_str()),
            dsl::submitted_at.eq(now),
            dsl::review_notes.eq(None::<String>),
        ))
        .execute(connection)
        .await?;
    diesel::delete(extension_approvals::table.filter(extension_approvals::version_id.eq(id)))
        .execute(connection)
        .await?;
    Ok(())
}

fn version(row: Row) -> Result<DeveloperVersion> {
    let status = Status::parse(&row.status);
    Ok(DeveloperVersion {
        id: row.id,
        status: status
            .ok_or_else(|| ApiError::internal(format_args!("unknown version status {}", row.status)))?,
        version: row.version,
        changelog: row.changelog,
        breaking: row.breaking,
        needs_enhanced_review: row.needs_enhanced_review,
        bundle_size_bytes: Int64(row.bundle_size_bytes),
        review_notes: row.review_notes,
        submitted_at: row.submitted_at,
        approved_at: row.approved_at,
    })
}
