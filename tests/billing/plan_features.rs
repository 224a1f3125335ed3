//! Features of plans (reference/features.md#plan-features).

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{feature_id, only_staff, plan_id, reason_of};

const FEATURE: &str = "{ featureId featureKey label enabled }";

async fn set(caller: &Caller, plan: Uuid, features: &Value) -> (Answer, Answer) {
    let body = json!({ "features": features });
    let rest = caller.put(&format!("/v1/admin/plans/{plan}/features"), body.clone()).await;
    (rest, caller.mutate_at("adminSetPlanFeature", &[("planId", plan)], &body, FEATURE).await)
}

async fn list(caller: &Caller, plan: Uuid) -> (Answer, Answer) {
    let rest = caller.get(&format!("/v1/admin/plans/{plan}/features")).await;
    let document = format!("query($id: UUID!) {{ adminPlanFeatures(planId: $id) {FEATURE} }}");
    (rest, caller.graphql(&document, json!({ "id": plan })).await)
}

fn is_enabled(features: &Value, id: Uuid) -> bool {
    let found = features.as_array().unwrap().iter().find(|feature| feature["feature_id"] == json!(id));
    found.unwrap()["enabled"] == true
}

#[tokio::test]
async fn admin_set_plan_feature_replaces_listed_features_only() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["features:read", "features:edit"]).await;
    let owner = app.owner_on("free").await;
    let free = plan_id(&app, "free").await;
    let (sounds, music, multi) = (
        feature_id(&app, "feature:sounds").await,
        feature_id(&app, "feature:music").await,
        feature_id(&app, "feature:multi_account").await,
    );
    let (rest, graphql) = list(&admin, free).await;
    assert_eq!(graphql.field("adminPlanFeatures"), *rest.data());
    assert_eq!([sounds, music, multi].map(|id| is_enabled(rest.data(), id)), [true, true, false]);
    assert_eq!(reason_of(&owner, owner.account_id, "feature:sounds").await, Value::Null);

    let wanted = json!([
        { "feature_id": sounds, "enabled": false },
        { "feature_id": multi, "enabled": true },
    ]);
    let (rest, graphql) = set(&admin, free, &wanted).await;
    assert_eq!(rest.status, 200);
    assert_eq!([sounds, music, multi].map(|id| is_enabled(rest.data(), id)), [false, true, true]);
    assert_eq!(graphql.field("adminSetPlanFeature"), *rest.data());
    assert_eq!(reason_of(&owner, owner.account_id, "feature:sounds").await, "plan_locked");
    assert_eq!(reason_of(&owner, owner.account_id, "feature:multi_account").await, Value::Null);
    let audited = app.audited("plan:features_changed").await;
    assert_eq!(audited.len(), 2);
    let features = json!({ "feature:sounds": false, "feature:multi_account": true });
    assert_eq!(audited[0].metadata, json!({ "slug": "free", "features": features }));
}

#[tokio::test]
async fn admin_set_plan_feature_refuses_flags_outside_plans_and_repeats() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["features:read", "features:edit"]).await;
    let free = plan_id(&app, "free").await;
    let (sounds, platform) =
        (feature_id(&app, "feature:sounds").await, feature_id(&app, "platform:kick").await);
    let off = |id: Uuid| json!({ "feature_id": id, "enabled": false });
    for (features, status, code, message) in [
        (
            json!([off(sounds), off(platform)]),
            400,
            "VALIDATION_ERROR",
            "Plans do not decide about platform:kick",
        ),
        (json!([off(sounds), off(sounds)]), 400, "VALIDATION_ERROR", "features must name each feature once"),
        (json!([off(sounds), off(Uuid::now_v7())]), 404, "NOT_FOUND", "Feature flag not found"),
        (
            json!((0..501).map(|_| off(Uuid::now_v7())).collect::<Vec<_>>()),
            400,
            "VALIDATION_ERROR",
            "features must hold at most 500 entries",
        ),
    ] {
        let (rest, graphql) = set(&admin, free, &features).await;
        both_refused(&rest, &graphql, status, code, message);
    }
    let (rest, graphql) = set(&admin, Uuid::now_v7(), &json!([off(sounds)])).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Plan not found");
    let (rest, graphql) = list(&admin, Uuid::now_v7()).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Plan not found");
    // No part of the change was written.
    assert!(is_enabled(list(&admin, free).await.0.data(), sounds));
    assert!(app.audited("plan:features_changed").await.is_empty());
    let (rest, _) = set(&admin, free, &json!([])).await;
    assert_eq!(rest.status, 200, "an empty list changes nothing");
}

#[tokio::test]
async fn admin_plan_features_and_their_changes_need_the_permission() {
    let app = TestApp::start().await;
    let free = plan_id(&app, "free").await;
    let wanted = json!([{ "feature_id": feature_id(&app, "feature:sounds").await, "enabled": false }]);
    only_staff(
        &app,
        "features:read",
        async |caller| list(&caller, free).await.0,
        async |caller| list(&caller, free).await.1,
    )
    .await;
    only_staff(
        &app,
        "features:edit",
        async |caller| set(&caller, free, &wanted).await.0,
        async |caller| set(&caller, free, &wanted).await.1,
    )
    .await;
    assert!(app.audited("plan:features_changed").await.is_empty());
}
