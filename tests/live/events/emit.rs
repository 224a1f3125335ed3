//! Events that an account emits itself (reference/events.md#emitting).

use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use live_model::{EVENT_TYPES, EventRow, MAX_BACKLOG_ROWS, RowBuffer};
use lumio_tests::{RedisServer, SocketRequest, TestApp, both_refused};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::{id, schema::channel_connections};
use uuid::Uuid;

use super::{emit_over_graphql, one_over_graphql};
use lumio_tests::world::{eventually, jobs, published, stored_events, workers};

const TRIGGERS: &str = "extension_triggers";

#[tokio::test]
async fn emit_event_stores_publishes_and_returns_the_event_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut client = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    let channel = format!("events:{}", owner.account_id);
    client.subscribe(&channel).await;
    let input = json!({
        "event_type": "twitch:cheer",
        "data": { "user_name": "Ada", "user_id": "7", "bits": 250, "message": "take this", "unknown": 1 },
    });
    let answers = [owner.post("/v1/events", input.clone()).await, emit_over_graphql(&owner, &input).await];
    assert_eq!(answers[0].status, 201);
    assert_eq!(
        answers[0].body["_links"]["self"],
        format!("/v1/events/{}", answers[0].data()["id"].as_str().unwrap())
    );
    for event in [answers[0].data().clone(), answers[1].field("emitEvent")] {
        let mut expected = json!({
            "account_id": owner.account_id, "event_type": "twitch:cheer", "platform": "twitch",
            "platform_user_id": "7", "username": "ada", "display_name": "Ada", "avatar_url": null, "amount": 250,
            "currency": "bits", "message": "take this", "is_test": true,
            "data": { "user_name": "Ada", "user_id": "7", "bits": 250, "message": "take this" },
        });
        expected["id"] = event["id"].clone();
        expected["occurred_at"] = event["occurred_at"].clone();
        assert_eq!(event, expected);
        let frame = client.frame().await;
        assert_eq!(
            (&frame["event_type"], &frame["data"], &frame["id"]),
            (&json!("event:test"), &event, &event["id"])
        );
        let id: Uuid = event["id"].as_str().unwrap().parse().unwrap();
        assert_eq!(*owner.get(&format!("/v1/events/{id}")).await.data(), event);
        assert_eq!(one_over_graphql(&owner, id).await.field("event"), event);
    }
    assert_eq!(stored_events(&app, owner.account_id).await.len(), 2);
    assert_eq!(jobs(&app, TRIGGERS).await, 2, "handlers run, as for any event");
    app.stop().await;
}

#[tokio::test]
async fn emit_event_publishes_a_new_event_and_a_stream_unless_it_is_a_test() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let data =
        json!({ "broadcaster_name": "Ada", "broadcaster_id": "1", "started_at": "2026-01-01T00:00:00Z" });
    for is_test in [true, false] {
        let input = json!({ "event_type": "kick:stream_online", "data": data, "is_test": is_test });
        let answer = owner.post("/v1/events", input).await;
        assert_eq!(answer.data()["is_test"], is_test);
    }
    let heard: Vec<Value> = published(&app, &format!("events:{}", owner.account_id))
        .await
        .into_iter()
        .map(|event| event["event_type"].clone())
        .collect();
    // A test of a stream does not publish that the stream began.
    assert_eq!(heard, ["event:test", "event:new", "stream:online"]);
    app.stop().await;
}

#[tokio::test]
async fn emit_event_takes_every_type_of_the_catalogue_and_custom_types() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for known in EVENT_TYPES {
        let input = json!({ "event_type": known.name, "platform": known.platform(), "data": {} });
        let event = owner.post("/v1/events", input).await.expect(201)["data"].clone();
        let keys: Vec<&String> = event["data"].as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), known.keys.len(), "{}", known.name);
        assert!(known.keys.iter().all(|key| event["data"][key.name].is_null()), "{}", known.name);
    }
    for (platform, data) in [(Value::Null, json!({ "a": [1, { "b": null }] })), (json!("trovo"), json!({}))] {
        let input = json!({ "event_type": "custom:level_up", "platform": platform, "data": data });
        let event = owner.post("/v1/events", input).await.expect(201)["data"].clone();
        assert_eq!((&event["platform"], &event["data"]), (&platform, &data));
    }
    app.stop().await;
}

