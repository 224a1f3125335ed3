//! Account whose streams are recorded by a daemon that the test drives minute by minute.

use chrono::{DateTime, TimeDelta, Utc};
use connection_model::status::{self, BroadcastState, Seen};
use diesel::{QueryableByName, sql_query, sql_types::Jsonb};
use diesel_async::RunQueryDsl;
use foundation::db::Database;
use history_daemons::recorder::Recorder;
use history_model::minutes::begin;
use live_model::{ChatMessage, EventRow};
use lumio_tests::{TestApp, world::connect};
use platform_daemons::ingest::writer::insert;
use platforms_stand_in as stand_in;
use serde_json::{Value, json};
use shared::{config::Config, platform::Platform};
use uuid::Uuid;
use worker_core::Context;

/// Application, an account with channels on two platforms, and a recorder.
pub struct Stage {
    pub app: TestApp,
    pub account: Uuid,
    pub recorder: Recorder,
    /// Begin of the first minute.
    pub base: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Jsonb)]
    row: Value,
}

impl Stage {
    pub async fn start() -> Self {
        Self::over(TestApp::start().await).await
    }

    pub async fn over(app: TestApp) -> Self {
        let account = app.owner().await.account_id;
        connect(&app, account, stand_in::Platform::Twitch, "streamer").await;
        connect(&app, account, stand_in::Platform::Kick, "streamer").await;
        let context = Context::new(app.config(), app.clock.clone()).unwrap();
        let recorder = Recorder::new(&context).unwrap();
        let base = begin(app.clock.now());
        Self { app, account, recorder, base }
    }

    /// Another copy of the daemon; `close_secs` is its closing time.
    pub fn copy(&self, close_secs: Option<u32>) -> Recorder {
        let mut variables = self.app.variables();
        if let Some(secs) = close_secs {
            variables.insert("LUMIO_SESSION_CLOSE_SECS".into(), secs.to_string());
        }
        let config = Config::from_variables(variables).unwrap();
        Recorder::new(&Context::new(config, self.app.clock.clone()).unwrap()).unwrap()
    }

    /// A copy of the daemon that was started anew.
    pub fn restart(&mut self) {
        self.recorder = self.copy(None);
    }

    pub fn at(&self, second: i64) -> DateTime<Utc> {
        self.base + TimeDelta::seconds(second)
    }

    /// Sets the clock, forwards or back.
    pub fn set_clock(&self, second: i64) {
        self.app.clock.advance(self.at(second) - self.app.clock.now());
    }

    /// Lets the daemon work at a time.
    pub async fn step_at(&mut self, second: i64) {
        self.set_clock(second);
        self.recorder.step().await.unwrap();
    }

    pub fn live(&self, second: i64) -> Seen {
        Seen::new(self.account, BroadcastState::Live, self.at(second))
    }

    pub fn offline(&self, second: i64) -> Seen {
        Seen::new(self.account, BroadcastState::Offline, self.at(second))
    }

    pub fn viewers(&self, second: i64, viewers: i64) -> Seen {
        Seen { viewer_count: Some(viewers), ..self.live(second) }
    }

    /// Stores a status as the platform reports it.
    pub async fn status(&self, platform: Platform, seen: Seen) {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        status::record(&mut db, platform, &[seen]).await.unwrap();
    }

    /// Line of chat.
    pub fn line(&self, platform: &str, user: &str, second: i64) -> ChatMessage {
        ChatMessage {
            id: shared::id::new(),
            account_id: self.account,
            platform: platform.into(),
            platform_message_id: shared::id::new().to_string(),
            platform_user_id: user.into(),
            username: user.into(),
            display_name: user.into(),
            color: None,
            badges: Vec::new(),
            text: "hi".into(),
            fragments: Vec::new(),
            emotes: Vec::new(),
            reply_to: None,
            is_deleted: false,
            is_action: false,
            sent_at: self.at(second),
            forgets_user: false,
            counted_as: None,
        }
    }

    /// Writes lines as a batch of the ingest daemon; returns the number of new ones.
    pub async fn write(&self, lines: &[ChatMessage]) -> usize {
        let lines: Vec<&ChatMessage> = lines.iter().collect();
        let mut db = self.app.databases.timescaledb.get().await.unwrap();
        insert(&mut db, &lines).await.unwrap().len()
    }

    /// Writes an event as the ingest daemon does.
    pub async fn event(&self, event_type: &str, second: i64, is_test: bool) {
        let id = shared::id::new();
        let event: EventRow = serde_json::from_value(json!({
            "id": id, "account_id": self.account, "event_type": event_type, "platform": event_type.split(':').next(),
            "platform_user_id": null, "username": null, "display_name": null, "avatar_url": null, "amount": null,
            "currency": null, "message": null, "data": {}, "is_test": is_test, "occurred_at": self.at(second),
            "platform_event_id": id,
        }))
        .unwrap();
        let mut db = self.app.databases.timescaledb.get().await.unwrap();
        insert(&mut db, &[&event]).await.unwrap();
    }

    /// Sessions of the account by start. Times are seconds after the base.
    pub async fn sessions(&self) -> Vec<Value> {
        let seconds = |column: &str| {
            format!("extract(epoch FROM {column} - timestamptz '{}')::bigint", self.base.to_rfc3339())
        };
        let sql = format!(
            "SELECT jsonb_build_object('id', id, 'type', session_type, 'platforms', platforms, 'title', title,
                'category', category, 'categories', categories, 'from', {}, 'to', {}, 'secs', duration_secs,
                'peak', peak_viewers, 'average', avg_viewers, 'messages', total_messages, 'followers', new_followers,
                'is_due', report_due_at IS NOT NULL) AS row
            FROM stream_sessions WHERE account_id = '{}' ORDER BY started_at",
            seconds("started_at"),
            seconds("ended_at"),
            self.account
        );
        select(&self.app.databases.postgres, &sql).await
    }

    /// Samples of the account: minute after the base, platform, viewers, lines, chatters, followers.
    pub async fn samples(&self) -> Vec<Value> {
        let sql = format!(
            "SELECT jsonb_build_array(extract(epoch FROM at - timestamptz '{}')::bigint / 60, platform, viewer_count,
                message_count, unique_chatters, follower_delta) AS row
            FROM stream_samples WHERE account_id = '{}' ORDER BY at, platform",
            self.base.to_rfc3339(),
            self.account
        );
        select(&self.app.databases.timescaledb, &sql).await
    }

    /// Value of a statement on the main database.
    pub async fn change(&self, sql: &str) -> usize {
        sql_query(sql).execute(&mut *self.app.databases.postgres.get().await.unwrap()).await.unwrap()
    }

    /// Number of rows of the time-series database.
    pub async fn counted(&self, of: &str) -> i64 {
        let sql = format!("SELECT to_jsonb(count(*)) AS row FROM {of}");
        select(&self.app.databases.timescaledb, &sql).await[0].as_i64().unwrap()
    }
}

/// Rows of a statement that returns JSON as `row`.
pub async fn select(database: &Database, sql: &str) -> Vec<Value> {
    let rows: Vec<Row> = sql_query(sql).load(&mut *database.get().await.unwrap()).await.unwrap();
    rows.into_iter().map(|row| row.row).collect()
}
