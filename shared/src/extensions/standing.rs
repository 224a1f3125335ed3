//! Telling accounts that an extension of theirs does not run any more because a reviewer took it or its version back, or
//! that it runs again (specification C B1.2, B1.3): once for each change of it.

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

use super::{MovedInstall, roll_out::BATCH};
use crate::{
    Result,
    db::schema::extensions,
    events::{Channel, Event},
    id::{self, UserId},
    invalidation::Invalidation,
    jobs::PublishEvent,
    notify::{self, Notice, Standing},
    outbox,
};

/// Whether an install runs: it is switched on and was not killed, its extension is not suspended and its version may run.
const RUNS: &str = "(extension_installs.enabled AND extension_installs.killed_at IS NULL AND EXISTS (
    SELECT FROM extension_versions AS running JOIN extensions AS known ON known.id = running.extension_id
    WHERE running.id = extension_installs.version_id AND known.status <> 'suspended'
      AND running.status NOT IN ('rejected', 'revoked', 'draft')))";

/// Whether an install runs, for queries of `extension_installs`. As text, because more joined tables make types that take
/// the compiler minutes.
pub fn install_runs() -> SqlLiteral<Bool> {
    sql(RUNS)
}

/// Installs whose owners were told.
#[derive(Debug, Default)]
pub struct ToldInstalls {
    /// Their accounts, each once: the workers of these look again after the commit.
    pub accounts: Vec<Uuid>,
    /// What is to be announced after the commit: tokens of pages that were taken away.
    pub invalidations: Vec<Invalidation>,
}

#[derive(Debug, QueryableByName)]
struct Told {
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

/// Tells the owners of up to [`BATCH`] installs of an extension that they stopped or that they run again: a notification
/// each and `install:updated` on `extensions:{account_id}`. The tokens of the pages of what stopped are taken away. Call
/// it once the roll-out moves nothing any more, each time in a transaction of its own, until it answers no account.
///
/// # Errors
/// When the database fails.
pub async fn tell_standing(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    now: DateTime<Utc>,
) -> Result<ToldInstalls> {
    let extension: Option<(String, String)> = extensions::table
        .find(extension_id)
        .select((extensions::name, extensions::status))
        .first(connection)
        .await
        .optional()?;
    let Some((name, status)) = extension else { return Ok(ToldInstalls::default()) };
    let stopped = mark(connection, extension_id, STOPPED, now).await?;
    if !stopped.is_empty() {
        let standing = if status == "suspended" { Standing::Suspended } else { Standing::Stopped };
        tell(connection, extension_id, &name, &stopped, standing, now).await?;
        let invalidations = take_tokens(connection, &stopped).await?;
        return Ok(ToldInstalls { accounts: accounts(&stopped), invalidations });
    }
    let running = mark(connection, extension_id, RUNNING, now).await?;
    if !running.is_empty() {
        tell(connection, extension_id, &name, &running, Standing::Restored, now).await?;
    }
    Ok(ToldInstalls { accounts: accounts(&running), invalidations: Vec::new() })
}

/// Tells the owners of installs that left a revoked version which one they run now.
pub(super) async fn tell_of_fall_back(
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
    let notice = Notice::ExtensionStanding {
        extension_id,
        extension_name: &name,
        standing: Standing::FellBack { to: &to.to_string() },
    };
    let owners = owners(moved.iter().map(|install| install.owner_id));
    notify::notify(connection, &owners, &notice, now).await
}

/// What marks an install, and which ones are marked; `$2`, which `to` must use, is the time.
#[derive(Clone, Copy)]
struct Mark {
    to: &'static str,
    which: &'static str,
}

/// Does not run, and its account was not told. By its versions, so that those who were told are not read again.
const STOPPED: Mark = Mark {
    to: "$2",
    which: "candidates.stop_told_at IS NULL AND candidates.version_id = ANY (ARRAY(
                SELECT stopped.id FROM extension_versions AS stopped
                JOIN extensions AS known ON known.id = stopped.extension_id
                WHERE stopped.extension_id = $1 AND (known.status = 'suspended' OR stopped.status = 'revoked')))",
};
/// Runs, and its account was told that it does not.
const RUNNING: Mark = Mark {
    to: "nullif($2, $2)",
    which: "candidates.stop_told_at IS NOT NULL AND extensions.status <> 'suspended' AND versions.status <> 'revoked'",
};

async fn mark(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    mark: Mark,
    now: DateTime<Utc>,
) -> Result<Vec<Told>> {
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
    .bind::<BigInt, _>(BATCH)
    .load(connection)
    .await?)
}

async fn tell(
    connection: &mut AsyncPgConnection,
    extension_id: Uuid,
    extension_name: &str,
    told: &[Told],
    standing: Standing<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    let events: Vec<(PublishEvent, String)> = told
        .iter()
        .map(|install| {
            let data = json!({ "id": install.id, "account_id": install.account_id });
            let event = Event::new(Channel::Extensions(install.account_id), "install:updated", data, now);
            (PublishEvent { event }, format!("standing:{}:{}", install.id, id::new()))
        })
        .collect();
    outbox::add_each(connection, &events).await?;
    let notice = Notice::ExtensionStanding { extension_id, extension_name, standing };
    notify::notify(connection, &owners(told.iter().map(|install| install.owner_id)), &notice, now).await
}

async fn take_tokens(connection: &mut AsyncPgConnection, stopped: &[Told]) -> Result<Vec<Invalidation>> {
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

/// Each once.
fn accounts(told: &[Told]) -> Vec<Uuid> {
    let mut accounts: Vec<Uuid> = told.iter().map(|install| install.account_id).collect();
    accounts.sort_unstable();
    accounts.dedup();
    accounts
}

/// Each once.
fn owners(owners: impl Iterator<Item = Uuid>) -> Vec<UserId> {
    let mut owners: Vec<Uuid> = owners.collect();
    owners.sort_unstable();
    owners.dedup();
    owners.into_iter().map(UserId).collect()
}
