//! Archives that a deployment keeps: rows of `account_archives`, with an object each (reference/archives.md#archives).

use account_model::accounts::storage_prefix;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::OptionalExtension;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{db::Database, storage::Storage, unclaimed};
use shared::{Error as StoreError, Result as StoreResult, id};
use uuid::Uuid;

use crate::{
    Error, Result, Target, Written,
    export::{Request, Run, SNAPSHOT_TIMEOUT, Stores, export},
    sealing::PublicKey,
};

/// Time for which an archive is kept after it was made, and its row after a failure.
pub const TTL: TimeDelta = TimeDelta::days(7);
/// Time after which an export that has not ended is given up.
const MAX_DURATION: TimeDelta = TimeDelta::hours(24);
/// Runs of one export.
const MAX_ATTEMPTS: i32 = 5;
/// Archives of one step of the sweep.
const BATCH_SIZE: i64 = 50;
/// Archives of one statement that discards them.
const DISCARD_BATCH_SIZE: i64 = 1_000;
/// Maximum number of such statements.
const MAX_DISCARDS: usize = 10_000;
/// Error of an export that was given up.
const GIVEN_UP: &str = "The export failed repeatedly";

/// Settings of a deployment that archives state.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// Time of the run.
    pub now: DateTime<Utc>,
    /// Public address.
    pub deployment: &'a str,
    /// Version of the program.
    pub program_version: &'a str,
    /// Size in bytes above which an export fails.
    pub max_bytes: u64,
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The archive can be downloaded.
    Ready(Written),
    /// The export failed for good.
    Failed(String),
    /// The archive was deleted or discarded meanwhile.
    Gone,
}

#[derive(QueryableByName)]
struct Claimed {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    secrets_key: Option<String>,
    #[diesel(sql_type = Integer)]
    attempts: i32,
}

/// Makes an archive that was requested. May run twice: the last run writes the outcome, and the object of an earlier one
/// is removed.
///
/// # Errors
/// A failure after which a later run may succeed.
pub async fn make(stores: Stores<'_>, archive: Uuid, settings: Settings<'_>) -> Result<Outcome> {
    let attempt = id::new();
    let claimed = claim(&mut *stores.postgres.get().await?, archive, attempt, settings.now).await?;
    let Some(claimed) = claimed else { return Ok(Outcome::Gone) };
    let key = format!("{}/archives/{archive}/{attempt}.zip", storage_prefix(claimed.account_id));
    let made = match claimed.attempts {
        attempts if attempts > MAX_ATTEMPTS => {
            return give_up(stores, archive, attempt, GIVEN_UP, settings.now).await;
        }
        _ => write(stores, &claimed, &key, Run { archive, attempt }, settings).await,
    };
    match made {
        Ok(written) => finish(stores, (archive, attempt), &key, written, settings.now).await,
        Err(Error::Gone) => Ok(Outcome::Gone),
        Err(error) if error.is_transient() && claimed.attempts < MAX_ATTEMPTS => Err(error),
        Err(error) => {
            tracing::error!(%archive, account_id = %claimed.account_id, %error, "an account cannot be exported");
            give_up(stores, archive, attempt, &error.public_text(), settings.now).await
        }
    }
}

async fn claim(
    connection: &mut AsyncPgConnection,
    archive: Uuid,
    attempt: Uuid,
    now: DateTime<Utc>,
) -> StoreResult<Option<Claimed>> {
    Ok(sql_query(
        "UPDATE account_archives
         SET status = 'running', attempt = $2, attempts = attempts + 1, started_at = coalesce(started_at, $3)
         WHERE id = $1 AND finished_at IS NULL RETURNING account_id, secrets_key, attempts",
    )
    .bind::<SqlUuid, _>(archive)
    .bind::<SqlUuid, _>(attempt)
    .bind::<Timestamptz, _>(now)
    .get_result(connection)
    .await
    .optional()?)
}

async fn write(
    stores: Stores<'_>,
    claimed: &Claimed,
    key: &str,
    run: Run,
    Settings { now, deployment, program_version, max_bytes }: Settings<'_>,
) -> Result<Written> {
    let secrets_key = claimed.secrets_key.as_deref().map(PublicKey::parse).transpose()?;
    unclaimed::record(&mut *stores.postgres.get().await?, &[key.to_owned()], now).await?;
    let target = Target::Object(stores.storage.writer(key).await?);
    let request = Request {
        account: claimed.account_id,
        secrets_key: secrets_key.as_ref(),
        now,
        deployment,
        program_version,
        max_bytes,
        snapshot_timeout: SNAPSHOT_TIMEOUT,
        run: Some(run),
    };
    export(stores, request, target).await
}

async fn finish(
    stores: Stores<'_>,
    (archive, attempt): (Uuid, Uuid),
    key: &str,
    written: Written,
    now: DateTime<Utc>,
) -> Result<Outcome> {
    let size_bytes = i64::try_from(written.size_bytes).unwrap_or(i64::MAX);
    let is_ready = stores
        .postgres
        .get()
        .await?
        .transaction(async |connection| {
            let rows = sql_query(
                "UPDATE account_archives SET status = 'ready', storage_key = $3, size_bytes = $4, sha256 = $5,
                     finished_at = $6, expires_at = $7
                 WHERE id = $1 AND attempt = $2 AND finished_at IS NULL",
            )
            .bind::<SqlUuid, _>(archive)
            .bind::<SqlUuid, _>(attempt)
            .bind::<Text, _>(key)
            .bind::<BigInt, _>(size_bytes)
            .bind::<Text, _>(&written.sha256)
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(now + TTL)
            .execute(connection)
            .await?;
            if rows > 0 {
                unclaimed::claim(connection, &[key.to_owned()]).await?;
            }
            Ok::<_, StoreError>(rows > 0)
        })
        .await?;
    if is_ready {
        return Ok(Outcome::Ready(written));
    }
    stores.storage.delete(key).await?;
    Ok(Outcome::Gone)
}

