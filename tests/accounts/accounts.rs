//! Accounts themselves (specification A §4.3; C §3).

use std::time::Duration;

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use futures::future::{join, join_all};
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::{
    db::schema::{account_roles, accounts, login_assignments, plans, users},
    invalidation::Invalidation,
};
use uuid::Uuid;

const ACCOUNT: &str = "{ id name description slug avatarUrl ownerId plan { id slug name } primaryLoginConnectionId \
    memberCount createdAt updatedAt }";

async fn create(caller: &Caller, name: &str) -> Answer {
    caller.post("/v1/accounts", json!({ "name": name })).await
}

async fn create_over_graphql(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("createAccount", input, &format!("{{ account {ACCOUNT} token }}")).await
}

/// Four creations that all wait for the person's row, so that none is done before the last has begun.
async fn all_at_once(app: &TestApp, owner: &Person) -> Vec<Answer> {
    let mut db = app.state.databases.postgres.get().await.unwrap();
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
    accounts::table.count().get_result(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Somebody who signed in with Twitch and owns an account on a plan.
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
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    diesel::update(accounts::table)
        .set(accounts::plan_id.eq(plan_id))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::AllFeatures);
    let me = caller.get("/v1/users/me").await.data().clone();
    (caller, me)
}

#[tokio::test]
async fn both_protocols_list_the_accounts_of_the_caller() {
    let app = TestApp::start().await;
    let (owner, other, _foreign) = (app.owner().await, app.owner_on("free").await, app.owner().await);
    app.join(other.account_id, owner.user_id, "viewer").await;
    let rest = owner.get("/v1/accounts").await;
    assert_eq!(rest.body["_links"], json!({ "self": "/v1/accounts" }));
    let ids: Vec<&Value> = rest.data().as_array().unwrap().iter().map(|account| &account["id"]).collect();
    assert_eq!(ids, [&json!(owner.account_id), &json!(other.account_id)]);
    assert_eq!((&rest.data()[0]["member_count"], &rest.data()[1]["member_count"]), (&json!(1), &json!(2)));
    assert_eq!(rest.data()[1]["plan"]["slug"], "free");
    let graphql = owner.graphql(&format!("{{ accounts {ACCOUNT} }}"), json!({})).await;
    assert_eq!(graphql.field("accounts"), *rest.data());
}

#[tokio::test]
async fn credentials_of_one_account_see_that_one() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    app.join(other.account_id, owner.user_id, "viewer").await;
    for caller in [app.popout(&owner, &[]).await, app.service_key(owner.account_id, &[]).await] {
        let listed = caller.get("/v1/accounts").await;
        let ids: Vec<&Value> =
            listed.data().as_array().unwrap().iter().map(|account| &account["id"]).collect();
        assert_eq!(ids, [&json!(owner.account_id)]);
    }
    let key = app.personal_key(&owner, &[]).await;
    assert_eq!(key.get("/v1/accounts").await.data().as_array().unwrap().len(), 2);
    let (system, query) = (app.system_key().await, "{ accounts { id } }");
    let graphql = system.graphql(query, json!({})).await;
    let message = "This token cannot call the API";
    both_refused(&system.get("/v1/accounts").await, &graphql, 403, "FORBIDDEN", message);
    let anonymous = app.anonymous();
    let graphql = anonymous.graphql(query, json!({})).await;
    let message = "Authentication required";
    both_refused(&anonymous.get("/v1/accounts").await, &graphql, 401, "UNAUTHORIZED", message);
}

