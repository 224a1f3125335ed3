//! Personal API keys (specification A §2.2, §4.4).

use std::time::Duration as Wait;

use chrono::{DateTime, Duration, Utc};
use diesel::{prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Answer, Caller, Person, Statements, TestApp, both_refused};
use serde_json::{Value, json};
use shared::{
    catalogue::{AccountPermission, Permission},
    db::schema::{account_roles, memberships, user_api_keys},
    invalidation::Invalidation,
    token,
};
use uuid::Uuid;

use super::text;

const KEY: &str = "{ id userId accountId keyPrefix label permissions createdAt expiresAt lastUsedAt }";

fn created_selection() -> String {
    format!("{{ key apiKey {KEY} }}")
}

async fn create(person: &Caller, permissions: &[&str]) -> Answer {
    person.post("/v1/api-keys", json!({ "label": "bot", "permissions": permissions })).await
}

async fn create_over_graphql(person: &Caller, permissions: &[&str]) -> Answer {
    let input = json!({ "label": "bot", "permissions": permissions });
    person.mutate("createUserApiKey", &input, &created_selection()).await
}

async fn labels(app: &TestApp) -> Vec<String> {
    user_api_keys::table
        .order(user_api_keys::id.asc())
        .select(user_api_keys::label)
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_key_is_shown_once_and_stored_as_a_hash() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let answer = owner
        .post(
            "/v1/api-keys",
            json!({ "label": " Bot ", "permissions": ["chat:read", "chat:read", "chat:ban"] }),
        )
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let created = answer.data();
    let key = text(created, "/key");
    assert_eq!((key.len(), &key[..7]), (71, "lm_usr_"));
    assert_eq!(created["key_prefix"], key[..13]);
    assert_eq!(created["label"], "Bot");
    assert_eq!(created["permissions"], json!(["chat:ban", "chat:read"]));
    assert_eq!(
        (&created["user_id"], &created["account_id"]),
        (&json!(owner.user_id), &json!(owner.account_id))
    );
    assert_eq!((&created["expires_at"], &created["last_used_at"]), (&Value::Null, &Value::Null));
    let address = format!("/v1/api-keys/{}", text(created, "/id"));
    assert_eq!(answer.body["_links"], json!({ "self": { "href": address } }));

    let stored: Vec<u8> = user_api_keys::table
        .select(user_api_keys::key_hash)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(stored, token::hash(key));
    let listed = owner.get("/v1/api-keys").await;
    assert_eq!(listed.body["_links"], json!({ "self": "/v1/api-keys" }));
    assert!(!listed.text.contains(key));
    let [listed] = listed.data().as_array().unwrap().as_slice() else { panic!("{}", listed.text) };
    assert!(listed.get("key").is_none());
    let audited = app.audited_once("api_key:created").await;
    assert_eq!(audited.account_id, Some(owner.account_id));
    assert_eq!(audited.resource_id.as_deref(), listed["id"].as_str());
    let told = json!({ "label": "Bot", "permissions": ["chat:ban", "chat:read"], "expires_at": null });
    assert_eq!(audited.metadata, told);
}

#[tokio::test]
async fn both_protocols_manage_the_same_keys() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let created = create_over_graphql(&owner, &["chat:read"]).await.field("createUserApiKey");
    let rest = owner.get("/v1/api-keys").await;
    assert_eq!(rest.data()[0], created["api_key"]);
    let graphql = owner.graphql(&format!("{{ userApiKeys {KEY} }}"), json!({})).await;
    assert_eq!(graphql.field("userApiKeys"), *rest.data());

    let id = text(&created, "/api_key/id").to_owned();
    let renamed = owner.patch(&format!("/v1/api-keys/{id}"), json!({ "label": "second" })).await;
    assert_eq!((renamed.status, &renamed.data()["label"]), (200, &json!("second")));
    let document =
        format!("mutation($id: UUID!) {{ updateUserApiKey(id: $id, input: {{ label: \"third\" }}) {KEY} }}");
    let renamed = owner.graphql(&document, json!({ "id": id })).await;
    assert_eq!(renamed.field("updateUserApiKey")["label"], "third");

    let key = app.bearer(text(&created, "/key"));
    assert_eq!(key.get("/v1/tokens/me").await.data()["permissions"], json!(["chat:read"]));
    let document = "mutation($id: UUID!) { deleteUserApiKey(id: $id) { success } }";
    let deleted = owner.graphql(document, json!({ "id": id })).await;
    assert_eq!(deleted.field("deleteUserApiKey"), json!({ "success": true }));
    key.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    assert_eq!(app.audited("api_key:updated").await.len(), 2);
    assert_eq!(app.audited("api_key:revoked").await.len(), 1);
}

