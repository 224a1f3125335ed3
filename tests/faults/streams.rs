//! A streamer with viewers, and what must be found of them in the end; writes that last, and workers that are killed
//! inside them.

use std::{
    collections::BTreeMap,
    ops::Range,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use connection_model::status::{self, BroadcastState, Seen};
use diesel::sql_query;
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use foundation::db::Database;
use lumio_tests::{
    Program, TestApp,
    world::{Stored, open_deliveries},
};
use platforms_stand_in::{self as stand_in, DeliveryOptions, User, twitch};
use serde_json::{Value, json};
use shared::platform::Platform;
use uuid::Uuid;

use super::{Channel, deliver_with, eventually};

/// Lock that a transaction holds from its first slow write on.
const WRITING: i64 = 40_077;
/// Time in which a worker begins to write, also on a loaded machine. One that was missed counts as met at no write.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// Rows of a statement that returns JSON as `row`.
pub(super) async fn rows(database: &Database, sql: &str) -> Vec<Value> {
    let mut connection = database.get().await.expect("a connection");
    let rows: Vec<Stored> =
        sql_query(sql).load(&mut *connection).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.into_iter().map(|stored| stored.row).collect()
}

/// Rows of a statement, each as an object, sorted.
pub(super) async fn objects(database: &Database, sql: &str) -> Vec<String> {
    let found = rows(database, &format!("SELECT to_jsonb(found) AS row FROM ({sql}) AS found")).await;
    let mut found: Vec<String> = found.iter().map(Value::to_string).collect();
    found.sort_unstable();
    found
}

/// Number of rows of a table, with its condition.
pub(super) async fn number(database: &Database, rows_of: &str) -> i64 {
    let found = rows(database, &format!("SELECT to_jsonb(count(*)) AS row FROM {rows_of}")).await;
    found[0].as_i64().expect("a number")
}

/// Executes statements without parameters.
pub(super) async fn execute(database: &Database, sql: &str) {
    let mut connection = database.get().await.expect("a connection");
    connection.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Makes writes to tables last up to 60 ms, so that kills and outages meet them: `(table, operations)`.
pub(super) async fn write_slowly(database: &Database, tables: &[(&str, &str)]) {
    let function = format!(
        "CREATE OR REPLACE FUNCTION write_slowly() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             PERFORM pg_advisory_xact_lock_shared({WRITING});
             PERFORM pg_sleep(random() * 0.06);
             RETURN NULL;
         END $$"
    );
    execute(database, &function).await;
    for (table, operations) in tables {
        let trigger = format!(
            "CREATE TRIGGER write_slowly BEFORE {operations} ON {table} EXECUTE FUNCTION write_slowly()"
        );
        execute(database, &trigger).await;
    }
}

/// True while a transaction writes slowly.
pub(super) async fn is_writing(database: &Database) -> bool {
    let locks = format!(
        "pg_locks WHERE locktype = 'advisory' AND objid = {WRITING}
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    );
    number(database, &locks).await > 0
}

/// Workers of one daemon that are killed while they write.
pub(super) struct Victims {
    daemon: &'static str,
    variables: BTreeMap<String, String>,
    /// Time that a worker lives from its first write on, in milliseconds.
    pub life: Range<u64>,
    /// Kills that met a write.
    pub inside: usize,
    pub all: usize,
}

impl Victims {
    pub fn of(daemon: &'static str, life: Range<u64>, app: &TestApp) -> Self {
        Self { daemon, variables: app.variables(), life, inside: 0, all: 0 }
    }

    /// Changes a setting of the workers to come.
    pub fn set(&mut self, name: &str, value: impl ToString) {
        self.variables.insert(name.to_owned(), value.to_string());
    }

    pub fn start(&self) -> Program {
        Program::start("lumio-worker", &[self.daemon], &self.variables)
    }

    /// Kills workers until this many kills have met a write. In the life of each something happens.
    pub async fn kill(&mut self, app: &TestApp, kills: usize, mut happens: impl AsyncFnMut()) {
        let (enough, too_many) = (self.inside + kills, self.all + 20 * kills + 20);
        while self.inside < enough {
            assert!(self.all < too_many, "only {} of {} kills met a write", self.inside, self.all);
            self.kill_one(app, &mut happens).await;
        }
    }

    /// Kills one worker, whether it writes or not.
    pub async fn kill_one(&mut self, app: &TestApp, happens: &mut impl AsyncFnMut()) {
        // The server ends the statement of a dead worker before it notices its death.
        eventually("nothing is written", async || !is_writing(&app.databases.postgres).await).await;
        let ((), is_inside) = tokio::join!(happens(), self.live(app));
        self.inside += usize::from(is_inside);
        self.all += 1;
    }

    /// Life of a worker; true when its death met a write.
    async fn live(&self, app: &TestApp) -> bool {
        let (mut worker, began) = (self.start(), Instant::now());
        while !is_writing(&app.databases.postgres).await && began.elapsed() < START_TIMEOUT {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(self.life.clone()))).await;
        worker.kill();
        is_writing(&app.databases.postgres).await
    }
}

/// Account on air on Twitch, with what happened there.
pub(super) struct Streamer {
    channel: Channel,
    /// Viewers who came beside the first one. Each follows.
    newcomers: usize,
    lines: usize,
    broadcasts: usize,
    /// Title of each change, and of the begin of a broadcast that has one.
    titles: Vec<String>,
    viewers: i64,
}

impl Streamer {
    pub async fn open(app: &TestApp) -> Self {
        let channel = Channel::open(app).await;
        Self { channel, newcomers: 0, lines: 0, broadcasts: 0, titles: Vec::new(), viewers: 0 }
    }

    pub fn account(&self) -> Uuid {
        self.channel.owner.account_id
    }

    /// True when the API serves.
    pub async fn is_served(&self) -> bool {
        self.channel.owner.get("/v1/accounts").await.status == 200
    }

    /// Goes on air; the platform states the begin.
    pub async fn begin(&mut self, app: &TestApp, started_at: DateTime<Utc>) {
        let now = app.clock.now();
        let seen =
            Seen { started_at: Some(started_at), ..Seen::new(self.account(), BroadcastState::Live, now) };
        record(app, seen).await;
        self.broadcasts += 1;
        // The title of the former broadcast stays until another is known.
        self.titles.extend(self.titles.last().cloned());
    }

    /// Has another title and another number of viewers, as the poll of the platform finds.
    pub async fn change(&mut self, app: &TestApp) {
        self.viewers += 10;
        let title = format!("Title {}", self.viewers);
        let seen = Seen {
            viewer_count: Some(self.viewers),
            stream_title: Some(title.clone()),
            ..Seen::new(self.account(), BroadcastState::Live, app.clock.now())
        };
        record(app, seen).await;
        self.titles.push(title);
    }

    /// Goes off air.
    pub async fn end(&self, app: &TestApp) {
        record(app, Seen::new(self.account(), BroadcastState::Offline, app.clock.now())).await;
    }

    /// Two lines and a follow arrive, so many seconds late. One writer is new.
    pub async fn hear(&mut self, app: &TestApp, ages: Range<u64>) {
        let name = format!("n{}x{}", self.newcomers, &self.account().simple().to_string()[20..]);
        let newcomer = app.platforms.create_user(stand_in::Platform::Twitch, &name).0;
        let follow = twitch::Event::follow(&self.channel.streamer, &newcomer);
        for event in [self.line(&newcomer), self.line(&self.channel.viewer), follow] {
            let options = DeliveryOptions {
                message_id: Some(Uuid::now_v7().to_string()),
                age_secs: rand::random_range(ages.clone()),
                ..DeliveryOptions::default()
            };
            deliver_with(app, &event, &options).await;
        }
        self.newcomers += 1;
        self.lines += 2;
    }

    /// A line with one emote.
    fn line(&self, writer: &User) -> twitch::Event {
        let mut event = twitch::Event::chat_message(&self.channel.streamer, writer, "hi Kappa");
        event.event["message"]["fragments"] = json!([
            { "type": "text", "text": "hi ", "cheermote": null, "emote": null, "mention": null },
            { "type": "emote", "text": "Kappa", "cheermote": null, "mention": null,
              "emote": { "id": "25", "emote_set_id": "0", "owner_id": "0", "format": ["static"] } },
        ]);
        event
    }

    /// Waits until everything that arrived is stored.
    pub async fn wait_until_stored(&self, app: &TestApp) {
        let account = self.account();
        let lines = format!("stream_lines WHERE account_id = '{account}'");
        let follows = format!("events WHERE account_id = '{account}' AND event_type = 'twitch:follower'");
        eventually("everything is stored", async || {
            let timeseries = &app.databases.timescaledb;
            let stored = (number(timeseries, &lines).await, number(timeseries, &follows).await);
            stored == (as_number(self.lines), as_number(self.newcomers)) && open_deliveries(app).await == 0
        })
        .await;
    }

    /// Waits until all changes are applied, all lines are counted, and the session is closed.
    pub async fn wait_until_counted(&self, app: &TestApp) {
        let closed =
            format!("stream_sessions WHERE account_id = '{}' AND ended_at IS NOT NULL", self.account());
        eventually("everything is counted", async || {
            let (primary, timeseries) = (&app.databases.postgres, &app.databases.timescaledb);
            number(timeseries, "stream_minute_marks").await == 0
                && number(primary, "stream_transitions").await == 0
                && number(primary, &closed).await == 1
        })
        .await;
    }

    /// Waits until the report is up to date.
    pub async fn wait_until_reported(&self, app: &TestApp) {
        let made = format!(
            "stream_sessions WHERE account_id = '{}' AND report_made_at IS NOT NULL AND report_due_at IS NULL",
            self.account()
        );
        eventually("the report is made", async || number(&app.databases.postgres, &made).await == 1).await;
    }

    /// Asserts that one session has everything that happened, and so have its samples and the public figures, each once.
    pub async fn check(&self, app: &TestApp) {
        let (primary, timeseries) = (&app.databases.postgres, &app.databases.timescaledb);
        let (account, channel) = (self.account(), &self.channel.streamer.id);
        let samples = format!(
            "SELECT jsonb_build_array(max(viewer_count), sum(message_count), sum(follower_delta)) AS row
             FROM stream_samples WHERE account_id = '{account}'"
        );
        let samples = rows(timeseries, &samples).await;
        let peak = samples[0][0].as_i64().expect("viewers were sampled");
        assert!(peak > 0 && peak <= self.viewers, "{peak} viewers");
        assert_eq!(samples, [json!([peak, self.lines, self.newcomers])]);
        let sessions = format!(
            "SELECT jsonb_build_object('lines', total_messages, 'chatters', unique_chatters, 'followers', new_followers,
                'peak', peak_viewers, 'reported', report -> 'total_messages',
                'emotes', report -> 'top_emotes' -> 0 -> 'count') AS row
             FROM stream_sessions WHERE account_id = '{account}'"
        );
        let expected = json!({
            "lines": self.lines, "chatters": self.newcomers + 1, "followers": self.newcomers, "peak": peak,
            "reported": self.lines, "emotes": self.lines,
        });
        assert_eq!(rows(primary, &sessions).await, [expected], "one session has everything");
        let minutes = format!(
            "(SELECT minute, count(*) AS lines, count(DISTINCT chatter) AS chatters FROM stream_lines
                WHERE account_id = '{account}' GROUP BY minute) AS counted
             FULL JOIN (SELECT at, message_count, unique_chatters FROM stream_samples
                WHERE account_id = '{account}' AND message_count > 0) AS sample ON sample.at = counted.minute
             WHERE (lines, chatters) IS DISTINCT FROM (message_count, unique_chatters)"
        );
        assert_eq!(number(timeseries, &minutes).await, 0, "each minute has its lines");
        assert_eq!(self.unpublished(app).await, 0, "each sample with viewers is public");
        let titles = format!(
            "SELECT to_jsonb(value) AS row FROM stream_changes WHERE account_id = '{account}' AND kind = 'title' ORDER BY id"
        );
        assert_eq!(rows(primary, &titles).await, self.titles, "each change is applied once");
        let streams =
            format!("public_streams WHERE platform_channel_id = '{channel}' AND ended_at IS NOT NULL");
        assert_eq!(number(primary, &streams).await, as_number(self.broadcasts));
        let uses = format!(
            "SELECT to_jsonb(sum(usage_count)) AS row FROM public_emote_days WHERE platform_channel_id = '{channel}'"
        );
        assert_eq!(rows(primary, &uses).await, [json!(self.lines)], "each line has an emote");
    }

    /// Number of minutes whose sample of the session and whose public sample differ, without those that are marked to be
    /// counted.
    pub async fn unpublished(&self, app: &TestApp) -> i64 {
        let (account, channel) = (self.account(), &self.channel.streamer.id);
        let differing = format!(
            "(SELECT at, viewer_count, message_count FROM stream_samples
                WHERE account_id = '{account}' AND viewer_count IS NOT NULL) AS own
             FULL JOIN (SELECT at, viewer_count, message_count FROM channel_samples
                WHERE platform_channel_id = '{channel}' AND source = 'first_party') AS public ON public.at = own.at
             WHERE (own.viewer_count, own.message_count) IS DISTINCT FROM (public.viewer_count, public.message_count)
                AND NOT EXISTS (SELECT FROM stream_minute_marks AS mark
                    WHERE mark.account_id = '{account}' AND mark.minute = own.at)"
        );
        number(&app.databases.timescaledb, &differing).await
    }
}

async fn record(app: &TestApp, seen: Seen) {
    let mut connection = app.databases.postgres.get().await.expect("a connection");
    status::record(&mut connection, Platform::Twitch, &[seen]).await.expect("the status is stored");
}

fn as_number(count: usize) -> i64 {
    i64::try_from(count).expect("a small number")
}