#[tokio::test]
async fn a_new_account_is_owned_free_and_acted_in_at_once() {
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
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
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
async fn a_key_creates_an_account_but_gets_no_session() {
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
async fn while_accounts_may_not_be_created_both_protocols_say_so_in_their_own_form() {
    let app = TestApp::start().await;
    let (owner, denied) = (app.owner().await, app.owner().await);
    let refused = async |caller: &Caller| {
        let rest = create(caller, "Second").await;
        assert_eq!(rest.status, 403);
        let body = json!({ "error": "Account creation is currently disabled", "error_code": "account_creation_disabled" });
        assert_eq!(rest.body, body);
        // Before the input is looked at.
        assert_eq!(caller.post("/v1/accounts", json!({})).await.body, body);
        let graphql = create_over_graphql(caller, &json!({ "name": "Second" })).await;
        graphql.refused("ACCOUNT_CREATION_DISABLED", "Account creation is currently disabled");
    };
    let own = users::table.find(denied.user_id);
    diesel::update(own)
        .set(users::account_creation_override.eq("deny"))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    refused(&denied).await;
    app.switch("system:account_creation", false).await;
    refused(&owner).await;
    assert_eq!(count_of_accounts(&app).await, 2);
    diesel::update(own)
        .set(users::account_creation_override.eq("allow"))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::User { user_id: denied.user_id });
    create(&denied, "Second").await.expect(201);
}

#[tokio::test]
async fn whoever_is_not_first_party_creates_no_account() {
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
async fn a_second_account_needs_the_feature_on_the_best_owned_one() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    let message = "Feature is disabled: feature:multi_account";
    let graphql = create_over_graphql(&owner, &json!({ "name": "Second" })).await;
    both_refused(&create(&owner, "Second").await, &graphql, 403, "FEATURE_DISABLED", message);
    // Being a member elsewhere is not owning.
    let other = app.owner_on("enterprise").await;
    app.join(other.account_id, owner.user_id, "administrator").await;
    create(&owner, "Second").await.refused("FEATURE_DISABLED", message);
    app.override_feature(owner.account_id, "feature:multi_account", true).await;
    create(&owner, "Second").await.refused("PLAN_LIMIT_REACHED", "Account limit reached");
}

#[tokio::test]
async fn the_number_of_owned_accounts_is_limited_by_plan_or_operator() {
    let app = TestApp::start().await;
    let owner = app.owner_on("pro").await;
    create(&owner, "Second").await.expect(201);
    let answers = all_at_once(&app, &owner).await;
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    create(&owner, "Fourth").await.expect(201);
}

#[tokio::test]
async fn first_accounts_at_once_do_not_get_around_the_feature() {
    let app = TestApp::start().await;
    let elsewhere = app.owner().await;
    let person = app.member_as(elsewhere.account_id, "viewer").await;
    diesel::update(users::table.find(person.user_id))
        .set(users::max_accounts_override.eq(4))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let answers = all_at_once(&app, &person).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 201);
    assert_eq!((made.len(), refused.len()), (1, 3));
    for answer in refused {
        answer.refused("CONFLICT", "Your accounts changed meanwhile; try again");
    }
    create(&person, "Third").await.refused("FEATURE_DISABLED", "Feature is disabled: feature:multi_account");
    assert_eq!(count_of_accounts(&app).await, 2);
}

