//! Statements over the overrides.

use std::collections::HashMap;

use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Nullable, Text, Uuid as SqlUuid},
    upsert::excluded,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use uuid::Uuid;

use chrono::{DateTime, Utc};
use shared::{
    Result,
    id::UserId,
    schema::{developer_limits, extension_limits},
};

use super::{LimitKey, LimitSource, LimitSubject, ResolvedLimits};

/// Maximum number of overrides that a process keeps in memory. Staff makes each of them.
const MAX_OVERRIDES: i64 = 100_000;

#[derive(QueryableByName)]
struct OverrideRow {
    #[diesel(sql_type = Text)]
    limit_key: String,
    #[diesel(sql_type = BigInt)]
    value: i64,
    #[diesel(sql_type = Bool)]
    is_of_extension: bool,
}

#[derive(QueryableByName)]
struct RowOfExtension {
    #[diesel(sql_type = SqlUuid)]
    extension_id: Uuid,
    #[diesel(embed)]
    row: OverrideRow,
}

#[derive(QueryableByName)]
struct ValueRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    value: Option<i64>,
}

impl OverrideRow {
    /// Adds the row to limits. A key that this version of the program does not know is skipped.
    fn add_to(&self, limits: &mut ResolvedLimits) {
        let source = if self.is_of_extension { LimitSource::Extension } else { LimitSource::Developer };
        if let Ok(key) = self.limit_key.parse() {
            limits.add(key, self.value, source);
        }
    }
}

fn resolved(rows: &[OverrideRow]) -> ResolvedLimits {
    let mut limits = ResolvedLimits::default();
    rows.iter().for_each(|row| row.add_to(&mut limits));
    limits
}

/// Returns one limit of a developer.
///
/// # Errors
/// Database failure.
pub async fn of_developer(
    connection: &mut AsyncPgConnection,
    developer_id: Uuid,
    key: LimitKey,
) -> Result<i64> {
    let value: Option<i64> = developer_limits::table
        .find((developer_id, key.as_str()))
        .select(developer_limits::value)
        .first(connection)
        .await
        .optional()?;
    Ok(value.unwrap_or(key.default_value()))
}

/// Returns one limit of a person: that of their developer profile; `None` without one.
///
/// # Errors
/// Database failure.
pub async fn of_user(
    connection: &mut AsyncPgConnection,
    user_id: UserId,
    key: LimitKey,
) -> Result<Option<i64>> {
    let row: Option<ValueRow> = sql_query(
        "SELECT limits.value FROM developer_profiles AS profiles
         LEFT JOIN developer_limits AS limits ON limits.developer_id = profiles.id AND limits.limit_key = $2
         WHERE profiles.user_id = $1",
    )
    .bind::<SqlUuid, _>(user_id.0)
    .bind::<Text, _>(key.as_str())
    .prepared()
    .get_result(connection)
    .await
    .optional()?;
    Ok(row.map(|row| row.value.unwrap_or(key.default_value())))
}

/// Returns one limit of an extension.
///
/// # Errors
/// Database failure.
pub async fn of_extension(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    key: LimitKey,
) -> Result<i64> {
    Ok(for_extension(connection, extension_id).await?.value(key))
}

/// Returns one limit of the extension of an install; the default for an unknown install.
///
/// # Errors
/// Database failure.
pub async fn of_install(connection: &mut AsyncPgConnection, install_id: Uuid, key: LimitKey) -> Result<i64> {
    let row: Option<ValueRow> = sql_query(
        "SELECT coalesce(own.value, developers.value) AS value FROM extension_installs AS installs
         JOIN extensions ON extensions.id = installs.extension_id
         LEFT JOIN extension_limits AS own ON own.extension_id = extensions.id AND own.limit_key = $2
         LEFT JOIN developer_limits AS developers
             ON developers.limit_key = $2 AND developers.developer_id = coalesce(extensions.owner_developer_id,
                 (SELECT profiles.id FROM developer_profiles AS profiles JOIN developer_teams AS teams
                  ON teams.owner_id = profiles.user_id WHERE teams.id = extensions.owner_team_id))
         WHERE installs.id = $1",
    )
    .bind::<SqlUuid, _>(install_id)
    .bind::<Text, _>(key.as_str())
    .prepared()
    .get_result(connection)
    .await
    .optional()?;
    Ok(row.and_then(|row| row.value).unwrap_or(key.default_value()))
}

