//! Endpoints of an account (reference/webhooks.md#endpoints).

use lumio_tests::{Answer, Caller, TestApp, both_refused, world::count};
use serde_json::{Value, json};
use uuid::Uuid;

use super::stage::{CREATED, ENDPOINT, ENDPOINTS, Stage, graphql, id_of, path};

fn input(url: &str) -> Value {
    json!({ "url": url, "event_types": ["twitch:raid", "custom:goal", "twitch:raid"] })
}

#[tokio::test]
async fn create_webhook_endpoint_returns_the_secret_to_a_session_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut given = input("https://Hooks.example/a?token=hidden");
    given["description"] = json!(" Goals ");
    let answer = owner.post(ENDPOINTS, given).await;
    let made = answer.expect(201)["data"].clone();
    assert_eq!(answer.header("location"), path(id_of(&made)));
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let expected = json!({
        "id": made["id"], "account_id": owner.account_id, "url": "https://hooks.example/a?token=hidden",
        "description": "Goals", "event_types": ["twitch:raid", "custom:goal"], "is_enabled": true,
        "disabled_reason": null, "failing_since": null, "skipped_count": 0, "previous_secret_expires_at": null,
        "created_by": owner.user_id, "created_at": made["created_at"], "updated_at": made["created_at"],
        "secret": made["secret"],
    });
    assert_eq!(made, expected);
    let secret = made["secret"].as_str().expect("a secret");
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    let entry = app.audited_once("webhook_endpoint:created").await;
    let metadata = json!({ "host": "hooks.example", "event_types": ["twitch:raid", "custom:goal"] });
    assert_eq!((entry.account_id, entry.metadata), (Some(owner.account_id), metadata));
    let sealed = format!("webhook_endpoints WHERE position('{secret}'::bytea IN secret) > 0");
    assert_eq!(count(&app, &sealed).await, 0, "the secret is encrypted");

    let key = app.service_key(owner.account_id, &["settings:edit", "events:read"]).await;
    let of_key = key.post(ENDPOINTS, input("https://hooks.example/b")).await.expect(201)["data"].clone();
    assert_eq!((&of_key["secret"], &of_key["created_by"]), (&Value::Null, &Value::Null));
    let personal = app.personal_key(&owner, &["settings:edit", "events:read"]).await;
    let mut disabled = input("https://hooks.example/c");
    disabled["is_enabled"] = json!(false);
    let over_graphql = personal.mutate("createWebhookEndpoint", &disabled, CREATED).await;
    let over_graphql = over_graphql.field("createWebhookEndpoint");
    assert_eq!((&over_graphql["secret"], &over_graphql["is_enabled"]), (&Value::Null, &json!(false)));
    let member = app.member_with(owner.account_id, &["settings:read"]).await;
    let gql = member.mutate("createWebhookEndpoint", &input("https://a.example/"), CREATED).await;
    let rest = member.post(ENDPOINTS, input("https://a.example/")).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: settings:edit");
    app.stop().await;
}

