//! Feature overrides of one account, set by operator staff (reference/features.md#account-overrides).

use lumio_tests::{Answer, Caller, SocketRequest, TestApp, both_refused, eventually};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{feature_id, only_staff, reason_of};

const OVERRIDE: &str = "{ accountId featureId featureKey label enabled reason setBy createdAt }";

async fn set(caller: &Caller, account: Uuid, body: &Value) -> (Answer, Answer) {
    let rest = caller.put(&format!("/v1/admin/accounts/{account}/feature-overrides"), body.clone()).await;
    let at = [("accountId", account)];
    (rest, caller.mutate_at("adminSetAccountFeatureOverride", &at, body, OVERRIDE).await)
}

async fn list(caller: &Caller, account: Uuid) -> (Answer, Answer) {
    let rest = caller.get(&format!("/v1/admin/accounts/{account}/feature-overrides")).await;
    let document = format!("query($id: UUID!) {{ adminAccountFeatureOverrides(accountId: $id) {OVERRIDE} }}");
    (rest, caller.graphql(&document, json!({ "id": account })).await)
}

async fn remove(caller: &Caller, account: Uuid, feature: Uuid) -> Answer {
    caller.delete(&format!("/v1/admin/accounts/{account}/feature-overrides/{feature}")).await
}

async fn remove_over_graphql(caller: &Caller, account: Uuid, feature: Uuid) -> Answer {
    let document = "mutation($account: UUID!, $feature: UUID!) {
        adminRemoveAccountFeatureOverride(accountId: $account, featureId: $feature) }";
    caller.graphql(document, json!({ "account": account, "feature": feature })).await
}

#[tokio::test]
async fn admin_set_account_feature_override_sets_and_replaces() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["features:read", "features:edit"]).await;
    let owner = app.owner_on("free").await;
    let (account, multi) = (owner.account_id, feature_id(&app, "feature:multi_account").await);
    assert_eq!(reason_of(&owner, account, "feature:multi_account").await, "plan_locked");
    let on = json!({ "feature_id": multi, "enabled": true, "reason": " Partner " });
    let rest = admin.put(&format!("/v1/admin/accounts/{account}/feature-overrides"), on).await;
    let made = rest.expect(200)["data"].clone();
    assert_eq!((&made["account_id"], &made["feature_id"]), (&json!(account), &json!(multi)));
    assert_eq!((&made["feature_key"], &made["enabled"]), (&json!("feature:multi_account"), &json!(true)));
    assert_eq!((&made["reason"], &made["set_by"]), (&json!("Partner"), &json!(admin.user_id)));
    assert_eq!(reason_of(&owner, account, "feature:multi_account").await, Value::Null);
    let (rest, graphql) = list(&admin, account).await;
    assert_eq!(*rest.data(), json!([made]));
    assert_eq!(graphql.field("adminAccountFeatureOverrides"), *rest.data());

    let off = json!({ "feature_id": feature_id(&app, "feature:sounds").await, "enabled": false });
    let at = [("accountId", account)];
    let graphql = admin.mutate_at("adminSetAccountFeatureOverride", &at, &off, OVERRIDE).await;
    let made = graphql.field("adminSetAccountFeatureOverride");
    assert_eq!((&made["enabled"], &made["reason"]), (&json!(false), &Value::Null));
    assert_eq!(reason_of(&owner, account, "feature:sounds").await, "account_override");
    let replaced = json!({ "feature_id": multi, "enabled": false });
    let (rest, _) = set(&admin, account, &replaced).await;
    assert_eq!((&rest.data()["enabled"], &rest.data()["reason"]), (&json!(false), &Value::Null));
    assert_eq!(list(&admin, account).await.0.data().as_array().unwrap().len(), 2);

    let removed = remove(&admin, account, multi).await;
    assert_eq!((removed.status, removed.text.as_str()), (204, ""));
    let sounds = feature_id(&app, "feature:sounds").await;
    let removed = remove_over_graphql(&admin, account, sounds).await;
    assert_eq!(removed.field("adminRemoveAccountFeatureOverride"), true);
    assert_eq!(*list(&admin, account).await.0.data(), json!([]));
    assert_eq!(reason_of(&owner, account, "feature:sounds").await, Value::Null);
    let audited = app.audited("feature_override:set").await;
    assert_eq!(audited.len(), 4);
    assert_eq!((audited[0].scope.as_str(), audited[0].actor_id), ("system", Some(admin.user_id)));
    assert_eq!(audited[0].resource_id, Some(account.to_string()));
    let metadata = json!({ "feature": "feature:multi_account", "enabled": true, "reason": "Partner" });
    assert_eq!(audited[0].metadata, metadata);
    let removed: Vec<Value> =
        app.audited("feature_override:removed").await.into_iter().map(|entry| entry.metadata).collect();
    assert_eq!(
        removed,
        [json!({ "feature": "feature:multi_account" }), json!({ "feature": "feature:sounds" })]
    );
}

