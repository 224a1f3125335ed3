//! Tokens of StreamElements (reference/tips.md#tokens).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::se_tokens;
use uuid::Uuid;

const PATH: &str = "/v1/se-tokens";
const ADMIN: &str = "/v1/admin/se-tokens";
const FIELDS: &str = "{ id platform hint label createdAt updatedAt refusedAt }";
const TOKEN: &str = "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl";
const HINT: &str = "eyJh***dXJl";
pub(super) const FEATURE: &str = "integration:streamelements";

/// Owner whose account has the feature, independent of its plan.
pub(super) async fn owner(app: &TestApp) -> Person {
    let owner = app.owner().await;
    app.override_feature(owner.account_id, FEATURE, true).await;
    owner
}

fn input(platform: &str, token: &str) -> Value {
    json!({ "platform": platform, "token": token, "label": "Main" })
}

async fn gql_list(caller: &Caller) -> Answer {
    caller.graphql(&format!("{{ seTokens {FIELDS} }}"), json!({})).await
}

async fn gql_create(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("createSeToken", input, FIELDS).await
}

async fn gql_delete(caller: &Caller, field: &str, id: &str) -> Answer {
    let document = format!("mutation($id: UUID!) {{ {field}(id: $id) {{ success }} }}");
    caller.graphql(&document, json!({ "id": id })).await
}

async fn gql_admin(caller: &Caller) -> Answer {
    let document = "{ adminSeTokens { items { id accountId platform hint label createdAt updatedAt refusedAt } total } }";
    caller.graphql(document, json!({})).await
}

fn id_of(token: &Value) -> String {
    token["id"].as_str().expect("an id").to_owned()
}

async fn rows(app: &TestApp) -> i64 {
    se_tokens::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

#[tokio::test]
async fn create_se_token_stores_and_replaces_and_se_tokens_lists_hints() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let answer = owner.post(PATH, input("twitch", TOKEN)).await;
    let twitch = answer.expect(201)["data"].clone();
    assert_eq!(answer.header("location"), format!("{PATH}/{}", id_of(&twitch)));
    let expected = json!({ "id": twitch["id"], "platform": "twitch", "hint": HINT, "label": "Main",
        "created_at": twitch["created_at"], "updated_at": twitch["created_at"], "refused_at": null });
    assert_eq!(twitch, expected);
    let entry = app.audited_once("se_token:created").await;
    assert_eq!(entry.metadata, json!({ "platform": "twitch", "label": "Main" }));
    assert_eq!(entry.resource_id, Some(id_of(&twitch)));
    let bare = json!({ "platform": "kick", "token": "12345678" });
    let kick = gql_create(&owner, &bare).await.field("createSeToken");
    assert_eq!((&kick["hint"], &kick["label"]), (&json!("****"), &Value::Null));

    app.clock.advance(chrono::Duration::seconds(5));
    let answer = owner.post(PATH, json!({ "platform": "twitch", "token": "another-token" })).await;
    let replaced = answer.expect(200)["data"].clone();
    assert_eq!((&replaced["id"], &replaced["created_at"]), (&twitch["id"], &twitch["created_at"]));
    assert_ne!(replaced["updated_at"], twitch["updated_at"]);
    assert_eq!((&replaced["hint"], &replaced["label"]), (&json!("anot***oken"), &Value::Null));
    let entry = app.audited_once("se_token:replaced").await;
    assert_eq!(entry.metadata, json!({ "platform": "twitch", "label": null }));

    let listed = owner.get(PATH).await;
    assert_eq!(*listed.data(), json!([kick, replaced]), "by platform");
    assert_eq!(gql_list(&owner).await.field("seTokens"), json!([kick, replaced]));
    assert!(!listed.text.contains("another-token") && !listed.text.contains("12345678"));
    app.stop().await;
}

