//! Applications whose hosts are allowed as return addresses (reference/administration.md#oauth-clients).

use connections::oauth_clients::is_allowed_host;
use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};
use shared::schema::oauth_clients;
use uuid::Uuid;

use super::{Both, each_needs, id_of, refused};

const CLIENT: &str = "{ id name redirectUris allowedHosts isActive createdAt updatedAt }";

async fn admin(app: &TestApp) -> Person {
    let permissions =
        ["oauth-clients:read", "oauth-clients:create", "oauth-clients:edit", "oauth-clients:delete"];
    app.admin_with(&permissions).await
}

async fn create(caller: &Caller, input: Value) -> Both {
    (
        caller.post("/v1/admin/oauth-clients", input.clone()).await,
        caller.mutate("adminCreateOauthClient", &input, CLIENT).await,
    )
}

async fn update(caller: &Caller, id: Uuid, rest: Value, graphql: Value) -> Both {
    let document = format!(
        "mutation($input: AdminUpdateOauthClientInput!) {{ \
         adminUpdateOauthClient(id: \"{id}\", input: $input) {CLIENT} }}"
    );
    (
        caller.patch(&format!("/v1/admin/oauth-clients/{id}"), rest).await,
        caller.graphql(&document, json!({ "input": graphql })).await,
    )
}

async fn delete(caller: &Caller, id: Uuid) -> Both {
    let document = format!("mutation {{ adminDeleteOauthClient(id: \"{id}\") }}");
    (
        caller.delete(&format!("/v1/admin/oauth-clients/{id}")).await,
        caller.graphql(&document, json!({})).await,
    )
}

fn dashboard() -> Value {
    json!({
        "name": " Dashboard ",
        "redirect_uris": ["https://dash.example.org/back", "https://dash.example.org/back"],
        "allowed_hosts": ["Dash.Example.org", "localhost:5173"],
    })
}

async fn is_allowed(app: &TestApp, host: &str) -> bool {
    is_allowed_host(&mut app.databases.postgres.get().await.unwrap(), host).await.unwrap()
}

async fn count(app: &TestApp) -> i64 {
    oauth_clients::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

#[tokio::test]
async fn admin_create_oauth_client_registers_a_client_that_is_changed() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let created = admin.post("/v1/admin/oauth-clients", dashboard()).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let client = created.data().clone();
    let id = id_of(&client);
    let expected = json!({
        "id": id, "name": "Dashboard", "redirect_uris": ["https://dash.example.org/back"],
        "allowed_hosts": ["dash.example.org", "localhost:5173"], "is_active": true,
        "created_at": client["created_at"], "updated_at": client["updated_at"],
    });
    assert_eq!(client, expected);
    let listed = admin.get("/v1/admin/oauth-clients").await;
    let graphql = admin.graphql(&format!("{{ adminOauthClients {CLIENT} }}"), json!({})).await;
    assert_eq!((listed.data(), &graphql.field("adminOauthClients")), (&json!([client]), listed.data()));

    let (rest, graphql) =
        update(&admin, id, json!({ "is_active": false }), json!({ "isActive": false })).await;
    assert_eq!((rest.status, &rest.data()["is_active"]), (200, &json!(false)));
    assert_eq!(graphql.field("adminUpdateOauthClient")["name"], "Dashboard");
    let (rest, _) = update(&admin, id, json!({}), json!({})).await;
    assert_eq!((rest.status, app.audited("oauth_client:updated").await.len()), (200, 2));
    let entry = app.audited_once("oauth_client:created").await;
    assert_eq!((entry.scope.as_str(), entry.resource_id), ("system", Some(id.to_string())));
}

#[tokio::test]
async fn admin_delete_oauth_client_removes_a_client_and_its_hosts() {
    let app = TestApp::start().await;
    let (admin, owner) = (admin(&app).await, app.owner().await);
    let id = id_of(admin.post("/v1/admin/oauth-clients", dashboard()).await.data());
    assert!(is_allowed(&app, "dash.example.org").await);
    refused(&delete(&owner, id).await, 403, "FORBIDDEN", "Missing permission: oauth-clients:delete");

    // The first call deletes the client, and the second finds none.
    let (rest, graphql) = delete(&admin, id).await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "OAuth client not found");
    let entry = app.audited_once("oauth_client:deleted").await;
    assert_eq!((entry.scope.as_str(), entry.resource_id), ("system", Some(id.to_string())));
    assert!(!is_allowed(&app, "dash.example.org").await);
    let second = id_of(admin.post("/v1/admin/oauth-clients", dashboard()).await.data());
    let document = format!("mutation {{ adminDeleteOauthClient(id: \"{second}\") }}");
    assert_eq!(admin.graphql(&document, json!({})).await.field("adminDeleteOauthClient"), true);
    assert_eq!(count(&app).await, 0);
    refused(&delete(&admin, id).await, 404, "NOT_FOUND", "OAuth client not found");
    admin.delete("/v1/admin/oauth-clients/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
}

