//! Platform-wide roles of people (reference/permissions.md#user-roles).

mod assignments;

use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Both, each_needs, id_of, refused, text};

const ROLE: &str = "{ id slug name description isDefault isSystem createdAt permissions }";
const ASSIGNMENT: &str = "{ userId roleId assignedBy createdAt }";
const TEN: [&str; 10] = [
    "ideas:comment_create",
    "ideas:comment_delete",
    "ideas:comment_edit",
    "ideas:comment_read",
    "ideas:comment_vote",
    "ideas:create",
    "ideas:delete",
    "ideas:edit",
    "ideas:read",
    "ideas:vote",
];

async fn admin(app: &TestApp) -> Person {
    app.admin_with(&["user-roles:read", "user-roles:edit"]).await
}

async fn create(caller: &Caller, input: Value) -> Both {
    (caller.post("/v1/user-roles", input.clone()).await, caller.mutate("createUserRole", &input, ROLE).await)
}

async fn new_role(caller: &Caller, name: &str, permissions: &[&str]) -> Value {
    let answer = caller.post("/v1/user-roles", json!({ "name": name, "permissions": permissions })).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data().clone()
}

async fn update(caller: &Caller, id: Uuid, input: Value) -> Both {
    let document = format!(
        "mutation($id: UUID!, $input: UpdateUserRoleInput!) {{ updateUserRole(id: $id, input: $input) {ROLE} }}"
    );
    let mut renamed = input.clone();
    if let Some(fields) = renamed.as_object_mut()
        && let Some(default) = fields.remove("is_default")
    {
        fields.insert("isDefault".into(), default);
    }
    (
        caller.patch(&format!("/v1/user-roles/{id}"), input).await,
        caller.graphql(&document, json!({ "id": id, "input": renamed })).await,
    )
}

async fn delete(caller: &Caller, id: Uuid) -> Both {
    let document = "mutation($id: UUID!) { deleteUserRole(id: $id) }";
    (
        caller.delete(&format!("/v1/user-roles/{id}")).await,
        caller.graphql(document, json!({ "id": id })).await,
    )
}

async fn assign(caller: &Caller, user: Uuid, role: Uuid) -> Both {
    let document = format!(
        "mutation($user: UUID!, $role: UUID!) {{ assignUserRole(userId: $user, roleId: $role) {ASSIGNMENT} }}"
    );
    (
        caller.post(&format!("/v1/users/{user}/roles"), json!({ "role_id": role })).await,
        caller.graphql(&document, json!({ "user": user, "role": role })).await,
    )
}

async fn remove(caller: &Caller, user: Uuid, role: Uuid) -> Both {
    let document = "mutation($user: UUID!, $role: UUID!) { removeUserRole(userId: $user, roleId: $role) }";
    (
        caller.delete(&format!("/v1/users/{user}/roles/{role}")).await,
        caller.graphql(document, json!({ "user": user, "role": role })).await,
    )
}

async fn list(caller: &Caller) -> Vec<Value> {
    let rest = caller.get("/v1/user-roles").await;
    let graphql = caller.graphql(&format!("{{ userRoles {ROLE} }}"), json!({})).await;
    assert_eq!(graphql.field("userRoles"), *rest.data());
    rest.data().as_array().unwrap().clone()
}

async fn seeded(caller: &Caller, slug: &str) -> Uuid {
    let roles = list(caller).await;
    id_of(roles.iter().find(|role| role["slug"] == slug).unwrap_or_else(|| panic!("no role {slug}")))
}

/// Platform-wide permissions of the person, as the person reads them.
async fn held(person: &Caller) -> Value {
    person.get("/v1/users/me").await.data()["user_permissions"].clone()
}

#[tokio::test]
async fn user_roles_are_seeded_with_three_roles() {
    let app = TestApp::start().await;
    let roles = list(&admin(&app).await.caller).await;
    let facts: Vec<(&str, bool, bool, usize)> = roles
        .iter()
        .map(|role| {
            let permissions = role["permissions"].as_array().unwrap().len();
            (text(role, "/slug"), role["is_default"] == true, role["is_system"] == true, permissions)
        })
        .collect();
    assert_eq!(
        facts,
        [("member", true, true, 10), ("moderator", false, true, 14), ("restricted", false, true, 2)]
    );
    assert_eq!(roles[0]["permissions"], json!(TEN));
    assert_eq!(roles[2]["permissions"], json!(["ideas:comment_read", "ideas:read"]));
}

