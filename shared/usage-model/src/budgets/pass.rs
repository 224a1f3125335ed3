//! Pass over the accounts whose counts have changed.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

use super::evaluate;

/// Accounts of one pass.
pub const MARK_BATCH_SIZE: i64 = 100;
/// Timeout of each statement about one account, so that a large account delays the others little.
const STATEMENT_TIMEOUT: &str = "SET LOCAL statement_timeout = '2s'";

#[derive(QueryableByName)]
struct Mark {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

/// Compares the budgets of up to `limit` marked accounts, the longest marked first, and removes the marks. Returns the
/// number of accounts that are no longer due. Each account has a transaction of its own: one that fails is tried again
/// after ten minutes, and its audit entries wait for no other account. Copies skip the marks of each other, and a writer
/// that marks an account again waits for its comparison.
///
/// # Errors
/// A failure of the database; the marks of the accounts that are left stay.
pub async fn pass(connection: &mut AsyncPgConnection, now: DateTime<Utc>, limit: i64) -> Result<usize> {
    let marks: Vec<Mark> = sql_query(DUE).bind::<BigInt, _>(limit).prepared().load(connection).await?;
    let mut done = 0;
    for Mark { account_id } in marks {
        let is_done = match compare(connection, account_id, now).await {
            Ok(is_compared) => is_compared,
            Err(error) => {
                tracing::warn!(%account_id, %error, "the budgets of an account cannot be compared now");
                change(connection, POSTPONE, account_id).await? > 0
            }
        };
        done += usize::from(is_done);
    }
    Ok(done)
}

/// Compares the budgets of one account; false when another copy does, or has done so.
async fn compare(connection: &mut AsyncPgConnection, account_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
    connection
        .transaction(async |connection| {
            connection.batch_execute(STATEMENT_TIMEOUT).await?;
            let claimed: Option<Mark> = sql_query(CLAIM)
                .bind::<SqlUuid, _>(account_id)
                .prepared()
                .get_result(connection)
                .await
                .optional()?;
            if claimed.is_none() {
                return Ok(false);
            }
            evaluate(connection, account_id, now).await?;
            change(connection, REMOVE, account_id).await?;
            Ok(true)
        })
        .await
}

async fn change(
    connection: &mut AsyncPgConnection,
    statement: &'static str,
    account_id: Uuid,
) -> Result<usize> {
    Ok(sql_query(statement).bind::<SqlUuid, _>(account_id).prepared().execute(connection).await?)
}

const DUE: &str = "SELECT account_id FROM usage_marks WHERE marked_at <= now() ORDER BY marked_at LIMIT $1";

const CLAIM: &str = "
    SELECT account_id FROM usage_marks WHERE account_id = $1 AND marked_at <= now() FOR UPDATE SKIP LOCKED";

const REMOVE: &str = "DELETE FROM usage_marks WHERE account_id = $1";

const POSTPONE: &str = "
    UPDATE usage_marks SET marked_at = now() + interval '10 minutes'
    WHERE account_id = (
        SELECT account_id FROM usage_marks WHERE account_id = $1 AND marked_at <= now() FOR UPDATE SKIP LOCKED)";
