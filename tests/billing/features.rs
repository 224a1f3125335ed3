//! Features of an account and enabled platforms (reference/features.md#status).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::invalidation::{self, Invalidation};
use lumio_tests::{Answer, Caller, TestApp, both_refused, eventually};
use serde_json::{Value, json};
use shared::schema::users;
use uuid::Uuid;

const QUERY: &str = "{ accountFeatures { enabledFeatures featureStatuses { key enabled reason } } }";

async fn enabled(caller: &Caller, account_id: Uuid) -> Answer {
    caller.get(&format!("/v1/accounts/{account_id}/enabled-features")).await
}

async fn statuses(caller: &Caller, account_id: Uuid) -> Answer {
    caller.get(&format!("/v1/accounts/{account_id}/feature-statuses")).await
}

async fn status_of(caller: &Caller, account_id: Uuid, key: &str) -> Value {
    let statuses = statuses(caller, account_id).await;
    let found = statuses.data().as_array().unwrap().iter().find(|status| status["key"] == key);
    found.unwrap_or_else(|| panic!("no status of {key}")).clone()
}

#[tokio::test]
async fn account_features_are_the_same_on_both_protocols_without_system_flags() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    let (enabled, statuses) =
        (enabled(&owner, owner.account_id).await, statuses(&owner, owner.account_id).await);
    let graphql = owner.graphql(QUERY, json!({})).await.field("accountFeatures");
    assert_eq!(graphql["enabled_features"], *enabled.data());
    let statuses = statuses.data().as_array().unwrap();
    let on: Vec<&Value> =
        statuses.iter().filter(|status| status["enabled"] == true).map(|s| &s["key"]).collect();
    assert_eq!(on, enabled.data().as_array().unwrap().iter().collect::<Vec<_>>());
    for (rest, graphql) in statuses.iter().zip(graphql["feature_statuses"].as_array().unwrap()) {
        assert_eq!((&rest["key"], &rest["enabled"]), (&graphql["key"], &graphql["enabled"]));
        assert_eq!(rest["reason"].as_str().map(str::to_uppercase).as_deref(), graphql["reason"].as_str());
        assert_eq!(rest["reason"].is_null(), rest["enabled"] == true);
        assert!(!rest["key"].as_str().unwrap().starts_with("system:"));
    }
    assert!(statuses.len() > 100);
}

#[tokio::test]
async fn account_features_reports_the_first_layer_that_disables_a_flag() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    let reason = async |key: &str| status_of(&owner, owner.account_id, key).await["reason"].clone();
    assert_eq!(reason("feature:multi_account").await, "plan_locked");
    assert_eq!(reason("integration:shopify").await, "global_off");
    assert_eq!(reason("feature:sounds").await, Value::Null);
    app.override_feature(owner.account_id, "feature:sounds", false).await;
    assert_eq!(reason("feature:sounds").await, "account_override");
    app.override_feature(owner.account_id, "feature:multi_account", true).await;
    assert_eq!(reason("feature:multi_account").await, Value::Null);
    app.switch("feature:multi_account", false).await;
    assert_eq!(reason("feature:multi_account").await, "global_off");
    app.switch("platform:kick", false).await;
    assert_eq!(reason("platform:kick:bot").await, "global_off");
}

#[tokio::test]
async fn account_features_shows_every_member_credential_its_own_account_only() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    app.join(other.account_id, owner.user_id, "viewer").await;
    let callers = [
        owner.caller.clone(),
        app.personal_key(&owner, &[]).await,
        app.popout(&owner, &[]).await,
        app.service_key(owner.account_id, &[]).await,
    ];
    for caller in callers {
        enabled(&caller, owner.account_id).await.expect(200);
        statuses(&caller, owner.account_id).await.expect(200);
        caller.graphql(QUERY, json!({})).await.field("accountFeatures");
        // An account of the same person that is not the active one is not found either.
        for foreign in [other.account_id, Uuid::now_v7()] {
            for answer in [enabled(&caller, foreign).await, statuses(&caller, foreign).await] {
                assert_eq!(answer.status, 404);
                answer.refused("NOT_FOUND", "Account not found");
            }
        }
    }
    let malformed = owner.get("/v1/accounts/mine/enabled-features").await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: id");
}

