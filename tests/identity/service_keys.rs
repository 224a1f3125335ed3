//! Service keys of an account (reference/credentials.md#service-keys).

use api_core::token;
use chrono::Duration;
use diesel::{prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Answer, Caller, Statements, TestApp, both_refused, eventually};
use serde_json::{Value, json};
use shared::schema::{account_service_keys, memberships};
use uuid::Uuid;

use super::text;

const KEY: &str =
    "{ id accountId createdBy keyPrefix label permissions createdAt updatedAt expiresAt lastUsedAt }";

async fn create(caller: &Caller, permissions: &[&str]) -> Answer {
    caller.post("/v1/service-keys", json!({ "label": "bot", "permissions": permissions })).await
}

async fn create_over_graphql(caller: &Caller, permissions: &[&str]) -> Answer {
    let input = json!({ "label": "bot", "permissions": permissions });
    caller.mutate("createAccountServiceKey", &input, &format!("{{ key serviceKey {KEY} }}")).await
}

async fn rename_over_graphql(caller: &Caller, id: &str, label: &Value) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $label: String) {{ updateAccountServiceKey(id: $id, label: $label) {KEY} }}"
    );
    caller.graphql(&document, json!({ "id": id, "label": label })).await
}

async fn delete_over_graphql(caller: &Caller, id: &str) -> Answer {
    let document = "mutation($id: UUID!) { deleteAccountServiceKey(id: $id) { success } }";
    caller.graphql(document, json!({ "id": id })).await
}

async fn labels(app: &TestApp) -> Vec<String> {
    account_service_keys::table
        .order(account_service_keys::id.asc())
        .select(account_service_keys::label)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn create_account_service_key_shows_the_key_once_and_stores_a_hash() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let input = json!({ "label": " Bot ", "permissions": ["chat:read", "chat:ban", "chat:read"] });
    let answer = owner.post("/v1/service-keys", input).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let created = answer.data();
    let key = text(created, "/key");
    assert_eq!((key.len(), &key[..7]), (71, "lm_svc_"));
    assert_eq!(created["key_prefix"], key[..13]);
    assert_eq!(created["label"], "Bot");
    assert_eq!(created["permissions"], json!(["chat:ban", "chat:read"]));
    assert_eq!(
        (&created["account_id"], &created["created_by"]),
        (&json!(owner.account_id), &json!(owner.user_id))
    );
    assert_eq!(created["created_at"], created["updated_at"]);
    assert_eq!((&created["expires_at"], &created["last_used_at"]), (&Value::Null, &Value::Null));
    let address = format!("/v1/service-keys/{}", text(created, "/id"));
    assert_eq!(answer.body["_links"], json!({ "self": { "href": address } }));

    let stored: Vec<u8> = account_service_keys::table
        .select(account_service_keys::key_hash)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(stored, token::hash(key));
    let listed = owner.get("/v1/service-keys").await;
    assert_eq!(listed.body["_links"], json!({ "self": "/v1/service-keys" }));
    assert!(!listed.text.contains(key));
    let audited = app.audited_once("account:service_key_created").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(audited.resource_id.as_deref(), created["id"].as_str());
    let metadata = json!({ "label": "Bot", "permissions": ["chat:ban", "chat:read"], "expires_at": null });
    assert_eq!(audited.metadata, metadata);
}

#[tokio::test]
async fn account_service_keys_are_the_same_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let created = create_over_graphql(&owner, &["chat:read"]).await.field("createAccountServiceKey");
    let rest = owner.get("/v1/service-keys").await;
    assert_eq!(rest.data(), &json!([created["service_key"]]));
    let graphql = owner.graphql(&format!("{{ accountServiceKeys {KEY} }}"), json!({})).await;
    assert_eq!(graphql.field("accountServiceKeys"), *rest.data());

    let id = text(&created, "/service_key/id");
    let path = format!("/v1/service-keys/{id}");
    app.clock.advance(Duration::seconds(2));
    let renamed = owner.patch(&path, json!({ "label": "second", "permissions": ["chat:ban"] })).await;
    assert_eq!((renamed.status, &renamed.data()["label"]), (200, &json!("second")));
    assert_eq!(renamed.data()["permissions"], json!(["chat:read"]), "only the label can be changed");
    assert_ne!(renamed.data()["updated_at"], renamed.data()["created_at"]);
    let renamed = rename_over_graphql(&owner, id, &json!("third")).await.field("updateAccountServiceKey");
    assert_eq!(renamed["label"], "third");
    assert_eq!(owner.patch(&path, json!({})).await.data(), &renamed, "an absent label stays");
    let rest = owner.patch(&path, json!({ "label": null })).await;
    let graphql = rename_over_graphql(&owner, id, &Value::Null).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "label cannot be null");
    let audited: Vec<Value> =
        app.audited("account:service_key_updated").await.into_iter().map(|entry| entry.metadata).collect();
    assert_eq!(audited, [json!({ "label": "second" }), json!({ "label": "third" })]);

    let key = app.bearer(text(&created, "/key"));
    assert_eq!(key.get("/v1/tokens/me").await.data()["permissions"], json!(["chat:read"]));
    let deleted = delete_over_graphql(&owner, id).await;
    assert_eq!(deleted.field("deleteAccountServiceKey"), json!({ "success": true }));
    key.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let audited = app.audited_once("account:service_key_revoked").await;
    assert_eq!((audited.resource_id.as_deref(), audited.metadata), (Some(id), json!({ "label": "third" })));
    assert_eq!(owner.delete(&path).await.status, 404);
    assert_eq!(labels(&app).await, Vec::<String>::new());
}

