//! Stop of uploads.

use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{Result, id::AccountId};

#[derive(QueryableByName)]
struct Stopped {
    #[diesel(sql_type = BigInt)]
    maximum: i64,
}

const STOPPED: &str = "
    SELECT maximum FROM usage_budgets
    WHERE account_id = $1 AND subject_kind = 'account' AND unit = 'stored_bytes' AND stopped_until > now()
    ORDER BY maximum LIMIT 1";

/// Returns the maximum of a budget that refuses further stored bytes to an account; `None` without one. It is read in
/// the transaction that stores the bytes.
///
/// # Errors
/// A failure of the database.
pub async fn storage_stop(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Option<i64>> {
    let stopped: Option<Stopped> =
        sql_query(STOPPED).bind::<SqlUuid, _>(account).prepared().get_result(connection).await.optional()?;
    Ok(stopped.map(|stopped| stopped.maximum))
}
