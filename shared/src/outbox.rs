//! Jobs that must follow a commit: written in the same transaction, handed to the queue afterwards.

use diesel::{insert_into, prelude::*};
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
    insert_into(outbox::table)
        .values((
            outbox::id.eq(id::new()),
            outbox::queue.eq(J::QUEUE),
            outbox::payload.eq(serde_json::to_value(job)?),
            outbox::idempotency_key.eq(idempotency_key),
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

/// Takes up to `limit` rows of known queues, oldest first, that no other relay is handling. Call it in a transaction and delete the
/// rows in the same one once the queue has them.
///
/// # Errors
/// When the database fails.
pub async fn take(connection: &mut AsyncPgConnection, limit: i64) -> Result<Vec<Waiting>> {
    Ok(outbox::table
        // A row of a newer version's queue waits for a relay that knows it, and is in nobody's way meanwhile.
        .filter(outbox::queue.eq_any(QUEUES).and(outbox::refusal.is_null()))
        .select(Waiting::as_select())
        .order(outbox::created_at)
        .limit(limit)
        .for_update()
        .skip_locked()
        .load(connection)
        .await?)
}

/// Forgets rows that the queue has.
///
/// # Errors
/// When the database fails.
pub async fn remove(connection: &mut AsyncPgConnection, ids: &[Uuid]) -> Result<()> {
    diesel::delete(outbox::table.filter(outbox::id.eq_any(ids))).execute(connection).await?;
    Ok(())
}

/// Leaves a row aside that the queue never takes.
///
/// # Errors
/// When the database fails.
pub async fn refuse(connection: &mut AsyncPgConnection, id: Uuid, refusal: &str) -> Result<()> {
    diesel::update(outbox::table.find(id)).set(outbox::refusal.eq(refusal)).execute(connection).await?;
    Ok(())
}
