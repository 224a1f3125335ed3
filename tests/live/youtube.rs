//! Membership tiers and broadcasts of YouTube (reference/chat.md#youtube).

use chrono::{DateTime, Duration, SubsecRound, Utc};
use live_model::{AccountEvent, Badge, ChatMessage, EventRow, RowBuffer};
use lumio_tests::{Caller, TestApp, both_refused};
use lumio_worker::Daemon;
use platforms_stand_in::{Failure, OnAir, Platform};
use serde_json::{Value, json};
use uuid::Uuid;

use lumio_tests::world::{connect, eventually, workers};

const TIER: &str = "{ tooltip tierName badgeUrl durationValue durationUnit memberMonthsMin sortOrder firstSeenAt lastSeenAt }";
const STREAM: &str = "{ broadcastId title status scheduledStart startedAt viewerCount liveChatId }";
const TIERS_PATH: &str = "/v1/youtube/memberships/tiers";
const STREAMS_PATH: &str = "/v1/youtube/active-streams";

async fn tiers(caller: &Caller) -> Value {
    let rest = caller.get(TIERS_PATH).await;
    let graphql = caller.graphql(&format!("{{ youtubeMembershipTiers {TIER} }}"), json!({})).await;
    assert_eq!(graphql.field("youtubeMembershipTiers"), *rest.data());
    rest.data().clone()
}

fn message(account_id: Uuid, id: &str, tooltip: &str, sent_at: DateTime<Utc>) -> ChatMessage {
    ChatMessage {
        id: foundation::events::id_of_source(id, sent_at),
        account_id,
        platform: "youtube".into(),
        platform_message_id: id.into(),
        platform_user_id: "UC1".into(),
        username: "viewer".into(),
        display_name: "Viewer".into(),
        color: None,
        badges: vec![Badge { id: "member".into(), version: String::new(), info: Some(tooltip.into()) }],
        text: "hi".into(),
        fragments: Vec::new(),
        emotes: Vec::new(),
        reply_to: None,
        is_deleted: false,
        is_action: false,
        sent_at,
        forgets_user: false,
        counted_as: None,
    }
}

fn event(account_id: Uuid, id: &str, event_type: &str, data: Value, occurred_at: DateTime<Utc>) -> EventRow {
    let event = AccountEvent {
        id: foundation::events::id_of_source(id, occurred_at),
        account_id,
        event_type: event_type.into(),
        platform: Some("youtube".into()),
        platform_user_id: Some("UC1".into()),
        username: None,
        display_name: None,
        avatar_url: None,
        amount: None,
        currency: None,
        message: None,
        data,
        is_test: id.starts_with("test"),
        occurred_at,
    };
    EventRow::new(event, id.into())
}

#[tokio::test]
async fn youtube_membership_tiers_are_listed_in_the_order_first_seen() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    assert_eq!(tiers(&owner).await, json!([]));
    let now = app.clock.now().trunc_subsecs(3);
    let at = |minutes: i64| now - Duration::minutes(60 - minutes);
    let account = owner.account_id;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let messages = RowBuffer::<ChatMessage>::new(app.state.redis.clone());
    let events = RowBuffer::<EventRow>::new(app.state.redis.clone());
    messages
        .push(&[
            message(account, "m1", "Member (6 months)", at(2)),
            message(account, "m2", "New member", at(1)),
            message(account, "m3", "Member (6 months)", at(9)),
        ])
        .await
        .unwrap();
    events
        .push(&[
            event(
                account,
                "e1",
                "youtube:member_milestone",
                json!({ "level_name": "Super fan", "months": 24 }),
                at(3),
            ),
            event(account, "e2", "youtube:member", json!({ "level_name": "Gold" }), at(4)),
            event(account, "e3", "youtube:superchat", json!({ "level_name": "None" }), at(5)),
            event(account, "test1", "youtube:member", json!({ "level_name": "Only a test" }), at(6)),
        ])
        .await
        .unwrap();
    eventually("four tiers were seen", async || {
        owner.get(TIERS_PATH).await.data().as_array().unwrap().len() == 4
    })
    .await;

    let listed = tiers(&owner).await;
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|tier| tier["tooltip"].as_str().unwrap()).collect();
    assert_eq!(names, ["New member", "Member (6 months)", "Super fan (24 months)", "Gold"]);
    let time = |minutes| json!(shared::clock::rfc3339(at(minutes)));
    assert_eq!(
        listed[1],
        json!({
            "tooltip": "Member (6 months)", "tier_name": "Member", "badge_url": null, "duration_value": 6,
            "duration_unit": "MONTHS", "member_months_min": 6, "sort_order": 1, "first_seen_at": time(2),
            "last_seen_at": time(9),
        })
    );
    assert_eq!((&listed[0]["member_months_min"], &listed[0]["duration_value"]), (&json!(0), &Value::Null));
    assert_eq!(tiers(&other).await, json!([]));
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn youtube_active_streams_lists_live_broadcasts_with_their_viewers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Youtube, "streamer").await;
    app.platforms.go_live(OnAir {
        platform: Platform::Youtube,
        id: format!("live-{}", streamer.id),
        title: "on air".into(),
        category: "Music".into(),
        viewers: 321,
        started_at: app.clock.now(),
    });
    let rest = owner.get(STREAMS_PATH).await;
    let graphql = owner.graphql(&format!("{{ youtubeActiveStreams {STREAM} }}"), json!({})).await;
    let rows = rest.data().as_array().unwrap().clone();
    let row = rows.iter().find(|row| row["broadcast_id"] == format!("live-{}", streamer.id)).expect("a row");
    assert_eq!((&row["viewer_count"], row["live_chat_id"].is_string()), (&json!(321), true), "{row}");
    assert_eq!(row["status"], "live");
    // The response of GraphQL is the cached one; its enum is written in capitals.
    assert_eq!(graphql.field("youtubeActiveStreams")[0]["status"], "LIVE");
    assert_eq!(graphql.field("youtubeActiveStreams")[0]["broadcast_id"], row["broadcast_id"]);
    app.stop().await;
}

