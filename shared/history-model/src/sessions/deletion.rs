//! Deletion of sessions (reference/history.md#deletion).

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{
    db::{Prepare, column},
    jobs::DeleteSamples,
    outbox,
};
use shared::{Error, Result};
use uuid::Uuid;

use super::db;

/// Sessions that the minutes of one may overlap: one for each minute of seven days.
const MAX_OVERLAPPING: i64 = 10_080;

#[derive(QueryableByName)]
struct Deleted {
    #[diesel(sql_type = Timestamptz)]
    minutes_from: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    minutes_to: Option<DateTime<Utc>>,
}

/// Minutes of a session, up to the end of those that were queried.
#[derive(QueryableByName)]
struct Minutes {
    #[diesel(sql_type = Timestamptz)]
    minutes_from: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    minutes_to: DateTime<Utc>,
}

/// No later session begins before the end of a deleted one.
const DELETE: &str = "
    WITH deleted AS (
        DELETE FROM stream_sessions WHERE account_id = $1 AND id = $2 AND ended_at IS NOT NULL
        RETURNING minutes_from, minutes_to, ended_at
    ), floor AS (
        INSERT INTO stream_floors AS known (account_id, ended_at, minutes_to)
        SELECT $1, ended_at, coalesce(minutes_to, ended_at) FROM deleted
        ON CONFLICT (account_id) DO UPDATE SET ended_at = greatest(known.ended_at, excluded.ended_at),
            minutes_to = greatest(known.minutes_to, excluded.minutes_to)
    )
    SELECT minutes_from, minutes_to FROM deleted";

/// A session is at most seven days long.
const OVERLAPPING: &str = "
    SELECT minutes_from, coalesce(minutes_to, $3) AS minutes_to FROM stream_sessions
    WHERE account_id = $1 AND started_at > $2 - interval '8 days' AND started_at < $3 + interval '1 minute'
        AND minutes_from < $3 AND (minutes_to IS NULL OR minutes_to > $2)
    ORDER BY started_at LIMIT $4";

const DELETE_SAMPLES: &str = "
    DELETE FROM stream_samples AS sample
    WHERE sample.account_id = $1 AND sample.at >= $2 AND sample.at < $3 AND NOT EXISTS (
        SELECT FROM unnest($4, $5) AS kept (minutes_from, minutes_to)
        WHERE sample.at >= kept.minutes_from AND sample.at < kept.minutes_to)";

/// Deletes a closed session of an account with its report and its shared links, in the caller's transaction;
/// `false` when the account has no such session, or it is open. A job of the outbox deletes the samples after
/// the commit, so that neither is deleted without the other.
///
/// # Errors
/// A failure of the database.
pub async fn delete(postgres: &mut AsyncPgConnection, account: Uuid, id: Uuid) -> Result<bool> {
    let deleted: Option<Deleted> = sql_query(DELETE)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(id)
        .prepared()
        .get_result(postgres)
        .await
        .optional()?;
    let Some(Deleted { minutes_from, minutes_to }) = deleted else { return Ok(false) };
    let to = minutes_to.unwrap_or(minutes_from);
    let job = DeleteSamples { account_id: account, from: minutes_from, to };
    outbox::add(postgres, &job, &format!("delete_samples:{id}")).await?;
    Ok(true)
}

/// Deletes the samples of minutes in which a session seemed to be on air and was not, in the caller's transaction,
/// as [`delete`] does: a status that is too old has viewers for some minutes.
///
/// # Errors
/// A failure of the database.
pub(super) async fn delete_late_samples(
    postgres: &mut AsyncPgConnection,
    account_id: Uuid,
    session: Uuid,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<()> {
    if from < to {
        let job = DeleteSamples { account_id, from, to };
        outbox::add(postgres, &job, &format!("delete_late_samples:{session}")).await?;
    }
    Ok(())
}

/// Deletes the samples of a session that was deleted. Minutes that another session has taken since are left to
/// it, so a repeated or late call changes nothing else. Returns the number of samples.
///
/// # Errors
/// A failure of one of the databases, or another process that applies transitions of the account now.
pub async fn delete_samples(
    postgres: &mut AsyncPgConnection,
    timeseries: &mut AsyncPgConnection,
    job: &DeleteSamples,
) -> Result<usize> {
    // No session takes minutes while theirs are deleted.
    let delete = async |postgres: &mut AsyncPgConnection| {
        if !db::lock(postgres, job.account_id).await? {
            return Err(Error::Internal("the sessions of the account are being changed".to_owned()));
        }
        let kept = overlapping(postgres, job).await?;
        delete_between(timeseries, job, &kept).await
    };
    postgres.transaction(delete).await
}

async fn overlapping(postgres: &mut AsyncPgConnection, job: &DeleteSamples) -> Result<Vec<Minutes>> {
    Ok(sql_query(OVERLAPPING)
        .bind::<SqlUuid, _>(job.account_id)
        .bind::<Timestamptz, _>(job.from)
        .bind::<Timestamptz, _>(job.to)
        .bind::<BigInt, _>(MAX_OVERLAPPING)
        .prepared()
        .load(postgres)
        .await?)
}

async fn delete_between(
    timeseries: &mut AsyncPgConnection,
    job: &DeleteSamples,
    kept: &[Minutes],
) -> Result<usize> {
    Ok(sql_query(DELETE_SAMPLES)
        .bind::<SqlUuid, _>(job.account_id)
        .bind::<Timestamptz, _>(job.from)
        .bind::<Timestamptz, _>(job.to)
        .bind::<Array<Timestamptz>, _>(column(kept, |minutes| minutes.minutes_from))
        .bind::<Array<Timestamptz>, _>(column(kept, |minutes| minutes.minutes_to))
        .prepared()
        .execute(timeseries)
        .await?)
}
