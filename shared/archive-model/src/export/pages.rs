//! Rows over time, in pages. Each page is one short statement: a long snapshot would keep partitions from being dropped,
//! and writers would wait behind that.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Database;
use shared::Error as StoreError;

use super::Request;
use crate::{
    Error, Result, sql,
    tables::{Rows, Table},
    writer::ArchiveWriter,
};

#[derive(QueryableByName)]
struct Keyed {
    #[diesel(sql_type = Text)]
    line: String,
    #[diesel(sql_type = Array<Text>)]
    key: Vec<String>,
}

/// Writes the rows of a table from before the export.
pub(super) async fn write(
    timescaledb: &Database,
    request: Request<'_>,
    table: &Table,
    rows: &Rows,
    writer: &mut ArchiveWriter,
) -> Result<()> {
    writer.begin_rows(&table.file()).await?;
    let (first, next) = (sql::select_page(table, rows, true), sql::select_page(table, rows, false));
    let mut key: Option<Vec<String>> = None;
    loop {
        writer.check().await?;
        let statement = if key.is_some() { &next } else { &first };
        let page = page(timescaledb, statement, request, key.as_deref().unwrap_or_default()).await?;
        for row in &page {
            writer.row(&row.line).await?;
        }
        let Some(last) = page.into_iter().next_back() else { break };
        key = Some(last.key);
    }
    writer.end().await
}

async fn page(
    timescaledb: &Database,
    statement: &str,
    request: Request<'_>,
    key: &[String],
) -> Result<Vec<Keyed>> {
    let mut connection = timescaledb.get().await?;
    connection
        .build_transaction()
        .read_only()
        .run(async |connection| read(connection, statement, request, key).await)
        .await
        .map_err(Error::from)
}

async fn read(
    connection: &mut AsyncPgConnection,
    statement: &str,
    Request { account, now, .. }: Request<'_>,
    key: &[String],
) -> Result<Vec<Keyed>, StoreError> {
    sql_query("SET LOCAL timezone = 'UTC'").execute(connection).await?;
    Ok(sql_query(statement)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, DateTime<Utc>>(now)
        .bind::<Array<Text>, _>(key)
        .load(connection)
        .await?)
}
