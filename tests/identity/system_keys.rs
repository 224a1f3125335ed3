//! System keys (reference/credentials.md#system-keys).

use api_core::token;
use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, SocketRequest, Statements, TestApp, both_refused, eventually};
use serde_json::{Value, json};
use shared::schema::system_keys;
use uuid::Uuid;

use super::text;

const KEY: &str = "{ id label keyPrefix createdBy createdAt lastUsedAt }";
const PATH: &str = "/v1/admin/system-keys";
const ALL: [&str; 3] = ["system-keys:read", "system-keys:create", "system-keys:delete"];

async fn create(caller: &Caller, label: &str) -> Answer {
    caller.post(PATH, json!({ "label": label })).await
}

async fn create_over_graphql(caller: &Caller, label: &str) -> Answer {
    let selection = format!("{{ key systemKey {KEY} }}");
    caller.mutate("adminCreateSystemKey", &json!({ "label": label }), &selection).await
}

async fn delete_over_graphql(caller: &Caller, id: &str) -> Answer {
    caller.graphql("mutation($id: UUID!) { adminDeleteSystemKey(id: $id) }", json!({ "id": id })).await
}

#[tokio::test]
async fn admin_create_system_key_shows_the_key_once_on_both_protocols() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&ALL).await;
    let answer = create(&admin, " workers ").await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let created = answer.data();
    let (id, key) = (text(created, "/id"), text(created, "/key"));
    assert_eq!((key.len(), &key[..7]), (71, "lm_sys_"));
    assert_eq!((&created["label"], &created["key_prefix"]), (&json!("workers"), &json!(key[..13])));
    assert_eq!((&created["created_by"], &created["last_used_at"]), (&json!(admin.user_id), &Value::Null));
    assert_eq!(answer.body["_links"], json!({ "self": { "href": format!("{PATH}/{id}") } }));
    let stored: Vec<u8> = system_keys::table
        .select(system_keys::key_hash)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(stored, token::hash(key));

    let second = create_over_graphql(&admin, "second").await.field("adminCreateSystemKey");
    let rest = admin.get(PATH).await;
    assert_eq!(rest.body["_links"], json!({ "self": PATH }));
    let listed: Vec<&Value> = rest.data().as_array().unwrap().iter().map(|key| &key["id"]).collect();
    assert_eq!(listed, [&second["system_key"]["id"], &created["id"]], "newest first");
    assert!(!rest.text.contains(key) && !rest.text.contains(text(&second, "/key")));
    let graphql = admin.graphql(&format!("{{ adminSystemKeys {KEY} }}"), json!({})).await;
    assert_eq!(graphql.field("adminSystemKeys"), *rest.data());

    assert_eq!(admin.delete(&format!("{PATH}/{id}")).await.status, 204);
    let deleted = delete_over_graphql(&admin, text(&second, "/system_key/id")).await;
    assert_eq!(deleted.field("adminDeleteSystemKey"), json!(true));
    assert_eq!(admin.get(PATH).await.data(), &json!([]));
    for audited in [app.audited("system_key:created").await, app.audited("system_key:revoked").await] {
        assert_eq!(audited.len(), 2, "{audited:?}");
        for entry in audited {
            assert_eq!((entry.scope.as_str(), entry.account_id), ("system", None), "of the deployment");
            assert_eq!(entry.actor_id, Some(admin.user_id));
            assert!(!entry.metadata.to_string().contains("lm_sys_"), "{}", entry.metadata);
        }
    }
}

