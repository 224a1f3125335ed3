//! Queue of an endpoint (reference/webhooks.md#queue).

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    sql_query,
    sql_types::{Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::world::count;
use serde_json::{Value, json};
use uuid::Uuid;
use webhook_model::queue::{Added, FULL_TTL, Occurrence, add};

use super::stage::{Stage, deliver, deliverer, path};

/// Occurrences of an account, a millisecond apart.
fn occurrences(account_id: Uuid, event_type: &str, number: i64, at: DateTime<Utc>) -> Vec<Occurrence<'_>> {
    let occurrence = |place| Occurrence {
        account_id,
        id: Uuid::now_v7(),
        event_type,
        occurred_at: at + TimeDelta::milliseconds(place),
        traceparent: None,
        tracestate: None,
    };
    (0..number).map(occurrence).collect()
}

impl Stage {
    async fn add(&self, occurrences: &[Occurrence<'_>]) -> Added {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        add(&mut db, occurrences, self.app.clock.now()).await.unwrap()
    }

    /// Status and reason of each delivery of an endpoint, newest first.
    async fn outcomes(&self, endpoint: Uuid) -> Vec<(Value, Value)> {
        let outcome = |delivery: &Value| (delivery["status"].clone(), delivery["last_error"].clone());
        self.deliveries(endpoint).await.iter().map(outcome).collect()
    }
}

#[tokio::test]
async fn queue_has_each_event_once_for_each_endpoint_that_chose_it() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    stage.endpoint("/all", &["*"]).await;
    stage.endpoint("/raids", &["twitch:raid"]).await;
    stage.endpoint("/chat", &["chat:message"]).await;
    let disabled = stage.endpoint("/disabled", &["*"]).await;
    stage.owner.patch(&path(disabled), json!({ "is_enabled": false })).await.expect(200);
    let other = stage.app.owner().await;
    stage.endpoint_of(&other, "/other", &["*"]).await;
    let now = stage.app.clock.now();
    for (event_type, added) in [("twitch:raid", 2), ("custom:a", 1), ("chat:message", 1)] {
        let one = occurrences(account, event_type, 1, now);
        // Twice in one call, as when a batch has a repeated row, and in another call.
        assert_eq!(stage.add(&[one[0], one[0]]).await, Added { added, skipped: 0 }, "{event_type}");
        assert_eq!(stage.add(&one).await, Added::default(), "{event_type}");
    }
    assert_eq!(count(&stage.app, "webhook_deliveries").await, 4);
    let unknown = occurrences(Uuid::now_v7(), "custom:a", 1, now);
    assert_eq!(stage.add(&unknown).await, Added::default());
    stage.stop().await;
}

#[tokio::test]
async fn queue_leaves_out_what_exceeds_its_bound() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    let waiting = "INSERT INTO webhook_deliveries
            (id, account_id, endpoint_id, event_id, event_type, occurred_at, expires_at, created_at)
        SELECT gen_random_uuid(), account_id, id, gen_random_uuid(), 'custom:a', now(), now() + interval '1 day', now()
        FROM webhook_endpoints CROSS JOIN generate_series(1, 9998) WHERE id = $1";
    assert_eq!(Stage::execute(&stage, waiting, id).await, 9998);
    let now = stage.app.clock.now();
    let five = occurrences(stage.owner.account_id, "custom:b", 5, now);
    assert_eq!(stage.add(&five).await, Added { added: 2, skipped: 3 });
    assert_eq!(stage.shown(id).await["skipped_count"], 3);
    let kept = format!("webhook_deliveries WHERE event_id IN ('{}', '{}')", five[0].id, five[1].id);
    assert_eq!(count(&stage.app, &kept).await, 2, "the first ones of a batch are kept");
    let end = "UPDATE webhook_deliveries SET status = 'delivered' WHERE endpoint_id = $1 AND event_type = 'custom:a'";
    Stage::execute(&stage, end, id).await;
    assert_eq!(
        stage.add(&five).await,
        Added { added: 0, skipped: 3 },
        "a full queue is not counted each time"
    );
    assert_eq!(stage.shown(id).await["skipped_count"], 6);
    stage.app.clock.advance(FULL_TTL);
    assert_eq!(stage.add(&five).await, Added { added: 3, skipped: 0 });
    let row = stage.row(id).await;
    assert_eq!((&row["free_places"], &row["full_until"]), (&json!(10_000 - 5), &Value::Null));
    // While places are known to be free nothing is counted.
    let full = "UPDATE webhook_endpoints SET free_places = 1 WHERE id = $1";
    Stage::execute(&stage, full, id).await;
    let more = occurrences(stage.owner.account_id, "custom:b", 2, stage.app.clock.now());
    assert_eq!(stage.add(&more[..1]).await, Added { added: 1, skipped: 0 });
    assert_eq!(stage.row(id).await["free_places"], 0);
    assert_eq!(stage.add(&more).await, Added { added: 1, skipped: 0 });
    assert_eq!(stage.row(id).await["free_places"], 10_000 - 7);
    stage.stop().await;
}