#[tokio::test]
async fn create_webhook_endpoint_and_update_webhook_endpoint_validate_every_field() {
    let app = TestApp::builder()
        .with("LUMIO_EGRESS_TEST_HOSTS", "127.0.0.1:9")
        .with("LUMIO_BUNDLE_URL", "https://bundles.example")
        .start()
        .await;
    let owner = app.owner().await;
    let id = id_of(&owner.post(ENDPOINTS, input("http://127.0.0.1:9/")).await.expect(201)["data"]);
    let https = "url must be an address that begins with https://";
    let long = format!("https://hooks.example/{}", "x".repeat(2048));
    let expanded = format!("https://hooks.example/{}", "ä".repeat(1000));
    for (field, value, message) in [
        ("url", json!(" "), "url must not be empty"),
        ("url", json!(long), "url must be between 1 and 2048 characters"),
        ("url", json!(expanded), "url must be between 1 and 2048 characters"),
        ("url", json!("hooks.example"), https),
        ("url", json!("http://hooks.example/"), https),
        ("url", json!("http://127.0.0.1:10/"), https),
        ("url", json!("https://a:b@hooks.example/"), "url must not hold a user name or password"),
        ("url", json!("https://hooks.example/#a"), "url must not have a fragment"),
        ("url", json!("https://10.0.0.1/"), "url must be on the public internet"),
        ("url", json!("https://redis/"), "url must be on the public internet"),
        ("url", json!("https://localhost:2/"), "url must not be a host of this service"),
        ("url", json!("https://bundles.example/"), "url must not be a host of this service"),
        ("description", json!("x".repeat(201)), "description must be between 0 and 200 characters"),
        ("description", json!("a\nb"), "description must not contain control characters"),
        ("event_types", json!([]), "event_types must name between 1 and 50 types"),
        ("event_types", json!(vec!["*"; 51]), "event_types must name between 1 and 50 types"),
        ("event_types", json!(["twitch:raid", "twitch:x"]), "Invalid event_types: unknown type twitch:x"),
        ("event_types", json!(["webhook.test"]), "Invalid event_types: unknown type webhook.test"),
    ] {
        let mut given = input("https://hooks.example/");
        given[field] = value.clone();
        let gql = owner.mutate("createWebhookEndpoint", &given, CREATED).await;
        let rest = owner.post(ENDPOINTS, given).await;
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
        assert_eq!(rest.body["details"]["fields"][0]["field"], field, "{message}");
        let gql = update(&owner, id, &json!({ field: value })).await;
        let rest = owner.patch(&path(id), json!({ field: value })).await;
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
    }
    for field in ["url", "event_types", "is_enabled"] {
        let gql = update(&owner, id, &json!({ field: null })).await;
        let rest = owner.patch(&path(id), json!({ field: null })).await;
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", &format!("{field} cannot be null"));
    }
    app.stop().await;
}

#[tokio::test]
async fn create_webhook_endpoint_and_update_webhook_endpoint_need_the_right_to_read_the_events() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let editor = app.service_key(owner.account_id, &["settings:edit"]).await;
    let reader = app.service_key(owner.account_id, &["settings:edit", "events:read"]).await;
    let of_types = |types: &[&str]| json!({ "url": "https://a.example/", "event_types": types });
    for (caller, types, missing) in [
        (&editor, ["custom:goal", "custom:goal"], "events:read"),
        (&editor, ["*", "custom:goal"], "events:read"),
        (&editor, ["chat:message", "chat:message"], "chat:read"),
        (&reader, ["*", "chat:message"], "chat:read"),
    ] {
        let rest = caller.post(ENDPOINTS, of_types(&types)).await;
        let gql = caller.mutate("createWebhookEndpoint", &of_types(&types), CREATED).await;
        both_refused(&rest, &gql, 403, "FORBIDDEN", &format!("Missing permission: {missing}"));
    }
    assert_eq!(count(&app, "webhook_endpoints").await, 0);

    let mut disabled = of_types(&["chat:message"]);
    disabled["is_enabled"] = json!(false);
    let id = id_of(&owner.post(ENDPOINTS, disabled).await.expect(201)["data"]);
    for changes in [
        json!({ "url": "https://b.example/" }),
        json!({ "is_enabled": true }),
        json!({ "event_types": ["custom:goal", "chat:message"] }),
        // Deliveries of the former types may wait.
        json!({ "event_types": ["*"], "is_enabled": true }),
    ] {
        update(&reader, id, &changes).await.refused("FORBIDDEN", "Missing permission: chat:read");
    }
    let shown = owner.get(&path(id)).await.data().clone();
    assert_eq!((&shown["url"], &shown["is_enabled"]), (&json!("https://a.example/"), &json!(false)));
    update(&editor, id, &json!({ "description": "Chat", "is_enabled": false }))
        .await
        .field("updateWebhookEndpoint");
    update(&owner, id, &json!({ "event_types": ["*"] })).await.field("updateWebhookEndpoint");
    update(&reader, id, &json!({ "event_types": ["twitch:raid"], "is_enabled": true }))
        .await
        .field("updateWebhookEndpoint");

    for (feature, types) in
        [("feature:events", ["*", "*"]), ("feature:multichat", ["custom:a", "chat:message"])]
    {
        app.override_feature(owner.account_id, feature, false).await;
        let rest = owner.post(ENDPOINTS, of_types(&types)).await;
        let gql = owner.mutate("createWebhookEndpoint", &of_types(&types), CREATED).await;
        let message = format!("Feature is disabled: {feature}");
        both_refused(&rest, &gql, 403, "FEATURE_DISABLED", &message);
        let changes = json!({ "event_types": types });
        update(&owner, id, &changes).await.refused("FEATURE_DISABLED", &message);
        app.override_feature(owner.account_id, feature, true).await;
    }
    app.stop().await;
}