#[tokio::test]
async fn a_label_that_is_absent_stays_and_null_is_refused() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let created = create(&owner, &[]).await;
    let id = text(created.data(), "/id");
    let path = format!("/v1/api-keys/{id}");
    let update =
        |label: &str| format!("mutation {{ updateUserApiKey(id: \"{id}\", input: {{ {label} }}) {KEY} }}");
    let rest = owner.patch(&path, json!({})).await;
    assert_eq!((rest.status, &rest.data()["label"]), (200, &json!("bot")));
    let graphql = owner.graphql(&update(""), json!({})).await;
    assert_eq!(graphql.field("updateUserApiKey"), *rest.data());
    let rest = owner.patch(&path, json!({ "label": null })).await;
    let graphql = owner.graphql(&update("label: null"), json!({})).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "label cannot be null");
    let missing = format!("/v1/api-keys/{}", Uuid::now_v7());
    owner.patch(&missing, json!({})).await.refused("NOT_FOUND", "API key not found");
    assert!(app.audited("api_key:updated").await.is_empty());
}

/// Writes keys of a person, all with the same expiry.
async fn write_keys(app: &TestApp, person: &Person, count: i32, expires_at: Option<DateTime<Utc>>) {
    sql_query(
        "INSERT INTO user_api_keys (id, user_id, account_id, key_hash, key_prefix, label, permissions, expires_at) \
         SELECT gen_random_uuid(), $1, $2, sha256(gen_random_uuid()::text::bytea), 'lm_usr_', 'bot', '{}', $4 \
         FROM generate_series(1, $3)",
    )
    .bind::<sql_types::Uuid, _>(person.user_id)
    .bind::<sql_types::Uuid, _>(person.account_id)
    .bind::<sql_types::Int4, _>(count)
    .bind::<sql_types::Nullable<sql_types::Timestamptz>, _>(expires_at)
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
}

#[tokio::test]
async fn a_person_has_twenty_active_keys() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let colleague = app.member_as(owner.account_id, "administrator").await;
    write_keys(&app, &owner, 18, None).await;
    write_keys(&app, &owner, 1, Some(app.clock.now() + Duration::minutes(1))).await;
    let answers = join_all((0..4).map(|_| create(&owner, &[]))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    let graphql = create_over_graphql(&owner, &[]).await;
    both_refused(&create(&owner, &[]).await, &graphql, 403, "PLAN_LIMIT_REACHED", "API key limit reached");
    let listed = owner.get("/v1/api-keys").await;
    assert_eq!(
        (listed.data().as_array().unwrap().len(), app.audited("api_key:created").await.len()),
        (20, 1)
    );
    create(&colleague, &[]).await.expect(201);
    // In another account of theirs as well.
    let elsewhere = app.owner().await.account_id;
    app.join(elsewhere, owner.user_id, "administrator").await;
    let session = app.session(owner.user_id, elsewhere).await;
    create(&session, &[]).await.refused("PLAN_LIMIT_REACHED", "API key limit reached");
    // An expired key does not count, nor does one that is gone.
    app.clock.advance(Duration::minutes(2));
    create(&owner, &[]).await.expect(201);
    create(&owner, &[]).await.refused_with("PLAN_LIMIT_REACHED");
    owner.delete(&format!("/v1/api-keys/{}", text(&listed.data()[0], "/id"))).await;
    create(&owner, &[]).await.expect(201);
}