#[tokio::test]
async fn admin_system_keys_and_changes_need_the_admin_permission() {
    let app = TestApp::start().await;
    let (owner, id) = (app.owner().await, Uuid::now_v7().to_string());
    let key = app.personal_key(&owner, &["apikeys:read"]).await;
    let calls = async |caller: &Caller| {
        let list = "{ adminSystemKeys { id } }";
        [
            ("system-keys:read", caller.get(PATH).await, caller.graphql(list, json!({})).await),
            ("system-keys:create", create(caller, "x").await, create_over_graphql(caller, "x").await),
            (
                "system-keys:delete",
                caller.delete(&format!("{PATH}/{id}")).await,
                delete_over_graphql(caller, &id).await,
            ),
        ]
    };
    for caller in [&owner.caller, &key] {
        for (permission, rest, graphql) in calls(caller).await {
            both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
        }
    }
    for (_, rest, graphql) in calls(&app.service_key(owner.account_id, &["apikeys:read"]).await).await {
        assert_eq!(
            (rest.status, rest.error().0, graphql.error().0),
            (403, "FORBIDDEN".into(), "FORBIDDEN".into())
        );
    }
    for (_, rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    let reader = app.admin_with(&["system-keys:read"]).await;
    for (permission, rest, graphql) in calls(&reader).await {
        if permission == "system-keys:read" {
            assert_eq!((rest.status, graphql.field("adminSystemKeys")), (200, json!([])));
        } else {
            both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
        }
    }
    assert!(app.audited("system_key:created").await.is_empty());
}

#[tokio::test]
async fn admin_create_system_key_and_delete_validate_the_input() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&ALL).await;
    for (label, message) in [
        (" ".to_owned(), "label must not be empty"),
        ("x".repeat(101), "label must be between 1 and 100 characters"),
        ("a\tb".to_owned(), "label must not contain control characters"),
    ] {
        let (rest, graphql) = (create(&admin, &label).await, create_over_graphql(&admin, &label).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    admin.post(PATH, json!({})).await.refused("VALIDATION_ERROR", "Missing field: label");
    admin.delete(&format!("{PATH}/1")).await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    let unknown = Uuid::now_v7().to_string();
    let (rest, graphql) =
        (admin.delete(&format!("{PATH}/{unknown}")).await, delete_over_graphql(&admin, &unknown).await);
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "System key not found");
    assert_eq!(admin.get(PATH).await.data(), &json!([]));
    assert!(app.audited("system_key:revoked").await.is_empty());
}

#[tokio::test]
async fn admin_system_keys_are_limited_to_a_thousand_and_read_in_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let admin = app.admin_with(&ALL).await;
    sql_query(
        "INSERT INTO system_keys (id, label, key_hash, key_prefix) \
         SELECT gen_random_uuid(), 'worker', sha256(n::text::bytea), 'lm_sys_' FROM generate_series(1, 999) n",
    )
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    create(&admin, "last").await.expect(201);
    let (rest, graphql) = (create(&admin, "over").await, create_over_graphql(&admin, "over").await);
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "System key limit reached");
    statements.list_a_thousand(&app, &admin, PATH, "system_keys").await;
}

#[tokio::test]
async fn admin_delete_system_key_ends_access_to_internal_routes_and_sockets() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let (admin, owner) = (app.admin_with(&ALL).await, app.owner().await);
    let created = create(&admin, "workers").await;
    let here = app.bearer(text(created.data(), "/key"));
    let elsewhere = here.at(format!("http://{}", second_server.address));
    let internal = "/v1/internal/bot-modules/handlers";
    for key in [&here, &elsewhere] {
        key.get(internal).await.expect(200);
    }
    for path in ["/v1/users/me", "/v1/tokens/me", "/v1/api-keys", PATH, "/v1/platforms/enabled"] {
        let answer = here.get(path).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (403, "FORBIDDEN"), "{path}: {}", answer.text);
    }
    here.graphql("{ enabledPlatforms }", json!({}))
        .await
        .refused("FORBIDDEN", "This token cannot call the API");
    let mut socket = SocketRequest::to(app.url()).bearer(here.token()).connect().await;
    socket.subscribe(&format!("chat:{}", owner.account_id)).await;

    admin.delete(&format!("{PATH}/{}", text(created.data(), "/id"))).await;
    here.get(internal).await.refused("UNAUTHORIZED", "Invalid or expired token");
    let (frames, code) = socket.until_closed().await;
    assert_eq!((frames.last().map(|frame| &frame["code"]), code), (Some(&json!("TOKEN_REVOKED")), 4002));
    eventually("the other process knows", async || elsewhere.get(internal).await.status == 401).await;
    elsewhere.get(internal).await.refused("UNAUTHORIZED", "Invalid or expired token");
    second_server.stop().await.unwrap();
}
