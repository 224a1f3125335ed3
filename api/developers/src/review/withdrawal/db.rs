//! Queries of revocations and suspensions, across all developers.

use api_core::{ApiError, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::Manifest;
use semver::Version;
use serde_json::Value;
use shared::schema::{extension_versions, extensions};
use uuid::Uuid;

use super::ReviewedExtension;

/// Bound of the list; an extension has fewer versions.
const MAX_VERSIONS: i64 = 1000;

/// An extension, locked for a change.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = extensions)]
pub(super) struct Locked {
    pub id: Uuid,
    pub visibility: String,
    pub status: String,
    pub current_version_id: Option<Uuid>,
}

/// Locks the extension until the transaction ends.
pub(super) async fn find_locked(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<Locked>> {
    Ok(extensions::table
        .find(id)
        .select(Locked::as_select())
        .for_update()
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn revoke(connection: &mut AsyncPgConnection, id: Uuid, reason: &str) -> Result<()> {
    diesel::update(extension_versions::table.find(id))
        .set((extension_versions::status.eq("revoked"), extension_versions::review_notes.eq(reason)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Makes the newest approved version the current one; the extension has none when there is no approved
/// version.
pub(super) async fn fall_back(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let rows: Vec<(Uuid, String, Value)> = extension_versions::table
        .filter(extension_versions::extension_id.eq(extension))
        .filter(extension_versions::status.eq("approved"))
        .order(extension_versions::id.desc())
        .limit(MAX_VERSIONS)
        .select((extension_versions::id, extension_versions::version, extension_versions::manifest))
        .load(connection)
        .await?;
    let mut newest: Option<(Uuid, Version, Value)> = None;
    for (id, version, manifest) in rows {
        let version = Version::parse(&version).map_err(ApiError::internal)?;
        if newest.as_ref().is_none_or(|(_, known, _)| version.cmp_precedence(known).is_gt()) {
            newest = Some((id, version, manifest));
        }
    }
    if let Some((_, _, manifest)) = &newest {
        let category = Manifest::stored(manifest.clone())?.category;
        diesel::update(extensions::table.find(extension))
            .set(extensions::category.eq(category.as_str()))
            .execute(connection)
            .await?;
    }
    diesel::update(extensions::table.find(extension))
        .set((extensions::current_version_id.eq(newest.map(|(id, _, _)| id)), extensions::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

/// True when a version was ever published, or one waits for its publication.
pub(super) async fn has_a_chance(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<bool> {
    let waiting = ["pending", "testing", "pending_publish"];
    let hopeful = extension_versions::table
        .filter(extension_versions::extension_id.eq(extension))
        .filter(extension_versions::approved_at.is_not_null().or(extension_versions::status.eq_any(waiting)));
    Ok(diesel::select(diesel::dsl::exists(hopeful)).get_result(connection).await?)
}

pub(super) async fn suspend(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(extensions::table.find(id))
        .set((
            extensions::suspended_from.eq(extensions::status.nullable()),
            extensions::status.eq("suspended"),
            extensions::suspended_at.eq(now),
            extensions::suspension_reason.eq(reason),
            extensions::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns an extension to the state that it would have without the suspension.
pub(super) async fn release(connection: &mut AsyncPgConnection, id: Uuid, now: DateTime<Utc>) -> Result<()> {
    diesel::update(extensions::table.find(id))
        .set((
            extensions::status.eq(extensions::suspended_from.assume_not_null()),
            extensions::suspended_from.eq(None::<String>),
            extensions::suspended_at.eq(None::<DateTime<Utc>>),
            extensions::suspension_reason.eq(None::<String>),
            extensions::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn view(connection: &mut AsyncPgConnection, id: Uuid) -> Result<ReviewedExtension> {
    type Row = (String, String, String, String, Option<Timestamp>, Option<String>, Option<String>);
    let current =
        extension_versions::table.on(extensions::current_version_id.eq(extension_versions::id.nullable()));
    let row: Row = extensions::table
        .left_join(current)
        .filter(extensions::id.eq(id))
        .select((
            extensions::slug,
            extensions::name,
            extensions::visibility,
            extensions::status,
            extensions::suspended_at,
            extensions::suspension_reason,
            extension_versions::version.nullable(),
        ))
        .first(connection)
        .await?;
    let (slug, name, visibility, status, suspended_at, suspension_reason, current_version) = row;
    Ok(ReviewedExtension {
        id,
        slug,
        name,
        visibility,
        status,
        current_version,
        suspended_at,
        suspension_reason,
    })
}
