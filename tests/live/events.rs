//! Events of an account: history and what it emits itself (C B12).

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{QueryableByName, insert_into, prelude::*, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, RedisServer, SocketRequest, Statements, TestApp, both_refused};
use serde_json::{Value, json};
use shared::{
    db::schema::{channel_connections, timeseries::events},
    id,
    ingest::{AccountEvent, EVENT_TYPES},
    token::TokenKind,
};
use uuid::Uuid;

use super::world::{jobs, stored_events, told};

const FIELDS: &str =
    "{ id accountId eventType platform platformUserId username displayName avatarUrl amount currency
    message data isTest occurredAt }";
const TRIGGERS: &str = "extension_triggers";

/// What a stored event is, where a test says nothing else.
struct Written {
    event_type: &'static str,
    username: &'static str,
    message: &'static str,
    minutes_ago: i64,
}

impl Default for Written {
    fn default() -> Self {
        Self { event_type: "twitch:follower", username: "ada", message: "", minutes_ago: 0 }
    }
}

/// Writes an event past the operations; answers its id.
async fn write(app: &TestApp, account: Uuid, event: Written) -> Uuid {
    let event_id = id::new();
    insert_into(events::table)
        .values((
            events::id.eq(event_id),
            events::account_id.eq(account),
            events::event_type.eq(event.event_type),
            events::platform.eq(event.event_type.split(':').next()),
            events::platform_event_id.eq(event_id.to_string()),
            events::username.eq(event.username),
            events::display_name.eq(event.username.to_uppercase()),
            events::message.eq(event.message),
            events::occurred_at.eq(app.clock.now() - TimeDelta::minutes(event.minutes_ago)),
        ))
        .execute(&mut *app.state.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    event_id
}

async fn over_graphql(caller: &Caller, filter: Value) -> Answer {
    let document = format!(
        "query($filter: EventsFilter) {{ events(filter: $filter) {{ items {FIELDS} total page limit pages }} }}"
    );
    caller.graphql(&document, json!({ "filter": filter })).await
}

/// `data` is JSON: its keys stay as they are.
async fn emit_over_graphql(caller: &Caller, input: &Value) -> Answer {
    let document = format!("mutation($input: EmitEventInput!) {{ emitEvent(input: $input) {FIELDS} }}");
    let input = json!({
        "eventType": input["event_type"], "platform": input["platform"], "data": input["data"],
        "isTest": input["is_test"],
    });
    caller.graphql(&document, json!({ "input": input })).await
}

async fn one_over_graphql(caller: &Caller, id: Uuid) -> Answer {
    caller.graphql(&format!("query($id: UUID!) {{ event(id: $id) {FIELDS} }}"), json!({ "id": id })).await
}

#[track_caller]
fn ids(items: &Value) -> Vec<Uuid> {
    let items = items.as_array().unwrap_or_else(|| panic!("a list: {items}"));
    items.iter().map(|event| event["id"].as_str().unwrap().parse().unwrap()).collect()
}

#[tokio::test]
async fn an_emitted_event_is_stored_told_and_found_on_both_protocols() {
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
async fn an_event_that_is_no_test_is_told_as_a_new_one_and_a_stream_also_as_such() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let data =
        json!({ "broadcaster_name": "Ada", "broadcaster_id": "1", "started_at": "2026-01-01T00:00:00Z" });
    for is_test in [true, false] {
        let input = json!({ "event_type": "kick:stream_online", "data": data, "is_test": is_test });
        let answer = owner.post("/v1/events", input).await;
        assert_eq!(answer.data()["is_test"], is_test);
    }
    let heard: Vec<Value> = told(&app, &format!("events:{}", owner.account_id))
        .await
        .into_iter()
        .map(|event| event["event_type"].clone())
        .collect();
    // A test of a stream says to nobody that there is one.
    assert_eq!(heard, ["event:test", "event:new", "stream:online"]);
    app.stop().await;
}

#[tokio::test]
async fn every_type_of_the_catalogue_and_an_accounts_own_can_be_emitted() {
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
async fn wrong_input_is_named_and_leaves_nothing() {
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
    assert!(told(&app, &format!("events:{}", owner.account_id)).await.is_empty());
    assert_eq!(jobs(&app, TRIGGERS).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn the_permission_then_the_feature_and_only_the_own_account() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let account = owner.account_id;
    let foreign = write(&app, stranger.account_id, Written::default()).await;
    let own = write(&app, account, Written::default()).await;
    let input = json!({ "event_type": "custom:a", "data": {} });
    let reader = app.member_with(account, &["events:read"]).await;
    let powerless = app.member_with(account, &["chat:read"]).await;

    for caller in [
        &reader.caller,
        &app.service_key(account, &["events:read"]).await,
        &app.popout(&owner, &["events:read"]).await,
    ] {
        assert_eq!(ids(&caller.get("/v1/events").await.body["data"]), [own]);
        let refused =
            [caller.post("/v1/events", input.clone()).await, emit_over_graphql(caller, &input).await];
        both_refused(&refused[0], &refused[1], 403, "FORBIDDEN", "Missing permission: events:create");
    }
    let emitter = app.service_key(account, &["events:create"]).await;
    emitter.post("/v1/events", input.clone()).await.expect(201);
    for (rest, graphql) in [
        (powerless.get("/v1/events").await, over_graphql(&powerless, json!({})).await),
        (powerless.get(&format!("/v1/events/{own}")).await, one_over_graphql(&powerless, own).await),
        (emitter.get("/v1/events").await, over_graphql(&emitter, json!({})).await),
    ] {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: events:read");
    }
    let overlay = app.surface_token(TokenKind::Overlay, account, "k", None).await;
    let refused = (overlay.get("/v1/events").await, over_graphql(&overlay, json!({})).await);
    both_refused(&refused.0, &refused.1, 403, "FORBIDDEN", "This token cannot call the API");
    app.anonymous().get("/v1/events").await.refused("UNAUTHORIZED", "Authentication required");

    let missing =
        (owner.get(&format!("/v1/events/{foreign}")).await, one_over_graphql(&owner, foreign).await);
    both_refused(&missing.0, &missing.1, 404, "NOT_FOUND", "Event not found");
    owner.get("/v1/events/nothing").await.refused("VALIDATION_ERROR", "Invalid UUID: id");

    app.override_feature(account, "feature:events", false).await;
    let off = (owner.post("/v1/events", input.clone()).await, emit_over_graphql(&owner, &input).await);
    both_refused(&off.0, &off.1, 403, "FEATURE_DISABLED", "Feature is disabled: feature:events");
    let off = (owner.get("/v1/events").await, over_graphql(&owner, json!({})).await);
    both_refused(&off.0, &off.1, 403, "FEATURE_DISABLED", "Feature is disabled: feature:events");
    assert_eq!(stored_events(&app, stranger.account_id).await.len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn history_filters_and_pages_in_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let account = owner.account_id;
    for n in 0..30 {
        write(&app, stranger.account_id, Written { minutes_ago: n, ..Written::default() }).await;
    }
    let raid = Written { event_type: "twitch:raid", username: "bob_1", minutes_ago: 1, ..Written::default() };
    let raid = write(&app, account, raid).await;
    let tip = Written {
        event_type: "streamelements:tip",
        message: "50% off \\o/",
        minutes_ago: 5,
        ..Written::default()
    };
    let tip = write(&app, account, tip).await;
    let kick = write(
        &app,
        account,
        Written { event_type: "kick:follower", username: "bobby", minutes_ago: 10, ..Written::default() },
    )
    .await;
    let old = write(&app, account, Written { minutes_ago: 100, ..Written::default() }).await;
    let at = |minutes: i64| -> String {
        let at: DateTime<Utc> = app.clock.now() - TimeDelta::minutes(minutes);
        at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
    };
    owner.get("/v1/events").await.expect(200);
    statements.with(account);
    let cases = [
        (json!({}), vec![raid, tip, kick, old]),
        (json!({ "types": ["twitch:raid", "kick:follower"] }), vec![raid, kick]),
        (json!({ "types": ["custom:nothing"] }), vec![]),
        (json!({ "platform": "twitch" }), vec![raid, old]),
        (json!({ "search": "BOB" }), vec![raid, kick]),
        (json!({ "search": "b_1" }), vec![raid]),
        (json!({ "search": "0%" }), vec![tip]),
        (json!({ "search": "\\o" }), vec![tip]),
        (json!({ "search": "_" }), vec![raid]),
        (json!({ "from": at(7) }), vec![raid, tip]),
        (json!({ "to": at(7) }), vec![kick, old]),
        (json!({ "from": at(50), "to": at(7), "search": "bob", "platform": "kick" }), vec![kick]),
        (json!({ "limit": 3 }), vec![raid, tip, kick]),
        (json!({ "page": 2, "limit": 3 }), vec![old]),
        (json!({ "page": 9, "limit": 3 }), vec![]),
    ];
    for (filter, expected) in cases {
        let query: Vec<String> = filter
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| {
                let list = value
                    .as_array()
                    .map(|types| types.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","));
                let text =
                    list.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_else(|| value.to_string());
                format!(
                    "{name}={}",
                    url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
                )
            })
            .collect();
        statements.take();
        let rest = owner.get(&format!("/v1/events?{}", query.join("&"))).await;
        assert_eq!(ids(&rest.expect(200)["data"]), expected, "{filter}");
        let sent: Vec<String> =
            statements.take().into_iter().filter(|text| text.contains("FROM events")).collect();
        assert_eq!(sent.len(), 1, "{filter}: {sent:#?}");
        let graphql = over_graphql(&owner, filter.clone()).await.field("events");
        assert_eq!(ids(&graphql["items"]), expected, "{filter}");
        let is_paged = filter["limit"].is_number();
        let meta = &rest.body["_meta"];
        if is_paged {
            assert_eq!(
                *meta,
                json!({ "total": 4, "page": filter["page"].as_i64().unwrap_or(1), "limit": 3, "pages": 2 })
            );
        }
        for key in ["total", "page", "limit", "pages"] {
            assert_eq!(graphql[key], meta[key], "{filter} {key}");
        }
    }
    app.stop().await;
}

#[tokio::test]
async fn wrong_filters_are_named() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let many: Vec<&str> = vec!["twitch:raid"; 51];
    let long = "x".repeat(101);
    let wrong = [
        (json!({ "types": ["twitch:dance"] }), "Unknown event type: twitch:dance"),
        (json!({ "types": [] }), "types must name between 1 and 50 types"),
        (json!({ "types": many }), "types must name between 1 and 50 types"),
        (
            json!({ "platform": "discord" }),
            "platform must be one of twitch, youtube, kick, trovo, streamelements, spotify, shopify",
        ),
        (json!({ "search": " " }), "search must not be empty"),
        (json!({ "search": long }), "search must be between 1 and 100 characters"),
        (json!({ "from": "yesterday" }), "from must be a time in RFC 3339, for example 2030-01-31T12:00:00Z"),
        (json!({ "to": "1" }), "to must be a time in RFC 3339, for example 2030-01-31T12:00:00Z"),
        (json!({ "limit": 101 }), "limit must be between 1 and 100"),
        (json!({ "limit": 0 }), "limit must be between 1 and 100"),
        (json!({ "page": 0 }), "page must be 1 or greater"),
    ];
    for (filter, message) in wrong {
        let (name, value) = filter.as_object().unwrap().iter().next().unwrap();
        let list = value
            .as_array()
            .map(|types| types.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","));
        let text = list.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_else(|| value.to_string());
        let rest = owner.get(&format!("/v1/events?{name}={}", text.replace(' ', "%20"))).await;
        both_refused(&rest, &over_graphql(&owner, filter.clone()).await, 400, "VALIDATION_ERROR", message);
    }
    app.stop().await;
}

