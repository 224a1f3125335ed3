//! The row of the last checkpoint.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    Result,
    db::{schema::redis_checkpoint as checkpoint, without_waiting},
};

/// How far the work that Redis holds is done.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = checkpoint)]
pub(super) struct Checkpoint {
    /// 0 before the first.
    pub number: i64,
    /// What deliveries that were handled before came to is stored, and their handlers have run.
    pub settled_until: DateTime<Utc>,
    /// When Redis was found to have lost data, while that is being made good.
    pub lost_at: Option<DateTime<Utc>>,
}

/// The last checkpoint, for this transaction alone; `None` when another has it or it is from after `before`.
pub(super) async fn take(
    connection: &mut AsyncPgConnection,
    before: DateTime<Utc>,
) -> Result<Option<Checkpoint>> {
    Ok(checkpoint::table
        .filter(checkpoint::checked_at.le(before))
        .select(Checkpoint::as_select())
        .for_update()
        .skip_locked()
        .first(connection)
        .await
        .optional()?)
}

/// Replaces it. Should it be lost, more comes again than has to.
pub(super) async fn put(
    connection: &mut AsyncPgConnection,
    next: &Checkpoint,
    now: DateTime<Utc>,
) -> Result<()> {
    let Checkpoint { number, settled_until, lost_at } = next;
    let values = (
        checkpoint::number.eq(number),
        checkpoint::settled_until.eq(settled_until),
        checkpoint::lost_at.eq(lost_at),
        checkpoint::checked_at.eq(now),
    );
    diesel::update(checkpoint::table.filter(without_waiting())).set(values).execute(connection).await?;
    Ok(())
}
