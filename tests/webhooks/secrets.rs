//! Secrets of endpoints and their rotation (reference/webhooks.md#secrets).

use chrono::TimeDelta;
use lumio_tests::both_refused;
use serde_json::{Value, json};
use uuid::Uuid;

use super::stage::{ENDPOINTS, Stage, graphql, id_of, path};

const SECRET: &str = "{ secret previousSecretExpiresAt }";

fn secret_path(endpoint: Uuid) -> String {
    format!("{}/secret", path(endpoint))
}

fn rotate_path(endpoint: Uuid) -> String {
    format!("{}/rotate-secret", path(endpoint))
}

/// Creates an endpoint; returns its id and secret.
async fn created(stage: &Stage) -> (Uuid, String) {
    let input = json!({ "url": stage.receiver.url("/a"), "event_types": ["*"] });
    let made = stage.owner.post(ENDPOINTS, input).await.expect(201)["data"].clone();
    (id_of(&made), made["secret"].as_str().expect("a secret").to_owned())
}

#[tokio::test]
async fn webhook_secret_and_rotate_webhook_secret_are_for_sessions_only() {
    let stage = Stage::new().await;
    let (id, secret) = created(&stage).await;
    let shown = stage.owner.get(&secret_path(id)).await;
    assert_eq!(shown.data(), &json!({ "secret": secret, "previous_secret_expires_at": null }));
    assert_eq!(shown.header("cache-control"), "private, no-store");
    let gql = graphql(&stage.owner, "query", "webhookSecret", &[("endpointId", id)], SECRET).await;
    assert_eq!(gql.field("webhookSecret")["secret"], secret);
    let listed = stage.owner.get(ENDPOINTS).await.text;
    assert!(!listed.contains(&secret) && !listed.contains("whsec_"), "{listed}");

    let app = &stage.app;
    let every = ["settings:read", "settings:edit"];
    let member = app.member_with(stage.owner.account_id, &["settings:read"]).await;
    let stranger = app.owner().await;
    let session = "First-party session required";
    for (caller, status, code, message) in [
        (app.service_key(stage.owner.account_id, &every).await, 403, "FORBIDDEN", session),
        (app.personal_key(&stage.owner, &every).await, 403, "FORBIDDEN", session),
        (app.popout(&stage.owner, &every).await, 403, "FORBIDDEN", session),
        (member.caller.clone(), 403, "FORBIDDEN", "Missing permission: settings:edit"),
        (stranger.caller.clone(), 404, "NOT_FOUND", "Webhook endpoint not found"),
    ] {
        let ids = [("endpointId", id)];
        let gql = graphql(&caller, "query", "webhookSecret", &ids, SECRET).await;
        both_refused(&caller.get(&secret_path(id)).await, &gql, status, code, message);
        let gql = graphql(&caller, "mutation", "rotateWebhookSecret", &ids, SECRET).await;
        both_refused(&caller.post(&rotate_path(id), json!({})).await, &gql, status, code, message);
    }
    let unchanged = stage.owner.get(&secret_path(id)).await;
    assert_eq!(unchanged.data()["secret"], secret);
    stage.stop().await;
}

#[tokio::test]
async fn rotate_webhook_secret_lets_the_former_one_sign_for_a_day() {
    let mut stage = Stage::new().await;
    let (id, first) = created(&stage).await;
    let rotated = stage.owner.post(&rotate_path(id), json!({})).await;
    let (data, until) = (rotated.data().clone(), stage.app.clock.now() + TimeDelta::hours(24));
    let second = data["secret"].as_str().expect("a secret").to_owned();
    assert_ne!(second, first);
    let ends_at =
        data["previous_secret_expires_at"].as_str().expect("a time").parse::<chrono::DateTime<chrono::Utc>>();
    assert!((until - ends_at.unwrap()).num_seconds().abs() < 60, "{data}");
    assert_eq!(rotated.header("cache-control"), "private, no-store");
    assert_eq!(stage.owner.get(&secret_path(id)).await.data(), &data);
    assert_eq!(stage.shown(id).await["previous_secret_expires_at"], data["previous_secret_expires_at"]);
    let entry = stage.app.audited_once("webhook_endpoint:secret_rotated").await;
    assert_eq!((entry.resource_id, entry.metadata), (Some(id.to_string()), json!({})));

    stage.emit("during").await;
    stage.deliver().await;
    let during = stage.receiver.received("/a").pop().expect("a delivery");
    assert!(during.is_verified_by(&first) && during.is_verified_by(&second));
    assert_eq!(during.signatures(&first), (2, true));

    stage.advance(TimeDelta::hours(24)).await;
    stage.emit("after").await;
    stage.deliver().await;
    let after = stage.receiver.received("/a").pop().expect("a delivery");
    assert_eq!((after.signatures(&first), after.signatures(&second)), ((1, false), (1, true)));
    assert_eq!(stage.shown(id).await["previous_secret_expires_at"], Value::Null);
    assert_ne!(stage.row(id).await["previous_secret"], Value::Null);
    stage.deliverer.sweep().await.unwrap();
    assert_eq!(stage.row(id).await["previous_secret"], Value::Null);

    // The second rotation within the time ends the first secret.
    let ids = [("endpointId", id)];
    for _ in 0..2 {
        graphql(&stage.owner, "mutation", "rotateWebhookSecret", &ids, SECRET)
            .await
            .field("rotateWebhookSecret");
    }
    stage.emit("twice").await;
    stage.deliver().await;
    let twice = stage.receiver.received("/a").pop().expect("a delivery");
    assert_eq!(twice.signatures(&second), (2, false));
    stage.stop().await;
}
