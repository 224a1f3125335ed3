//! Requests for an account's consent to a newer version, once for each version
//! (reference/extensions.md#roll-out).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use semver::Version;
use serde_json::json;
use uuid::Uuid;

use crate::BATCH_SIZE;
use foundation::{
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use notices::notify::{self, Notice};
use shared::{
    Error, Result,
    id::UserId,
    schema::{extension_installs, extension_versions, extensions},
};

/// An install that needs consent to reach the current version.
#[derive(Debug, QueryableByName)]
struct OutdatedInstall {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    owner_id: Uuid,
}

/// Current version of an extension.
struct Current {
    extension_name: String,
    id: Uuid,
    version: Version,
}

/// Informs the accounts of up to [`BATCH_SIZE`] unpinned installs that the current version waits for their
/// consent: `install:update_available` on `extensions:{account_id}`, and a notification of the owner. Call it
/// after the roll-out has moved all installs, each time in a transaction of its own, until it returns 0.
///
/// # Errors
/// Database failure, or a stored version that cannot be read.
pub async fn request_consent(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    now: DateTime<Utc>,
) -> Result<usize> {
    let Some(current) = current(connection, extension_id).await? else { return Ok(0) };
    let older = older_versions(connection, extension_id, &current).await?;
    if older.is_empty() {
        return Ok(0);
    }
    let behind = mark(connection, extension_id, &current, &older).await?;
    if behind.is_empty() {
        return Ok(0);
    }
    let events: Vec<(PublishEvent, String)> =
        behind.iter().map(|install| announcement(install, &current, now)).collect();
    outbox::add_each(connection, &events).await?;
    let mut owners: Vec<UserId> = behind.iter().map(|install| UserId(install.owner_id)).collect();
    owners.sort_unstable_by_key(|owner| owner.0);
    owners.dedup();
    let version = current.version.to_string();
    let notice =
        Notice::UpdateAvailable { extension_id, extension_name: &current.extension_name, version: &version };
    notify::notify(connection, &owners, &notice, now).await?;
    Ok(behind.len())
}

async fn current(connection: &mut AsyncPgConnection, extension_id: Uuid) -> Result<Option<Current>> {
    let row: Option<(String, Uuid, String)> = extensions::table
        .inner_join(
            extension_versions::table
                .on(extensions::current_version_id.eq(extension_versions::id.nullable())),
        )
        .filter(extensions::id.eq(extension_id).and(extensions::status.eq("approved")))
        .select((extensions::name, extension_versions::id, extension_versions::version))
        .first(connection)
        .await
        .optional()?;
    row.map(|(extension_name, id, version)| Ok(Current { extension_name, id, version: parse(&version)? }))
        .transpose()
}

/// Versions in use that are older than the current one.
async fn older_versions(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    current: &Current,
) -> Result<Vec<Uuid>> {
    let used = extension_installs::table
        .filter(extension_installs::extension_id.eq(extension_id))
        .select(extension_installs::version_id);
    let rows: Vec<(Uuid, String)> = extension_versions::table
        .filter(extension_versions::extension_id.eq(extension_id))
        .filter(extension_versions::id.eq_any(used))
        .select((extension_versions::id, extension_versions::version))
        .load(connection)
        .await?;
    let mut older = Vec::new();
    for (id, version) in rows {
        if parse(&version)?.cmp_precedence(&current.version).is_lt() {
            older.push(id);
        }
    }
    Ok(older)
}

async fn mark(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    current: &Current,
    older: &[Uuid],
) -> Result<Vec<OutdatedInstall>> {
    Ok(sql_query(
        "UPDATE extension_installs AS installs SET offered_version_id = $1 FROM accounts
         WHERE accounts.id = installs.account_id AND installs.id IN (
             SELECT id FROM extension_installs
             WHERE extension_id = $2 AND version_id = ANY($3) AND pinned_version IS NULL
               AND offered_version_id IS DISTINCT FROM $1
             ORDER BY id LIMIT $4 FOR UPDATE)
         RETURNING installs.id, installs.account_id, accounts.owner_id",
    )
    .bind::<SqlUuid, _>(current.id)
    .bind::<SqlUuid, _>(extension_id)
    .bind::<Array<SqlUuid>, _>(older)
    .bind::<BigInt, _>(BATCH_SIZE)
    .load(connection)
    .await?)
}

fn announcement(install: &OutdatedInstall, current: &Current, now: DateTime<Utc>) -> (PublishEvent, String) {
    let data = json!({ "id": install.id, "version": current.version.to_string() });
    let channel = Channel::Extensions(install.account_id);
    let event = Event::new(channel, "install:update_available", data, now);
    let key = format!("update_available:{}:{}", install.id, current.id);
    (PublishEvent { event }, key)
}

fn parse(version: &str) -> Result<Version> {
    Version::parse(version).map_err(|error| Error::Internal(format!("version {version}: {error}")))
}
