//! Creation of accounts: permission, limits, login connections (reference/accounts.md#creation).

use std::time::Duration;

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use foundation::invalidation::Invalidation;
use futures::future::{join, join_all};
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::schema::{account_roles, accounts, login_assignments, plans, users};
use uuid::Uuid;

use super::ACCOUNT;

async fn create(caller: &Caller, name: &str) -> Answer {
    caller.post("/v1/accounts", json!({ "name": name })).await
}

async fn create_over_graphql(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("createAccount", input, &format!("{{ account {ACCOUNT} token }}")).await
}

/// Runs four creations that all wait for the lock on the person's row, so that all of them overlap.
async fn create_concurrently(app: &TestApp, owner: &Person) -> Vec<Answer> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let statements =
        ["BEGIN".to_owned(), format!("SELECT 1 FROM users WHERE id = '{}' FOR UPDATE", owner.user_id)];
    for statement in statements {
        sql_query(statement).execute(&mut *db).await.unwrap();
    }
    let release = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        sql_query("COMMIT").execute(&mut *db).await.unwrap();
    };
    join(join_all((0..4).map(|_| create(owner, "Third"))), release).await.0
}

async fn count_of_accounts(app: &TestApp) -> i64 {
    accounts::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Message that refuses a second account when the plan does not include it.
const LOCKED: &str = "Feature is disabled: feature:multi_account is not part of the account's plan; another plan may \
    include it";

/// User who signed in with Twitch and owns an account on a plan.
async fn signed_in_on(app: &TestApp, plan: &str) -> (Caller, Value) {
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = json!({
        "provider": "twitch", "provider_user_id": user.id, "access_token": access_token,
        "profile": { "display_name": "Ada", "username": "ada", "avatar_url": "https://cdn.example/ada.png" },
    });
    let answer = app.anonymous().post("/v1/auth/token", input).await;
    let caller = app.bearer(answer.data()["token"].as_str().unwrap());
    let plan_id: Uuid = plans::table
        .filter(plans::slug.eq(plan))
        .select(plans::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    diesel::update(accounts::table)
        .set(accounts::plan_id.eq(plan_id))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::AllFeatures);
    let me = caller.get("/v1/users/me").await.data().clone();
    (caller, me)
}

#[tokio::test]
async fn create_account_returns_an_owned_free_account_with_a_session() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let input = json!({ "name": " My Second! ", "description": "Two\nlines" });
    let answer = owner.post("/v1/accounts", input).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let account = answer.data();
    let id: Uuid = account["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(answer.body["_links"], json!({ "self": format!("/v1/accounts/{id}") }));
    assert_eq!((&account["name"], &account["slug"]), (&json!("My Second!"), &json!("my-second")));
    assert_eq!(account["description"], "Two\nlines");
    assert_eq!(account["owner_id"], json!(owner.user_id));
    assert_eq!((&account["plan"]["slug"], &account["member_count"]), (&json!("free"), &json!(1)));

    let there = app.bearer(account["token"].as_str().unwrap());
    let permissions = there.get("/v1/tokens/me").await;
    assert_eq!(permissions.data()["account_id"], json!(id));
    assert_eq!(permissions.data()["permissions"].as_array().unwrap().len(), 133);
    let roles: Vec<String> = account_roles::table
        .filter(account_roles::account_id.eq(id))
        .order(account_roles::position.asc())
        .select(account_roles::slug)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(roles, ["owner", "administrator", "moderator", "viewer"]);
    let audited = app.audited_once("account:created").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(id), Some(owner.user_id)));

    let input = json!({ "name": "my second" });
    let twin = create_over_graphql(&owner, &input).await.field("createAccount");
    let slug = twin["account"]["slug"].as_str().unwrap();
    assert!(slug.starts_with("my-second-") && slug.len() == "my-second-".len() + 8, "{slug}");
    let there = app.bearer(twin["token"].as_str().unwrap());
    assert_eq!(there.get("/v1/users/me").await.data()["active_account_id"], twin["account"]["id"]);
}