#[tokio::test]
async fn youtube_active_streams_asks_youtube_at_most_twice_a_minute() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, Platform::Youtube, "streamer").await;
    owner.get(STREAMS_PATH).await.expect(200);
    app.platforms.fail_next_at(
        Platform::Youtube,
        "/liveBroadcasts",
        Failure::RateLimited { retry_after: std::time::Duration::from_secs(7) },
    );
    owner.get(STREAMS_PATH).await.expect(200);
    app.clock.advance(Duration::seconds(31));
    let refused = owner.get(STREAMS_PATH).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "7"), "{}", refused.text);
    // It is not called again before the time that it named.
    let searches = || app.platforms.change_youtube(|chats| chats.searches);
    let asked = searches();
    app.clock.advance(Duration::seconds(3));
    let refused = owner.get(STREAMS_PATH).await;
    refused.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    let wait: i64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=4).contains(&wait), "{wait}");
    assert_eq!(searches(), asked);
    app.clock.advance(Duration::seconds(4));
    owner.get(STREAMS_PATH).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn youtube_active_streams_caches_a_failure_briefly() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, Platform::Youtube, "streamer").await;
    let searches = || app.platforms.change_youtube(|chats| chats.searches);
    app.platforms.fail_next_at(Platform::Youtube, "/liveBroadcasts", Failure::ServerError);
    for _ in 0..3 {
        owner.get(STREAMS_PATH).await.refused_with("INTERNAL_SERVER_ERROR");
    }
    assert_eq!(searches(), 0, "the failure was before the look, and nothing came after it");
    app.clock.advance(Duration::seconds(11));
    owner.get(STREAMS_PATH).await.expect(200);
    assert_eq!(searches(), 1);
    app.stop().await;
}

#[tokio::test]
async fn youtube_active_streams_lists_announced_broadcasts_after_the_live_one() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Youtube, "streamer").await;
    let at = app.clock.now().trunc_subsecs(0);
    let soon =
        |id: &str, hours: i64| (id.to_owned(), format!("{id} is to come"), at + Duration::hours(hours));
    let announced = vec![soon("later", 48), soon("sooner", 2)];
    app.platforms.change_youtube(|chats| chats.announced.insert(streamer.id.clone(), announced));
    let rest = owner.get(STREAMS_PATH).await;
    let rows = rest.data().as_array().unwrap();
    let published: Vec<(&Value, &Value)> =
        rows.iter().map(|row| (&row["broadcast_id"], &row["status"])).collect();
    let live = json!(format!("live-{}", streamer.id));
    assert_eq!(
        published,
        [
            (&live, &json!("live")),
            (&json!("sooner"), &json!("upcoming")),
            (&json!("later"), &json!("upcoming"))
        ]
    );
    assert_eq!(
        rows[1],
        json!({
            "broadcast_id": "sooner", "title": "sooner is to come", "status": "upcoming",
            "scheduled_start": shared::clock::rfc3339(at + Duration::hours(2)), "started_at": null,
            "viewer_count": null, "live_chat_id": "chat-sooner",
        })
    );
    let graphql = owner.graphql(&format!("{{ youtubeActiveStreams {STREAM} }}"), json!({})).await;
    assert_eq!(graphql.field("youtubeActiveStreams")[2]["status"], "UPCOMING");
    // The announced ones remain while the channel is off air.
    app.platforms.set_on_air(&streamer, false);
    app.clock.advance(Duration::seconds(31));
    let rest = owner.get(STREAMS_PATH).await;
    let ids: Vec<&Value> = rest.data().as_array().unwrap().iter().map(|row| &row["broadcast_id"]).collect();
    assert_eq!(ids, [&json!("sooner"), &json!("later")]);
    app.stop().await;
}

#[tokio::test]
async fn youtube_active_streams_needs_a_connection() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let rest = owner.get(STREAMS_PATH).await;
    let graphql = owner.graphql(&format!("{{ youtubeActiveStreams {STREAM} }}"), json!({})).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The account is not connected to youtube");
    app.stop().await;
}

#[tokio::test]
async fn youtube_membership_tiers_and_active_streams_need_chat_read() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let unprivileged = app.member_with(owner.account_id, &["chat:userinfo"]).await;
    let calls = async |caller: &Caller| {
        [
            (
                caller.get(TIERS_PATH).await,
                caller.graphql(&format!("{{ youtubeMembershipTiers {TIER} }}"), json!({})).await,
            ),
            (
                caller.get(STREAMS_PATH).await,
                caller.graphql(&format!("{{ youtubeActiveStreams {STREAM} }}"), json!({})).await,
            ),
        ]
    };
    for (rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    for (rest, graphql) in calls(&unprivileged).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: chat:read");
    }
    let reader = app.member_with(owner.account_id, &["chat:read"]).await;
    assert_eq!(tiers(&reader).await, json!([]));
    app.stop().await;
}