#[tokio::test]
async fn create_user_role_creates_a_role_that_is_changed_and_deleted() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let input =
        json!({ "name": " Idea Fan ", "description": "Votes.", "permissions": ["ideas:vote", "ideas:read"] });
    let created = admin.post("/v1/user-roles", input).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let role = created.data().clone();
    let id = id_of(&role);
    let expected = json!({
        "id": id, "slug": "idea-fan", "name": "Idea Fan", "description": "Votes.", "is_default": false,
        "is_system": false, "created_at": role["created_at"], "permissions": ["ideas:read", "ideas:vote"],
    });
    assert_eq!(role, expected);
    let audited = app.audited_once("user_role:created").await;
    assert_eq!((audited.scope.as_str(), audited.actor_id), ("system", Some(admin.user_id)));
    assert_eq!(audited.resource_id, Some(id.to_string()));
    let (rest, graphql) =
        update(&admin, id, json!({ "name": "Reader", "permissions": ["ideas:read"] })).await;
    assert_eq!((rest.status, &rest.data()["slug"]), (200, &json!("reader")));
    assert_eq!(graphql.field("updateUserRole"), *rest.data());
    let (rest, _) = update(&admin, id, json!({ "description": null })).await;
    assert_eq!(rest.data()["description"], Value::Null);
    let audited = app.audited("user_role:updated").await;
    assert_eq!((audited.len(), audited[0].scope.as_str(), audited[0].account_id), (4, "system", None));
    let (rest, _) = update(&admin, id, json!({})).await;
    assert_eq!((rest.status, app.audited("user_role:updated").await.len()), (200, 4));
    assert_eq!(admin.delete(&format!("/v1/user-roles/{id}")).await.status, 204);
    let graphql = new_role(&admin, "Other", &[]).await;
    let document = format!("mutation {{ deleteUserRole(id: \"{}\") }}", id_of(&graphql));
    assert_eq!(admin.graphql(&document, json!({})).await.field("deleteUserRole"), json!(true));
    assert_eq!(app.audited("user_role:deleted").await.len(), 2);
    assert_eq!(list(&admin).await.len(), 3);
}

#[tokio::test]
async fn user_roles_operations_need_their_permission() {
    let app = TestApp::start().await;
    // Permissions of another scope, and those that no operation checks (reference/permissions.md#user-roles).
    let (owner, creator) =
        (app.owner().await, app.admin_with(&["user-roles:create", "user-roles:delete"]).await);
    let (user, role) = (owner.user_id, Uuid::now_v7());
    let calls = |caller: Caller| async move {
        let members = format!("{{ userRoleMembers(roleId: \"{role}\") {{ userId }} }}");
        let assignments = format!("{{ userRoleAssignments(userId: \"{user}\") {{ roleId }} }}");
        let read = "user-roles:read";
        let edit = "user-roles:edit";
        vec![
            (
                read,
                (caller.get("/v1/user-roles").await, caller.graphql("{ userRoles { id } }", json!({})).await),
            ),
            (
                read,
                (
                    caller.get(&format!("/v1/user-roles/{role}/members")).await,
                    caller.graphql(&members, json!({})).await,
                ),
            ),
            (
                read,
                (
                    caller.get(&format!("/v1/users/{user}/roles")).await,
                    caller.graphql(&assignments, json!({})).await,
                ),
            ),
            (edit, create(&caller, json!({ "name": "x", "permissions": [] })).await),
            (edit, update(&caller, role, json!({ "name": "x" })).await),
            (edit, delete(&caller, role).await),
            (edit, assign(&caller, user, role).await),
            (edit, remove(&caller, user, role).await),
        ]
    };
    // A key carries account and user scopes, never an admin's.
    let key = app.personal_key(&admin(&app).await, &["members:read"]).await;
    each_needs(&app, &[&owner, &creator, &key], calls).await;
    let service = app.service_key(owner.account_id, &["members:*"]).await;
    for (permission, both) in calls(service).await {
        refused(&both, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    assert_eq!(list(&admin(&app).await.caller).await.len(), 3);
}

#[tokio::test]
async fn update_user_role_refuses_wrong_inputs_as_creation_does() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let id = id_of(&new_role(&admin, "Fan", &[]).await);
    for (field, value, message) in [
        ("name", json!(""), "name must not be empty".to_owned()),
        ("name", json!("x".repeat(51)), "name must be between 1 and 50 characters".to_owned()),
        ("name", json!("!!!"), "name must contain a letter or a digit".to_owned()),
        (
            "description",
            json!("x".repeat(501)),
            "description must be between 0 and 500 characters".to_owned(),
        ),
        ("permissions", json!(["chat:read"]), "Invalid permission: chat:read".to_owned()),
        ("permissions", json!(["ideas:*"]), "Invalid permission: ideas:*".to_owned()),
        (
            "permissions",
            json!(["ideas:read", "ideas:moderate_edit"]),
            "Invalid permission: ideas:moderate_edit".to_owned(),
        ),
        (
            "permissions",
            json!(vec!["ideas:read"; 201]),
            "permissions must have at most 200 entries".to_owned(),
        ),
    ] {
        let mut input = json!({ "name": "New", "permissions": [] });
        input[field] = value.clone();
        refused(&create(&admin, input).await, 400, "VALIDATION_ERROR", &message);
        refused(&update(&admin, id, json!({ field: value })).await, 400, "VALIDATION_ERROR", &message);
    }
    for field in ["name", "permissions", "is_default"] {
        let both = update(&admin, id, json!({ field: null })).await;
        refused(&both, 400, "VALIDATION_ERROR", &format!("{field} cannot be null"));
    }
    admin.patch("/v1/user-roles/1", json!({})).await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(list(&admin).await.len(), 4);
    assert!(app.audited("user_role:updated").await.is_empty());
}

#[tokio::test]
async fn create_user_role_refuses_a_slug_in_use() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let id = id_of(&new_role(&admin, "Idea fan", &[]).await);
    for name in ["idea FAN", "Idea-fan!", "Member"] {
        let input = json!({ "name": name, "permissions": [] });
        refused(&create(&admin, input).await, 409, "CONFLICT", "Role slug already in use");
    }
    let both = update(&admin, id, json!({ "name": "Moderator" })).await;
    refused(&both, 409, "CONFLICT", "Role slug already in use");
    let (rest, _) = update(&admin, id, json!({ "name": "IDEA fan" })).await;
    assert_eq!((&rest.data()["name"], &rest.data()["slug"]), (&json!("IDEA fan"), &json!("idea-fan")));
}