#[tokio::test]
async fn queue_takes_sixty_chat_messages_in_a_minute() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*", "chat:message"]).await;
    let account = stage.owner.account_id;
    let lines = occurrences(account, "chat:message", 59, stage.app.clock.now());
    assert_eq!(stage.add(&lines).await, Added { added: 59, skipped: 0 });
    let mut both = occurrences(account, "chat:message", 3, stage.app.clock.now());
    both.extend(occurrences(account, "custom:a", 3, stage.app.clock.now()));
    assert_eq!(stage.add(&both).await, Added { added: 1 + 3, skipped: 2 }, "events are not counted");
    assert_eq!(stage.shown(id).await["skipped_count"], 2);
    stage.app.clock.advance(TimeDelta::seconds(61));
    let more = occurrences(account, "chat:message", 60, stage.app.clock.now());
    assert_eq!(stage.add(&more).await, Added { added: 60, skipped: 0 });
    stage.stop().await;
}

#[tokio::test]
async fn queue_sends_no_type_that_is_not_chosen_or_switched_off() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["custom:a", "custom:b", "chat:message"]).await;
    let account = stage.owner.account_id;
    stage.emit("a").await;
    stage.app.clock.advance(TimeDelta::milliseconds(10));
    let chosen = stage.emit("b").await;
    stage.owner.patch(&path(id), json!({ "event_types": ["custom:b", "chat:message"] })).await.expect(200);
    stage.deliver().await;
    assert_eq!(stage.receiver.events("/a"), [chosen]);
    let not_chosen = (json!("failed"), json!("The endpoint no longer receives this type"));
    assert_eq!(stage.outcomes(id).await, [(json!("delivered"), Value::Null), not_chosen]);

    stage.app.clock.advance(TimeDelta::milliseconds(10));
    stage.emit("b").await;
    stage.app.override_feature(account, "feature:events", false).await;
    // Another copy, which does not know the features of the account yet.
    deliver(&deliverer(&stage.app)).await;
    let off = (json!("failed"), json!("The feature is off for the account"));
    assert_eq!(stage.outcomes(id).await[0], off);
    assert_eq!(stage.receiver.received("/a").len(), 1);
    assert_eq!(stage.row(id).await["failure_count"], 0);
    let one = |event_type| occurrences(account, event_type, 1, stage.app.clock.now());
    assert_eq!(stage.add(&one("custom:b")).await, Added::default());
    assert_eq!(stage.add(&one("chat:message")).await, Added { added: 1, skipped: 0 });
    stage.app.override_feature(account, "feature:multichat", false).await;
    assert_eq!(stage.add(&one("chat:message")).await, Added::default());
    stage.stop().await;
}

#[tokio::test]
async fn queue_continues_behind_an_event_that_cannot_be_read() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*", "chat:message"]).await;
    let line = occurrences(stage.owner.account_id, "chat:message", 1, stage.app.clock.now());
    let insert = "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
            display_name, badges, text, sent_at)
        VALUES ($1, $2, 'twitch', 'm', 'u', 'u', 'U', '1', 'hi', $3)";
    sql_query(insert)
        .bind::<SqlUuid, _>(line[0].id)
        .bind::<SqlUuid, _>(line[0].account_id)
        .bind::<Timestamptz, _>(line[0].occurred_at)
        .execute(&mut *stage.app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(stage.add(&line).await, Added { added: 1, skipped: 0 });
    stage.app.clock.advance(TimeDelta::milliseconds(10));
    let next = stage.emit("a").await;
    stage.deliver().await;
    assert_eq!(stage.receiver.events("/a"), [next]);
    let unreadable = (json!("failed"), json!("The event cannot be read"));
    assert_eq!(stage.outcomes(id).await, [(json!("delivered"), Value::Null), unreadable]);
    stage.stop().await;
}
