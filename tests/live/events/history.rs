//! The history of an account's events (reference/events.md#history).

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use lumio_tests::{Statements, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Written, ids, over_graphql, write};

#[tokio::test]
async fn events_filters_and_pages_in_one_statement() {
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
async fn events_refuses_wrong_filters() {
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
        (
            json!({ "from": "2030-01-02T00:00:00Z", "to": "2030-01-01T00:00:00Z" }),
            "from must not be after to",
        ),
        (json!({ "to": "1" }), "to must be a time in RFC 3339, for example 2030-01-31T12:00:00Z"),
        (json!({ "limit": 101 }), "limit must be between 1 and 100"),
        (json!({ "limit": 0 }), "limit must be between 1 and 100"),
        (json!({ "page": 0 }), "page must be 1 or greater"),
    ];
    for (filter, message) in wrong {
        let query: Vec<String> = filter.as_object().unwrap().iter().map(parameter).collect();
        let rest = owner.get(&format!("/v1/events?{}", query.join("&"))).await;
        both_refused(&rest, &over_graphql(&owner, filter.clone()).await, 400, "VALIDATION_ERROR", message);
    }
    app.stop().await;
}

/// A filter as a parameter of a query.
fn parameter((name, value): (&String, &Value)) -> String {
    let list =
        value.as_array().map(|types| types.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","));
    let text = list.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_else(|| value.to_string());
    format!("{name}={}", text.replace(' ', "%20"))
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
async fn event_and_events_of_a_type_are_found_by_an_index() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await.account_id, app.owner().await.account_id);
    let mut db = app.databases.timescaledb.get().await.unwrap();
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
