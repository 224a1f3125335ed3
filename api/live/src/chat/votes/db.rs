//! Queries over the tables of votes. Each carries the account.

use api_core::{CursorPage, Result, cursor::Part};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
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

/// One part, newest first. The statement is planned with its values, so an absent condition costs nothing.
pub(super) async fn page<V: Vote>(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    part: Part,
) -> Result<CursorPage<V>> {
    let total = match part.total() {
        Some(total) => total,
        None => count::<V>(connection, account).await?,
    };
    let sql = format!(
        "SELECT * FROM {} WHERE account_id = $1 AND ($2 IS NULL OR (started_at, id) < ($2, $3))
        ORDER BY started_at DESC, id DESC LIMIT $4 OFFSET $5",
        V::TABLE
    );
    let votes: Vec<V> = sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<Nullable<Timestamptz>, _>(part.after_at())
        .bind::<Nullable<SqlUuid>, _>(part.after_id())
        .bind::<BigInt, _>(part.limit())
        .bind::<BigInt, _>(part.offset())
        .load(connection)
        .await?;
    Ok(part.page(votes.into_iter().map(|vote| (vote.position(), vote)).collect(), total))
}

async fn count<V: Vote>(connection: &mut AsyncPgConnection, account: Uuid) -> Result<i64> {
    let sql = format!("SELECT count(*) AS total FROM {} WHERE account_id = $1", V::TABLE);
    let Total { total } = sql_query(sql).bind::<SqlUuid, _>(account).get_result(connection).await?;
    Ok(total)
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
