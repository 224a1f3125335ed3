//! Sessions, samples and reports, written directly into the databases.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, DurationRound, Utc};
use diesel::{
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use history_model::report::{
    CategorySpan, ChartMarker, Chatter, EmoteCount, GifCount, MarkerKind, Moderation, Report, SessionRow,
    Stream, Tip, Totals, Track,
};
use lumio_tests::{Answer, Caller, TestApp};
use serde_json::{Value, json};
use shared::schema::{stream_sessions, timeseries::stream_samples};
use uuid::Uuid;

pub const HISTORY: &str = "/v1/history";
/// Selection of a session.
pub const SESSION: &str =
    "{ id sessionType platforms title category startedAt endedAt durationSecs peakViewers avgViewers
    totalMessages uniqueChatters newFollowers newSubscribers isLive }";
/// Selection of a sample.
pub const SAMPLE: &str = "{ at platform viewerCount messageCount uniqueChatters followerDelta }";
/// Selection of a report.
pub const REPORT: &str =
    "{ id sessionType platforms title category startedAt endedAt durationSecs peakViewers avgViewers
    totalMessages uniqueChatters newFollowers newSubscribers isLive
    streams { platform broadcastId title category startedAt endedAt peakViewers avgViewers }
    categories { name startedAt durationSecs }
    totals { follows subs giftSubs resubs cheersBits tips { currency amount } raidsIn raidViewers redemptions
        superchats }
    messagesPerMinutePeak
    topChatters { platform platformUserId username displayName avatarUrl messageCount }
    topEmotes { id name provider url count } topGifs { id url provider alt count }
    moderation { bans timeouts deletions } music { title artist playedAt }
    chartMarkers { at type label } eventsByType }";

/// Session to plant. `..Planted::of(…)` fills in what a test does not name.
#[derive(Debug, Clone)]
pub struct Planted {
    pub account: Uuid,
    pub is_multi: bool,
    pub platforms: Vec<&'static str>,
    pub title: Option<&'static str>,
    pub category: Option<&'static str>,
    pub categories: Vec<&'static str>,
    pub started_at: DateTime<Utc>,
    /// `None` while live.
    pub ended_at: Option<DateTime<Utc>>,
    pub peak_viewers: Option<i64>,
    pub avg_viewers: Option<f64>,
    pub total_messages: i64,
    pub unique_chatters: Option<i64>,
    pub new_followers: Option<i64>,
    pub new_subscribers: Option<i64>,
    /// True when the report is stored.
    pub has_report: bool,
}

impl Planted {
    /// Session of an hour on Twitch with a stored report.
    pub fn of(account: Uuid, started_at: DateTime<Utc>) -> Self {
        Self {
            account,
            is_multi: false,
            platforms: vec!["twitch"],
            title: Some("Planted"),
            category: Some("Chess"),
            categories: vec!["Chess"],
            started_at,
            ended_at: Some(started_at + Duration::hours(1)),
            peak_viewers: Some(100),
            avg_viewers: Some(50.25),
            total_messages: 1000,
            unique_chatters: Some(40),
            new_followers: Some(5),
            new_subscribers: Some(2),
            has_report: true,
        }
    }

    /// Session that is live.
    pub fn live(account: Uuid, started_at: DateTime<Utc>) -> Self {
        Self {
            ended_at: None,
            peak_viewers: None,
            avg_viewers: None,
            total_messages: 0,
            unique_chatters: None,
            new_followers: None,
            new_subscribers: None,
            has_report: false,
            ..Self::of(account, started_at)
        }
    }