#[tokio::test]
async fn a_person_has_no_more_keys_in_an_account_than_the_list_shows() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    write_keys(&app, &owner, 999, Some(app.clock.now() - Duration::minutes(1))).await;
    create(&owner, &[]).await.expect(201);
    let graphql = create_over_graphql(&owner, &[]).await;
    both_refused(&create(&owner, &[]).await, &graphql, 403, "PLAN_LIMIT_REACHED", "API key limit reached");
    assert_eq!(owner.get("/v1/api-keys").await.data().as_array().unwrap().len(), 1000);
}

#[tokio::test]
async fn a_key_has_no_more_scopes_than_there_are() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let many: Vec<&str> = std::iter::repeat_n("chat:read", 134).collect();
    let (rest, graphql) = (create(&owner, &many).await, create_over_graphql(&owner, &many).await);
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "permissions must hold at most 133 scopes");
    assert_eq!(labels(&app).await, Vec::<String>::new());
    create(&owner, &many[1..]).await.expect(201);
}

#[tokio::test]
async fn each_operation_needs_its_permission_a_first_party_and_the_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let nobody = app.member_with(owner.account_id, &[]).await;
    let popout = app.popout(&owner, &["apikeys:read"]).await;
    let service = app.service_key(owner.account_id, &["apikeys:*"]).await;
    let id = Uuid::now_v7();
    let create_input = json!({ "label": "x", "permissions": [] });
    let calls = async |caller: &Caller| {
        let path = format!("/v1/api-keys/{id}");
        let delete = format!("mutation {{ deleteUserApiKey(id: \"{id}\") {{ success }} }}");
        let update =
            format!("mutation {{ updateUserApiKey(id: \"{id}\", input: {{ label: \"x\" }}) {{ id }} }}");
        let assignable = "{ apiKeyAssignablePermissions(kind: PERSONAL) { key } }";
        [
            (
                "apikeys:read",
                caller.get("/v1/api-keys/permissions?kind=personal").await,
                caller.graphql(assignable, json!({})).await,
            ),
            (
                "apikeys:read",
                caller.get("/v1/api-keys").await,
                caller.graphql("{ userApiKeys { id } }", json!({})).await,
            ),
            (
                "apikeys:create",
                caller.post("/v1/api-keys", create_input.clone()).await,
                caller.mutate("createUserApiKey", &create_input, "{ key }").await,
            ),
            (
                "apikeys:edit",
                caller.patch(&path, json!({ "label": "x" })).await,
                caller.graphql(&update, json!({})).await,
            ),
            ("apikeys:delete", caller.delete(&path).await, caller.graphql(&delete, json!({})).await),
        ]
    };
    for (_, rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    for caller in [&popout, &service] {
        for (_, rest, graphql) in calls(caller).await {
            both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
        }
    }
    for (permission, rest, graphql) in calls(&nobody).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    app.override_feature(owner.account_id, "feature:apikeys", false).await;
    for (_, rest, graphql) in calls(&owner).await {
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:apikeys");
    }
    assert_eq!(labels(&app).await, Vec::<String>::new());
}

