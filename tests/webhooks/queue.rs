//! Queue of an endpoint (reference/webhooks.md#queue).

use chrono::{DateTime, TimeDelta, Utc};
use lumio_tests::world::count;
use serde_json::json;
use uuid::Uuid;
use webhook_model::queue::{Added, Occurrence, add};

use super::stage::{Stage, path};

/// Occurrences of an account, a millisecond apart.
fn occurrences(account_id: Uuid, event_type: &str, number: i64, at: DateTime<Utc>) -> Vec<Occurrence<'_>> {
    let occurrence = |place| Occurrence {
        account_id,
        id: Uuid::now_v7(),
        event_type,
        occurred_at: at + TimeDelta::milliseconds(place),
    };
    (0..number).map(occurrence).collect()
}

impl Stage {
    async fn add(&self, occurrences: &[Occurrence<'_>]) -> Added {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        add(&mut db, occurrences, self.app.clock.now()).await.unwrap()
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
    assert_eq!(stage.execute(waiting, id).await, 9998);
    let now = stage.app.clock.now();
    let five = occurrences(stage.owner.account_id, "custom:b", 5, now);
    assert_eq!(stage.add(&five).await, Added { added: 2, skipped: 3 });
    assert_eq!(stage.shown(id).await["skipped_count"], 3);
    let kept = format!("webhook_deliveries WHERE event_id IN ('{}', '{}')", five[0].id, five[1].id);
    assert_eq!(count(&stage.app, &kept).await, 2, "the first ones of a batch are kept");
    let end = "UPDATE webhook_deliveries SET status = 'delivered' WHERE endpoint_id = $1 AND event_type = 'custom:a'";
    stage.execute(end, id).await;
    assert_eq!(stage.add(&five).await, Added { added: 3, skipped: 0 });
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