#[tokio::test]
async fn create_account_returns_no_session_to_a_key() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.personal_key(&owner, &[]).await;
    let created = create(&key, "Second").await;
    assert_eq!(created.status, 201);
    assert!(created.data().get("token").is_none());
    let created = create_over_graphql(&key, &json!({ "name": "Third" })).await.field("createAccount");
    assert_eq!(created["token"], Value::Null);
}

#[tokio::test]
async fn create_account_is_refused_on_both_protocols_while_creation_is_off() {
    let app = TestApp::start().await;
    let (owner, denied) = (app.owner().await, app.owner().await);
    let refused = async |caller: &Caller| {
        let rest = create(caller, "Second").await;
        assert_eq!(rest.status, 403);
        let body = json!({ "error": "Account creation is currently disabled", "error_code": "account_creation_disabled" });
        assert_eq!(rest.body, body);
        // The check comes before the validation of the input.
        assert_eq!(caller.post("/v1/accounts", json!({})).await.body, body);
        let graphql = create_over_graphql(caller, &json!({ "name": "Second" })).await;
        graphql.refused("ACCOUNT_CREATION_DISABLED", "Account creation is currently disabled");
    };
    let own = users::table.find(denied.user_id);
    diesel::update(own)
        .set(users::account_creation_override.eq("deny"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    refused(&denied).await;
    app.switch("system:account_creation", false).await;
    refused(&owner).await;
    assert_eq!(count_of_accounts(&app).await, 2);
    diesel::update(own)
        .set(users::account_creation_override.eq("allow"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::User { user_id: denied.user_id });
    create(&denied, "Second").await.expect(201);
}

#[tokio::test]
async fn create_account_is_first_party_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let input = json!({ "name": "Second" });
    let callers =
        [app.popout(&owner, &[]).await, app.service_key(owner.account_id, &[]).await, app.system_key().await];
    for caller in callers {
        let graphql = create_over_graphql(&caller, &input).await;
        both_refused(&create(&caller, "x").await, &graphql, 403, "FORBIDDEN", "First-party session required");
    }
    let graphql = create_over_graphql(&app.anonymous(), &input).await;
    let rest = app.anonymous().post_raw("/v1/accounts", "application/json", "{").await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    assert_eq!(count_of_accounts(&app).await, 1);
}

#[tokio::test]
async fn create_account_needs_multi_account_on_an_owned_account() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    let graphql = create_over_graphql(&owner, &json!({ "name": "Second" })).await;
    both_refused(&create(&owner, "Second").await, &graphql, 403, "FEATURE_DISABLED", LOCKED);
    // A membership in another account does not count as ownership.
    let other = app.owner_on("enterprise").await;
    app.join(other.account_id, owner.user_id, "administrator").await;
    create(&owner, "Second").await.refused("FEATURE_DISABLED", LOCKED);
    app.override_feature(owner.account_id, "feature:multi_account", true).await;
    create(&owner, "Second").await.refused("PLAN_LIMIT_REACHED", "Account limit reached");
}

#[tokio::test]
async fn create_account_is_limited_by_the_plan_or_by_an_operator() {
    let app = TestApp::start().await;
    let owner = app.owner_on("pro").await;
    create(&owner, "Second").await.expect(201);
    let answers = create_concurrently(&app, &owner).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    let graphql = create_over_graphql(&owner, &json!({ "name": "Fourth" })).await;
    both_refused(
        &create(&owner, "Fourth").await,
        &graphql,
        403,
        "PLAN_LIMIT_REACHED",
        "Account limit reached",
    );
    assert_eq!(count_of_accounts(&app).await, 3);
    diesel::update(users::table.find(owner.user_id))
        .set(users::max_accounts_override.eq(4))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    create(&owner, "Fourth").await.expect(201);
}

#[tokio::test]
async fn create_account_in_parallel_does_not_bypass_the_feature() {
    let app = TestApp::start().await;
    let elsewhere = app.owner().await;
    let person = app.member_as(elsewhere.account_id, "viewer").await;
    diesel::update(users::table.find(person.user_id))
        .set(users::max_accounts_override.eq(4))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let answers = create_concurrently(&app, &person).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 201);
    assert_eq!((made.len(), refused.len()), (1, 3));
    for answer in refused {
        // A request that a busy machine delays until the first has ended finds the feature locked.
        if answer.body["error"] == "FEATURE_DISABLED" {
            answer.refused("FEATURE_DISABLED", LOCKED);
        } else {
            answer.refused("CONFLICT", "Your accounts changed meanwhile; try again");
        }
    }
    create(&person, "Third").await.refused("FEATURE_DISABLED", LOCKED);
    assert_eq!(count_of_accounts(&app).await, 2);
}