#[tokio::test]
async fn the_registry_leaves_out_the_deny_list() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (kind, count) in [("personal", 129), ("service", 119)] {
        let rest = owner.get(&format!("/v1/api-keys/permissions?kind={kind}")).await;
        let keys: Vec<&str> =
            rest.data().as_array().unwrap().iter().map(|entry| text(entry, "/key")).collect();
        assert_eq!(keys.len(), count);
        for denied in
            ["apikeys:create", "apikeys:edit", "tokens:create", "account:delete", "ideas:moderate_edit"]
        {
            assert!(!keys.contains(&denied));
        }
        assert_eq!(keys.contains(&"ideas:vote"), kind == "personal");
        let query = format!(
            "{{ apiKeyAssignablePermissions(kind: {}) {{ key label category }} }}",
            kind.to_uppercase()
        );
        let graphql = owner.graphql(&query, json!({})).await;
        assert_eq!(graphql.field("apiKeyAssignablePermissions"), *rest.data());
        assert_eq!(
            rest.data()[0],
            json!({ "key": "events:read", "label": "Events: read", "category": "events" })
        );
    }
    for query in ["", "?kind=other", "?kind=PERSONAL"] {
        owner.get(&format!("/v1/api-keys/permissions{query}")).await.refused_with("VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn unknown_and_deny_listed_scopes_are_refused() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for scope in [
        "chat:none",
        "chat",
        "",
        "admin:access",
        "ideas:moderate_edit",
        "apikeys:create",
        "apikeys:edit",
        "tokens:create",
        "account:delete",
        "apikeys:*",
        "tokens:*",
        "account:*",
        "nothing:*",
    ] {
        let rest = create(&owner, &["chat:read", scope]).await;
        let graphql = create_over_graphql(&owner, &["chat:read", scope]).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", &format!("Invalid permission: {scope}"));
    }
    assert_eq!(labels(&app).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_key_cannot_exceed_its_creator() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member =
        app.member_with(owner.account_id, &["apikeys:create", "chat:read", "obs:read", "obs:edit"]).await;
    for (scope, lacking) in [("chat:ban", "chat:ban"), ("chat:*", "chat:write"), ("*", "*"), ("*:*", "*")] {
        let rest = create(&member, &["chat:read", scope]).await;
        let graphql = create_over_graphql(&member, &["chat:read", scope]).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {lacking}"));
    }
    // Not even the owner holds a bare wildcard.
    create(&owner, &["*"]).await.refused("FORBIDDEN", "Missing permission: *");
    assert_eq!(labels(&app).await, Vec::<String>::new());
    create(&member, &["chat:read", "ideas:*"]).await.expect(201);
}

#[tokio::test]
async fn a_wildcard_is_accepted_from_whoever_holds_all_of_it() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let created = create(&owner, &["chat:*", "ideas:*"]).await;
    assert_eq!(created.data()["permissions"], json!(["chat:*", "ideas:*"]));
    let held = app.bearer(text(created.data(), "/key")).get("/v1/tokens/me").await;
    let held = held.data()["permissions"].as_array().unwrap();
    let of_chat = AccountPermission::ALL.iter().filter(|permission| permission.resource() == "chat").count();
    assert_eq!(held.len(), of_chat + 10);
}

#[tokio::test]
async fn labels_and_expiries_have_limits() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let existing = create(&owner, &[]).await;
    let path = format!("/v1/api-keys/{}", text(existing.data(), "/id"));
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
        let rest = owner.post("/v1/api-keys", input.clone()).await;
        let graphql = owner.mutate("createUserApiKey", &input, "{ key }").await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    for label in ["", &"x".repeat(101)] {
        owner.patch(&path, json!({ "label": label })).await.refused_with("VALIDATION_ERROR");
    }
    owner
        .post("/v1/api-keys", json!({}))
        .await
        .refused("VALIDATION_ERROR", "Invalid body: missing field `label`");
    owner.post("/v1/api-keys", json!({ "label": 1 })).await.refused_with("VALIDATION_ERROR");
    let large = json!({ "label": "x".repeat(1024 * 1024), "permissions": [] });
    let answer = owner.post("/v1/api-keys", large).await;
    assert_eq!(answer.status, 400);
    answer.refused("BAD_REQUEST", "Request body too large");
    owner
        .patch("/v1/api-keys/1", json!({ "label": "x" }))
        .await
        .refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(labels(&app).await, ["bot"]);
    let longest =
        json!({ "label": "ß".repeat(100), "permissions": [], "expires_at": "2999-01-01T00:00:00+02:00" });
    let created = owner.post("/v1/api-keys", longest).await;
    let expires_at: DateTime<Utc> = text(created.data(), "/expires_at").parse().unwrap();
    assert_eq!(expires_at.to_rfc3339(), "2998-12-31T22:00:00+00:00");
}

#[tokio::test]
async fn a_thousand_keys_are_listed_by_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO user_api_keys (id, user_id, account_id, key_hash, key_prefix, label, permissions) \
         SELECT gen_random_uuid(), $1, $2, sha256(n::text::bytea), 'lm_usr_', 'bot', '{chat:read}' \
         FROM generate_series(1, 1000) n",
    )
    .bind::<sql_types::Uuid, _>(owner.user_id)
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    statements.to(&app);
    let (listed, sent) = statements.of(async || owner.get("/v1/api-keys").await).await;
    assert_eq!(listed.data().as_array().unwrap().len(), 1000);
    assert!(sent.len() == 1 && sent[0].contains("user_api_keys"), "{sent:#?}");
}

