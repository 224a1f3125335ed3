//! Data of an account outside of the primary database.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName, delete, sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use foundation::db::Database;
use shared::{Error, Result, schema::idempotent_requests};

/// Time after which the erasure is repeated. Rows that were buffered when the account ended are written by
/// then.
pub const ERASURE_INTERVAL: Duration = Duration::from_secs(3600);

/// Rows of one statement.
const BATCH_SIZE: i64 = 10_000;
/// Statements on one table in one run. The job's next attempt continues.
const MAX_BATCHES: usize = 10_000;
/// Tables of accounts in the database of rows over time that have no time column.
const KEYED_TABLES: [&str; 4] =
    ["platform_users", "platform_user_profiles", "youtube_membership_tiers", "stream_minute_marks"];

#[derive(QueryableByName)]
struct Page {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    last: Option<Uuid>,
    #[diesel(sql_type = BigInt)]
    emptied: i64,
}

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    time_column: String,
}

#[derive(QueryableByName)]
struct Bound {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    upper: Option<DateTime<Utc>>,
}

/// Prefix of all stored objects of an account.
#[must_use]
pub fn storage_prefix(account_id: Uuid) -> String {
    format!("accounts/{account_id}")
}

/// Erases the account's rows of every table over time, oldest first and in batches. Returns the number of
/// rows.
///
/// # Errors
/// Database failure, or more rows than one run erases: call it again.
pub async fn erase_rows(timeseries: &Database, account_id: Uuid) -> Result<usize> {
    let tables = tables_of_accounts(&mut *timeseries.get().await?).await?;
    let mut erased = 0;
    for table in &tables {
        erased += erase_table(timeseries, table, account_id).await?;
    }
    for table in KEYED_TABLES {
        erased += erase_keyed_table(timeseries, table, account_id).await?;
    }
    Ok(erased)
}

/// Empties the bodies of deliveries of channels that no account has connected, and of tips of accounts that no
/// longer exist, handled or not. Returns their number. The row itself stays as long as its platform may repeat the delivery. Reads the inbox in the order
/// of its ids, up to the last id at the start.
///
/// # Errors
/// Database failure.
pub async fn empty_deliveries(primary: &Database, now: DateTime<Utc>) -> Result<i64> {
    let sql = "WITH page AS (SELECT id FROM webhook_inbox WHERE id > $1 ORDER BY id LIMIT $2),
         emptied AS (UPDATE webhook_inbox AS delivery
             SET body = '{}', handled_at = coalesce(handled_at, $3)
             WHERE id IN (SELECT id FROM page) AND body <> '{}' AND CASE
                 WHEN platform = 'streamelements' THEN NOT EXISTS (SELECT FROM accounts
                     WHERE accounts.id = (delivery.body ->> 'account_id')::uuid)
                 ELSE channel_id IS NOT NULL AND NOT EXISTS (SELECT FROM channel_connections AS channels
                     WHERE channels.platform = delivery.platform
                         AND channels.platform_channel_id = delivery.channel_id)
                 END
             RETURNING 1)
         SELECT (SELECT max(id::text)::uuid FROM page) AS last, (SELECT count(*) FROM emptied) AS emptied";
    let last: Option<Page> =
        sql_query("SELECT id AS last, 0::bigint AS emptied FROM webhook_inbox ORDER BY id DESC LIMIT 1")
            .get_result(&mut *primary.get().await?)
            .await
            .optional()?;
    let last = last.and_then(|page| page.last).unwrap_or_else(Uuid::nil);
    let (mut after, mut emptied) = (Uuid::nil(), 0);
    while after < last {
        let page: Page = sql_query(sql)
            .bind::<SqlUuid, _>(after)
            .bind::<BigInt, _>(BATCH_SIZE)
            .bind::<Timestamptz, _>(now)
            .get_result(&mut *primary.get().await?)
            .await?;
        emptied += page.emptied;
        let Some(read) = page.last else { break };
        after = read;
    }
    Ok(emptied)
}

/// Deletes the answers of requests that were in progress when the account ended. Returns their number.
///
/// # Errors
/// Database failure.
pub async fn erase_stored_answers(primary: &Database, account_id: Uuid) -> Result<usize> {
    let stored = idempotent_requests::table.filter(idempotent_requests::account_id.eq(account_id));
    Ok(delete(stored).execute(&mut *primary.get().await?).await?)
}

/// Every table over time with a column `account_id`. A new table needs no entry here.
async fn tables_of_accounts(connection: &mut AsyncPgConnection) -> Result<Vec<Table>> {
    let sql = "SELECT tables.table_name, tables.time_column FROM timeseries_tables AS tables
               JOIN information_schema.columns AS columns ON columns.table_schema = current_schema()
                    AND columns.table_name = tables.table_name AND columns.column_name = 'account_id'
               ORDER BY tables.table_name";
    Ok(sql_query(sql).load(connection).await?)
}

async fn erase_table(timeseries: &Database, table: &Table, account_id: Uuid) -> Result<usize> {
    let Table { table_name, time_column } = table;
    // One connection for each batch, so that other callers get one in between.
    let upper = format!(
        "SELECT max(at) AS upper FROM (SELECT \"{time_column}\" AS at FROM \"{table_name}\"
         WHERE account_id = $1 ORDER BY \"{time_column}\" LIMIT $2) AS oldest"
    );
    let delete = format!("DELETE FROM \"{table_name}\" WHERE account_id = $1 AND \"{time_column}\" <= $2");
    let mut erased = 0;
    for _ in 0..MAX_BATCHES {
        let mut connection = timeseries.get().await?;
        let bound: Bound = sql_query(&upper)
            .bind::<SqlUuid, _>(account_id)
            .bind::<BigInt, _>(BATCH_SIZE)
            .get_result(&mut connection)
            .await?;
        let Some(upper) = bound.upper else { return Ok(erased) };
        erased += sql_query(&delete)
            .bind::<SqlUuid, _>(account_id)
            .bind::<Timestamptz, _>(upper)
            .execute(&mut connection)
            .await?;
    }
    Err(Error::Internal(format!("more rows of an account are left in {table_name} than one run erases")))
}

async fn erase_keyed_table(timeseries: &Database, table: &str, account_id: Uuid) -> Result<usize> {
    let delete = format!(
        "DELETE FROM \"{table}\" WHERE ctid = ANY (ARRAY(SELECT ctid FROM \"{table}\" WHERE account_id = $1 LIMIT $2))"
    );
    let mut erased = 0;
    for _ in 0..MAX_BATCHES {
        let deleted = sql_query(&delete)
            .bind::<SqlUuid, _>(account_id)
            .bind::<BigInt, _>(BATCH_SIZE)
            .execute(&mut *timeseries.get().await?)
            .await?;
        if deleted == 0 {
            return Ok(erased);
        }
        erased += deleted;
    }
    Err(Error::Internal(format!("more rows of an account are left in {table} than one run erases")))
}