#[tokio::test]
async fn update_user_role_keeps_the_names_of_seeded_roles() {
    let app = TestApp::start().await;
    let admin = app.system_admin().await;
    for slug in ["member", "restricted", "moderator"] {
        let id = seeded(&admin, slug).await;
        refused(&delete(&admin, id).await, 409, "CONFLICT", "Cannot delete system role");
        let both = update(&admin, id, json!({ "name": "Other" })).await;
        refused(&both, 409, "CONFLICT", "Cannot rename system role");
    }
    let restricted = seeded(&admin, "restricted").await;
    let (rest, _) = update(
        &admin,
        restricted,
        json!({ "name": "Restricted", "description": "Reads.", "permissions": ["ideas:read"] }),
    )
    .await;
    assert_eq!((rest.status, &rest.data()["permissions"]), (200, &json!(["ideas:read"])));
    // Moderation permissions are only for the moderator role.
    let both = update(&admin, restricted, json!({ "permissions": ["ideas:moderate_edit"] })).await;
    refused(&both, 400, "VALIDATION_ERROR", "Invalid permission: ideas:moderate_edit");
    let moderator = seeded(&admin, "moderator").await;
    let (rest, _) = update(&admin, moderator, json!({ "permissions": ["ideas:moderate_edit"] })).await;
    assert_eq!(rest.data()["permissions"], json!(["ideas:moderate_edit"]));
}

#[tokio::test]
async fn update_user_role_moves_the_default() {
    let app = TestApp::start().await;
    let admin = app.system_admin().await;
    let member = seeded(&admin, "member").await;
    let both = update(&admin, member, json!({ "is_default": false })).await;
    refused(&both, 409, "CONFLICT", "Cannot clear the default role without naming another");
    assert_eq!(held(&admin).await, json!(TEN));

    let fan = id_of(&new_role(&admin, "Fan", &["ideas:vote"]).await);
    let (rest, _) = update(&admin, fan, json!({ "is_default": true })).await;
    assert_eq!(rest.data()["is_default"], true);
    let defaults: Vec<Value> =
        list(&admin).await.into_iter().filter(|role| role["is_default"] == true).collect();
    assert_eq!((defaults.len(), id_of(&defaults[0])), (1, fan));
    // All people without a role get the new default immediately.
    assert_eq!(held(&admin).await, json!(["ideas:vote"]));
    refused(&delete(&admin, fan).await, 409, "CONFLICT", "Cannot delete the default role");
    let (rest, _) = update(&admin, member, json!({ "is_default": true })).await;
    assert_eq!(rest.status, 200);
    assert_eq!(delete(&admin, fan).await.0.status, 204);
    assert_eq!(held(&admin).await, json!(TEN));
}

#[tokio::test]
async fn user_roles_report_unknown_roles_and_users() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let (unknown_id, restricted) = (Uuid::now_v7(), seeded(&admin, "restricted").await);
    let role = "User role not found";
    refused(&update(&admin, unknown_id, json!({ "name": "x" })).await, 404, "NOT_FOUND", role);
    refused(&delete(&admin, unknown_id).await, 404, "NOT_FOUND", role);
    refused(&assign(&admin, person.user_id, unknown_id).await, 404, "NOT_FOUND", role);
    refused(&assign(&admin, unknown_id, restricted).await, 404, "NOT_FOUND", "User not found");
    let both = remove(&admin, person.user_id, restricted).await;
    refused(&both, 404, "NOT_FOUND", "Role assignment not found");
    admin.get(&format!("/v1/user-roles/{unknown_id}/members")).await.refused("NOT_FOUND", role);
    admin.get(&format!("/v1/users/{unknown_id}/roles")).await.refused("NOT_FOUND", "User not found");
    admin.get("/v1/users/x/roles").await.refused("VALIDATION_ERROR", "Invalid UUID: user_id");
    let path = format!("/v1/users/{}/roles", person.user_id);
    admin.post(&path, json!({ "role_id": "x" })).await.refused("VALIDATION_ERROR", "Invalid UUID: role_id");
    admin.post(&path, json!({})).await.refused("VALIDATION_ERROR", "Missing field: role_id");
    assert!(app.audited("user_role:assigned").await.is_empty());
}
