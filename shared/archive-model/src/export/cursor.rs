//! Rows of a statement in parts, within a transaction.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bytea, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::Result;

/// Rows that are fetched at a time. One row may have hundreds of kilobytes.
const FETCH: &str = "FETCH FORWARD 100 FROM archive_rows";

/// A row as a text.
#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// Sealed value with the name of its row.
#[derive(QueryableByName)]
pub(super) struct SealedValue {
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Bytea)]
    pub sealed: Vec<u8>,
}

/// Cursor over the rows of an account. A transaction has one at a time.
pub(super) struct Cursor<'a>(&'a mut AsyncPgConnection);

impl<'a> Cursor<'a> {
    /// Opens the cursor of a statement whose `$1` is the account.
    pub async fn open(connection: &'a mut AsyncPgConnection, sql: &str, account: Uuid) -> Result<Self> {
        sql_query(format!("DECLARE archive_rows NO SCROLL CURSOR FOR {sql}"))
            .bind::<SqlUuid, _>(account)
            .execute(connection)
            .await?;
        Ok(Self(connection))
    }

    /// Next values of the column `line`; none at the end.
    pub async fn lines(&mut self) -> Result<Vec<String>> {
        let lines: Vec<Line> = sql_query(FETCH).load(self.0).await?;
        Ok(lines.into_iter().map(|line| line.line).collect())
    }

    /// Next sealed values; none at the end.
    pub async fn sealed(&mut self) -> Result<Vec<SealedValue>> {
        Ok(sql_query(FETCH).load(self.0).await?)
    }

    /// Closes the cursor, so that another one can be opened.
    pub async fn close(self) -> Result<()> {
        sql_query("CLOSE archive_rows").execute(self.0).await?;
        Ok(())
    }
}
