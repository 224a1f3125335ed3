//! Passes of the roll-ups over connections of their own, as those of a copy of the daemon.

use chrono::{DateTime, NaiveDate, Timelike, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use shared::{clock::Clock, platform::Platform};
use stats_model::{
    Source, rollups,
    rollups::sweeps::{self, Sweep},
    samples::ChannelSample,
};

/// Connections of one copy.
pub struct Rollups {
    pub timeseries: AsyncPgConnection,
    pub postgres: AsyncPgConnection,
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

impl Rollups {
    pub async fn open(postgres: &str, timeseries: &str) -> Self {
        Self { timeseries: connect(timeseries).await, postgres: connect(postgres).await }
    }

    pub async fn days(&mut self, now: DateTime<Utc>, limit: i64) -> usize {
        rollups::days(&mut self.timeseries, &mut self.postgres, now, limit).await.expect("the days are made")
    }

    pub async fn games(&mut self, now: DateTime<Utc>, limit: i64) -> usize {
        rollups::games(&mut self.timeseries, &mut self.postgres, now, limit)
            .await
            .expect("the slots are made")
    }

    /// Passes a page of a sweep; true when another is left.
    pub async fn page(&mut self, sweep: Sweep, limit: i64) -> bool {
        sweeps::page(&mut self.postgres, sweep, limit).await.expect("a page is passed")
    }

    /// Does everything that waits, as the daemon does after a while.
    pub async fn drain(&mut self, now: DateTime<Utc>) {
        sweeps::begin_day(&mut self.postgres, now.date_naive()).await.expect("the day begins");
        for sweep in Sweep::ALL {
            while self.page(sweep, 500).await {}
        }
        while self.days(now, 500).await > 0 {}
        // Also the slots that have not ended.
        while self.games(now + chrono::Duration::hours(2), 60).await > 0 {}
        while rollups::ranges::channels(&mut self.postgres, 500).await.expect("the ranges are made") > 0 {}
        while rollups::ranges::games(&mut self.postgres, 500).await.expect("the ranges are made") > 0 {}
        while rollups::ranges::emotes(&mut self.postgres, 500).await.expect("the ranges are made") > 0 {}
    }
}

pub async fn connect(url: &str) -> AsyncPgConnection {
    AsyncPgConnection::establish(url).await.expect("the database answers")
}

/// Rows of a query in one text each, sorted.
pub async fn lines(connection: &mut AsyncPgConnection, query: &str) -> Vec<String> {
    let sql = format!("SELECT row_to_json(found)::text AS line FROM ({query}) AS found");
    let found: Vec<Line> =
        sql_query(sql).load(connection).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    let mut lines: Vec<String> = found.into_iter().map(|line| line.line).collect();
    lines.sort_unstable();
    lines
}

/// Number of rows of a table, with its condition.
pub async fn count(connection: &mut AsyncPgConnection, rows: &str) -> i64 {
    let found: Count =
        sql_query(format!("SELECT count(*) AS count FROM {rows}")).get_result(connection).await.unwrap();
    found.count
}

/// Executes statements without parameters.
pub async fn execute(connection: &mut AsyncPgConnection, sql: &str) {
    connection.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Noon of a day before today, in UTC.
pub fn noon(days_ago: i64) -> DateTime<Utc> {
    let day: NaiveDate = Clock::default().now().date_naive() - chrono::Duration::days(days_ago);
    day.and_hms_opt(12, 0, 0).expect("a time").and_utc()
}

/// Present time without parts of a minute.
pub fn this_minute() -> DateTime<Utc> {
    Clock::default().now().with_second(0).and_then(|now| now.with_nanosecond(0)).expect("a time")
}

/// Sample of a live Twitch channel without a game.
pub fn sample(channel: &str, at: DateTime<Utc>, source: Source, viewers: i64) -> ChannelSample {
    ChannelSample {
        platform: Platform::Twitch,
        platform_channel_id: channel.to_owned(),
        at,
        source,
        viewer_count: Some(viewers),
        message_count: 0,
        game_id: None,
        game_name: None,
        weight_secs: if source == Source::FirstParty { 60 } else { 300 },
        follower_count: None,
    }
}
