//! Outbox: jobs that must follow a commit (reference/jobs.md#outbox). They are written in the same
//! transaction and added to the queue afterwards. They are kept until the queue is done with them, in case it
//! loses its data.

use chrono::{DateTime, Utc};
use diesel::{
    deserialize::{self, FromSql, FromSqlRow},
    insert_into,
    pg::{Pg, PgValue},
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Jsonb, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::jobs::{Job, QUEUES};
use shared::{Error, Result, id, schema::outbox};

/// Row that waits for the relay.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = outbox)]
pub struct Waiting {
    /// Id of the row.
    pub id: Uuid,
    /// Name of the queue.
    pub queue: String,
    /// Payload of the job.
    pub payload: Payload,
    /// Idempotency key of the job.
    pub idempotency_key: String,
    /// Place in the trace of the work that added the job; `None` outside of a trace.
    pub traceparent: Option<String>,
}

/// Payload of a waiting row, or the reason why it cannot be read: a value that others made may be too deep within the
/// job. Such a row may not stop the others.
#[derive(Debug, Clone, FromSqlRow)]
pub struct Payload(std::result::Result<serde_json::Value, String>);

impl Payload {
    /// Payload as JSON.
    ///
    /// # Errors
    /// `InvalidJob` when it cannot be read.
    pub fn read(&self) -> Result<&serde_json::Value> {
        self.0.as_ref().map_err(|reason| Error::InvalidJob(format!("it cannot be read: {reason}")))
    }
}

impl FromSql<Jsonb, Pg> for Payload {
    fn from_sql(stored: PgValue<'_>) -> deserialize::Result<Self> {
        let read = <serde_json::Value as FromSql<Jsonb, Pg>>::from_sql(stored);
        Ok(Self(read.map_err(|error| error.to_string())))
    }
}

/// Writes a job into the outbox of the current transaction.
///
/// # Errors
/// A failure of the database.
pub async fn add<J: Job>(connection: &mut AsyncPgConnection, job: &J, idempotency_key: &str) -> Result<()> {
    insert(connection, job, idempotency_key, None).await
}

/// Stores a job that its queue has already, under the same key, until it has ended.
///
/// # Errors
/// A failure of the database.
pub async fn add_relayed<J: Job>(
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
            outbox::traceparent.eq(traceparent()),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Writes several jobs of one kind, each with its idempotency key, into the outbox of the current
/// transaction.
///
/// # Errors
/// A failure of the database.
pub async fn add_each<J: Job>(connection: &mut AsyncPgConnection, jobs: &[(J, String)]) -> Result<()> {
    let traceparent = traceparent();
    let rows = jobs
        .iter()
        .map(|(job, idempotency_key)| {
            Ok((
                outbox::id.eq(id::new()),
                outbox::queue.eq(J::QUEUE),
                outbox::payload.eq(serde_json::to_value(job)?),
                outbox::idempotency_key.eq(idempotency_key),
                outbox::traceparent.eq(&traceparent),
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    insert_into(outbox::table).values(rows).execute(connection).await?;
    Ok(())
}

/// Place in the trace of the present work.
fn traceparent() -> Option<String> {
    trace_context::current().map(|trace| trace.traceparent())
}

/// Locks up to `limit` rows of known queues, oldest first, that no queue has and no other relay is handling.
/// Call it in a transaction, and call [`relayed`] in the same one.
///
/// # Errors
/// A failure of the database.
pub async fn take(connection: &mut AsyncPgConnection, limit: i64) -> Result<Vec<Waiting>> {
    Ok(outbox::table
        // A row for the queue of a newer version waits for a relay that knows it, without blocking other
        // rows.
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

/// Records that the queue has these rows.
///
/// # Errors
/// A failure of the database.
pub async fn relayed(connection: &mut AsyncPgConnection, ids: &[Uuid], now: DateTime<Utc>) -> Result<()> {
    let rows = outbox::table.filter(outbox::id.eq_any(ids));
    diesel::update(rows).set(outbox::relayed_at.eq(now)).execute(connection).await?;
    Ok(())
}

/// Queues that have relayed rows.
///
/// # Errors
/// A failure of the database.
pub async fn queues_with_relayed(connection: &mut AsyncPgConnection) -> Result<Vec<String>> {
    let relayed = outbox::table.filter(outbox::relayed_at.is_not_null());
    Ok(relayed.select(outbox::queue).distinct().load(connection).await?)
}

/// Deletes the rows that each of these queues got before the given time: it is done with them.
///
/// # Errors
/// A failure of the database.
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

/// Marks up to `limit` rows that a queue got up to the given time as waiting again. Returns their number.
///
/// # Errors
/// A failure of the database.
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

/// Sets a row aside that the queue never takes.
///
/// # Errors
/// A failure of the database.
pub async fn refuse(connection: &mut AsyncPgConnection, id: Uuid, refusal: &str) -> Result<()> {
    diesel::update(outbox::table.find(id)).set(outbox::refusal.eq(refusal)).execute(connection).await?;
    Ok(())
}
