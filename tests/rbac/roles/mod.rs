//! Roles of an account (reference/permissions.md#account-roles).

mod limits;
mod permissions;

use lumio_tests::{Answer, Caller, TestApp};
use serde_json::{Value, json};
use shared::catalogue::{AccountPermission, Permission};
use uuid::Uuid;

use super::{Both, id_of, pending_events, refused, text};

const ROLE: &str = "{ id accountId slug name description color isSystem permissions memberCount position createdAt \
    updatedAt }";

async fn create(caller: &Caller, input: Value) -> Both {
    (caller.post("/v1/roles", input.clone()).await, caller.mutate("createRole", &input, ROLE).await)
}

async fn new_role(caller: &Caller, name: &str, permissions: &[&str]) -> Value {
    let answer = caller.post("/v1/roles", json!({ "name": name, "permissions": permissions })).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data().clone()
}

async fn update(caller: &Caller, id: Uuid, input: Value) -> Both {
    let document = format!(
        "mutation($id: UUID!, $input: UpdateRoleInput!) {{ updateRole(id: $id, input: $input) {ROLE} }}"
    );
    (
        caller.patch(&format!("/v1/roles/{id}"), input.clone()).await,
        caller.graphql(&document, json!({ "id": id, "input": input })).await,
    )
}

async fn delete(caller: &Caller, id: Uuid) -> Both {
    let document = "mutation($id: UUID!) { deleteRole(id: $id) }";
    (caller.delete(&format!("/v1/roles/{id}")).await, caller.graphql(document, json!({ "id": id })).await)
}

async fn move_to(caller: &Caller, id: Uuid, position: i32) -> Both {
    let document = format!("mutation($id: UUID!, $to: Int!) {{ moveRole(id: $id, position: $to) {ROLE} }}");
    (
        caller.put(&format!("/v1/roles/{id}/position"), json!({ "position": position })).await,
        caller.graphql(&document, json!({ "id": id, "to": position })).await,
    )
}

async fn find(caller: &Caller, id: Uuid) -> Both {
    let document = format!("query($id: UUID!) {{ role(id: $id) {ROLE} }}");
    (caller.get(&format!("/v1/roles/{id}")).await, caller.graphql(&document, json!({ "id": id })).await)
}

async fn list(caller: &Caller) -> Vec<Value> {
    let rest = caller.get("/v1/roles").await;
    let graphql = caller.graphql(&format!("{{ roles {ROLE} }}"), json!({})).await;
    assert_eq!(graphql.field("roles"), *rest.data());
    rest.data().as_array().unwrap().clone()
}

fn slugs(roles: &[Value]) -> Vec<&str> {
    roles.iter().map(|role| text(role, "/slug")).collect()
}

#[track_caller]
fn role_with<'a>(roles: &'a [Value], slug: &str) -> &'a Value {
    roles.iter().find(|role| role["slug"] == slug).unwrap_or_else(|| panic!("no role {slug}"))
}

#[tokio::test]
async fn roles_of_a_new_account_are_the_four_defaults() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    app.member_as(owner.account_id, "viewer").await;
    let roles = list(&owner).await;
    assert_eq!(slugs(&roles), ["owner", "administrator", "moderator", "viewer"]);
    let facts: Vec<(bool, usize, &Value)> = roles
        .iter()
        .map(|role| {
            let permissions = role["permissions"].as_array().unwrap();
            assert!(permissions.is_sorted_by_key(|permission| permission.as_str().unwrap()));
            (role["is_system"] == true, permissions.len(), &role["member_count"])
        })
        .collect();
    let counts = [json!(1), json!(0), json!(0), json!(1)];
    assert_eq!(
        facts,
        [(true, 123, &counts[0]), (false, 119, &counts[1]), (false, 43, &counts[2]), (false, 9, &counts[3])]
    );
    let found = find(&owner, id_of(&roles[3])).await;
    assert_eq!(found.0.data(), &roles[3]);
    assert_eq!(found.1.field("role"), roles[3]);
    assert_eq!(found.0.body["_links"], json!({ "self": format!("/v1/roles/{}", id_of(&roles[3])) }));
}

#[tokio::test]
async fn account_permissions_lists_the_catalogue() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let rest = owner.get("/v1/roles/permissions").await;
    let graphql = owner.graphql("{ accountPermissions { permission category label } }", json!({})).await;
    assert_eq!(graphql.field("accountPermissions"), *rest.data());
    let offered: Vec<&str> =
        rest.data().as_array().unwrap().iter().map(|entry| text(entry, "/permission")).collect();
    let catalogue: Vec<&str> = AccountPermission::ALL.iter().map(|permission| permission.as_str()).collect();
    assert_eq!((offered.len(), offered), (123, catalogue));
    let chat = &rest.data().as_array().unwrap()[36];
    assert_eq!(
        *chat,
        json!({ "permission": "chat:refresh_user", "category": "chat", "label": "Chat: refresh user" })
    );
}

