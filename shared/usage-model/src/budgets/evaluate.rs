//! Comparison of budgets with their use.

use chrono::{DateTime, Utc};
use diesel::{
    sql_query,
    sql_types::{Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{Error, Result};
use uuid::Uuid;

use super::{notices, present_use, row::Row};
use crate::units::Period;

const LOCK: &str = concat!(
    "SELECT budget.id, budget.account_id, account.name AS account_name, budget.subject_kind, budget.subject_id,
        budget.unit, budget.period, budget.maximum, budget.warn_percent, budget.is_stopping, budget.warned_period,
        budget.reached_period, budget.stopped_until, ",
    present_use!("$2", "$3", "$4"),
    " AS used
    FROM usage_budgets AS budget JOIN accounts AS account ON account.id = budget.account_id
    WHERE budget.account_id = $1 ORDER BY budget.id FOR NO KEY UPDATE OF budget"
);

const CHANGE: &str = "
    UPDATE usage_budgets SET warned_period = $3, reached_period = $4, stopped_until = $5
    WHERE account_id = $1 AND id = $2";

/// Compares the budgets of an account with their use, in a transaction: begins and ends stops, and notifies members
/// once in a period that a budget is nearly or wholly used.
///
/// # Errors
/// A failure of the database, or a row that no version writes.
pub async fn evaluate(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let rows: Vec<Row> = sql_query(LOCK)
        .bind::<SqlUuid, _>(account_id)
        .bind::<Timestamptz, _>(Period::Hour.begin(now))
        .bind::<Timestamptz, _>(Period::Day.begin(now))
        .bind::<Timestamptz, _>(Period::Month.begin(now))
        .prepared()
        .load(connection)
        .await?;
    for row in rows {
        let period = Period::parse(&row.period)
            .ok_or_else(|| Error::Internal(format!("the period of the budget {} is unknown", row.id)))?;
        let (state, reached) = row.next(period, now);
        if state == row.state() {
            continue;
        }
        sql_query(CHANGE)
            .bind::<SqlUuid, _>(account_id)
            .bind::<SqlUuid, _>(row.id)
            .bind::<Nullable<Timestamptz>, _>(state.warned_period)
            .bind::<Nullable<Timestamptz>, _>(state.reached_period)
            .bind::<Nullable<Timestamptz>, _>(state.stopped_until)
            .prepared()
            .execute(connection)
            .await?;
        if let Some(reached) = reached {
            notices::notify(connection, &row, reached, period.end(now), now).await?;
        }
    }
    Ok(())
}
