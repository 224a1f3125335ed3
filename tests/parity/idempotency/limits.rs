//! Bounds of stored requests (reference/limits.md#idempotency-keys).

use lumio_tests::{TestApp, world::count};
use serde_json::{Value, json};

use super::{NOT_REPEATABLE, is_conflict, is_executed, is_repetition, post_with_key};

const AUTOMATIONS: &str = "/v1/automations";
const MAX_KEYS_PER_HOUR: u32 = 6_000;
const MAX_ANSWER_KIB_PER_HOUR: u32 = 8 * 1024;
const HOUR_SECS: i64 = 3_600;

fn automation() -> Value {
    json!({ "name": "Welcome" })
}

#[tokio::test]
async fn limits_of_keys_and_of_stored_answers_are_those_of_each_caller() {
    let app = TestApp::start().await;
    app.begin_a_window(HOUR_SECS);
    let (owner, other) = (app.owner().await, app.owner().await);
    app.override_every_feature(owner.account_id, true).await;
    app.override_every_feature(other.account_id, true).await;
    let person = owner.user_id.to_string();
    let used = async |name: &'static str, limit: u32, left: u64| {
        let number = u64::from(limit) - left;
        app.state.limiter.count_many(name, &person, limit, HOUR_SECS, number).await;
    };
    // The answer of the first request takes one of two keys, and the last KiB.
    used("idempotency_keys", MAX_KEYS_PER_HOUR, 2).await;
    used("idempotency_answers", MAX_ANSWER_KIB_PER_HOUR, 1).await;
    let first = post_with_key(&owner, AUTOMATIONS, "a", &automation()).await;
    is_executed(&first, 201);
    is_executed(&post_with_key(&owner, AUTOMATIONS, "b", &automation()).await, 201);
    let refused = post_with_key(&owner, AUTOMATIONS, "c", &automation()).await;
    refused.expect(429);
    refused.refused("RATE_LIMIT_EXCEEDED", "Too many idempotency keys");
    assert!(!refused.header("retry-after").is_empty());
    // Known keys are answered, and no other caller is refused.
    is_repetition(&first, &post_with_key(&owner, AUTOMATIONS, "a", &automation()).await);
    is_conflict(&post_with_key(&owner, AUTOMATIONS, "b", &automation()).await, NOT_REPEATABLE);
    is_executed(&post_with_key(&other, AUTOMATIONS, "c", &automation()).await, 201);
    assert_eq!(count(&app, "automations").await, 3);
    app.stop().await;
}