/// Returns the limits of a developer.
///
/// # Errors
/// Database failure.
pub async fn for_developer(connection: &mut AsyncPgConnection, developer_id: Uuid) -> Result<ResolvedLimits> {
    let rows: Vec<OverrideRow> = sql_query(
        "SELECT limit_key, value, false AS is_of_extension FROM developer_limits WHERE developer_id = $1",
    )
    .bind::<SqlUuid, _>(developer_id)
    .prepared()
    .load(connection)
    .await?;
    Ok(resolved(&rows))
}

/// Returns the limits of an extension.
///
/// # Errors
/// Database failure.
pub async fn for_extension(connection: &mut AsyncPgConnection, extension_id: Uuid) -> Result<ResolvedLimits> {
    let rows: Vec<OverrideRow> = sql_query(
        "SELECT limit_key, value, true AS is_of_extension FROM extension_limits WHERE extension_id = $1
         UNION ALL
         SELECT limits.limit_key, limits.value, false
         FROM extensions JOIN developer_limits AS limits
             ON limits.developer_id = coalesce(extensions.owner_developer_id,
                 (SELECT profiles.id FROM developer_profiles AS profiles JOIN developer_teams AS teams
                  ON teams.owner_id = profiles.user_id WHERE teams.id = extensions.owner_team_id))
         WHERE extensions.id = $1",
    )
    .bind::<SqlUuid, _>(extension_id)
    .prepared()
    .load(connection)
    .await?;
    Ok(resolved(&rows))
}

/// Returns the limits of every extension that has an override, or whose developer has one.
pub(super) async fn for_all_extensions(
    connection: &mut AsyncPgConnection,
) -> Result<HashMap<Uuid, ResolvedLimits>> {
    let rows: Vec<RowOfExtension> = sql_query(
        "SELECT extension_id, limit_key, value, true AS is_of_extension FROM extension_limits
         UNION ALL
         SELECT extensions.id, limits.limit_key, limits.value, false
         FROM developer_limits AS limits JOIN extensions
             ON limits.developer_id = coalesce(extensions.owner_developer_id,
                 (SELECT profiles.id FROM developer_profiles AS profiles JOIN developer_teams AS teams
                  ON teams.owner_id = profiles.user_id WHERE teams.id = extensions.owner_team_id))
         LIMIT $1",
    )
    .bind::<BigInt, _>(MAX_OVERRIDES)
    .load(connection)
    .await?;
    let mut limits: HashMap<Uuid, ResolvedLimits> = HashMap::new();
    for RowOfExtension { extension_id, row } in rows {
        row.add_to(limits.entry(extension_id).or_default());
    }
    Ok(limits)
}

/// Sets an override. Announce [`foundation::invalidation::Invalidation::Limits`] after the commit.
///
/// # Errors
/// Database failure.
pub async fn set_override(
    connection: &mut AsyncPgConnection,
    subject: LimitSubject,
    key: LimitKey,
    value: i64,
    now: DateTime<Utc>,
) -> Result<()> {
    match subject {
        LimitSubject::Developer(id) => {
            diesel::insert_into(developer_limits::table)
                .values((
                    developer_limits::developer_id.eq(id),
                    developer_limits::limit_key.eq(key.as_str()),
                    developer_limits::value.eq(value),
                    developer_limits::updated_at.eq(now),
                ))
                .on_conflict((developer_limits::developer_id, developer_limits::limit_key))
                .do_update()
                .set((
                    developer_limits::value.eq(excluded(developer_limits::value)),
                    developer_limits::updated_at.eq(now),
                ))
                .execute(connection)
                .await?;
        }
        LimitSubject::Extension(id) => {
            diesel::insert_into(extension_limits::table)
                .values((
                    extension_limits::extension_id.eq(id),
                    extension_limits::limit_key.eq(key.as_str()),
                    extension_limits::value.eq(value),
                    extension_limits::updated_at.eq(now),
                ))
                .on_conflict((extension_limits::extension_id, extension_limits::limit_key))
                .do_update()
                .set((
                    extension_limits::value.eq(excluded(extension_limits::value)),
                    extension_limits::updated_at.eq(now),
                ))
                .execute(connection)
                .await?;
        }
    }
    Ok(())
}

/// Removes the override of an extension. Announce [`foundation::invalidation::Invalidation::Limits`] after
/// the commit.
///
/// # Errors
/// Database failure.
pub async fn clear_override(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    key: LimitKey,
) -> Result<()> {
    diesel::delete(extension_limits::table.find((extension_id, key.as_str()))).execute(connection).await?;
    Ok(())
}