async fn update(caller: &Caller, id: Uuid, changes: &Value) -> Answer {
    let mut given = changes.clone();
    given["endpoint_id"] = json!(id);
    caller.mutate("updateWebhookEndpoint", &given, ENDPOINT).await
}

#[tokio::test]
async fn create_webhook_endpoint_refuses_more_than_ten() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    for number in 0..10 {
        owner.post(ENDPOINTS, input(&format!("https://hooks.example/{number}"))).await.expect(201);
    }
    let gql = owner.mutate("createWebhookEndpoint", &input("https://hooks.example/"), CREATED).await;
    let rest = owner.post(ENDPOINTS, input("https://hooks.example/")).await;
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", "Webhook endpoint limit reached");
    assert_eq!(rest.body["details"], json!({ "limit": 10 }));
    other.post(ENDPOINTS, input("https://hooks.example/")).await.expect(201);
    app.stop().await;
}

#[tokio::test]
async fn webhook_endpoints_lists_the_own_ones_oldest_first() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    stranger.post(ENDPOINTS, input("https://hooks.example/other")).await.expect(201);
    let mut made = Vec::new();
    for number in 0..2 {
        let url = format!("https://hooks.example/{number}");
        let mut endpoint = owner.post(ENDPOINTS, input(&url)).await.expect(201)["data"].clone();
        endpoint.as_object_mut().unwrap().remove("secret");
        made.push(endpoint);
        app.clock.advance(chrono::TimeDelta::seconds(5));
    }
    let reader = app.service_key(owner.account_id, &["settings:read"]).await;
    assert_eq!(reader.get(ENDPOINTS).await.data(), &json!(made));
    let document = format!("{{ webhookEndpoints {ENDPOINT} }}");
    assert_eq!(reader.graphql(&document, json!({})).await.field("webhookEndpoints"), json!(made));
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    let (rest, gql) = (member.get(ENDPOINTS).await, member.graphql(&document, json!({})).await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: settings:read");
    app.stop().await;
}

#[tokio::test]
async fn webhook_endpoint_shows_an_own_one() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let mut made = owner.post(ENDPOINTS, input("https://hooks.example/a")).await.expect(201)["data"].clone();
    made.as_object_mut().unwrap().remove("secret");
    let id = id_of(&made);
    let reader = app.service_key(owner.account_id, &["settings:read"]).await;
    let shown = async |caller: &Caller, id: Uuid| {
        let gql = graphql(caller, "query", "webhookEndpoint", &[("endpointId", id)], ENDPOINT).await;
        (caller.get(&path(id)).await, gql)
    };
    let (rest, gql) = shown(&reader, id).await;
    assert_eq!((rest.data(), &gql.field("webhookEndpoint")), (&made, &made));
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    let (rest, gql) = shown(&member, id).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: settings:read");
    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let (rest, gql) = shown(caller, id).await;
        both_refused(&rest, &gql, 404, "NOT_FOUND", "Webhook endpoint not found");
    }
    app.stop().await;
}

#[tokio::test]
async fn update_webhook_endpoint_changes_what_is_given() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let mut given = input("https://hooks.example/a");
    given["description"] = json!("Goals");
    let made = owner.post(ENDPOINTS, given).await.expect(201)["data"].clone();
    let id = id_of(&made);
    assert_eq!(owner.patch(&path(id), json!({})).await.data()["updated_at"], made["updated_at"]);
    app.clock.advance(chrono::TimeDelta::seconds(5));
    let changes = json!({ "url": "https://other.example/", "description": null, "is_enabled": false });
    let changed = owner.patch(&path(id), changes).await.data().clone();
    assert_eq!(changed["url"], "https://other.example/");
    assert_eq!((&changed["description"], &changed["is_enabled"]), (&Value::Null, &json!(false)));
    assert_eq!(changed["event_types"], made["event_types"]);
    assert_ne!(changed["updated_at"], made["updated_at"]);
    let entry = app.audited_once("webhook_endpoint:updated").await;
    let metadata = json!({
        "fields": ["url", "description", "is_enabled"], "host": "other.example",
        "event_types": ["twitch:raid", "custom:goal"], "enabled": false,
    });
    assert_eq!((entry.resource_id, entry.metadata), (Some(id.to_string()), metadata));
    let gql = update(&owner, id, &json!({ "event_types": ["*", "chat:message"] })).await;
    assert_eq!(gql.field("updateWebhookEndpoint")["event_types"], json!(["*", "chat:message"]));

    let member = app.member_with(owner.account_id, &["settings:read"]).await;
    let changes = json!({ "is_enabled": true });
    let rest = member.patch(&path(id), changes.clone()).await;
    let gql = update(&member, id, &changes).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: settings:edit");
    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let (rest, gql) =
            (caller.patch(&path(id), changes.clone()).await, update(caller, id, &changes).await);
        both_refused(&rest, &gql, 404, "NOT_FOUND", "Webhook endpoint not found");
    }
    app.stop().await;
}