#[tokio::test]
async fn names_and_descriptions_have_limits() {
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
async fn own_login_connections_are_assigned_and_lend_their_avatar() {
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
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
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
async fn login_connections_of_others_are_not_found() {
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

#[tokio::test]
async fn the_account_that_one_acts_in_is_read_on_both_protocols() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    app.join(other.account_id, owner.user_id, "viewer").await;
    let path = format!("/v1/accounts/{}", owner.account_id);
    let rest = owner.get(&path).await;
    assert_eq!(rest.body["_links"], json!({ "self": path }));
    assert_eq!(
        (&rest.data()["id"], &rest.data()["owner_id"]),
        (&json!(owner.account_id), &json!(owner.user_id))
    );
    let document = format!("query($id: UUID) {{ account(id: $id) {ACCOUNT} }}");
    for variables in [json!({}), json!({ "id": owner.account_id })] {
        assert_eq!(owner.graphql(&document, variables).await.field("account"), *rest.data());
    }
    // One's own, but not the one that one acts in: its permissions are others.
    let elsewhere = owner.get(&format!("/v1/accounts/{}", other.account_id)).await;
    let graphql = owner.graphql(&document, json!({ "id": other.account_id })).await;
    both_refused(&elsewhere, &graphql, 404, "NOT_FOUND", "Account not found");
    owner.get("/v1/accounts/mine").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let graphql = viewer.graphql(&document, json!({})).await;
    both_refused(&viewer.get(&path).await, &graphql, 403, "FORBIDDEN", "Missing permission: account:read");
    app.service_key(owner.account_id, &["account:read"]).await.get(&path).await.expect(200);
}

#[tokio::test]
async fn the_account_shows_what_it_has_connected_to_those_who_may_see_it() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    app.one_of_everything(&owner).await;
    let query = "{ account { id channelConnections { platform } botConnections { platform isCustom } } }";
    let account = owner.graphql(query, json!({})).await.field("account");
    assert_eq!(account["channel_connections"], json!([{ "platform": "twitch" }]));
    assert_eq!(account["bot_connections"], json!([{ "platform": "twitch", "is_custom": true }]));
    app.switch("platform:twitch:channel", false).await;
    let account = owner.graphql(query, json!({})).await.field("account");
    assert_eq!(account["channel_connections"], json!([]));
    let reader = app.member_with(owner.account_id, &["account:read"]).await;
    reader.graphql(query, json!({})).await.refused("FORBIDDEN", "Missing permission: connections:read");
}

#[tokio::test]
async fn an_account_is_renamed_and_described_anew() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let path = format!("/v1/accounts/{}", owner.account_id);
    let update = async |caller: &Caller, input: &Value| caller.patch(&path, input.clone()).await;
    let changed = update(&owner, &json!({ "name": " Night shift ", "description": "Late" })).await;
    assert_eq!(
        (&changed.data()["name"], &changed.data()["description"]),
        (&json!("Night shift"), &json!("Late"))
    );
    let audited = app.audited_once("account:updated").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(audited.metadata, json!({ "changed": ["name", "description"] }));
    let twin = owner.mutate("updateAccount", &json!({ "description": null }), ACCOUNT).await;
    let twin = twin.field("updateAccount");
    assert_eq!((&twin["name"], &twin["description"]), (&json!("Night shift"), &Value::Null));
    update(&owner, &json!({})).await.expect(200);
    assert_eq!(app.audited("account:updated").await.len(), 2);

    for (input, message) in [
        (json!({ "name": "" }), "name must not be empty"),
        (json!({ "name": null }), "name cannot be null"),
        (json!({ "name": "x".repeat(101) }), "name must be between 1 and 100 characters"),
        (json!({ "description": "x".repeat(501) }), "description must be between 0 and 500 characters"),
    ] {
        let graphql = owner.mutate("updateAccount", &input, "{ id }").await;
        both_refused(&update(&owner, &input).await, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let graphql = viewer.mutate("updateAccount", &json!({}), "{ id }").await;
    let rest = update(&viewer, &json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: account:edit");
    let other = app.owner().await;
    update(&other, &json!({ "name": "Mine" })).await.refused("NOT_FOUND", "Account not found");
    assert_eq!(owner.get(&path).await.data()["name"], "Night shift");
}

#[tokio::test]
async fn the_owner_chooses_the_login_connection_that_stands_for_the_account() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let [own, of_administrator] = [
        super::login_connection(&app, owner.user_id, "twitch").await,
        super::login_connection(&app, administrator.user_id, "kick").await,
    ];
    let set = async |caller: &Caller, input: &Value| {
        let rest = caller.put("/v1/accounts/primary-connection", input.clone()).await;
        (rest, caller.mutate("setPrimaryLoginConnection", input, ACCOUNT).await)
    };
    let (rest, graphql) = set(&owner, &json!({ "login_connection_id": own })).await;
    assert_eq!(rest.data()["primary_login_connection_id"], json!(own));
    assert_eq!(rest.data()["avatar_url"], "https://cdn.example/twitch.png");
    assert_eq!(graphql.field("setPrimaryLoginConnection")["primary_login_connection_id"], json!(own));
    let audited = app.audited("account:primary_connection_set").await;
    assert_eq!(audited.len(), 2);
    assert_eq!(audited[0].metadata, json!({ "login_connection_id": own }));
    let (rest, _) =
        set(&owner, &json!({ "account_id": owner.account_id, "login_connection_id": null })).await;
    assert_eq!(
        (&rest.data()["primary_login_connection_id"], &rest.data()["avatar_url"]),
        (&Value::Null, &Value::Null)
    );

    let (rest, graphql) = set(&owner, &json!({})).await;
    let message = "login_connection_id is required; null for none";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let (rest, graphql) = set(&owner, &json!({ "login_connection_id": of_administrator })).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Login connection not found");
    let (rest, graphql) = set(&administrator, &json!({ "login_connection_id": of_administrator })).await;
    let message = "Only the account owner can set the primary connection";
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
    let foreign = json!({ "account_id": other.account_id, "login_connection_id": own });
    let (rest, graphql) = set(&owner, &foreign).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Account not found");
    let popout = app.popout(&owner, &[]).await;
    let (rest, graphql) = set(&popout, &json!({ "login_connection_id": own })).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
}
