//! A server, a maker of reports, and rows of sessions written directly into the databases.

use chrono::{DateTime, Duration, DurationRound, NaiveTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::db::Reader;
use history_daemons::reports::ReportMaker;
use history_model::report::{self, Report};
use lumio_tests::TestApp;
use serde_json::Value;
use shared::clock::rfc3339;
use uuid::Uuid;
use worker_core::Context;

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Nullable<Jsonb>)]
    found: Option<Value>,
}

/// Database of a statement.
#[derive(Debug, Clone, Copy)]
pub enum Store {
    Postgres,
    Timeseries,
}
pub use Store::{Postgres, Timeseries};

pub struct Stage {
    pub app: TestApp,
    pub maker: ReportMaker,
    /// Start of the planted sessions: a minute, five hours ago.
    pub start: DateTime<Utc>,
}

/// Ended session of two hours.
pub struct PlantedSession {
    pub id: Uuid,
}

impl Stage {
    pub async fn new() -> Self {
        let app = TestApp::start().await;
        let context = Context::new(app.config(), app.clock.clone()).expect("a context");
        let maker = ReportMaker::new(&context).expect("a maker");
        let mut start =
            app.clock.now().duration_trunc(Duration::minutes(1)).expect("a minute") - Duration::hours(5);
        // The first minute after the session is on the day of the last one.
        if (start + Duration::hours(2)).time() == NaiveTime::MIN {
            start -= Duration::minutes(1);
        }
        Self { app, maker, start }
    }

    /// Time by seconds from the start of the sessions.
    pub fn at(&self, seconds: i64) -> DateTime<Utc> {
        self.start + Duration::seconds(seconds)
    }

    /// The same time in JSON.
    pub fn text_at(&self, seconds: i64) -> String {
        rfc3339(self.at(seconds))
    }

    /// Runs a statement: `$1` is an id, `$2` the start of the sessions, `$3` JSON.
    pub async fn run(&self, store: Store, sql: &str, id: Uuid, rows: Value) -> usize {
        // Every statement takes the same values, whether it uses them or not.
        let sql = format!("WITH given AS (SELECT $1 AS id, $2 AS start, $3 AS rows) {sql}");
        let databases = &self.app.databases;
        let database = match store {
            Postgres => &databases.postgres,
            Timeseries => &databases.timescaledb,
        };
        sql_query(&sql)
            .bind::<SqlUuid, _>(id)
            .bind::<Timestamptz, _>(self.start)
            .bind::<Jsonb, _>(rows)
            .execute(&mut *database.get().await.unwrap())
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Value of the column `found`, of the first row.
    pub async fn find(&self, store: Store, sql: &str, id: Uuid) -> Value {
        let databases = &self.app.databases;
        let database = match store {
            Postgres => &databases.postgres,
            Timeseries => &databases.timescaledb,
        };
        let rows: Vec<Found> = sql_query(sql)
            .bind::<Text, _>(id.to_string())
            .load(&mut *database.get().await.unwrap())
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        rows.into_iter().next().and_then(|row| row.found).unwrap_or_default()
    }

    /// Makes the report that is due for the longest time; false when none is due.
    pub async fn make(&self) -> bool {
        self.maker.make_next().await.expect("the databases answer")
    }

    /// Makes every report that is due; returns their number.
    pub async fn make_all(&self) -> usize {
        let mut made = 0;
        while self.make().await {
            made += 1;
            assert!(made < 10_000, "a report is due without end");
        }
        made
    }

    /// Stored report of a session.
    pub async fn stored(&self, session: Uuid) -> Value {
        self.find(Postgres, "SELECT report AS found FROM stream_sessions WHERE id = $1::uuid", session).await
    }

    /// Columns of a session.
    pub async fn session(&self, session: Uuid) -> Value {
        let sql = "SELECT to_jsonb(s) - 'report' AS found FROM stream_sessions s WHERE id = $1::uuid";
        self.find(Postgres, sql, session).await
    }

    /// Report of a session as it is known now.
    pub async fn build(&self, session: Uuid) -> Option<Report> {
        let databases = &self.app.databases;
        let (mut postgres, mut timeseries) =
            (databases.postgres.get().await.unwrap(), databases.timescaledb.get().await.unwrap());
        let readers = (&mut Reader::of(&mut postgres), &mut Reader::of(&mut timeseries));
        report::build(readers.0, readers.1, session, self.app.clock.now()).await.unwrap()
    }

    /// Makes a session due.
    pub async fn due(&self, session: Uuid, at: DateTime<Utc>) {
        let sql = "UPDATE stream_sessions SET report_due_at = ($3 #>> '{}')::timestamptz WHERE id = $1";
        assert_eq!(self.run(Postgres, sql, session, Value::String(rfc3339(at))).await, 1);
    }

    /// Writes an ended session that is due, without broadcasts.
    pub async fn plant_session(&self, account: Uuid) -> PlantedSession {
        let id = shared::id::new();
        let sql = "INSERT INTO stream_sessions (id, account_id, session_type, platforms, title, category, categories,
                started_at, ended_at, last_off_at, minutes_from, minutes_to, report_due_at)
            SELECT $1, ($3 #>> '{}')::uuid, 'multi', '{twitch,youtube}', 'Two', 'B', '{A,B}', $2, ended_at, ended_at, $2,
                ended_at, ended_at
            FROM (SELECT $2 + interval '2 hours' AS ended_at) AS session";
        self.run(Postgres, sql, id, Value::String(account.to_string())).await;
        PlantedSession { id }
    }

    /// Writes broadcasts: `[platform, id, channel, first minute, last minute]`.
    pub async fn plant_broadcasts(&self, session: &PlantedSession, rows: Value) {
        let sql = "INSERT INTO stream_broadcasts (id, account_id, session_id, platform, platform_channel_id, broadcast_id,
                title, category, started_at, ended_at, spans)
            SELECT gen_random_uuid(), session.account_id, session.id, item ->> 0, item ->> 2, item ->> 1, 'Title of ' || (item ->> 0),
                'A', $2 + (item ->> 3)::int * interval '1 minute', $2 + (item ->> 4)::int * interval '1 minute', '[]'
            FROM stream_sessions AS session, jsonb_array_elements($3) AS listed (item) WHERE session.id = $1";
        self.run(Postgres, sql, session.id, rows).await;
    }