#[tokio::test]
async fn anonymous_with_a_malformed_body_is_refused_for_being_anonymous() {
    let app = TestApp::start().await;
    let answer = app.anonymous().post_raw("/v1/api-keys", "application/json", "{").await;
    assert_eq!(answer.status, 401);
    answer.refused("UNAUTHORIZED", "Authentication required");
}

#[tokio::test]
async fn keys_of_others_are_not_found_and_stay_as_they_are() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let stranger = app.owner().await;
    let colleague = app.member_as(owner.account_id, "administrator").await;
    let created = create(&owner, &["chat:read"]).await;
    let id = text(created.data(), "/id");
    let path = format!("/v1/api-keys/{id}");
    for other in [&stranger, &colleague] {
        let rest = other.patch(&path, json!({ "label": "taken" })).await;
        let update =
            format!("mutation {{ updateUserApiKey(id: \"{id}\", input: {{ label: \"taken\" }}) {{ id }} }}");
        both_refused(&rest, &other.graphql(&update, json!({})).await, 404, "NOT_FOUND", "API key not found");
        let delete = format!("mutation {{ deleteUserApiKey(id: \"{id}\") {{ success }} }}");
        let (rest, graphql) = (other.delete(&path).await, other.graphql(&delete, json!({})).await);
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "API key not found");
        assert_eq!(other.get("/v1/api-keys").await.data(), &json!([]));
    }
    assert_eq!(labels(&app).await, ["bot"]);
    assert!(app.audited("api_key:updated").await.is_empty());
    app.bearer(text(created.data(), "/key")).get("/v1/tokens/me").await.expect(200);
}

#[tokio::test]
async fn an_expired_key_is_anonymous() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let expires_at = app.clock.now() + Duration::minutes(1);
    let key = app.personal_key_until(&owner, &["chat:read"], Some(expires_at)).await;
    key.get("/v1/tokens/me").await.expect(200);
    app.clock.advance(Duration::minutes(2));
    let graphql = key.graphql("{ myPermissions { permissions } }", json!({})).await;
    both_refused(&key.get("/v1/tokens/me").await, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    // Where nobody needs a credential it does no harm.
    key.get("/v1/platforms/enabled").await.expect(200);
}

#[tokio::test]
async fn a_revoked_key_stops_within_a_second_in_another_process() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let owner = app.owner().await;
    let created = create(&owner, &["chat:read"]).await;
    let key = app.bearer(text(created.data(), "/key"));
    let elsewhere = key.at(format!("http://{}", second_server.address));
    elsewhere.get("/v1/tokens/me").await.expect(200);
    let deleted = owner.delete(&format!("/v1/api-keys/{}", text(created.data(), "/id"))).await;
    assert_eq!(deleted.status, 204);
    key.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    tokio::time::sleep(Wait::from_secs(1)).await;
    elsewhere.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn a_key_cannot_make_keys_and_loses_what_its_person_loses() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["apikeys:create", "apikeys:read", "chat:read"]).await;
    let created = create(&member, &["apikeys:read", "chat:read"]).await;
    let key = app.bearer(text(created.data(), "/key"));
    assert_eq!(key.get("/v1/api-keys").await.data().as_array().unwrap().len(), 1);
    create(&key, &["chat:read"]).await.refused("FORBIDDEN", "Missing permission: apikeys:create");
    become_viewer(&app, &member).await;
    key.get("/v1/api-keys").await.refused("FORBIDDEN", "Missing permission: apikeys:read");
}

async fn become_viewer(app: &TestApp, member: &Person) {
    let mut db = app.state.databases.postgres.get().await.unwrap();
    let viewer: Uuid = account_roles::table
        .filter(account_roles::account_id.eq(member.account_id).and(account_roles::slug.eq("viewer")))
        .select(account_roles::id)
        .first(&mut *db)
        .await
        .unwrap();
    let own = memberships::table.filter(memberships::user_id.eq(member.user_id));
    diesel::update(own).set(memberships::role_id.eq(viewer)).execute(&mut *db).await.unwrap();
    let (account_id, user_id) = (member.account_id, member.user_id);
    app.state.caches.invalidate(&Invalidation::Member { account_id, user_id });
}
