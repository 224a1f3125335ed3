//! Locks of chains.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::Result;
use uuid::Uuid;

#[derive(QueryableByName)]
struct Chain {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

/// Locks the chains that are not written at the moment, and returns their accounts. What was read before may have
/// changed meanwhile: a later statement sees it as it is now.
pub(crate) async fn lock(connection: &mut AsyncPgConnection, accounts: &[Uuid]) -> Result<Vec<Uuid>> {
    let chains: Vec<Chain> = sql_query(
        "SELECT account_id FROM audit_chains WHERE account_id = ANY ($1)
         ORDER BY account_id FOR NO KEY UPDATE SKIP LOCKED",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .load(connection)
    .await?;
    Ok(chains.into_iter().map(|chain| chain.account_id).collect())
}