#[tokio::test]
async fn admin_set_account_feature_override_cannot_enable_a_flag_that_is_off_globally() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["features:edit"]).await;
    let owner = app.owner().await;
    let on = json!({ "feature_id": feature_id(&app, "integration:shopify").await, "enabled": true });
    set(&admin, owner.account_id, &on).await.0.expect(200);
    assert_eq!(reason_of(&owner, owner.account_id, "integration:shopify").await, "global_off");
}

#[tokio::test]
async fn admin_remove_account_feature_override_and_set_refuse_unknown_ids() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["features:read", "features:edit"]).await;
    let owner = app.owner().await;
    let (sounds, unknown) = (feature_id(&app, "feature:sounds").await, Uuid::now_v7());
    let body = |id: Uuid| json!({ "feature_id": id, "enabled": false });
    let (rest, graphql) = set(&admin, unknown, &body(sounds)).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Account not found");
    let (rest, graphql) = list(&admin, unknown).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Account not found");
    let (rest, graphql) = set(&admin, owner.account_id, &body(unknown)).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Feature flag not found");
    for (account, message) in
        [(unknown, "Account not found"), (owner.account_id, "Feature override not found")]
    {
        let rest = remove(&admin, account, sounds).await;
        let graphql = remove_over_graphql(&admin, account, sounds).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", message);
    }
    let system = body(feature_id(&app, "system:account_creation").await);
    let (rest, graphql) = set(&admin, owner.account_id, &system).await;
    let message = "system:account_creation cannot be overridden for an account";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let long = json!({ "feature_id": sounds, "enabled": false, "reason": "x".repeat(501) });
    let (rest, graphql) = set(&admin, owner.account_id, &long).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "reason must be between 0 and 500 characters");
    let missing = json!({ "enabled": true });
    let (rest, _) = set(&admin, owner.account_id, &missing).await;
    rest.refused("VALIDATION_ERROR", "Missing field: feature_id");
    assert!(app.audited("feature_override:set").await.is_empty());
    assert_eq!(*list(&admin, owner.account_id).await.0.data(), json!([]));
}

#[tokio::test]
async fn admin_set_account_feature_override_reaches_other_processes_and_sockets() {
    let app = TestApp::start().await;
    let (_state, server) = app.second_server().await;
    let admin = app.admin_with(&["features:edit"]).await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let base = format!("http://{}", server.address);
    let elsewhere = owner.at(&base);
    elsewhere.get("/v1/api-keys").await.expect(200);
    let mut sockets = Vec::new();
    for person in [&owner, &other] {
        let mut socket = SocketRequest::to(&base).bearer(person.token()).connect().await;
        socket.subscribe(&format!("account:{}", person.account_id)).await;
        sockets.push(socket);
    }
    let off = json!({ "feature_id": feature_id(&app, "feature:apikeys").await, "enabled": false });
    let path = format!("/v1/admin/accounts/{}/feature-overrides", owner.account_id);
    admin.put(&path, off).await.expect(200);
    let event = sockets[0].frame().await;
    assert_eq!((&event["event_type"], &event["data"]), (&json!("features:updated"), &json!({})));
    let reason = async || reason_of(&elsewhere, owner.account_id, "feature:apikeys").await;
    eventually("the other process knows", async || reason().await == "account_override").await;
    sockets[1].is_quiet().await;
    let refused = elsewhere.get("/v1/api-keys").await;
    refused.refused("FEATURE_DISABLED", "Feature is disabled: feature:apikeys");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn admin_account_feature_overrides_and_their_changes_need_the_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (account, sounds) = (owner.account_id, feature_id(&app, "feature:sounds").await);
    let body = json!({ "feature_id": sounds, "enabled": false });
    only_staff(
        &app,
        "features:read",
        async |caller| list(&caller, account).await.0,
        async |caller| list(&caller, account).await.1,
    )
    .await;
    only_staff(
        &app,
        "features:edit",
        async |caller| set(&caller, account, &body).await.0,
        async |caller| set(&caller, account, &body).await.1,
    )
    .await;
    app.override_feature(account, "feature:sounds", false).await;
    only_staff(
        &app,
        "features:edit",
        async |caller| remove(&caller, account, sounds).await,
        async |caller| remove_over_graphql(&caller, account, sounds).await,
    )
    .await;
    assert_eq!(reason_of(&owner, account, "feature:sounds").await, "account_override");
}
