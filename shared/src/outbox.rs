//! Jobs that must follow a commit: written in the same transaction, handed to the queue afterwards, and kept until the
//! queue is done with them, in case it loses what it holds.

use chrono::{DateTime, Utc};
use diesel::{
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::{
    Result,
    db::schema::outbox,
    id,
    jobs::{Job, QUEUES},
};

/// A row that waits for the relay.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = outbox)]
pub struct Waiting {
    pub id: Uuid,
    pub queue: String,
    pub payload: serde_json::Value,
    pub idempotency_key: String,
}

/// Writes a job into the outbox of the current transaction.
///
/// # Errors
/// When the database fails.
pub async fn add<J: Job>(connection: &mut AsyncPgConnection, job: &J, idempotency_key: &str) -> Result<()> {
    insert(connection, job, idempotency_key, None).await
}

/// Keeps a job that its queue has got already, under the same key, until it has ended.
///
/// # Errors
/// When the database fails.
pub async fn keep<J: Job>(
    connection: &mut AsyncPgConnection,
    job: &J,
    idempotency_key: &str,
    relayed_at: DateTime<Utc>,
) -> Result<()> {
    insert(connection, job, idempotency_key, Some(relayed_at)).await
}

async fn insert<J: Job>(
    connection: &mut AsyncPgConnection,
    job: &J,
    idempotency_key: &str,
    relayed_at: Option<DateTime<Utc>>,
) -> Result<()> {
    insert_into(outbox::table)
        .values((
            outbox::id.eq(id::new()),
            outbox::queue.eq(J::QUEUE),
            outbox::payload.eq(serde_json::to_value(job)?),
            outbox::idempotency_key.eq(idempotency_key),
            outbox::relayed_at.eq(relayed_at),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Writes several jobs of one kind, each with its idempotency key, into the outbox of the current transaction.
///
/// # Errors
/// When the database fails.
pub async fn add_each<J: Job>(connection: &mut AsyncPgConnection, jobs: &[(J, String)]) -> Result<()> {
    let rows = jobs
        .iter()
        .map(|(job, idempotency_key)| {
            Ok((
                outbox::id.eq(id::new()),
                outbox::queue.eq(J::QUEUE),
                outbox::payload.eq(serde_json::to_value(job)?),
                outbox::idempotency_key.eq(idempotency_key),
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    insert_into(outbox::table).values(rows).execute(connection).await?;
    Ok(())
}

/// Takes up to `limit` rows of known queues, oldest first, that no queue has and no other relay is handling. Call it in a
/// transaction, and note in the same one what the queue has.
///
/// # Errors
/// When the database fails.
pub async fn take(connection: &mut AsyncPgConnection, limit: i64) -> Result<Vec<Waiting>> {
    Ok(outbox::table
        // A row of a newer version's queue waits for a relay that knows it, and is in nobody's way meanwhile.
        .filter(outbox::queue.eq_any(QUEUES))
        .filter(outbox::refusal.is_null().and(outbox::relayed_at.is_null()))
        .select(Waiting::as_select())
        .order(outbox::created_at)
        .limit(limit)
        .for_update()
        .skip_locked()
        .load(connection)
        .await?)
}

/// Notes that the queue has these rows.
///
/// # Errors
/// When the database fails.
pub async fn relayed(connection: &mut AsyncPgConnection, ids: &[Uuid], now: DateTime<Utc>) -> Result<()> {
    let rows = outbox::table.filter(outbox::id.eq_any(ids));
    diesel::update(rows).set(outbox::relayed_at.eq(now)).execute(connection).await?;
    Ok(())
}

/// The queues that have rows.
///
/// # Errors
/// When the database fails.
pub async fn queues_with_relayed(connection: &mut AsyncPgConnection) -> Result<Vec<String>> {
    let relayed = outbox::table.filter(outbox::relayed_at.is_not_null());
    Ok(relayed.select(outbox::queue).distinct().load(connection).await?)
}

/// Forgets the rows that each of these queues got before a moment: it is done with them.
///
/// # Errors
/// When the database fails.
pub async fn forget_done(
    connection: &mut AsyncPgConnection,
    done: &[(String, DateTime<Utc>)],
) -> Result<usize> {
    let (queues, moments): (Vec<_>, Vec<_>) = done.iter().cloned().unzip();
    let sql = "DELETE FROM outbox USING unnest($1, $2) AS done (queue, before)
        WHERE outbox.queue = done.queue AND outbox.relayed_at < done.before";
    let delete = sql_query(sql).bind::<Array<Text>, _>(queues).bind::<Array<Timestamptz>, _>(moments);
    Ok(delete.execute(connection).await?)
}

/// Has rows handed on again that a queue got up to a moment, at most `limit`; answers how many.
///
/// # Errors
/// When the database fails.
pub async fn relay_again(
    connection: &mut AsyncPgConnection,
    until: DateTime<Utc>,
    limit: i64,
) -> Result<usize> {
    let sql = "UPDATE outbox SET relayed_at = NULL
        WHERE id IN (SELECT id FROM outbox WHERE relayed_at <= $1 LIMIT $2)";
    let again = sql_query(sql).bind::<Timestamptz, _>(until).bind::<BigInt, _>(limit);
    Ok(again.execute(connection).await?)
}

/// Leaves a row aside that the queue never takes.
///
/// # Errors
/// When the database fails.
pub async fn refuse(connection: &mut AsyncPgConnection, id: Uuid, refusal: &str) -> Result<()> {
    diesel::update(outbox::table.find(id)).set(outbox::refusal.eq(refusal)).execute(connection).await?;
    Ok(())
}