#[tokio::test]
async fn create_role_creates_a_role_that_is_changed_and_deleted() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let input = json!({
        "name": "  Chat Helper ", "description": " Helps. ", "color": "#AABBCC",
        "permissions": ["chat:write", "chat:read", "chat:read"],
    });
    let created = owner.post("/v1/roles", input).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let role = created.data().clone();
    let id = id_of(&role);
    assert_eq!(created.body["_links"], json!({ "self": format!("/v1/roles/{id}") }));
    let expected = json!({
        "id": id, "account_id": owner.account_id, "slug": "chat-helper", "name": "Chat Helper",
        "description": "Helps.", "color": "#aabbcc", "is_system": false,
        "permissions": ["chat:read", "chat:write"], "member_count": 0, "position": 1,
        "created_at": role["created_at"], "updated_at": role["updated_at"],
    });
    assert_eq!(role, expected);
    let audited = app.audited_once("role:created").await;
    assert_eq!((audited.scope.as_str(), audited.account_id), ("account", Some(owner.account_id)));
    assert_eq!(audited.resource_id, Some(id.to_string()));

    let (rest, graphql) = update(&owner, id, json!({ "name": "Helper", "permissions": [] })).await;
    assert_eq!(rest.status, 200, "{}", rest.text);
    assert_eq!((&rest.data()["name"], &rest.data()["permissions"]), (&json!("Helper"), &json!([])));
    // The slug identifies the role for clients.
    assert_eq!(rest.data()["slug"], "chat-helper");
    assert_eq!(graphql.field("updateRole")["description"], "Helps.");
    let (rest, _) = update(&owner, id, json!({ "description": null, "color": null })).await;
    assert_eq!((&rest.data()["description"], &rest.data()["color"]), (&Value::Null, &Value::Null));
    assert_eq!(app.audited("role:updated").await.len(), 4);

    let deleted = owner.delete(&format!("/v1/roles/{id}")).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    refused(&find(&owner, id).await, 404, "NOT_FOUND", "Role not found");
    let other = new_role(&owner, "Other", &[]).await;
    let document = "mutation($id: UUID!) { deleteRole(id: $id) }";
    let deleted = owner.graphql(document, json!({ "id": id_of(&other) })).await;
    assert_eq!(deleted.field("deleteRole"), json!(true));
    assert_eq!(app.audited("role:deleted").await.len(), 2);
    let published = pending_events(&app, &format!("account:{}", owner.account_id)).await;
    assert_eq!(published, vec!["roles:updated"; 8]);
}

#[tokio::test]
async fn update_role_without_changes_does_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let role = new_role(&owner, "Helper", &["chat:read"]).await;
    let (rest, graphql) = update(&owner, id_of(&role), json!({})).await;
    assert_eq!((rest.status, rest.data()), (200, &role));
    assert_eq!(graphql.field("updateRole"), role);
    assert!(app.audited("role:updated").await.is_empty());
    refused(&update(&owner, Uuid::now_v7(), json!({})).await, 404, "NOT_FOUND", "Role not found");
}

#[tokio::test]
async fn update_role_keeps_the_permissions_of_the_owner_role() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let roles = list(&owner).await;
    let id = id_of(role_with(&roles, "owner"));
    for permissions in [json!([]), json!(["chat:read"])] {
        let both = update(&owner, id, json!({ "permissions": permissions })).await;
        refused(&both, 409, "CONFLICT", "Cannot edit system role");
    }
    refused(&delete(&owner, id).await, 409, "CONFLICT", "Cannot delete system role");
    let (rest, _) = update(&owner, id, json!({ "name": "Streamer", "color": "#ff0000" })).await;
    assert_eq!((&rest.data()["name"], &rest.data()["slug"]), (&json!("Streamer"), &json!("owner")));
    assert_eq!(rest.data()["permissions"].as_array().unwrap().len(), 123);
}

#[tokio::test]
async fn delete_role_refuses_a_role_that_members_hold() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for _ in 0..2 {
        app.member_as(owner.account_id, "viewer").await;
    }
    let roles = list(&owner).await;
    let (viewer, moderator) = (id_of(role_with(&roles, "viewer")), id_of(role_with(&roles, "moderator")));
    refused(&delete(&owner, viewer).await, 409, "CONFLICT", "Role is still assigned to 2 member(s)");
    assert_eq!(delete(&owner, moderator).await.0.status, 204);
    assert_eq!(slugs(&list(&owner).await), ["owner", "administrator", "viewer"]);
}

#[tokio::test]
async fn move_role_puts_a_role_at_the_position() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let viewer = id_of(role_with(&list(&owner).await, "viewer"));
    let rest: Answer = owner.put(&format!("/v1/roles/{viewer}/position"), json!({ "position": 1 })).await;
    assert_eq!((rest.status, &rest.data()["position"]), (200, &json!(1)));
    let roles = list(&owner).await;
    assert_eq!(slugs(&roles), ["owner", "viewer", "administrator", "moderator"]);
    let positions: Vec<&Value> = roles.iter().map(|role| &role["position"]).collect();
    assert_eq!(positions, [&json!(0), &json!(1), &json!(2), &json!(3)]);
    let document = format!("mutation {{ moveRole(id: \"{viewer}\", position: 3) {ROLE} }}");
    let graphql = owner.graphql(&document, json!({})).await;
    assert_eq!(graphql.field("moveRole")["position"], 3);
    assert_eq!(slugs(&list(&owner).await), ["owner", "administrator", "moderator", "viewer"]);
    let moved = app.audited("role:moved").await;
    assert_eq!((moved.len(), &moved[1].metadata), (2, &json!({ "from": 1, "to": 3 })));

    let both = move_to(&owner, viewer, 4).await;
    refused(&both, 400, "VALIDATION_ERROR", "position must be between 0 and 3");
    let both = move_to(&owner, viewer, -1).await;
    refused(&both, 400, "VALIDATION_ERROR", "position must be 0 or greater");
    assert_eq!(new_role(&owner, "Last", &[]).await["position"], 4);
}
