//! Notices to accounts that an extension stopped because a reviewer revoked its version or suspended it, or
//! that it runs again (reference/extensions.md#roll-out). Each change is reported once.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    dsl::sql,
    expression::SqlLiteral,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use semver::Version;
use serde_json::json;
use uuid::Uuid;

use crate::{BATCH_SIZE, MovedInstall};
use foundation::{
    events::{Channel, Event},
    invalidation::Invalidation,
    jobs::PublishEvent,
    outbox,
};
use notices::notify::{self, Notice, RunStatus};
use shared::{
    Result,
    id::{self, UserId},
    schema::extensions,
};

/// SQL text of [`install_runs`]: an install is enabled and not killed, its extension is not suspended and its
/// version may run.
pub const INSTALL_RUNS: &str =
    "(extension_installs.enabled AND extension_installs.killed_at IS NULL AND EXISTS (
    SELECT FROM extension_versions AS running JOIN extensions AS known ON known.id = running.extension_id
    WHERE running.id = extension_installs.version_id AND known.status <> 'suspended'
      AND running.status NOT IN ('rejected', 'revoked', 'draft')))";

/// Condition that an install runs, for queries of `extension_installs`. It is SQL text, because further
/// joined tables make types that take minutes to compile.
pub fn install_runs() -> SqlLiteral<Bool> {
    sql(INSTALL_RUNS)
}

/// Installs whose owners were notified.
#[derive(Debug, Default)]
pub struct NotifiedInstalls {
    /// Accounts of the installs, each once. Announce a refresh to the workers after the commit.
    pub accounts: Vec<Uuid>,
    /// Invalidations to announce after the commit: deleted tokens of pages.
    pub invalidations: Vec<Invalidation>,
}

#[derive(Debug, QueryableByName)]
struct MarkedInstall {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    owner_id: Uuid,
}

#[derive(QueryableByName)]
struct Token {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Notifies the owners of up to [`BATCH_SIZE`] installs of an extension that they stopped or run again, and
/// publishes `install:updated` on `extensions:{account_id}`. The tokens of the pages of stopped installs are
/// deleted. Call it after the roll-out has moved all installs, each time in a transaction of its own, until
/// it returns no account.
///
/// # Errors
/// Database failure.
pub async fn notify_run_status(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    now: DateTime<Utc>,
) -> Result<NotifiedInstalls> {
    let extension: Option<(String, String)> = extensions::table
        .find(extension_id)
        .select((extensions::name, extensions::status))
        .first(connection)
        .await
        .optional()?;
    let Some((name, status)) = extension else { return Ok(NotifiedInstalls::default()) };
    let stopped = mark(connection, extension_id, STOPPED, now).await?;
    if !stopped.is_empty() {
        let run_status = if status == "suspended" { RunStatus::Suspended } else { RunStatus::Stopped };
        notify_owners(connection, extension_id, &name, &stopped, run_status, now).await?;
        let invalidations = delete_tokens(connection, &stopped).await?;
        return Ok(NotifiedInstalls { accounts: accounts(&stopped), invalidations });
    }
    let running = mark(connection, extension_id, RUNNING, now).await?;
    if !running.is_empty() {
        notify_owners(connection, extension_id, &name, &running, RunStatus::Restored, now).await?;
    }
    Ok(NotifiedInstalls { accounts: accounts(&running), invalidations: Vec::new() })
}

/// Notifies the owners of installs that left a revoked version of the version that runs now.
pub(super) async fn notify_fall_back(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    moved: &[MovedInstall],
    to: &Version,
    now: DateTime<Utc>,
) -> Result<()> {
    let ids: Vec<Uuid> = moved.iter().map(|install| install.id).collect();
    sql_query(
        "UPDATE extension_installs SET stop_told_at = NULL WHERE id = ANY($1) AND stop_told_at IS NOT NULL",
    )
    .bind::<Array<SqlUuid>, _>(&ids)
    .execute(connection)
    .await?;
    let name: String =
        extensions::table.find(extension_id).select(extensions::name).first(connection).await?;
    let notice = Notice::ExtensionRunStatus {
        extension_id,
        extension_name: &name,
        status: RunStatus::FellBack { to: &to.to_string() },
    };
    let owners = owners(moved.iter().map(|install| install.owner_id));
    notify::notify(connection, &owners, &notice, now).await
}

/// An update of the mark on installs. `to` is the new value and must use `$2`, the time; `which` selects the
/// installs.
#[derive(Clone, Copy)]
struct Mark {
    to: &'static str,
    which: &'static str,
}

/// Installs that do not run and whose account was not notified. Selected by their versions, so that installs
/// that are marked already are not read again.
const STOPPED: Mark = Mark {
    to: "$2",
    which: "candidates.stop_told_at IS NULL AND candidates.version_id = ANY (ARRAY(
                SELECT stopped.id FROM extension_versions AS stopped
                JOIN extensions AS known ON known.id = stopped.extension_id
                WHERE stopped.extension_id = $1 AND (known.status = 'suspended' OR stopped.status = 'revoked')))",
};
/// Installs that run and whose account was notified that they do not.
const RUNNING: Mark = Mark {
    to: "nullif($2, $2)",
    which: "candidates.stop_told_at IS NOT NULL AND extensions.status <> 'suspended' AND versions.status <> 'revoked'",
};

