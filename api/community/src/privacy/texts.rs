//! Replacement of a person's id and names in logs of handlers. Every row is read, so this runs after all
//! other data was erased.

use std::collections::BTreeMap;

use api_core::{ApiError, Result, State};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::{
    names::Person,
    stores::{Search, TABLES, Table},
    tables::{BATCH_SIZE, Erased, connection, last_id},
};

/// Rows whose texts are transferred at once.
const TEXT_BATCH_SIZE: usize = 500;
/// Attempts for texts that are changed at the same time.
const MAX_ATTEMPTS: usize = 10;

/// Page of a table.
#[derive(QueryableByName)]
struct Page {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    last: Option<Uuid>,
    /// Rows whose texts contain the id or a name, possibly as part of a longer word.
    #[diesel(sql_type = Array<SqlUuid>)]
    holding: Vec<Uuid>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Text)]
    text: String,
}

#[derive(QueryableByName)]
struct Written {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

/// Clears every table of logs.
pub(super) async fn clear(state: &State, person: &Person<'_>, erased: &mut Erased) -> Result<()> {
    for table in TABLES {
        if let Search::Cleared(texts) = table.search {
            clear_table(state, table, texts, person, erased).await?;
        }
    }
    Ok(())
}

/// Reads the table in the order of its ids, up to the last id at the beginning.
async fn clear_table(
    state: &State,
    table: &'static Table,
    texts: &[&str],
    person: &Person<'_>,
    erased: &mut Erased,
) -> Result<()> {
    let holds: Vec<String> =
        texts.iter().map(|text| holds_one(&format!("coalesce({text}, '')"), "$1")).collect();
    let sql = format!(
        "WITH page AS (SELECT id, {} AS holds FROM {} WHERE id > $2 ORDER BY id LIMIT $3) \
         SELECT (SELECT max(id::text)::uuid FROM page) AS last, \
             ARRAY(SELECT id FROM page WHERE holds) AS holding",
        holds.join(" OR "),
        table.name
    );
    let wanted = person.wanted();
    let (mut after, last) = (Uuid::nil(), last_id(state, table).await?);
    while after < last {
        let page: Page = sql_query(&sql)
            .bind::<Array<Text>, _>(&wanted)
            .bind::<SqlUuid, _>(after)
            .bind::<BigInt, _>(BATCH_SIZE)
            .get_result(&mut *connection(state, table.place).await?)
            .await?;
        for rows in page.holding.chunks(TEXT_BATCH_SIZE) {
            clear_texts(state, table, texts, rows, person, erased).await?;
        }
        let Some(read) = page.last else { break };
        after = read;
    }
    Ok(())
}

/// Condition for a text that contains one of the texts of a parameter.
fn holds_one(text: &str, parameter: &str) -> String {
    format!("EXISTS (SELECT FROM unnest({parameter}::text[]) AS wanted WHERE strpos({text}, wanted) > 0)")
}

/// Clears every text of some rows. A row counts once, however many of its texts mention the person, and also
/// when a text after the first cannot be cleared.
async fn clear_texts(
    state: &State,
    table: &'static Table,
    texts: &[&str],
    rows: &[Uuid],
    person: &Person<'_>,
    erased: &mut Erased,
) -> Result<()> {
    let mut cleared = BTreeMap::new();
    let mut result = Ok(());
    for text in texts {
        result = clear_rows(state, table, text, rows, person, &mut cleared).await;
        if result.is_err() {
            break;
        }
    }
    for account in cleared.into_values() {
        erased.add(table.name, Some(account), 1);
    }
    result
}

/// Clears one text of some rows. A row whose text is changed meanwhile, for example by another erasure, is
/// read again.
async fn clear_rows(
    state: &State,
    table: &'static Table,
    text: &str,
    rows: &[Uuid],
    person: &Person<'_>,
    cleared: &mut BTreeMap<Uuid, Uuid>,
) -> Result<()> {
    let name = table.name;
    let read = format!(
        "SELECT id, account_id, {text} AS text FROM {name} WHERE id = ANY ($1) AND {}",
        holds_one(text, "$2")
    );
    let wanted = person.wanted();
    let write = format!(
        "UPDATE {name} AS line SET {text} = cleared.text \
         FROM unnest($1::uuid[], $2::text[], $3::text[]) AS cleared (id, old, text) \
         WHERE line.id = cleared.id AND line.{text} = cleared.old RETURNING line.id, line.account_id"
    );
    let mut rows = rows.to_vec();
    for _ in 0..MAX_ATTEMPTS {
        let found: Vec<Row> = sql_query(&read)
            .bind::<Array<SqlUuid>, _>(&rows)
            .bind::<Array<Text>, _>(&wanted)
            .load(&mut *connection(state, table.place).await?)
            .await?;
        let (mut ids, mut old, mut new) = (Vec::new(), Vec::new(), Vec::new());
        for row in found {
            if let Some(without) = person.taken_out_of(&row.text, Some(row.account_id)) {
                ids.push(row.id);
                old.push(row.text);
                new.push(without);
            }
        }
        if ids.is_empty() {
            return Ok(());
        }
        let written: Vec<Written> = sql_query(&write)
            .bind::<Array<SqlUuid>, _>(&ids)
            .bind::<Array<Text>, _>(old)
            .bind::<Array<Text>, _>(new)
            .load(&mut *connection(state, table.place).await?)
            .await?;
        cleared.extend(written.iter().map(|row| (row.id, row.account_id)));
        ids.retain(|id| !written.iter().any(|row| row.id == *id));
        if ids.is_empty() {
            return Ok(());
        }
        rows = ids;
    }
    Err(ApiError::internal(format_args!("texts of {name} were changed whenever they were to be cleared")))
}
