//! Limits of the fields of a role, and of the number of roles (reference/permissions.md#account-roles).

use diesel::{sql_query, sql_types};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Statements, TestApp};
use serde_json::json;

use super::{create, list, new_role, update};
use crate::{id_of, refused, text};

#[tokio::test]
async fn update_role_refuses_wrong_inputs_as_creation_does() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let role = new_role(&owner, "Helper", &[]).await;
    let id = id_of(&role);
    let many = vec!["chat:read"; 201];
    let color = "color must be six hexadecimal digits after a #, for example #1a2b3c";
    for (field, value, message) in [
        ("name", json!(" "), "name must not be empty".to_owned()),
        ("name", json!("x".repeat(51)), "name must be between 1 and 50 characters".to_owned()),
        ("name", json!("a\u{7}b"), "name must not contain control characters".to_owned()),
        (
            "description",
            json!("x".repeat(501)),
            "description must be between 0 and 500 characters".to_owned(),
        ),
        ("color", json!("red"), color.to_owned()),
        ("color", json!("#12345"), color.to_owned()),
        ("permissions", json!(many), "permissions must have at most 200 entries".to_owned()),
        ("permissions", json!(["chat:read", "chat:*"]), "Invalid permission: chat:*".to_owned()),
        ("permissions", json!(["*"]), "Invalid permission: *".to_owned()),
        ("permissions", json!(["*:*"]), "Invalid permission: *:*".to_owned()),
        ("permissions", json!(["chat:none"]), "Invalid permission: chat:none".to_owned()),
        ("permissions", json!([""]), "Invalid permission: ".to_owned()),
        ("permissions", json!(["admin:access"]), "Invalid permission: admin:access".to_owned()),
        ("permissions", json!(["ideas:read"]), "Invalid permission: ideas:read".to_owned()),
    ] {
        let mut input = json!({ "name": "New", "permissions": [] });
        input[field] = value.clone();
        refused(&create(&owner, input).await, 400, "VALIDATION_ERROR", &message);
        refused(&update(&owner, id, json!({ field: value })).await, 400, "VALIDATION_ERROR", &message);
    }
    for field in ["name", "permissions"] {
        let both = update(&owner, id, json!({ field: null })).await;
        refused(&both, 400, "VALIDATION_ERROR", &format!("{field} cannot be null"));
    }
    owner
        .post("/v1/roles", json!({ "name": "New" }))
        .await
        .refused("VALIDATION_ERROR", "Missing field: permissions");
    for path in ["/v1/roles/1", "/v1/roles/1/position"] {
        let answer = match path {
            "/v1/roles/1" => owner.get(path).await,
            _ => owner.put(path, json!({ "position": 0 })).await,
        };
        answer.refused("VALIDATION_ERROR", "Invalid UUID: id");
    }
    assert_eq!(list(&owner).await.len(), 5);
    assert!(app.audited("role:updated").await.is_empty());
}

#[tokio::test]
async fn create_role_refuses_a_name_in_use_ignoring_case() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let (first, second) = (new_role(&owner, "Helper", &[]).await, new_role(&owner, "Second", &[]).await);
    let input = json!({ "name": " HELPER ", "permissions": [] });
    refused(&create(&owner, input).await, 409, "CONFLICT", "Role name already in use");
    let both = update(&owner, id_of(&second), json!({ "name": "helper" })).await;
    refused(&both, 409, "CONFLICT", "Role name already in use");
    // Its own name in other letters, and the same name in another account, are free.
    let (rest, _) = update(&owner, id_of(&first), json!({ "name": "HELPER" })).await;
    assert_eq!(rest.data()["name"], "HELPER");
    new_role(&other, "Helper", &[]).await;
    let concurrent = join_all((0..4).map(|_| {
        let input = json!({ "name": "Race", "permissions": [] });
        owner.post("/v1/roles", input)
    }))
    .await;
    let statuses: Vec<u16> = concurrent.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 3, "{statuses:?}");
}

#[tokio::test]
async fn create_role_gives_unique_slugs() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut made = Vec::new();
    for name in ["Chat helper", "chat-helper", "Chat  helper!", "***", "???", "Viewer 2", "Größe"] {
        made.push(text(&new_role(&owner, name, &[]).await, "/slug").to_owned());
    }
    assert_eq!(
        made,
        ["chat-helper", "chat-helper-2", "chat-helper-3", "role", "role-2", "viewer-2", "größe"]
    );
}

#[tokio::test]
async fn create_role_limits_an_account_to_25_roles() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for number in 0..20 {
        new_role(&owner, &format!("Role {number}"), &[]).await;
    }
    let concurrent = join_all((20..24).map(|number| {
        let input = json!({ "name": format!("Role {number}"), "permissions": [] });
        owner.post("/v1/roles", input)
    }))
    .await;
    assert_eq!(concurrent.iter().filter(|answer| answer.status == 201).count(), 1);
    let input = json!({ "name": "One more", "permissions": [] });
    refused(&create(&owner, input).await, 403, "PLAN_LIMIT_REACHED", "Role limit reached");
    assert_eq!(list(&owner).await.len(), 25);
    assert_eq!(app.audited("role:created").await.len(), 21);
}

#[tokio::test]
async fn roles_are_listed_in_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO account_roles (id, account_id, slug, name, position, permissions)
         SELECT gen_random_uuid(), $1, 'r' || n, 'r' || n, n, '{chat:read}' FROM generate_series(1, 996) n",
    )
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    statements.list_a_thousand(&app, &owner, "/v1/roles", "account_roles").await;
}