async fn mark(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    mark: Mark,
    now: DateTime<Utc>,
) -> Result<Vec<MarkedInstall>> {
    let Mark { to, which } = mark;
    Ok(sql_query(format!(
        "UPDATE extension_installs AS installs SET stop_told_at = {to} FROM accounts
         WHERE accounts.id = installs.account_id AND installs.id IN (
             SELECT candidates.id FROM extension_installs AS candidates
             JOIN extensions ON extensions.id = candidates.extension_id
             JOIN extension_versions AS versions ON versions.id = candidates.version_id
             WHERE candidates.extension_id = $1 AND {which}
             ORDER BY candidates.version_id, candidates.id LIMIT $3 FOR UPDATE OF candidates)
         RETURNING installs.id, installs.account_id, accounts.owner_id"
    ))
    .bind::<SqlUuid, _>(extension_id)
    .bind::<Timestamptz, _>(now)
    .bind::<BigInt, _>(BATCH_SIZE)
    .load(connection)
    .await?)
}

async fn notify_owners(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    extension_name: &str,
    marked: &[MarkedInstall],
    run_status: RunStatus<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    let events: Vec<(PublishEvent, String)> = marked
        .iter()
        .map(|install| {
            let data = json!({ "id": install.id, "account_id": install.account_id });
            let event = Event::new(Channel::Extensions(install.account_id), "install:updated", data, now);
            (PublishEvent { event }, format!("standing:{}:{}", install.id, id::new()))
        })
        .collect();
    outbox::add_each(connection, &events).await?;
    let notice = Notice::ExtensionRunStatus { extension_id, extension_name, status: run_status };
    notify::notify(connection, &owners(marked.iter().map(|install| install.owner_id)), &notice, now).await
}

async fn delete_tokens(
    connection: &mut AsyncPgConnection,
    stopped: &[MarkedInstall],
) -> Result<Vec<Invalidation>> {
    let installs: Vec<String> = stopped.iter().map(|install| install.id.to_string()).collect();
    let accounts = accounts(stopped);
    let tokens: Vec<Token> = sql_query(
        "DELETE FROM surface_tokens WHERE kind = 'extension' AND subject = ANY($1) AND account_id = ANY($2)
         RETURNING id",
    )
    .bind::<Array<Text>, _>(&installs)
    .bind::<Array<SqlUuid>, _>(&accounts)
    .load(connection)
    .await?;
    Ok(tokens.into_iter().map(|token| Invalidation::Credential { id: token.id }).collect())
}

/// Accounts of the installs, each once.
fn accounts(marked: &[MarkedInstall]) -> Vec<Uuid> {
    let mut accounts: Vec<Uuid> = marked.iter().map(|install| install.account_id).collect();
    accounts.sort_unstable();
    accounts.dedup();
    accounts
}

/// Owners, each once.
fn owners(owners: impl Iterator<Item = Uuid>) -> Vec<UserId> {
    let mut owners: Vec<Uuid> = owners.collect();
    owners.sort_unstable();
    owners.dedup();
    owners.into_iter().map(UserId).collect()
}
