//! Blocks of the database that a page of a list reads. Unlike times, they do not depend on the machine.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use stack::Stack;
use uuid::Uuid;

use crate::Reader;

/// List with the tables that it reads.
struct List {
    name: &'static str,
    path: &'static str,
    tables: &'static str,
    /// Lines of chat for each row that the list counts for its total; `None` for a list without a total.
    lines_per_counted_row: Option<u32>,
}

/// Lists in rounds: those of one round read different tables, so that blocks belong to one list.
const ROUNDS: [&[List]; 3] = [
    &[
        List::pages("Chat, newest page", "/v1/chat/messages?limit=50", "^chat_messages"),
        List::counted("Events, newest page", "/v1/events?limit=50", "^events", 10),
        List::counted("Audit log", "/v1/audit-log?limit=50", "^audit_log", 50),
        List::counted("Moderation log", "/v1/chat/moderation-log?limit=50", "^moderation_log", 50),
    ],
    &[
        List::pages("Chat of a rare platform", "/v1/chat/messages?limit=50&platform=kick", "^chat_messages"),
        List::counted("Events of a rare type", "/v1/events?limit=50&types=twitch:raid", "^events", 100),
    ],
    &[List::pages("Chat before a message", "/v1/chat/messages?limit=50&before={middle}", "^chat_messages")],
];

impl List {
    const fn pages(name: &'static str, path: &'static str, tables: &'static str) -> Self {
        Self { name, path, tables, lines_per_counted_row: None }
    }

    const fn counted(
        name: &'static str,
        path: &'static str,
        tables: &'static str,
        lines_per_row: u32,
    ) -> Self {
        Self { name, path, tables, lines_per_counted_row: Some(lines_per_row) }
    }
}

/// Time after which every connection has reported what it read: an idle one does so after ten seconds.
const REPORT_INTERVAL: Duration = Duration::from_secs(12);

/// Blocks that a request for a list reads.
#[derive(Debug)]
pub struct Page {
    pub name: &'static str,
    /// Blocks a request in the account with a day of rows, and in the one with a year.
    pub day: i64,
    pub year: i64,
    /// Rows of the year that are counted for the total.
    pub counted: i64,
}

#[derive(QueryableByName)]
struct Blocks {
    #[diesel(sql_type = BigInt)]
    blocks: i64,
}

#[derive(QueryableByName)]
struct Message {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Account with the message in the middle of its chat.
struct Middle<'a> {
    reader: &'a Reader,
    message: Uuid,
}

/// Reads every list in both accounts.
///
/// # Errors
/// A refused request, a list without rows, or a failure of the database.
pub async fn compare(
    stack: &Stack,
    database: &mut AsyncPgConnection,
    [year, day]: [&Reader; 2],
    lines: u32,
    requests: u32,
) -> Result<Vec<Page>> {
    // Before anything is counted.
    let (day, year) = (Middle::of(database, day).await?, Middle::of(database, year).await?);
    tokio::time::sleep(REPORT_INTERVAL).await;
    let mut pages = Vec::new();
    for lists in ROUNDS {
        let of_day = blocks(stack, database, &day, lists, requests).await?;
        let of_year = blocks(stack, database, &year, lists, requests).await?;
        let both = lists.iter().zip(of_day.into_iter().zip(of_year));
        pages.extend(both.map(|(list, (day, year))| {
            let counted = list.lines_per_counted_row.map_or(0, |per_row| i64::from(lines / per_row));
            Page { name: list.name, day, year, counted }
        }));
    }
    Ok(pages)
}

/// Blocks that a request for each of the lists reads.
async fn blocks(
    stack: &Stack,
    database: &mut AsyncPgConnection,
    reader: &Middle<'_>,
    lists: &[List],
    requests: u32,
) -> Result<Vec<i64>> {
    let mut before = Vec::with_capacity(lists.len());
    for list in lists {
        before.push(read_until_now(database, list.tables).await?);
    }
    for list in lists {
        let path = list.path.replace("{middle}", &reader.message.to_string());
        for _ in 0..requests {
            let answer = stack.get(&path, &reader.reader.session).await?;
            ensure!(rows(&answer)? > 0, "{path} has no rows: {answer}");
        }
    }
    tokio::time::sleep(REPORT_INTERVAL).await;
    let mut blocks = Vec::with_capacity(lists.len());
    for (list, before) in lists.iter().zip(before) {
        let after = read_until_now(database, list.tables).await?;
        ensure!(after > before, "nothing was read from {}", list.tables);
        blocks.push((after - before) / i64::from(requests));
    }
    Ok(blocks)
}

fn rows(answer: &Value) -> Result<usize> {
    Ok(answer["data"].as_array().context("no list of data")?.len())
}

impl<'a> Middle<'a> {
    async fn of(database: &mut AsyncPgConnection, reader: &'a Reader) -> Result<Self> {
        let message: Message = sql_query(
            "SELECT id FROM chat_messages WHERE account_id = $1 ORDER BY sent_at \
             OFFSET (SELECT count(*) / 2 FROM chat_messages WHERE account_id = $1) LIMIT 1",
        )
        .bind::<SqlUuid, _>(reader.account)
        .get_result(database)
        .await?;
        Ok(Self { reader, message: message.id })
    }
}

/// Blocks of the tables and their indexes that were read since the start, from memory or disk.
async fn read_until_now(database: &mut AsyncPgConnection, tables: &str) -> Result<i64> {
    let blocks: Blocks = sql_query(
        "SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::bigint AS blocks \
         FROM pg_statio_user_tables WHERE relname ~ $1",
    )
    .bind::<Text, _>(tables)
    .get_result(database)
    .await?;
    Ok(blocks.blocks)
}