#[tokio::test]
async fn account_service_keys_and_changes_need_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &[]).await;
    let key = app.service_key(owner.account_id, &[]).await;
    let id = Uuid::now_v7().to_string();
    let path = format!("/v1/service-keys/{id}");
    let calls = async |caller: &Caller| {
        let list = "{ accountServiceKeys { id } }";
        [
            ("apikeys:read", caller.get("/v1/service-keys").await, caller.graphql(list, json!({})).await),
            ("apikeys:create", create(caller, &[]).await, create_over_graphql(caller, &[]).await),
            (
                "apikeys:edit",
                caller.patch(&path, json!({ "label": "x" })).await,
                rename_over_graphql(caller, &id, &json!("x")).await,
            ),
            ("apikeys:delete", caller.delete(&path).await, delete_over_graphql(caller, &id).await),
        ]
    };
    for (_, rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    for caller in [&member, &key] {
        for (permission, rest, graphql) in calls(caller).await {
            both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
        }
    }
    app.override_feature(owner.account_id, "feature:apikeys", false).await;
    for (_, rest, graphql) in calls(&owner).await {
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:apikeys");
    }
    assert_eq!(labels(&app).await, ["test"], "only the key that the test wrote");
}

#[tokio::test]
async fn create_account_service_key_by_a_popout_needs_its_permissions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["apikeys:create", "chat:read"]).await;
    let created = create(&popout, &["chat:read"]).await;
    assert_eq!(created.data()["created_by"], json!(owner.user_id), "whoever the popout acts for");
    for answer in [create(&popout, &["chat:ban"]).await, create_over_graphql(&popout, &["chat:ban"]).await] {
        answer.refused("FORBIDDEN", "Missing permission: chat:ban");
    }
    let manager = app.service_key(owner.account_id, &["apikeys:read", "apikeys:delete"]).await;
    assert_eq!(manager.get("/v1/service-keys").await.data().as_array().unwrap().len(), 2);
    let path = format!("/v1/service-keys/{}", text(created.data(), "/id"));
    assert_eq!(manager.delete(&path).await.status, 204);
    let audited = app.audited_once("account:service_key_revoked").await;
    assert_ne!(audited.actor_id, Some(owner.user_id), "the key itself did it");
}

#[tokio::test]
async fn create_account_service_key_grants_no_more_than_the_caller_holds() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["apikeys:create", "chat:read", "ideas:read"]).await;
    for scope in [
        "",
        "chat",
        "chat:none",
        "admin:access",
        "ideas:read",
        "ideas:*",
        "apikeys:create",
        "apikeys:edit",
        "tokens:create",
        "account:delete",
        "apikeys:*",
        "tokens:*",
        "account:*",
    ] {
        let (rest, graphql) = (
            create(&owner, &["chat:read", scope]).await,
            create_over_graphql(&owner, &["chat:read", scope]).await,
        );
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", &format!("Invalid permission: {scope}"));
    }
    for (scope, lacking) in [("chat:ban", "chat:ban"), ("chat:*", "chat:write"), ("*", "*"), ("*:*", "*")] {
        let (rest, graphql) = (
            create(&member, &["chat:read", scope]).await,
            create_over_graphql(&member, &["chat:read", scope]).await,
        );
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {lacking}"));
    }
    let many: Vec<&str> = std::iter::repeat_n("chat:read", 124).collect();
    let (rest, graphql) = (create(&owner, &many).await, create_over_graphql(&owner, &many).await);
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "permissions must hold at most 123 scopes");
    assert_eq!(labels(&app).await, Vec::<String>::new());
    assert_eq!(create(&owner, &["chat:*"]).await.data()["permissions"], json!(["chat:*"]));
    assert_eq!(create(&owner, &many[1..]).await.data()["permissions"], json!(["chat:read"]));
}

