//! Queries over the tables of votes. Each carries the account.

use api_core::{Result, page::Window};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::platform::Platform;
use uuid::Uuid;

use super::Vote;

#[derive(QueryableByName)]
struct Total {
    #[diesel(sql_type = BigInt)]
    total: i64,
}

/// One page and the total number.
pub(super) async fn page<V: Vote>(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    window: Window,
) -> Result<(Vec<V>, i64)> {
    let count = format!("SELECT count(*) AS total FROM {} WHERE account_id = $1", V::TABLE);
    let Total { total } = sql_query(count).bind::<SqlUuid, _>(account).get_result(connection).await?;
    let sql = format!(
        "SELECT * FROM {} WHERE account_id = $1 ORDER BY started_at DESC, id DESC LIMIT $2 OFFSET $3",
        V::TABLE
    );
    let votes = sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<BigInt, _>(window.limit)
        .bind::<BigInt, _>(window.offset())
        .load(connection)
        .await?;
    Ok((votes, total))
}

pub(super) async fn find<V: Vote>(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    id: Uuid,
) -> Result<Option<V>> {
    let sql = format!("SELECT * FROM {} WHERE account_id = $1 AND id = $2", V::TABLE);
    let found =
        sql_query(sql).bind::<SqlUuid, _>(account).bind::<SqlUuid, _>(id).get_result(connection).await;
    Ok(found.optional()?)
}

/// Row by the platform's id.
pub(super) async fn find_stated<V: Vote>(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    platform: Platform,
    platform_id: &str,
) -> Result<Option<V>> {
    let sql = format!(
        "SELECT * FROM {} WHERE account_id = $1 AND platform = $2 AND {} = $3",
        V::TABLE,
        V::PLATFORM_ID
    );
    let found = sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(platform_id)
        .get_result(connection)
        .await;
    Ok(found.optional()?)
}