#[tokio::test]
async fn emit_event_reports_wrong_input_and_stores_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let large = json!({ "text": "x".repeat(64 * 1024) });
    let wrong = [
        (json!({ "event_type": "twitch:dance", "data": {} }), "Unknown event type: twitch:dance"),
        (json!({ "event_type": "custom:Level", "data": {} }), "Unknown event type: custom:Level"),
        (json!({ "event_type": "custom:", "data": {} }), "Unknown event type: custom:"),
        (
            json!({ "event_type": "twitch:raid", "platform": "kick", "data": {} }),
            "platform must be twitch for twitch:raid",
        ),
        (
            json!({ "event_type": "custom:a", "platform": "msn", "data": {} }),
            "platform must be one of twitch, youtube, kick, trovo, streamelements, spotify, shopify",
        ),
        (json!({ "event_type": "custom:a", "data": [1] }), "data must be an object"),
        (json!({ "event_type": "custom:a", "data": large }), "data must not be larger than 65536 bytes"),
        (
            json!({ "event_type": "twitch:cheer", "data": { "bits": -1 } }),
            "data.bits must be a whole number of 0 or more or null",
        ),
        (
            json!({ "event_type": "twitch:follower", "data": { "followed_at": "yesterday" } }),
            "data.followed_at must be a time in RFC 3339 or null",
        ),
        (
            json!({ "event_type": "streamelements:tip", "data": { "currency": "euro" } }),
            "data.currency must be three capital letters or null",
        ),
        (
            json!({ "event_type": "twitch:goal", "data": { "is_achieved": "yes" } }),
            "data.is_achieved must be true or false or null",
        ),
        (
            json!({ "event_type": "twitch:poll", "data": { "choices": [1] } }),
            "data.choices must be a list of objects or null",
        ),
    ];
    for (input, message) in wrong {
        let rest = owner.post("/v1/events", input.clone()).await;
        let graphql = emit_over_graphql(&owner, &input).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    for missing in [json!({ "data": {} }), json!({ "event_type": "custom:a" })] {
        owner.post("/v1/events", missing).await.refused_with("VALIDATION_ERROR");
    }
    assert!(stored_events(&app, owner.account_id).await.is_empty());
    assert!(published(&app, &format!("events:{}", owner.account_id)).await.is_empty());
    assert_eq!(jobs(&app, TRIGGERS).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn emit_event_runs_no_handler_where_the_bot_is_switched_off() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    insert_into(channel_connections::table)
        .values((
            channel_connections::id.eq(id::new()),
            channel_connections::account_id.eq(owner.account_id),
            channel_connections::platform.eq("twitch"),
            channel_connections::platform_channel_id.eq("1"),
            channel_connections::channel_name.eq("ada"),
            channel_connections::display_name.eq("Ada"),
            channel_connections::credential_source.eq("system"),
            channel_connections::bot_enabled.eq(false),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    for (event_type, expected) in [("twitch:raid", 0), ("kick:raid", 1), ("custom:a", 2)] {
        owner.post("/v1/events", json!({ "event_type": event_type, "data": {} })).await.expect(201);
        assert_eq!(jobs(&app, TRIGGERS).await, expected, "{event_type}");
    }
    app.stop().await;
}

#[tokio::test]
async fn emit_event_stores_nothing_without_redis() {
    let mut redis = RedisServer::start().await;
    let app = TestApp::builder().with("REDIS_URL", redis.url()).start().await;
    let owner = app.owner().await;
    redis.kill();
    let input = json!({ "event_type": "custom:a", "data": {} });
    let graphql = emit_over_graphql(&owner, &input).await;
    let rest = owner.post("/v1/events", input).await;
    both_refused(&rest, &graphql, 500, "REDIS_ERROR", "Internal cache error");
    assert!(stored_events(&app, owner.account_id).await.is_empty());
}

#[tokio::test]
async fn emit_event_publishes_nothing_when_the_row_buffer_is_full() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let waiting = RowBuffer::<EventRow>::new(app.state.redis.clone()).stream();
    // In small steps, because other tests share Redis.
    let fill = redis::Script::new("for n = 1, 1000 do redis.call('XADD', KEYS[1], '*', 'row', n) end");
    for _ in 0..MAX_BACKLOG_ROWS / 1000 {
        let mut redis = app.state.redis.get().await.unwrap();
        fill.key(&waiting).invoke_async::<()>(&mut *redis).await.unwrap();
    }
    let input = json!({ "event_type": "custom:a", "data": {} });
    for answer in [owner.post("/v1/events", input.clone()).await, emit_over_graphql(&owner, &input).await] {
        answer.refused_with("INTERNAL_SERVER_ERROR");
    }
    assert!(published(&app, &format!("events:{}", owner.account_id)).await.is_empty());
    assert!(stored_events(&app, owner.account_id).await.is_empty());
    assert_eq!(jobs(&app, TRIGGERS).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn emit_event_publishes_now_and_stores_later_when_the_database_refuses() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut db = app.databases.timescaledb.get().await.unwrap();
    // As if the table could not be written.
    sql_query("ALTER TABLE events ADD CONSTRAINT away CHECK (event_type <> 'custom:a') NOT VALID")
        .execute(&mut *db)
        .await
        .unwrap();
    let input = json!({ "event_type": "custom:a", "data": { "n": 1 } });
    let event = owner.post("/v1/events", input).await.expect(201)["data"].clone();
    assert_eq!(published(&app, &format!("events:{}", owner.account_id)).await.len(), 1);
    assert!(stored_events(&app, owner.account_id).await.is_empty());
    sql_query("ALTER TABLE events DROP CONSTRAINT away").execute(&mut *db).await.unwrap();
    drop(db);
    let running = workers(&app, &[Daemon::Ingest]).await;
    eventually("it is stored", async || stored_events(&app, owner.account_id).await.len() == 1).await;
    let path = format!("/v1/events/{}", event["id"].as_str().unwrap());
    assert_eq!(*owner.get(&path).await.data(), event);
    running.stop().await.unwrap();
    app.stop().await;
}