#[tokio::test]
async fn oauth_clients_allow_only_hosts_of_active_clients() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    assert!(!is_allowed(&app, "dash.example.org").await);
    let id = id_of(create(&admin, dashboard()).await.0.data());
    let other = json!({ "name": "Other", "redirect_uris": [], "allowed_hosts": ["other.example.org"], "is_active": false });
    create(&admin, other).await.0.expect(201);
    for (host, allowed) in [
        ("dash.example.org", true),
        ("localhost:5173", true),
        ("localhost", false),
        ("other.example.org", false),
        ("example.org", false),
        ("evil.dash.example.org", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(&app, host).await, allowed, "{host}");
    }
    // The client that the other protocol created has the same hosts.
    sql_query(format!("DELETE FROM oauth_clients WHERE name = 'Dashboard' AND id <> '{id}'"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    update(&admin, id, json!({ "is_active": false }), json!({})).await.0.expect(200);
    assert!(!is_allowed(&app, "dash.example.org").await);
}

#[tokio::test]
async fn admin_oauth_clients_operations_need_their_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let other = app.admin_with(&["system-connections:edit", "admin:access"]).await;
    let id = Uuid::now_v7();
    let calls = |caller: Caller| async move {
        vec![
            (
                "oauth-clients:read",
                (
                    caller.get("/v1/admin/oauth-clients").await,
                    caller.graphql("{ adminOauthClients { id } }", json!({})).await,
                ),
            ),
            ("oauth-clients:create", create(&caller, dashboard()).await),
            ("oauth-clients:edit", update(&caller, id, json!({}), json!({})).await),
            ("oauth-clients:delete", delete(&caller, id).await),
        ]
    };
    each_needs(&app, &[&owner, &other], calls).await;
    let popout = app.popout(&owner, &["account:read"]).await;
    for (permission, both) in calls(popout).await {
        refused(&both, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    assert_eq!(count(&app).await, 0);
}

#[tokio::test]
async fn admin_update_oauth_client_refuses_wrong_inputs_as_creation_does() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let id = id_of(admin.post("/v1/admin/oauth-clients", dashboard()).await.data());
    let many = |text: &str| json!(vec![text; 21]);
    for (field, graphql, value, message) in [
        ("name", "name", json!(""), "name must not be empty"),
        ("name", "name", json!("x".repeat(101)), "name must be between 1 and 100 characters"),
        (
            "redirect_uris",
            "redirectUris",
            json!(["http://example.org/"]),
            "Invalid redirect_uris: http://example.org/",
        ),
        ("redirect_uris", "redirectUris", many("https://a.b/"), "redirect_uris must have at most 20 entries"),
        (
            "allowed_hosts",
            "allowedHosts",
            json!(["https://example.org"]),
            "Invalid allowed_hosts: https://example.org",
        ),
        ("allowed_hosts", "allowedHosts", json!(["*.example.org"]), "Invalid allowed_hosts: *.example.org"),
        ("allowed_hosts", "allowedHosts", many("a.b"), "allowed_hosts must have at most 20 entries"),
    ] {
        let mut input = dashboard();
        input[field] = value.clone();
        refused(&create(&admin, input).await, 400, "VALIDATION_ERROR", message);
        let both = update(&admin, id, json!({ field: value }), json!({ graphql: value })).await;
        refused(&both, 400, "VALIDATION_ERROR", message);
    }
    for (field, graphql) in [
        ("name", "name"),
        ("redirect_uris", "redirectUris"),
        ("allowed_hosts", "allowedHosts"),
        ("is_active", "isActive"),
    ] {
        let both = update(&admin, id, json!({ field: null }), json!({ graphql: null })).await;
        refused(&both, 400, "VALIDATION_ERROR", &format!("{field} cannot be null"));
    }
    let unknown_id = Uuid::now_v7();
    let both = update(&admin, unknown_id, json!({ "name": "x" }), json!({ "name": "x" })).await;
    refused(&both, 404, "NOT_FOUND", "OAuth client not found");
    assert_eq!(count(&app).await, 1);
    assert!(app.audited("oauth_client:updated").await.is_empty());
}

#[tokio::test]
async fn admin_oauth_clients_lists_every_client_up_to_the_limit() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    sql_query(
        "INSERT INTO oauth_clients (id, name, redirect_uris, allowed_hosts)
         SELECT gen_random_uuid(), 'c' || n, '{}', '{}' FROM generate_series(1, 200) n",
    )
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    refused(&create(&admin, dashboard()).await, 409, "CONFLICT", "OAuth client limit reached");
    assert_eq!(admin.get("/v1/admin/oauth-clients").await.data().as_array().unwrap().len(), 200);
}
