//! Row of the last checkpoint. Its times of checks are the database's own, because clocks of processes may
//! differ.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::without_waiting;
use shared::{Result, schema::redis_checkpoint as checkpoint};

/// Progress of the work that Redis holds.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub(super) struct Checkpoint {
    /// Number of the checkpoint; 0 before the first.
    #[diesel(sql_type = BigInt)]
    pub number: i64,
    /// Rows of deliveries that were handled before this time are stored, and their handlers have run.
    #[diesel(sql_type = Timestamptz)]
    pub settled_until: DateTime<Utc>,
    /// True while a loss of data is being recovered.
    #[diesel(sql_type = Bool)]
    pub is_lost: bool,
    /// True when repeated work is due once more: by then every process has recorded the work that it began
    /// before.
    #[diesel(sql_type = Bool)]
    pub is_due_again: bool,
    /// Latest election of a Redis Cluster; 0 for one server.
    #[diesel(sql_type = BigInt)]
    pub epoch: i64,
}

impl Checkpoint {
    /// Returns the checkpoint that follows this one.
    pub const fn next(&self, settled_until: DateTime<Utc>, epoch: i64) -> Self {
        Self { number: self.number + 1, settled_until, is_lost: false, is_due_again: false, epoch }
    }
}

/// Locks the last checkpoint for this transaction; `None` when another process has it or has just checked it.
pub(super) async fn take(connection: &mut AsyncPgConnection) -> Result<Option<Checkpoint>> {
    let sql = "UPDATE redis_checkpoint SET checked_at = now() FROM (
            SELECT is_only FROM redis_checkpoint WHERE checked_at <= now() - interval '900 milliseconds'
            FOR UPDATE SKIP LOCKED) AS taken
        WHERE redis_checkpoint.is_only = taken.is_only
        RETURNING number, settled_until, lost_at IS NOT NULL AS is_lost,
            coalesce(lost_at <= now() - interval '15 seconds', false) AS is_due_again,
            epoch";
    Ok(sql_query(sql).get_result(connection).await.optional()?)
}

/// Records that Redis has lost data, until the election `epoch`.
pub(super) async fn lost(connection: &mut AsyncPgConnection, epoch: i64) -> Result<()> {
    let sql = sql_query("UPDATE redis_checkpoint SET lost_at = now(), epoch = $1");
    sql.bind::<BigInt, _>(epoch).execute(connection).await?;
    Ok(())
}

/// Replaces the checkpoint before `next`; `false` when another process did. A lost write only repeats more
/// work than needed.
pub(super) async fn put(connection: &mut AsyncPgConnection, next: &Checkpoint) -> Result<bool> {
    let before = checkpoint::table.filter(checkpoint::number.eq(next.number - 1).and(without_waiting()));
    let values = (
        checkpoint::number.eq(next.number),
        checkpoint::settled_until.eq(next.settled_until),
        checkpoint::lost_at.eq(None::<DateTime<Utc>>),
        checkpoint::epoch.eq(next.epoch),
    );
    Ok(diesel::update(before).set(values).execute(connection).await? > 0)
}