#[tokio::test]
async fn a_bot_that_is_switched_off_runs_no_handler() {
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    for (event_type, expected) in [("twitch:raid", 0), ("kick:raid", 1), ("custom:a", 2)] {
        owner.post("/v1/events", json!({ "event_type": event_type, "data": {} })).await.expect(201);
        assert_eq!(jobs(&app, TRIGGERS).await, expected, "{event_type}");
    }
    app.stop().await;
}

#[tokio::test]
async fn without_redis_nothing_is_stored() {
    let mut redis = RedisServer::start().await;
    let app = TestApp::builder().with("REDIS_URL", redis.url()).start().await;
    let owner = app.owner().await;
    redis.kill();
    let input = json!({ "event_type": "custom:a", "data": {} });
    owner.post("/v1/events", input).await.refused("REDIS_ERROR", "Internal cache error");
    assert!(stored_events(&app, owner.account_id).await.is_empty());
}

#[derive(QueryableByName)]
struct Plan {
    #[diesel(sql_type = diesel::sql_types::Text)]
    #[diesel(column_name = "QUERY PLAN")]
    line: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[tokio::test]
async fn one_event_and_those_of_a_type_are_found_by_an_index() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await.account_id, app.owner().await.account_id);
    let mut db = app.state.databases.timescaledb.get().await.unwrap();
    let fill = format!(
        "INSERT INTO events (id, account_id, event_type, platform_event_id, occurred_at)
         SELECT gen_random_uuid(), CASE WHEN n % 2 = 0 THEN '{owner}' ELSE '{other}' END::uuid,
            CASE WHEN n % 1000 = 0 THEN 'twitch:raid' ELSE 'twitch:follower' END, n::text, now() - n * interval '1 second'
         FROM generate_series(1, 40000) AS n"
    );
    sql_query(fill).execute(&mut *db).await.unwrap();
    sql_query("ANALYZE events").execute(&mut *db).await.unwrap();
    let held: Count = sql_query("SELECT count(*) AS count FROM events").get_result(&mut *db).await.unwrap();
    assert_eq!(held.count, 40_000);
    let found = format!("SELECT * FROM events WHERE account_id = '{owner}' AND id = '{}'", Uuid::now_v7());
    let of_type = format!(
        "SELECT * FROM events WHERE account_id = '{owner}' AND event_type = ANY('{{twitch:raid}}')
         ORDER BY occurred_at DESC, id DESC LIMIT 25"
    );
    for statement in [found, of_type] {
        let plan: Vec<Plan> = sql_query(format!("EXPLAIN {statement}")).load(&mut *db).await.unwrap();
        assert!(
            plan.iter().all(|row| !row.line.contains("Seq Scan on events_p") || row.line.contains("rows=1 ")),
            "{:#?}",
            plan.iter().map(|row| &row.line).collect::<Vec<_>>()
        );
        assert!(plan.iter().any(|row| row.line.contains("Index")), "an index is used");
    }
}

/// The type that is told is the type that is answered.
#[test]
fn what_is_told_has_the_fields_of_the_resource() {
    let event = AccountEvent {
        id: Uuid::nil(),
        account_id: Uuid::nil(),
        event_type: String::new(),
        platform: None,
        platform_user_id: None,
        username: None,
        display_name: None,
        avatar_url: None,
        amount: None,
        currency: None,
        message: None,
        data: json!({}),
        is_test: false,
        occurred_at: DateTime::UNIX_EPOCH,
    };
    let told = serde_json::to_value(&event).unwrap();
    let resource = serde_json::to_value(live::events::Event::from(event)).unwrap();
    assert_eq!(told, resource);
}
