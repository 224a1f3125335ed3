//! Feature flags, managed by operator staff (reference/features.md#flags).

use lumio_tests::{SocketRequest, TestApp, both_refused, eventually};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{as_rest, ask, feature_id, only_staff, reason_of};

const FLAG: &str =
    "{ id key label description category globallyEnabled defaultForAccounts createdAt updatedAt }";

#[tokio::test]
async fn admin_feature_flags_lists_in_display_order_and_filters() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["feature-flags:read"]).await;
    let rest = admin.get("/v1/admin/feature-flags").await;
    let graphql = ask(&admin, &format!("{{ adminFeatureFlags {FLAG} }}")).await.field("adminFeatureFlags");
    assert_eq!(as_rest(graphql, &["category"]), *rest.data());
    let flags = rest.data().as_array().unwrap();
    let mut categories: Vec<&str> = flags.iter().map(|flag| flag["category"].as_str().unwrap()).collect();
    categories.dedup();
    assert_eq!(
        categories,
        [
            "system",
            "platform",
            "widget",
            "feature",
            "integration",
            "bot_module",
            "automation",
            "copyright_provider",
            "event"
        ]
    );
    let crawler = flags.iter().find(|flag| flag["key"] == "system:crawler").unwrap();
    assert_eq!((&crawler["globally_enabled"], &crawler["label"]), (&json!(false), &json!("Crawler")));

    let narrowed = admin.get("/v1/admin/feature-flags?category=bot_module").await;
    assert_eq!(narrowed.data().as_array().unwrap().len(), 4);
    let document = format!("{{ adminFeatureFlags(category: BOT_MODULE, search: \"WORD_\") {FLAG} }}");
    let graphql = ask(&admin, &document).await.field("adminFeatureFlags");
    let rest = admin.get("/v1/admin/feature-flags?category=bot_module&search=WORD_").await;
    assert_eq!(as_rest(graphql, &["category"]), *rest.data());
    assert_eq!(rest.data()[0]["key"], "bot_module:word_filter");
    // Wildcards of patterns are taken literally.
    assert_eq!(admin.get("/v1/admin/feature-flags?search=%25").await.data(), &json!([]));
    admin.get("/v1/admin/feature-flags?category=other").await.refused_with("VALIDATION_ERROR");
    let long = format!("/v1/admin/feature-flags?search={}", "x".repeat(101));
    admin.get(&long).await.refused("VALIDATION_ERROR", "search must be between 0 and 100 characters");
}