    /// Writes the session; returns its id.
    pub async fn plant(&self, app: &TestApp) -> Uuid {
        let id = shared::id::new();
        let report = self.has_report.then(|| serde_json::to_value(self.report(id)).expect("JSON"));
        let minute = |at: DateTime<Utc>| at.duration_trunc(Duration::minutes(1)).expect("a minute");
        insert_into(stream_sessions::table)
            .values((
                (
                    stream_sessions::id.eq(id),
                    stream_sessions::account_id.eq(self.account),
                    stream_sessions::session_type.eq(if self.is_multi { "multi" } else { "single" }),
                    stream_sessions::platforms.eq(&self.platforms),
                    stream_sessions::title.eq(self.title),
                    stream_sessions::category.eq(self.category),
                    stream_sessions::categories.eq(&self.categories),
                    stream_sessions::started_at.eq(self.started_at),
                    stream_sessions::ended_at.eq(self.ended_at),
                    stream_sessions::last_off_at.eq(self.ended_at),
                ),
                (
                    stream_sessions::minutes_from.eq(minute(self.started_at)),
                    stream_sessions::minutes_to.eq(self.ended_at.map(|at| minute(at) + Duration::minutes(1))),
                    stream_sessions::duration_secs.eq(self.duration_secs()),
                    stream_sessions::peak_viewers.eq(self.peak_viewers),
                    stream_sessions::avg_viewers.eq(self.avg_viewers),
                    stream_sessions::total_messages.eq(self.total_messages),
                    stream_sessions::unique_chatters.eq(self.unique_chatters),
                    stream_sessions::new_followers.eq(self.new_followers),
                    stream_sessions::new_subscribers.eq(self.new_subscribers),
                    stream_sessions::report_made_at.eq(report.as_ref().and(self.ended_at)),
                    stream_sessions::report.eq(report),
                ),
            ))
            .execute(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        id
    }

    fn duration_secs(&self) -> Option<i64> {
        self.ended_at.map(|end| (end - self.started_at).num_seconds())
    }

    /// Report of the session: one entry in each part.
    pub fn report(&self, id: Uuid) -> Report {
        let at = self.started_at + Duration::minutes(5);
        let text = |text: &str| text.to_owned();
        Report {
            session: SessionRow {
                id,
                session_type: text(if self.is_multi { "multi" } else { "single" }),
                platforms: self.platforms.iter().map(|platform| text(platform)).collect(),
                title: self.title.map(text),
                category: self.category.map(text),
                started_at: self.started_at,
                ended_at: self.ended_at,
                duration_secs: self.duration_secs(),
                peak_viewers: self.peak_viewers,
                avg_viewers: self.avg_viewers,
                total_messages: self.total_messages,
                unique_chatters: self.unique_chatters,
                new_followers: self.new_followers,
                new_subscribers: self.new_subscribers,
                is_live: self.ended_at.is_none(),
            },
            streams: vec![Stream {
                platform: text("twitch"),
                broadcast_id: text("b-1"),
                title: self.title.map(text),
                category: self.category.map(text),
                started_at: self.started_at,
                ended_at: self.ended_at,
                peak_viewers: Some(100),
                avg_viewers: Some(50.25),
            }],
            categories: vec![CategorySpan {
                name: text("Chess"),
                started_at: self.started_at,
                duration_secs: 3600,
            }],
            totals: Totals {
                follows: 5,
                subs: 2,
                gift_subs: 1,
                resubs: 3,
                cheers_bits: 400,
                tips: vec![Tip { currency: text("EUR"), amount: text("12.50") }],
                raids_in: 1,
                raid_viewers: 42,
                redemptions: 7,
                superchats: 0,
            },
            messages_per_minute_peak: 90,
            top_chatters: vec![Chatter {
                platform: text("twitch"),
                platform_user_id: Some(text("chatter-77")),
                username: text("ada"),
                display_name: text("Ada"),
                avatar_url: None,
                message_count: 12,
            }],
            top_emotes: vec![EmoteCount {
                id: text("25"),
                name: text("Kappa"),
                provider: text("twitch"),
                url: None,
                count: 9,
            }],
            top_gifs: vec![GifCount {
                id: text("g1"),
                url: text("https://tenor.com/view/g1"),
                provider: text("tenor"),
                alt: Some(text("a cat")),
                count: 2,
            }],
            moderation: Moderation { bans: 1, timeouts: 2, deletions: 3 },
            music: vec![Track { title: text("Song"), artist: text("Band"), played_at: at }],
            chart_markers: vec![ChartMarker { at, kind: MarkerKind::Raid, label: Some(text("42")) }],
            events_by_type: BTreeMap::from([(text("twitch:follow"), 5)]),
        }
    }
}

/// The present minute, some hours ago.
pub fn hours_ago(app: &TestApp, hours: i64) -> DateTime<Utc> {
    let now = app.clock.now().duration_trunc(Duration::minutes(1)).expect("a minute");
    now - Duration::hours(hours)
}

/// Writes the sample of one minute.
pub async fn sample(app: &TestApp, account: Uuid, platform: &str, at: DateTime<Utc>, viewers: Option<i64>) {
    insert_into(stream_samples::table)
        .values((
            stream_samples::account_id.eq(account),
            stream_samples::platform.eq(platform),
            stream_samples::at.eq(at),
            stream_samples::viewer_count.eq(viewers),
            stream_samples::message_count.eq(10_i64),
            stream_samples::unique_chatters.eq(4_i64),
            stream_samples::follower_delta.eq(1_i64),
        ))
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
}

/// Writes a sample of each minute from one (inclusive) to another (exclusive).
pub async fn samples(
    app: &TestApp,
    account: Uuid,
    platform: &str,
    (from, to): (DateTime<Utc>, DateTime<Utc>),
) {
    let sql = "INSERT INTO stream_samples
            (account_id, platform, at, viewer_count, message_count, unique_chatters, follower_delta)
        SELECT $1, $2, at, 100, 10, 4, 1 FROM generate_series($3, $4 - interval '1 minute', interval '1 minute') AS at";
    sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(platform)
        .bind::<Timestamptz, _>(from)
        .bind::<Timestamptz, _>(to)
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
}

/// Number of samples of an account.
pub async fn count_samples(app: &TestApp, account: Uuid) -> i64 {
    stream_samples::table
        .filter(stream_samples::account_id.eq(account))
        .count()
        .get_result(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap()
}

/// A planted sample as REST returns it.
pub fn listed_sample(platform: &str, at: DateTime<Utc>, viewers: Option<i64>) -> Value {
    json!({
        "at": api_core::Timestamp::from(at), "platform": platform, "viewer_count": viewers,
        "message_count": 10, "unique_chatters": 4, "follower_delta": 1,
    })
}

/// Address of a report.
pub fn report_path(id: Uuid) -> String {
    format!("{HISTORY}/reports/{id}")
}

/// Address of the links of a report.
pub fn links_path(report: Uuid) -> String {
    format!("{}/shared-links", report_path(report))
}

/// Address of a link.
pub fn link_path(id: Uuid) -> String {
    format!("/v1/history/shared-links/{id}")
}

/// Reads a report over GraphQL.
pub async fn gql_report(caller: &Caller, id: Uuid) -> Answer {
    let document = format!("query($id: UUID!) {{ streamReport(id: $id) {REPORT} }}");
    caller.graphql(&document, json!({ "id": id })).await
}

/// Value with the enum values of GraphQL as REST writes them.
pub fn lowered(mut value: Value) -> Value {
    match &mut value {
        Value::Array(items) => items.iter_mut().for_each(|item| *item = lowered(item.take())),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match field {
                    Value::String(text) if matches!(name.as_str(), "session_type" | "type" | "status") => {
                        *text = text.to_lowercase();
                    }
                    field => *field = lowered(field.take()),
                }
            }
        }
        _ => {}
    }
    value
}

/// Creates a link of a report; returns it with its token.
pub async fn link(caller: &Caller, report: Uuid, password: Option<&str>, allow_export: bool) -> Value {
    let body = json!({ "duration_secs": 3600, "password": password, "allow_export": allow_export });
    caller.post(&links_path(report), body).await.expect(201)["data"].clone()
}

#[track_caller]
pub fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().unwrap_or_else(|| panic!("no id in {value}")).parse().expect("an id")
}

#[track_caller]
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}
