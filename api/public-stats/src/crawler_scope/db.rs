//! Queries over `crawler_scope`, which has one row.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Bool, Integer, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::id::UserId;

use super::CrawlerScope;

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Bool)]
    enabled: bool,
    #[diesel(sql_type = Array<Text>)]
    platforms: Vec<String>,
    #[diesel(sql_type = Integer)]
    min_viewers: i32,
    #[diesel(sql_type = Array<Text>)]
    languages: Vec<String>,
    #[diesel(sql_type = Integer)]
    max_channels: i32,
    #[diesel(sql_type = Integer)]
    interval_secs: i32,
}

const FIND: &str =
    "SELECT enabled, platforms, min_viewers, languages, max_channels, interval_secs FROM crawler_scope";

const REPLACE: &str = "
    UPDATE crawler_scope SET enabled = $1, platforms = $2, min_viewers = $3, languages = $4, max_channels = $5,
        interval_secs = $6, updated_by = $7, updated_at = $8";

impl From<Row> for CrawlerScope {
    fn from(row: Row) -> Self {
        Self {
            enabled: row.enabled,
            platforms: row.platforms,
            min_viewers: row.min_viewers,
            languages: row.languages,
            max_channels: row.max_channels,
            interval_secs: row.interval_secs,
        }
    }
}

pub(super) async fn find(connection: &mut AsyncPgConnection) -> Result<CrawlerScope> {
    let row: Row = sql_query(FIND).prepared().get_result(connection).await?;
    Ok(row.into())
}

pub(super) async fn replace(
    connection: &mut AsyncPgConnection,
    scope: &CrawlerScope,
    (user, now): (UserId, DateTime<Utc>),
) -> Result<()> {
    sql_query(REPLACE)
        .bind::<Bool, _>(scope.enabled)
        .bind::<Array<Text>, _>(&scope.platforms)
        .bind::<Integer, _>(scope.min_viewers)
        .bind::<Array<Text>, _>(&scope.languages)
        .bind::<Integer, _>(scope.max_channels)
        .bind::<Integer, _>(scope.interval_secs)
        .bind::<SqlUuid, _>(user.0)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}