#[tokio::test]
async fn create_se_token_refuses_invalid_fields() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let token = "token must have 1 to 2048 printable characters without spaces";
    let platform = "platform must be twitch, youtube, kick or trovo";
    for (input, message) in [
        (input("spotify", TOKEN), platform),
        (input("", TOKEN), platform),
        (input("Twitch", TOKEN), platform),
        (input("twitch", ""), token),
        (input("twitch", "a b"), token),
        (input("twitch", "abc\n"), token),
        (input("twitch", "tökën"), token),
        (input("twitch", &"x".repeat(2049)), token),
        (json!({ "platform": "twitch", "token": "x", "label": "  " }), "label must not be empty"),
        (
            json!({ "platform": "twitch", "token": "x", "label": "x".repeat(101) }),
            "label must be between 1 and 100 characters",
        ),
    ] {
        let (rest, graphql) = (owner.post(PATH, input.clone()).await, gql_create(&owner, &input).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    assert_eq!(rows(&app).await, 0);
    let longest = json!({ "platform": "trovo", "token": "x".repeat(2048), "label": "x".repeat(100) });
    owner.post(PATH, longest).await.expect(201);
    app.stop().await;
}

#[tokio::test]
async fn create_se_token_in_parallel_keeps_one_row() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let calls = (0..8).map(|_| owner.post(PATH, input("twitch", TOKEN)));
    let answers = futures::future::join_all(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 7);
    assert_eq!(rows(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn se_tokens_create_se_token_and_delete_se_token_need_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let id = id_of(owner.post(PATH, input("twitch", TOKEN)).await.data());
    let path = format!("{PATH}/{id}");
    let reader = app.member_with(owner.account_id, &["se-tokens:read"]).await;
    assert_eq!(reader.get(PATH).await.data().as_array().map(Vec::len), Some(1));
    let (rest, graphql) =
        (reader.post(PATH, input("twitch", TOKEN)).await, gql_create(&reader, &input("twitch", TOKEN)).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: se-tokens:create");
    let (rest, graphql) = (reader.delete(&path).await, gql_delete(&reader, "deleteSeToken", &id).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: se-tokens:delete");
    let writer = app.member_with(owner.account_id, &["se-tokens:create"]).await;
    let (rest, graphql) = (writer.get(PATH).await, gql_list(&writer).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: se-tokens:read");

    app.override_feature(owner.account_id, FEATURE, false).await;
    let message = format!("Feature is disabled: {FEATURE}");
    let (rest, graphql) = (owner.get(PATH).await, gql_list(&owner).await);
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", &message);
    let (rest, graphql) = (owner.delete(&path).await, gql_delete(&owner, "deleteSeToken", &id).await);
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", &message);
    let (rest, graphql) =
        (owner.post(PATH, input("kick", TOKEN)).await, gql_create(&owner, &input("kick", TOKEN)).await);
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", &message);
    assert_eq!(rows(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn delete_se_token_removes_own_tokens_only() {
    let app = TestApp::start().await;
    let (owner, stranger) = (owner(&app).await, owner(&app).await);
    let id = id_of(owner.post(PATH, input("twitch", TOKEN)).await.data());
    let second = id_of(owner.post(PATH, input("kick", TOKEN)).await.data());
    let path = format!("{PATH}/{id}");
    for caller in [&stranger, &owner] {
        let id = if caller.account_id == owner.account_id { Uuid::now_v7().to_string() } else { id.clone() };
        let rest = caller.delete(&format!("{PATH}/{id}")).await;
        let graphql = gql_delete(caller, "deleteSeToken", &id).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Token not found");
    }
    owner.delete(&path).await.expect(204);
    let entry = app.audited_once("se_token:deleted").await;
    assert_eq!((entry.metadata, entry.resource_id), (json!({ "platform": "twitch" }), Some(id)));
    assert_eq!(gql_delete(&owner, "deleteSeToken", &second).await.field("deleteSeToken")["success"], true);
    assert_eq!(rows(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn admin_se_tokens_lists_the_tokens_of_every_account_that_admin_delete_se_token_removes() {
    let app = TestApp::start().await;
    let (first, second) = (owner(&app).await, owner(&app).await);
    let old = first.post(PATH, input("twitch", TOKEN)).await.data().clone();
    app.clock.advance(chrono::Duration::seconds(5));
    let new = second.post(PATH, input("kick", TOKEN)).await.data().clone();
    let staff = app.admin_with(&["se-tokens:read", "se-tokens:delete"]).await;
    let listed = staff.get(ADMIN).await;
    let with_account = |token: &Value, account: Uuid| {
        let mut token = token.clone();
        token["account_id"] = json!(account);
        token
    };
    let expected = json!([with_account(&new, second.account_id), with_account(&old, first.account_id)]);
    assert_eq!((listed.data(), &listed.body["_meta"]["total"]), (&expected, &json!(2)), "{}", listed.text);
    let graphql = gql_admin(&staff).await.field("adminSeTokens");
    assert_eq!((&graphql["items"], &graphql["total"]), (&expected, &json!(2)));
    assert!(!listed.text.contains(TOKEN));

    let (rest, graphql) = (first.get(ADMIN).await, gql_admin(&first).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: se-tokens:read");
    let (id, path) = (id_of(&old), format!("{ADMIN}/{}", id_of(&old)));
    let (rest, graphql) = (first.delete(&path).await, gql_delete(&first, "adminDeleteSeToken", &id).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: se-tokens:delete");

    staff.delete(&path).await.expect(204);
    let entry = app.audited_once("se_token:deleted").await;
    assert_eq!((entry.scope.as_str(), entry.account_id), ("account", Some(first.account_id)));
    assert_eq!((entry.actor_id, entry.resource_id), (Some(staff.user_id), Some(id.clone())));
    let (rest, graphql) = (staff.delete(&path).await, gql_delete(&staff, "adminDeleteSeToken", &id).await);
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Token not found");
    let answer = gql_delete(&staff, "adminDeleteSeToken", &id_of(&new)).await;
    assert_eq!(answer.field("adminDeleteSeToken")["success"], true);
    assert_eq!(rows(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn se_tokens_that_no_key_opens_are_hidden() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    owner.post(PATH, input("twitch", TOKEN)).await.expect(201);
    let mut db = app.databases.postgres.get().await.unwrap();
    diesel::update(se_tokens::table).set(se_tokens::token.eq(vec![1_u8])).execute(&mut *db).await.unwrap();
    drop(db);
    assert_eq!(owner.get(PATH).await.data()[0]["hint"], "****");
    app.stop().await;
}

#[tokio::test]
async fn create_se_token_seals_the_token_for_its_account_and_platform() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    owner.post(PATH, input("twitch", TOKEN)).await.expect(201);
    let sealed: Vec<u8> = se_tokens::table
        .select(se_tokens::token)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let holds = |part: &str| sealed.windows(part.len()).any(|window| window == part.as_bytes());
    assert!(!holds(TOKEN) && !holds("eyJh"));
    let open = |account, platform| {
        live_model::se_tokens::open(&app.state.keyring, account, platform, &sealed)
            .map(|token| token.expose().to_owned())
            .ok()
    };
    assert_eq!(open(owner.account_id, "twitch").as_deref(), Some(TOKEN));
    assert_eq!((open(owner.account_id, "kick"), open(Uuid::now_v7(), "twitch")), (None, None));
    app.stop().await;
}

#[tokio::test]
async fn admin_delete_se_token_needs_its_permission_and_a_token() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let id = owner.post(PATH, input("twitch", TOKEN)).await.data()["id"].as_str().unwrap().to_owned();
    let reader = app.admin_with(&["se-tokens:read"]).await;
    reader
        .delete(&format!("{ADMIN}/{id}"))
        .await
        .refused("FORBIDDEN", "Missing permission: se-tokens:delete");
    let staff = app.admin_with(&["se-tokens:delete"]).await;
    staff.delete(&format!("{ADMIN}/{}", Uuid::now_v7())).await.refused("NOT_FOUND", "Token not found");
    assert_eq!(rows(&app).await, 1);
}
