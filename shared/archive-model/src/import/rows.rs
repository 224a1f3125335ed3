//! Rows of the tables.

use std::collections::{BTreeMap, BTreeSet};

use account_model::accounts::storage_prefix;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Deserialize;
use uuid::Uuid;

use super::{index::is_below, limits::Limits, lines, reader::Reader};
use crate::{
    Error, Result,
    sql::{self, Columns, Stored},
    tables::{Rows, Table},
};

/// Days for which rows over time are taken, whatever the plan keeps: each week has a partition, for good.
const MAX_AGE_DAYS: i64 = 5 * 366;
/// Days that events are kept, whatever the plan states (reference/privacy.md#retention).
const MIN_EVENT_DAYS: i64 = 30;
/// Tables whose rows name stored objects.
const WITH_OBJECTS: [&str; 3] = ["uploads", "sounds", "extension_uploads"];

/// Writer of rows, which counts them.
pub(super) struct Loader<'a> {
    account: Uuid,
    plan: &'a str,
    /// Days that the plan keeps chat.
    chat_days: i64,
    statements: BTreeMap<&'static str, Statements>,
    written: BTreeMap<String, u64>,
    skipped: BTreeMap<String, u64>,
}

/// Statements of a table.
#[derive(Clone)]
struct Statements {
    insert: String,
    /// `None` for rows without a time.
    check_times: Option<String>,
}

#[derive(QueryableByName)]
struct ColumnRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Text>)]
    default: Option<String>,
    #[diesel(sql_type = Bool)]
    is_needed_json: bool,
    #[diesel(sql_type = Bool)]
    is_time: bool,
}

#[derive(Deserialize)]
struct WithObject {
    storage_key: String,
}

impl<'a> Loader<'a> {
    /// Loader that has written nothing yet.
    pub fn new(account: Uuid, plan: &'a str, chat_days: i64) -> Self {
        Self {
            account,
            plan,
            chat_days,
            statements: BTreeMap::new(),
            written: BTreeMap::new(),
            skipped: BTreeMap::new(),
        }
    }

    /// Writes the rows of a table. A table that the archive does not have gets none.
    pub async fn write_table(
        &mut self,
        connection: &mut AsyncPgConnection,
        reader: &Reader,
        table: &'static Table,
        rows: &'static Rows,
    ) -> Result<()> {
        let Some(file) = reader.file(&table.file()) else { return Ok(()) };
        let mut parts = reader.begin(file.clone(), lines::read(file, Limits::default()));
        while let Some(batch) = parts.next().await {
            self.insert(connection, table, rows, &batch).await?;
        }
        parts.end().await
    }

    /// Writes some rows of a table.
    pub async fn insert(
        &mut self,
        connection: &mut AsyncPgConnection,
        table: &'static Table,
        rows: &'static Rows,
        batch: &[String],
    ) -> Result<()> {
        let known: BTreeSet<&'static str> = rows.keys().collect();
        for line in batch {
            check_line(self.account, table, &known, line)?;
        }
        let array = lines::array(batch);
        let Statements { insert, check_times } = self.statements(connection, table, rows).await?;
        if let Some(check) = check_times {
            let message = "a time that is infinite, before 2000 or more than ten years away";
            check_span(connection, table, &array, (check, message)).await?;
        }
        if let Some(column) = sql::time(table, rows) {
            make_partitions(connection, table, column, &array, self.max_age_days(table)).await?;
        }
        let written = sql_query(insert)
            .bind::<Text, _>(&array)
            .bind::<SqlUuid, _>(self.account)
            .bind::<Text, _>(self.plan)
            .execute(connection)
            .await
            .map_err(|error| Error::Refused(format!("{}: {error}", table.name)))?;
        let skipped = batch.len().saturating_sub(written);
        add(&mut self.written, table.name, written);
        add(&mut self.skipped, table.name, skipped);
        Ok(())
    }

    /// Written and skipped rows, by table.
    pub fn counts(self) -> (BTreeMap<String, u64>, BTreeMap<String, u64>) {
        (self.written, self.skipped)
    }