    /// Writes chat lines: `[platform, minute, line, chatter, emotes, gifs]`.
    pub async fn plant_lines(&self, account: Uuid, rows: Value) {
        let sql = "INSERT INTO stream_lines (account_id, platform, minute, line, chatter, emotes, gifs)
            SELECT $1, item ->> 0, $2 + (item ->> 1)::int * interval '1 minute', (item ->> 2)::bigint, (item ->> 3)::bigint,
                nullif(item -> 4, 'null'), nullif(item -> 5, 'null')
            FROM jsonb_array_elements($3) AS listed (item)";
        self.run(Timeseries, sql, account, rows).await;
    }

    /// Writes samples: `[platform, minute, viewers]`.
    pub async fn plant_samples(&self, account: Uuid, rows: Value) {
        let sql = "INSERT INTO stream_samples (account_id, platform, at, viewer_count, message_count, unique_chatters,
                follower_delta)
            SELECT $1, item ->> 0, $2 + (item ->> 1)::int * interval '1 minute', (item ->> 2)::bigint, 0, 0, 0
            FROM jsonb_array_elements($3) AS listed (item)";
        self.run(Timeseries, sql, account, rows).await;
    }

    /// Writes events: `[type, second, id, amount, currency, data, is_test]`.
    pub async fn plant_events(&self, account: Uuid, rows: Value) {
        let sql = "INSERT INTO events (id, account_id, event_type, platform, platform_event_id, amount, currency, data,
                is_test, occurred_at)
            SELECT gen_random_uuid(), $1, item ->> 0, split_part(item ->> 0, ':', 1), item ->> 2, (item ->> 3)::bigint, item ->> 4,
                item -> 5, (item ->> 6)::boolean, $2 + (item ->> 1)::int * interval '1 second'
            FROM jsonb_array_elements($3) AS listed (item)";
        self.run(Timeseries, sql, account, rows).await;
    }

    /// Writes stored messages: `[platform, second, id, person, is_deleted]`.
    pub async fn plant_messages(&self, account: Uuid, rows: Value) {
        let sql = "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
                display_name, text, is_deleted, sent_at)
            SELECT gen_random_uuid(), $1, item ->> 0, item ->> 2, item ->> 3, item ->> 3, item ->> 3, 'hi', (item ->> 4)::boolean,
                $2 + (item ->> 1)::int * interval '1 second'
            FROM jsonb_array_elements($3) AS listed (item)";
        self.run(Timeseries, sql, account, rows).await;
    }

    /// Writes known chatters: `[platform, person, picture]`.
    pub async fn plant_people(&self, account: Uuid, rows: Value) {
        let sql = "INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name, avatar_url,
                message_count, first_seen_at, last_seen_at)
            SELECT $1, item ->> 0, item ->> 1, 'name-' || (item ->> 1), 'Name of ' || (item ->> 1), item ->> 2, 1, $2, $2
            FROM jsonb_array_elements($3) AS listed (item)";
        self.run(Timeseries, sql, account, rows).await;
    }
}
