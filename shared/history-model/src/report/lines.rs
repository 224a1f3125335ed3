//! Numbers of chat lines and of the people who wrote them. Two scans of the session's lines: one statement with
//! both groupings sorts the lines and takes longer.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

use super::time::Window;

/// Lines by minute, and people, by platform.
pub const LINES: &str = "
    SELECT platform, minute, count(*) AS lines, 0::bigint AS people FROM stream_lines
    WHERE account_id = $1 AND minute >= $2 AND minute < $3 GROUP BY platform, minute
    UNION ALL
    SELECT platform, NULL, 0, count(*) FROM (
        SELECT DISTINCT platform, chatter FROM stream_lines
        WHERE account_id = $1 AND minute >= $2 AND minute < $3) AS chatters
    GROUP BY platform";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    platform: String,
    /// `None` in the row of the platform's people.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    minute: Option<DateTime<Utc>>,
    #[diesel(sql_type = BigInt)]
    lines: i64,
    #[diesel(sql_type = BigInt)]
    people: i64,
}

/// Chat lines of a session.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Lines by minute and platform.
    by_minute: BTreeMap<DateTime<Utc>, BTreeMap<String, i64>>,
    /// People who wrote.
    pub chatters: i64,
}

impl Lines {
    /// Number of all lines.
    pub fn total(&self) -> i64 {
        self.by_minute.values().flat_map(BTreeMap::values).sum()
    }

    /// Largest number of lines in one minute.
    pub fn peak(&self) -> i64 {
        self.by_minute.values().map(|platforms| platforms.values().sum()).max().unwrap_or_default()
    }

    /// Number of lines on a platform in some minutes.
    pub fn within(&self, platform: &str, window: Window) -> i64 {
        let minutes = self.by_minute.range(window.from..window.to);
        minutes.filter_map(|(_, platforms)| platforms.get(platform)).sum()
    }
}

/// Counts the lines of a session.
pub(super) async fn read(timeseries: &mut AsyncPgConnection, account: Uuid, window: Window) -> Result<Lines> {
    let rows: Vec<Row> = sql_query(LINES)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(window.from)
        .bind::<Timestamptz, _>(window.to)
        .prepared()
        .load(timeseries)
        .await?;
    let mut found = Lines::default();
    for Row { platform, minute, lines, people } in rows {
        match minute {
            Some(minute) => {
                found.by_minute.entry(minute).or_default().insert(platform, lines);
            }
            None => found.chatters += people,
        }
    }
    Ok(found)
}