#[tokio::test]
async fn admin_update_feature_flag_changes_only_the_given_fields() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["feature-flags:read", "feature-flags:edit"]).await;
    let id = feature_id(&app, "feature:sounds").await;
    let path = format!("/v1/admin/feature-flags/{id}");
    let body =
        json!({ "globally_enabled": false, "label": " Sound alerts ", "description": "Plays.\nLoud." });
    let changed = admin.patch(&path, body).await;
    let changed = changed.expect(200)["data"].clone();
    assert_eq!((&changed["globally_enabled"], &changed["label"]), (&json!(false), &json!("Sound alerts")));
    assert_eq!(
        (&changed["description"], &changed["key"]),
        (&json!("Plays.\nLoud."), &json!("feature:sounds"))
    );
    let input = json!({ "default_for_accounts": false });
    let graphql = admin.mutate_at("adminUpdateFeatureFlag", &[("id", id)], &input, FLAG).await;
    let graphql = as_rest(graphql.field("adminUpdateFeatureFlag"), &["category"]);
    assert_eq!(
        (&graphql["default_for_accounts"], &graphql["label"]),
        (&json!(false), &json!("Sound alerts"))
    );
    let audited = app.audited("feature_flag:updated").await;
    assert_eq!(audited.len(), 2);
    assert_eq!((audited[0].scope.as_str(), audited[0].actor_id), ("system", Some(admin.user_id)));
    assert_eq!(audited[0].resource_id, Some(id.to_string()));
    assert_eq!(audited[0].metadata["changes"]["globally_enabled"], false);
    assert_eq!(
        audited[1].metadata,
        json!({ "key": "feature:sounds", "changes": { "default_for_accounts": false } })
    );
    // An empty change changes nothing.
    assert_eq!(as_rest(graphql, &[]), *admin.patch(&path, json!({})).await.data());
    assert_eq!(app.audited("feature_flag:updated").await.len(), 2);

    for (body, message) in [
        (json!({ "label": "" }), "label must not be empty"),
        (json!({ "label": "x".repeat(101) }), "label must be between 1 and 100 characters"),
        (json!({ "description": "x".repeat(1001) }), "description must be between 0 and 1000 characters"),
        (json!({ "label": null }), "label cannot be null"),
        (json!({ "globally_enabled": null }), "globally_enabled cannot be null"),
    ] {
        let rest = admin.patch(&path, body.clone()).await;
        let graphql = admin.mutate_at("adminUpdateFeatureFlag", &[("id", id)], &body, FLAG).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let (unknown, body) = (Uuid::now_v7(), json!({ "globally_enabled": true }));
    for body in [body, json!({})] {
        let rest = admin.patch(&format!("/v1/admin/feature-flags/{unknown}"), body.clone()).await;
        let graphql = admin.mutate_at("adminUpdateFeatureFlag", &[("id", unknown)], &body, FLAG).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Feature flag not found");
    }
    assert_eq!(app.audited("feature_flag:updated").await.len(), 2);
}

#[tokio::test]
async fn admin_update_feature_flag_reaches_other_processes_and_sockets() {
    let app = TestApp::start().await;
    let (_state, server) = app.second_server().await;
    let admin = app.admin_with(&["feature-flags:edit"]).await;
    let owner = app.owner().await;
    let base = format!("http://{}", server.address);
    let elsewhere = owner.at(&base);
    assert_eq!(reason_of(&elsewhere, owner.account_id, "feature:apikeys").await, Value::Null);
    elsewhere.get("/v1/api-keys").await.expect(200);
    let mut socket = SocketRequest::to(&base).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("account:{}", owner.account_id)).await;
    let path = format!("/v1/admin/feature-flags/{}", feature_id(&app, "feature:apikeys").await);
    admin.patch(&path, json!({ "globally_enabled": false })).await.expect(200);
    let event = socket.frame().await;
    assert_eq!((&event["type"], &event["event_type"]), (&json!("event"), &json!("features:updated")));
    assert_eq!(
        (&event["channel"], &event["data"]),
        (&json!(format!("account:{}", owner.account_id)), &json!({}))
    );
    let reason = async || reason_of(&elsewhere, owner.account_id, "feature:apikeys").await;
    eventually("the other process knows", async || reason().await == "global_off").await;
    let refused = elsewhere.get("/v1/api-keys").await;
    refused.refused("FEATURE_DISABLED", "Feature is disabled: feature:apikeys");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn admin_feature_flags_and_their_update_need_the_permission() {
    let app = TestApp::start().await;
    only_staff(
        &app,
        "feature-flags:read",
        async |caller| caller.get("/v1/admin/feature-flags").await,
        async |caller| ask(&caller, "{ adminFeatureFlags { id } }").await,
    )
    .await;
    let id = feature_id(&app, "feature:sounds").await;
    let body = json!({ "globally_enabled": false });
    only_staff(
        &app,
        "feature-flags:edit",
        async |caller| caller.patch(&format!("/v1/admin/feature-flags/{id}"), body.clone()).await,
        async |caller| caller.mutate_at("adminUpdateFeatureFlag", &[("id", id)], &body, "{ id }").await,
    )
    .await;
    let owner = app.owner().await;
    assert_eq!(reason_of(&owner, owner.account_id, "feature:sounds").await, Value::Null);
}