    async fn statements(
        &mut self,
        connection: &mut AsyncPgConnection,
        table: &'static Table,
        rows: &Rows,
    ) -> Result<Statements> {
        if let Some(known) = self.statements.get(table.name) {
            return Ok(known.clone());
        }
        let columns = columns(connection, table.name).await?;
        let made = Statements {
            insert: sql::insert(table, rows, &columns, self.max_age_days(table)),
            check_times: sql::check_times(rows, &columns),
        };
        self.statements.insert(table.name, made.clone());
        Ok(made)
    }

    /// Days for which rows over time are taken: older ones would be deleted at once.
    fn max_age_days(&self, table: &Table) -> i64 {
        let kept = match table.name {
            "chat_messages" => self.chat_days,
            "events" => self.chat_days.max(MIN_EVENT_DAYS),
            _ => MAX_AGE_DAYS,
        };
        kept.min(MAX_AGE_DAYS)
    }
}

/// Refuses a row with fields that are not known, or that names an object outside of the folder of the account.
pub(super) fn check_line(
    account: Uuid,
    table: &Table,
    known: &BTreeSet<&'static str>,
    line: &str,
) -> Result<()> {
    lines::check_fields(table.name, line, known)?;
    if !WITH_OBJECTS.contains(&table.name) {
        return Ok(());
    }
    let WithObject { storage_key } = serde_json::from_str(line)?;
    let own = storage_key.strip_prefix(&format!("{}/", storage_prefix(account)));
    if own.is_some_and(is_below) {
        return Ok(());
    }
    Err(Error::Refused(format!("{} names an object of another account: {storage_key}", table.name)))
}

fn add(counts: &mut BTreeMap<String, u64>, table: &str, rows: usize) {
    if rows > 0 {
        *counts.entry(table.to_owned()).or_default() += u64::try_from(rows).unwrap_or(u64::MAX);
    }
}

/// Columns of a table that a statement may write.
async fn columns(connection: &mut AsyncPgConnection, table: &str) -> Result<Columns> {
    let rows: Vec<ColumnRow> = sql_query(
        "SELECT attname::text AS name, pg_get_expr(adbin, adrelid) AS default,
             attnotnull AND atttypid = 'jsonb'::regtype AS is_needed_json,
             atttypid = 'timestamptz'::regtype AS is_time
         FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
         WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
    )
    .bind::<Text, _>(table)
    .load(connection)
    .await?;
    let stored = |ColumnRow { name, default, is_needed_json, is_time }: ColumnRow| {
        (name, Stored { default, is_needed_json, is_time })
    };
    Ok(rows.into_iter().map(stored).collect())
}

#[derive(QueryableByName)]
struct Span {
    #[diesel(sql_type = Bool)]
    is_allowed: bool,
}

/// Refuses rows that a statement over `$1` does not allow.
async fn check_span(
    connection: &mut AsyncPgConnection,
    table: &Table,
    array: &str,
    (statement, message): (String, &str),
) -> Result<()> {
    let span: Span = sql_query(statement)
        .bind::<Text, _>(array)
        .get_result(connection)
        .await
        .map_err(|error| Error::Refused(format!("{}: {error}", table.name)))?;
    if span.is_allowed {
        return Ok(());
    }
    Err(Error::Refused(format!("{} has a row with {message}", table.name)))
}

/// Makes the partitions that rows need: those of past weeks do not exist in a new deployment. Rows that are too old are
/// skipped, so they need none.
async fn make_partitions(
    connection: &mut AsyncPgConnection,
    table: &Table,
    column: &str,
    array: &str,
    max_age_days: i64,
) -> Result<()> {
    let times =
        format!("(SELECT (r ->> '{column}')::timestamptz AS at FROM jsonb_array_elements($1::jsonb) AS r)");
    let is_past = format!(
        "SELECT coalesce(bool_and(coalesce(at <= now() + interval '1 day', false)), true) AS is_allowed
         FROM {times} AS times"
    );
    check_span(connection, table, array, (is_past, "no time, or a time in the future")).await?;
    sql_query(format!(
        "SELECT timeseries_ensure('{}', day, day + interval '1 microsecond')
         FROM (SELECT DISTINCT date_bin('1 day', at, '2000-01-03Z') AS day FROM {times} AS times
             WHERE at >= now() - make_interval(days => {max_age_days})) AS days",
        table.name
    ))
    .bind::<Text, _>(array)
    .execute(connection)
    .await?;
    Ok(())
}