#[tokio::test]
async fn account_features_refuses_anonymous_callers_and_system_keys() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (anonymous, system) = (app.anonymous(), app.system_key().await);
    let graphql = anonymous.graphql(QUERY, json!({})).await;
    for rest in [enabled(&anonymous, owner.account_id).await, statuses(&anonymous, owner.account_id).await] {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    let graphql = system.graphql(QUERY, json!({})).await;
    for rest in [enabled(&system, owner.account_id).await, statuses(&system, owner.account_id).await] {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "This token cannot call the API");
    }
}

#[tokio::test]
async fn account_features_is_not_found_without_an_active_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let cleared = owner.patch("/v1/users/me", json!({ "clear_active_account": true })).await;
    let nowhere = app.bearer(cleared.data()["token"].as_str().unwrap());
    let graphql = nowhere.graphql(QUERY, json!({})).await;
    let rest = enabled(&nowhere, owner.account_id).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Account not found");
}

#[tokio::test]
async fn enabled_platforms_is_public() {
    let app = TestApp::start().await;
    let open = async || {
        let rest = app.anonymous().get("/v1/platforms/enabled").await;
        let graphql = app.anonymous().graphql("{ enabledPlatforms }", json!({})).await;
        assert_eq!(graphql.field("enabledPlatforms"), *rest.data());
        rest.data().clone()
    };
    assert_eq!(open().await, json!(["twitch", "youtube", "kick", "trovo", "discord"]));
    app.switch("platform:kick", false).await;
    app.switch("platform:trovo:login", false).await;
    app.switch("platform:discord:login", false).await;
    app.switch("platform:discord:bot", false).await;
    assert_eq!(open().await, json!(["twitch", "youtube", "trovo"]));
}

async fn account_creation_of(caller: &Caller) -> Value {
    let me = caller.get("/v1/users/me").await;
    let statuses = me.data()["feature_statuses"].as_array().unwrap();
    let found = statuses.iter().find(|status| status["key"] == "system:account_creation");
    found.expect("the status of account creation")["reason"].clone()
}

#[tokio::test]
async fn account_features_caches_a_users_creation_override_until_announced() {
    let app = TestApp::start().await;
    let (_state, server) = app.second_server().await;
    let owner = app.owner().await;
    let elsewhere = owner.at(format!("http://{}", server.address));
    let set = async |value: &str| {
        diesel::update(users::table.find(owner.user_id))
            .set(users::account_creation_override.eq(value))
            .execute(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    };
    assert_eq!(account_creation_of(&elsewhere).await, Value::Null);
    set("deny").await;
    assert_eq!(account_creation_of(&elsewhere).await, Value::Null, "remembered");
    for (value, reason) in [("deny", json!("user_override")), ("allow", Value::Null)] {
        set(value).await;
        let change = Invalidation::User { user_id: owner.user_id };
        invalidation::announce(&app.state.redis, &change).await.unwrap();
        for caller in [&elsewhere, &owner] {
            eventually(value, async || account_creation_of(caller).await == reason).await;
        }
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn features_of_a_disabled_platform_refuse_sign_in_by_name() {
    let app = TestApp::start().await;
    app.switch("platform:twitch:login", false).await;
    let body = json!({
        "provider": "twitch", "provider_user_id": "1", "access_token": "x",
        "profile": { "display_name": "N", "username": "n", "avatar_url": null, "email": null },
    });
    let refused = app.anonymous().post("/v1/auth/token", body.clone()).await;
    assert_eq!(refused.status, 403);
    refused.refused("FEATURE_DISABLED", "Feature is disabled: platform:twitch:login");
    app.switch("platform:twitch:login", true).await;
    app.switch("platform:twitch", false).await;
    let refused = app.anonymous().post("/v1/auth/token", body).await;
    refused.refused("FEATURE_DISABLED", "Feature is disabled: platform:twitch:login");
}
