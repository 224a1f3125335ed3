//! The row of the last checkpoint. Its moments of looking are the database's own: processes' clocks may differ.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    Result,
    db::{schema::redis_checkpoint as checkpoint, without_waiting},
};

/// How far the work that Redis holds is done.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub(super) struct Checkpoint {
    /// 0 before the first.
    #[diesel(sql_type = BigInt)]
    pub number: i64,
    /// What deliveries that were handled before came to is stored, and their handlers have run.
    #[diesel(sql_type = Timestamptz)]
    pub settled_until: DateTime<Utc>,
    /// Whether a loss of data is being made good.
    #[diesel(sql_type = Bool)]
    pub is_lost: bool,
    /// Whether what came again is to come once more: by then everybody has written down what was begun before.
    #[diesel(sql_type = Bool)]
    pub is_due_again: bool,
}

impl Checkpoint {
    /// The one after it.
    pub const fn next(&self, settled_until: DateTime<Utc>) -> Self {
        Self { number: self.number + 1, settled_until, is_lost: false, is_due_again: false }
    }
}

/// The last checkpoint, for this transaction alone; `None` when another has it or has just looked at it.
pub(super) async fn take(connection: &mut AsyncPgConnection) -> Result<Option<Checkpoint>> {
    let sql = "UPDATE redis_checkpoint SET checked_at = now() FROM (
            SELECT is_only FROM redis_checkpoint WHERE checked_at <= now() - interval '900 milliseconds'
            FOR UPDATE SKIP LOCKED) AS taken
        WHERE redis_checkpoint.is_only = taken.is_only
        RETURNING number, settled_until, lost_at IS NOT NULL AS is_lost,
            coalesce(lost_at <= now() - interval '15 seconds', false) AS is_due_again";
    Ok(sql_query(sql).get_result(connection).await.optional()?)
}

/// Notes that Redis was found to have lost data.
pub(super) async fn lost(connection: &mut AsyncPgConnection) -> Result<()> {
    sql_query("UPDATE redis_checkpoint SET lost_at = now()").execute(connection).await?;
    Ok(())
}

/// Puts a checkpoint in place of the one before it; `false` when another did. Should it be lost, more comes again than has
/// to.
pub(super) async fn put(connection: &mut AsyncPgConnection, next: &Checkpoint) -> Result<bool> {
    let before = checkpoint::table.filter(checkpoint::number.eq(next.number - 1).and(without_waiting()));
    let values = (
        checkpoint::number.eq(next.number),
        checkpoint::settled_until.eq(next.settled_until),
        checkpoint::lost_at.eq(None::<DateTime<Utc>>),
    );
    Ok(diesel::update(before).set(values).execute(connection).await? > 0)
}