#[tokio::test]
async fn update_webhook_endpoint_enables_one_whose_maker_has_left() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let maker = app.member_with(account, &["settings:edit", "events:read"]).await;
    let of_owner = id_of(&owner.post(ENDPOINTS, input("https://own.example/")).await.expect(201)["data"]);
    let left =
        id_of(&maker.post(ENDPOINTS, input("https://[2606:4700::1]:8443/a")).await.expect(201)["data"]);
    let mut disabled = input("https://hooks.example/b");
    disabled["is_enabled"] = json!(false);
    let disabled = id_of(&maker.post(ENDPOINTS, disabled).await.expect(201)["data"]);
    maker.post(&format!("/v1/accounts/{account}/leave"), json!({})).await.expect(200);
    for (id, is_enabled, reason) in
        [(of_owner, true, Value::Null), (left, false, json!("member_left")), (disabled, false, Value::Null)]
    {
        let shown = owner.get(&path(id)).await.data().clone();
        assert_eq!(
            (&shown["is_enabled"], &shown["disabled_reason"]),
            (&json!(is_enabled), &reason),
            "{shown}"
        );
    }
    let entry = app.audited_once("webhook_endpoint:disabled").await;
    assert_eq!((entry.account_id, entry.actor_id), (Some(account), None));
    assert_eq!(entry.resource_id, Some(left.to_string()));
    assert_eq!(entry.metadata, json!({ "host": "[2606:4700::1]", "reason": "member_left" }));
    for (person, notices) in [(&owner, 1), (&maker, 0)] {
        let id = person.user_id;
        let of = format!("notifications WHERE user_id = '{id}' AND notification_type = 'webhook_disabled'");
        assert_eq!(count(&app, &of).await, notices);
    }
    let gql = update(&owner, left, &json!({ "is_enabled": true })).await.field("updateWebhookEndpoint");
    assert_eq!((&gql["is_enabled"], &gql["disabled_reason"]), (&json!(true), &Value::Null));
    app.stop().await;
}

#[tokio::test]
async fn delete_webhook_endpoint_deletes_its_deliveries() {
    let stage = Stage::new().await;
    let (kept, deleted) = (stage.endpoint("/kept", &["*"]).await, stage.endpoint("/deleted", &["*"]).await);
    stage.emit("a").await;
    let member = stage.app.member_with(stage.owner.account_id, &["settings:read"]).await;
    let stranger = stage.app.owner().await;
    for (caller, status, code, message) in [
        (&member, 403, "FORBIDDEN", "Missing permission: settings:edit"),
        (&stranger, 404, "NOT_FOUND", "Webhook endpoint not found"),
    ] {
        let gql = graphql(caller, "mutation", "deleteWebhookEndpoint", &[("endpointId", deleted)], "").await;
        both_refused(&caller.delete(&path(deleted)).await, &gql, status, code, message);
    }
    stage.owner.delete(&path(deleted)).await.expect(204);
    let entry = stage.app.audited_once("webhook_endpoint:deleted").await;
    assert_eq!(
        (entry.resource_id, entry.metadata),
        (Some(deleted.to_string()), json!({ "host": "127.0.0.1" }))
    );
    assert_eq!(count(&stage.app, "webhook_deliveries").await, 1);
    stage.deliver().await;
    assert_eq!((stage.receiver.received("/kept").len(), stage.receiver.received("/deleted").len()), (1, 0));
    let gql = graphql(&stage.owner, "mutation", "deleteWebhookEndpoint", &[("endpointId", kept)], "").await;
    assert_eq!(gql.field("deleteWebhookEndpoint"), json!(true));
    assert_eq!(count(&stage.app, "webhook_endpoints").await, 0);
    stage.stop().await;
}