async fn give_up(
    stores: Stores<'_>,
    archive: Uuid,
    attempt: Uuid,
    error: &str,
    now: DateTime<Utc>,
) -> Result<Outcome> {
    let rows = sql_query(
        "UPDATE account_archives SET status = 'failed', error = $3, finished_at = $4, expires_at = $5
         WHERE id = $1 AND attempt = $2 AND finished_at IS NULL",
    )
    .bind::<SqlUuid, _>(archive)
    .bind::<SqlUuid, _>(attempt)
    .bind::<Text, _>(error)
    .bind::<Timestamptz, _>(now)
    .bind::<Timestamptz, _>(now + TTL)
    .execute(&mut *stores.postgres.get().await.map_err(Error::from)?)
    .await?;
    Ok(if rows > 0 { Outcome::Failed(error.to_owned()) } else { Outcome::Gone })
}

/// Discards the archives of every account, also those that are being made: they may name a person who was erased, also
/// where no row does any more. Call it when the erasure has ended, outside of a transaction. It may be repeated. The
/// sweep removes the objects.
///
/// # Errors
/// A failure of the database.
pub async fn discard(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> StoreResult<()> {
    const DISCARD: &str = "
        UPDATE account_archives SET status = 'discarded', attempt = NULL, finished_at = coalesce(finished_at, $1),
            expires_at = coalesce(expires_at, $2)
        WHERE id IN (SELECT id FROM account_archives WHERE status IN ('queued', 'running', 'ready')
            ORDER BY id LIMIT $3 FOR UPDATE)";
    for _ in 0..MAX_DISCARDS {
        let discarded = sql_query(DISCARD)
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(now + TTL)
            .bind::<BigInt, _>(DISCARD_BATCH_SIZE)
            .execute(connection)
            .await?;
        if discarded == 0 {
            return Ok(());
        }
    }
    Err(StoreError::Internal("there are too many archives to discard".into()))
}

#[derive(QueryableByName)]
struct Oldest {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    created_at: Option<DateTime<Utc>>,
}

/// Returns the time at which the oldest export was requested that has not ended; `None` without one.
///
/// # Errors
/// A failure of the database.
pub async fn oldest_open(connection: &mut AsyncPgConnection) -> StoreResult<Option<DateTime<Utc>>> {
    const OLDEST: &str =
        "SELECT min(created_at) AS created_at FROM account_archives WHERE finished_at IS NULL";
    let oldest: Oldest = sql_query(OLDEST).get_result(connection).await?;
    Ok(oldest.created_at)
}

#[derive(QueryableByName)]
struct Due {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    storage_key: Option<String>,
    #[diesel(sql_type = Bool)]
    is_over: bool,
}

/// Ends some archives whose time is over, removes the objects of discarded ones, and gives up exports that do not end.
/// Returns the number of archives: 0 when none is left.
///
/// # Errors
/// A failure of the database or the storage. Objects that were removed before it stay removed.
pub async fn sweep(postgres: &Database, storage: &Storage, now: DateTime<Utc>) -> StoreResult<usize> {
    postgres
        .get()
        .await?
        .transaction(async |connection| {
            let stale = fail_stale(connection, now).await?;
            let due = due(connection, now).await?;
            for key in due.iter().filter_map(|due| due.storage_key.as_deref()) {
                storage.delete(key).await?;
            }
            let (over, others): (Vec<&Due>, Vec<&Due>) = due.iter().partition(|due| due.is_over);
            for (sql, ids) in [
                ("DELETE FROM account_archives WHERE id = ANY ($1)", over),
                ("UPDATE account_archives SET storage_key = NULL WHERE id = ANY ($1)", others),
            ] {
                let ids: Vec<Uuid> = ids.iter().map(|due| due.id).collect();
                sql_query(sql).bind::<Array<SqlUuid>, _>(ids).execute(connection).await?;
            }
            Ok::<_, StoreError>(stale + due.len())
        })
        .await
}

async fn fail_stale(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> StoreResult<usize> {
    Ok(sql_query(
        "UPDATE account_archives SET status = 'failed', error = $2, attempt = NULL, finished_at = $3, expires_at = $4
         WHERE id IN (SELECT id FROM account_archives WHERE finished_at IS NULL AND created_at < $1
             ORDER BY created_at LIMIT $5 FOR UPDATE SKIP LOCKED)",
    )
    .bind::<Timestamptz, _>(now - MAX_DURATION)
    .bind::<Text, _>(GIVEN_UP)
    .bind::<Timestamptz, _>(now)
    .bind::<Timestamptz, _>(now + TTL)
    .bind::<BigInt, _>(BATCH_SIZE)
    .execute(connection)
    .await?)
}

async fn due(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> StoreResult<Vec<Due>> {
    Ok(sql_query(
        "SELECT id, storage_key, coalesce(expires_at < $1, false) AS is_over FROM account_archives
         WHERE id IN (
             (SELECT id FROM account_archives WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
             UNION ALL (SELECT id FROM account_archives WHERE status = 'discarded' AND storage_key IS NOT NULL LIMIT $2))
         FOR UPDATE SKIP LOCKED",
    )
    .bind::<Timestamptz, _>(now)
    .bind::<BigInt, _>(BATCH_SIZE)
    .load(connection)
    .await?)
}