#[tokio::test]
async fn create_account_service_key_validates_label_and_expiry() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let past = (app.clock.now() - Duration::seconds(1)).to_rfc3339();
    for (input, message) in [
        (json!({ "label": " ", "permissions": [] }), "label must not be empty"),
        (
            json!({ "label": "x".repeat(101), "permissions": [] }),
            "label must be between 1 and 100 characters",
        ),
        (json!({ "label": "a\nb", "permissions": [] }), "label must not contain control characters"),
        (json!({ "label": "x", "permissions": [], "expires_at": past }), "expires_at cannot be in the past"),
        (
            json!({ "label": "x", "permissions": [], "expires_at": "tomorrow" }),
            "expires_at must be a time in RFC 3339, for example 2030-01-31T12:00:00Z",
        ),
    ] {
        let rest = owner.post("/v1/service-keys", input.clone()).await;
        let graphql = owner.mutate("createAccountServiceKey", &input, "{ key }").await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    owner.post("/v1/service-keys", json!({})).await.refused_with("VALIDATION_ERROR");
    owner
        .patch("/v1/service-keys/1", json!({ "label": "x" }))
        .await
        .refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(labels(&app).await, Vec::<String>::new());
}

#[tokio::test]
async fn create_account_service_key_is_limited_to_a_thousand_per_account() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    sql_query(
        "INSERT INTO account_service_keys (id, account_id, key_hash, key_prefix, label, permissions) \
         SELECT gen_random_uuid(), $1, sha256(n::text::bytea), 'lm_svc_', 'bot', '{}' \
         FROM generate_series(1, 999) n",
    )
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let answers = join_all((0..4).map(|_| create(&owner, &[]))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    let (rest, graphql) = (create(&owner, &[]).await, create_over_graphql(&owner, &[]).await);
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Service key limit reached");
    assert_eq!(owner.get("/v1/service-keys").await.data().as_array().unwrap().len(), 1000);
    create(&stranger, &[]).await.expect(201);
}

#[tokio::test]
async fn update_account_service_key_and_delete_do_not_find_foreign_keys() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let created = create(&owner, &["chat:read"]).await;
    let id = text(created.data(), "/id");
    let path = format!("/v1/service-keys/{id}");
    let rest = stranger.patch(&path, json!({ "label": "taken" })).await;
    let graphql = rename_over_graphql(&stranger, id, &json!("taken")).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Service key not found");
    stranger.patch(&path, json!({})).await.refused("NOT_FOUND", "Service key not found");
    let (rest, graphql) = (stranger.delete(&path).await, delete_over_graphql(&stranger, id).await);
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Service key not found");
    assert_eq!(stranger.get("/v1/service-keys").await.data(), &json!([]));
    assert_eq!(owner.get("/v1/service-keys").await.data()[0]["label"], "bot");
    assert!(app.audited("account:service_key_updated").await.is_empty());
    assert!(app.audited("account:service_key_revoked").await.is_empty());
    app.bearer(text(created.data(), "/key")).get("/v1/tokens/me").await.expect(200);
}

#[tokio::test]
async fn service_keys_outlive_the_membership_of_their_creator() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["apikeys:create", "chat:read"]).await;
    let created = create(&member, &["chat:read"]).await;
    let key = app.bearer(text(created.data(), "/key"));
    key.get("/v1/tokens/me").await.expect(200);
    diesel::delete(memberships::table.filter(memberships::user_id.eq(member.user_id)))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let listed = owner.get("/v1/service-keys").await;
    assert_eq!(listed.data()[0]["id"], created.data()["id"]);
    assert_eq!(listed.data()[0]["created_by"], Value::Null);
    assert_eq!(key.get("/v1/tokens/me").await.data()["permissions"], json!(["chat:read"]));
}

#[tokio::test]
async fn delete_account_service_key_takes_effect_in_another_process() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let owner = app.owner().await;
    let soon = (app.clock.now() + Duration::minutes(1)).to_rfc3339();
    let input = json!({ "label": "x", "permissions": ["chat:read"], "expires_at": soon });
    let (brief, lasting) =
        (owner.post("/v1/service-keys", input).await, create(&owner, &["chat:read"]).await);
    let brief = app.bearer(text(brief.data(), "/key"));
    let here = app.bearer(text(lasting.data(), "/key"));
    let elsewhere = here.at(format!("http://{}", second_server.address));
    for key in [&brief, &here, &elsewhere] {
        key.get("/v1/tokens/me").await.expect(200);
    }
    app.clock.advance(Duration::minutes(2));
    let graphql = brief.graphql("{ myPermissions { permissions } }", json!({})).await;
    both_refused(&brief.get("/v1/tokens/me").await, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    brief.get("/v1/platforms/enabled").await.expect(200);

    let deleted = app.session(owner.user_id, owner.account_id).await;
    deleted.delete(&format!("/v1/service-keys/{}", text(lasting.data(), "/id"))).await;
    here.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    eventually("the other process knows", async || elsewhere.get("/v1/tokens/me").await.status == 401).await;
    elsewhere.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn account_service_keys_reads_a_thousand_keys_in_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO account_service_keys (id, account_id, key_hash, key_prefix, label, permissions) \
         SELECT gen_random_uuid(), $1, sha256(n::text::bytea), 'lm_svc_', 'bot', '{}' \
         FROM generate_series(1, 1000) n",
    )
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    statements.list_a_thousand(&app, &owner, "/v1/service-keys", "account_service_keys").await;
}