#[tokio::test]
async fn create_account_validates_name_description_and_connections() {
    let app = TestApp::start().await;
    let owner = app.owner_on("enterprise").await;
    for (input, message) in [
        (json!({ "name": "  " }), "name must not be empty"),
        (json!({ "name": "x".repeat(101) }), "name must be between 1 and 100 characters"),
        (json!({ "name": "a\u{0}b" }), "name must not contain control characters"),
        (
            json!({ "name": "x", "description": "x".repeat(501) }),
            "description must be between 0 and 500 characters",
        ),
        (
            json!({ "name": "x", "login_connection_ids": vec![Uuid::now_v7(); 17] }),
            "login_connection_ids must hold at most 16 ids",
        ),
    ] {
        let rest = owner.post("/v1/accounts", input.clone()).await;
        both_refused(&rest, &create_over_graphql(&owner, &input).await, 400, "VALIDATION_ERROR", message);
    }
    let malformed = json!({ "name": "x", "login_connection_ids": ["mine"] });
    owner
        .post("/v1/accounts", malformed)
        .await
        .refused("VALIDATION_ERROR", "Invalid UUID: login_connection_ids[0]");
    let large = json!({ "name": "x", "description": "x".repeat(1024 * 1024) });
    owner.post("/v1/accounts", large).await.refused("BAD_REQUEST", "Request body too large");
    assert_eq!(count_of_accounts(&app).await, 1);
    let longest = json!({ "name": "ß".repeat(100), "description": "ß".repeat(500) });
    owner.post("/v1/accounts", longest).await.expect(201);
}

#[tokio::test]
async fn create_account_assigns_own_login_connections_and_their_avatar() {
    let app = TestApp::start().await;
    let (caller, me) = signed_in_on(&app, "pro").await;
    let login = &me["login_connections"][0];
    let input = json!({
        "name": "Second",
        "login_connection_ids": [login["id"]],
        "primary_login_connection_id": login["id"],
    });
    let created = caller.post("/v1/accounts", input).await;
    assert_eq!(created.data()["primary_login_connection_id"], login["id"]);
    assert_eq!(created.data()["avatar_url"], login["avatar_url"]);
    let assigned: Vec<(Uuid, Uuid, String)> = login_assignments::table
        .select((login_assignments::account_id, login_assignments::user_id, login_assignments::platform))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let [(account_id, user_id, platform)] = assigned.as_slice() else { panic!("{assigned:?}") };
    assert_eq!(json!(account_id), created.data()["id"]);
    assert_eq!((json!(user_id), platform.as_str()), (me["id"].clone(), "twitch"));
    let audited = app.audited("account:created").await.pop().unwrap();
    assert_eq!(audited.account_id, Some(*account_id));
    assert_eq!(audited.metadata, json!({ "login_connection_ids": [login["id"]] }));
}

#[tokio::test]
async fn create_account_does_not_find_login_connections_of_others() {
    let app = TestApp::start().await;
    let (_caller, me) = signed_in_on(&app, "pro").await;
    let stranger = app.owner().await;
    let foreign = &me["login_connections"][0]["id"];
    for input in [
        json!({ "name": "Second", "login_connection_ids": [foreign] }),
        json!({ "name": "Second", "primary_login_connection_id": foreign }),
    ] {
        let rest = stranger.post("/v1/accounts", input.clone()).await;
        let graphql = create_over_graphql(&stranger, &input).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Login connection not found");
    }
    assert_eq!(count_of_accounts(&app).await, 2);
}
