//! Roles of staff (reference/administration.md#staff-roles).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_api::seeds;
use lumio_tests::{Caller, Person, Statements, TestApp};
use serde_json::{Value, json};
use shared::{
    catalogue::{AdminPermission, Permission},
    schema::{admin_role_members, admin_roles},
};
use uuid::Uuid;

use super::{Both, each_needs, id_of, pending_events, refused, text};

pub(super) const ROLE: &str = "{ id name description isSystem permissions memberCount createdAt updatedAt }";

pub(super) async fn admin(app: &TestApp) -> Person {
    app.admin_with(&[
        "admin:access",
        "admin-roles:read",
        "admin-roles:create",
        "admin-roles:edit",
        "admin-roles:delete",
        "support:read",
        "users:read",
        "users:edit",
    ])
    .await
}

pub(super) async fn create(caller: &Caller, input: Value) -> Both {
    let document =
        format!("mutation($input: CreateAdminRoleInput!) {{ adminCreateRole(input: $input) {ROLE} }}");
    (
        caller.post("/v1/admin/admin-roles", input.clone()).await,
        caller.graphql(&document, json!({ "input": input })).await,
    )
}

pub(super) async fn new_role(caller: &Caller, name: &str, permissions: &[&str]) -> Value {
    let input = json!({ "name": name, "permissions": permissions });
    let answer = caller.post("/v1/admin/admin-roles", input).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data().clone()
}

pub(super) async fn update(caller: &Caller, id: Uuid, input: Value) -> Both {
    let document = format!(
        "mutation($id: UUID!, $input: UpdateAdminRoleInput!) {{ adminUpdateRole(id: $id, input: $input) {ROLE} }}"
    );
    (
        caller.patch(&format!("/v1/admin/admin-roles/{id}"), input.clone()).await,
        caller.graphql(&document, json!({ "id": id, "input": input })).await,
    )
}

pub(super) async fn delete(caller: &Caller, id: Uuid) -> Both {
    let document = "mutation($id: UUID!) { adminDeleteRole(id: $id) }";
    (
        caller.delete(&format!("/v1/admin/admin-roles/{id}")).await,
        caller.graphql(document, json!({ "id": id })).await,
    )
}

async fn find(caller: &Caller, id: Uuid) -> Both {
    let document = format!("query($id: UUID!) {{ adminRole(id: $id) {ROLE} }}");
    (
        caller.get(&format!("/v1/admin/admin-roles/{id}")).await,
        caller.graphql(&document, json!({ "id": id })).await,
    )
}

pub(super) async fn assign(caller: &Caller, role: Uuid, user: Uuid) -> Both {
    let document = "mutation($u: UUID!, $r: UUID!) { adminAssignUserRole(userId: $u, roleId: $r) }";
    (
        caller.post(&format!("/v1/admin/admin-roles/{role}/members"), json!({ "user_id": user })).await,
        caller.graphql(document, json!({ "u": user, "r": role })).await,
    )
}

pub(super) async fn unassign(caller: &Caller, role: Uuid, user: Uuid) -> Both {
    let document = "mutation($u: UUID!, $r: UUID!) { adminUnassignUserRole(userId: $u, roleId: $r) }";
    (
        caller.delete(&format!("/v1/admin/admin-roles/{role}/members/{user}")).await,
        caller.graphql(document, json!({ "u": user, "r": role })).await,
    )
}

async fn members(caller: &Caller, role: Uuid) -> Both {
    let document = format!(
        "{{ adminRoleMembers(roleId: \"{role}\") {{ userId displayName email avatarUrl assignedAt }} }}"
    );
    (
        caller.get(&format!("/v1/admin/admin-roles/{role}/members")).await,
        caller.graphql(&document, json!({})).await,
    )
}

async fn list(caller: &Caller) -> Vec<Value> {
    let rest = caller.get("/v1/admin/admin-roles").await;
    let graphql = caller.graphql(&format!("{{ adminRoles {ROLE} }}"), json!({})).await;
    assert_eq!(graphql.field("adminRoles"), *rest.data());
    rest.data().as_array().unwrap().clone()
}

pub(super) async fn system_admin(caller: &Caller) -> Value {
    let roles = list(caller).await;
    assert_eq!(roles.iter().filter(|role| role["is_system"] == true).count(), 1);
    roles[0].clone()
}

#[tokio::test]
async fn admin_roles_hold_one_seeded_system_admin_with_every_permission() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let role = system_admin(&admin).await;
    assert_eq!((text(&role, "/name"), &role["member_count"]), ("System Admin", &json!(0)));
    assert_eq!(role["permissions"].as_array().unwrap().len(), 90);
    let (rest, graphql) = find(&admin, id_of(&role)).await;
    assert_eq!((rest.data(), &graphql.field("adminRole")), (&role, &role));
}

#[tokio::test]
async fn all_admin_permissions_lists_the_catalogue() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let rest = admin.get("/v1/admin/admin-permissions").await;
    let graphql = admin.graphql("{ allAdminPermissions { permission category } }", json!({})).await;
    assert_eq!(graphql.field("allAdminPermissions"), *rest.data());
    let listed: Vec<&str> =
        rest.data().as_array().unwrap().iter().map(|entry| text(entry, "/permission")).collect();
    let catalogue: Vec<&str> = AdminPermission::ALL.iter().map(|permission| permission.as_str()).collect();
    assert_eq!(listed, catalogue);
    assert_eq!(rest.data()[0], json!({ "permission": "admin:access", "category": "admin" }));
}

#[tokio::test]
async fn admin_create_role_creates_a_role_that_is_changed_and_deleted() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let input = json!({ "name": " Support ", "description": "Answers.", "permissions": ["support:read"] });
    let created = admin.post("/v1/admin/admin-roles", input).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let role = created.data().clone();
    let id = id_of(&role);
    let expected = json!({
        "id": id, "name": "Support", "description": "Answers.", "is_system": false,
        "permissions": ["admin:access", "support:read"], "member_count": 0,
        "created_at": role["created_at"], "updated_at": role["updated_at"],
    });
    assert_eq!(role, expected);
    assert_eq!(created.body["_links"], json!({ "self": format!("/v1/admin/admin-roles/{id}") }));
    let audited = app.audited_once("admin_role:created").await;
    assert_eq!((audited.scope.as_str(), audited.actor_id), ("system", Some(admin.user_id)));
    assert_eq!(
        audited.metadata,
        json!({ "name": "Support", "permissions": ["admin:access", "support:read"] })
    );

    let (rest, graphql) = update(&admin, id, json!({ "name": " Help ", "description": null })).await;
    assert_eq!((&rest.data()["name"], &rest.data()["description"]), (&json!("Help"), &Value::Null));
    assert_eq!(rest.data()["permissions"], role["permissions"]);
    assert_eq!(graphql.field("adminUpdateRole")["name"], "Help");
    let (rest, _) = update(&admin, id, json!({})).await;
    assert_eq!((rest.status, app.audited("admin_role:updated").await.len()), (200, 2));
    assert_eq!(admin.delete(&format!("/v1/admin/admin-roles/{id}")).await.status, 204);
    refused(&find(&admin, id).await, 404, "NOT_FOUND", "Admin role not found");
    let other = new_role(&admin, "Other", &[]).await;
    let document = format!("mutation {{ adminDeleteRole(id: \"{}\") }}", id_of(&other));
    assert_eq!(admin.graphql(&document, json!({})).await.field("adminDeleteRole"), json!(true));
    assert_eq!(app.audited("admin_role:deleted").await.len(), 2);
}

#[tokio::test]
async fn admin_roles_operations_need_their_permission() {
    let app = TestApp::start().await;
    let (owner, role) = (app.owner().await, Uuid::now_v7());
    // Neither the account's scope nor any other admin permission is enough.
    let other = app.admin_with(&["admin:access", "user-roles:edit", "users:edit"]).await;
    let user = owner.user_id;
    let calls = |caller: Caller| async move {
        let permissions = "{ allAdminPermissions { permission } }";
        let read = "admin-roles:read";
        let edit = "admin-roles:edit";
        vec![
            (
                read,
                (
                    caller.get("/v1/admin/admin-roles").await,
                    caller.graphql("{ adminRoles { id } }", json!({})).await,
                ),
            ),
            (
                read,
                (
                    caller.get("/v1/admin/admin-permissions").await,
                    caller.graphql(permissions, json!({})).await,
                ),
            ),
            (read, find(&caller, role).await),
            (read, members(&caller, role).await),
            ("admin-roles:create", create(&caller, json!({ "name": "x", "permissions": [] })).await),
            (edit, update(&caller, role, json!({ "name": "x" })).await),
            ("admin-roles:delete", delete(&caller, role).await),
            (edit, assign(&caller, role, user).await),
            (edit, unassign(&caller, role, user).await),
        ]
    };
    each_needs(&app, &[&owner, &other], calls).await;
    let service = app.service_key(owner.account_id, &["roles:edit"]).await;
    for (permission, both) in calls(service).await {
        refused(&both, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    assert!(app.audited("admin_role:created").await.is_empty());
}

#[tokio::test]
async fn admin_update_role_refuses_wrong_inputs_as_creation_does() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let id = id_of(&new_role(&admin, "Support", &[]).await);
    for (field, value, message) in [
        ("name", json!("  "), "name must not be empty".to_owned()),
        ("name", json!("x".repeat(51)), "name must be between 1 and 50 characters".to_owned()),
        (
            "description",
            json!("x".repeat(501)),
            "description must be between 0 and 500 characters".to_owned(),
        ),
        ("permissions", json!(["users:*"]), "Invalid permission: users:*".to_owned()),
        ("permissions", json!(["chat:read"]), "Invalid permission: chat:read".to_owned()),
        ("permissions", json!(["users:read", "x"]), "Invalid permission: x".to_owned()),
        (
            "permissions",
            json!(vec!["users:read"; 201]),
            "permissions must have at most 200 entries".to_owned(),
        ),
    ] {
        let mut input = json!({ "name": "New", "permissions": [] });
        input[field] = value.clone();
        refused(&create(&admin, input).await, 400, "VALIDATION_ERROR", &message);
        refused(&update(&admin, id, json!({ field: value })).await, 400, "VALIDATION_ERROR", &message);
    }
    for field in ["name", "permissions"] {
        let both = update(&admin, id, json!({ field: null })).await;
        refused(&both, 400, "VALIDATION_ERROR", &format!("{field} cannot be null"));
    }
    let answer = admin.post("/v1/admin/admin-roles", json!({ "name": "New" })).await;
    answer.refused("VALIDATION_ERROR", "Missing field: permissions");
    admin.get("/v1/admin/admin-roles/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    let path = format!("/v1/admin/admin-roles/{id}/members");
    admin.post(&path, json!({ "user_id": 1 })).await.refused_with("VALIDATION_ERROR");
    admin.delete(&format!("{path}/x")).await.refused("VALIDATION_ERROR", "Invalid UUID: user_id");
    assert_eq!(app.audited("admin_role:created").await.len(), 1);
    assert!(app.audited("admin_role:updated").await.is_empty());
}

#[tokio::test]
async fn admin_assign_user_role_and_unassigning_are_idempotent() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let id = id_of(&new_role(&admin, "Support", &["admin-roles:read"]).await);
    person.get("/v1/admin/admin-roles").await.refused("FORBIDDEN", "Missing permission: admin-roles:read");
    let (rest, graphql) = assign(&admin, id, person.user_id).await;
    assert_eq!((rest.status, rest.body), (200, json!({ "assigned": true })));
    assert_eq!(graphql.field("adminAssignUserRole"), json!(false));
    person.get("/v1/admin/admin-roles").await.expect(200);
    let audited = app.audited_once("admin_role:assigned").await;
    assert_eq!(audited.metadata, json!({ "user_id": person.user_id }));
    assert_eq!(pending_events(&app, &format!("user:{}", person.user_id)).await, ["permissions:updated"]);

    let (rest, graphql) = members(&admin, id).await;
    assert_eq!(graphql.field("adminRoleMembers"), *rest.data());
    let member = &rest.data()[0];
    let expected = json!({
        "user_id": person.user_id, "display_name": "owner", "email": null, "avatar_url": null,
        "assigned_at": member["assigned_at"],
    });
    assert_eq!(*rest.data(), json!([expected]));
    assert_eq!(find(&admin, id).await.0.data()["member_count"], 1);

    let (rest, graphql) = unassign(&admin, id, person.user_id).await;
    assert_eq!((rest.status, rest.body), (200, json!({ "removed": true })));
    assert_eq!(graphql.field("adminUnassignUserRole"), json!(false));
    assert_eq!(app.audited("admin_role:unassigned").await.len(), 1);
    person.get("/v1/admin/admin-roles").await.refused("FORBIDDEN", "Missing permission: admin-roles:read");
}

#[tokio::test]
async fn admin_role_and_its_changes_report_unknown_roles_and_users() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let (unknown_id, id) = (Uuid::now_v7(), id_of(&new_role(&admin, "Support", &[]).await));
    for both in [
        find(&admin, unknown_id).await,
        members(&admin, unknown_id).await,
        update(&admin, unknown_id, json!({ "name": "x" })).await,
        update(&admin, unknown_id, json!({})).await,
        delete(&admin, unknown_id).await,
        assign(&admin, unknown_id, admin.user_id).await,
        unassign(&admin, unknown_id, admin.user_id).await,
    ] {
        refused(&both, 404, "NOT_FOUND", "Admin role not found");
    }
    refused(&assign(&admin, id, unknown_id).await, 404, "NOT_FOUND", "User not found");
    let (rest, _) = unassign(&admin, id, unknown_id).await;
    assert_eq!(rest.body, json!({ "removed": false }));
}

#[tokio::test]
async fn admin_roles_seeding_restores_the_system_admin_role() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let role = id_of(&system_admin(&admin).await);
    let reserved = id_of(&new_role(&admin, "Reports", &["users:read"]).await);
    let mut db = app.databases.postgres.get().await.unwrap();
    // State that staff could create before.
    diesel::update(admin_roles::table.find(role))
        .set((admin_roles::name.eq("Operators"), admin_roles::permissions.eq(vec!["users:read"])))
        .execute(&mut *db)
        .await
        .unwrap();
    diesel::update(admin_roles::table.find(reserved))
        .set((
            admin_roles::name.eq("system admin"),
            admin_roles::permissions.eq(vec![
                "users:read",
                "crawler:*",
                "admin:privacy-erase",
                "legacy:thing",
            ]),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    drop(db);
    for _ in 0..2 {
        seeds::apply(&app.databases.postgres).await.unwrap();
    }
    let again = system_admin(&admin).await;
    assert_eq!((text(&again, "/name"), id_of(&again)), ("System Admin", role));
    assert_eq!(again["permissions"].as_array().unwrap().len(), 90);
    let (other, _) = find(&admin, reserved).await;
    assert_eq!(other.data()["permissions"], json!(["legacy:thing", "users:read"]));
    let renamed = format!("system admin {}", &reserved.to_string()[..8]);
    assert_eq!(text(other.data(), "/name"), renamed);
}

#[tokio::test]
async fn admin_role_members_and_roles_are_listed_in_two_statements_at_most() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let role = id_of(&new_role(&admin, "Support", &[]).await);
    let insert = format!(
        "WITH people AS (INSERT INTO users (id, display_name, username)
             SELECT gen_random_uuid(), 'p' || n, 'p' || n FROM generate_series(1, 1000) n RETURNING id)
         INSERT INTO admin_role_members (role_id, user_id) SELECT '{role}', id FROM people"
    );
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(insert).execute(&mut *db).await.unwrap();
    sql_query(
        "INSERT INTO admin_roles (id, name, permissions)
         SELECT gen_random_uuid(), 'r' || n, '{admin:access}' FROM generate_series(1, 997) n",
    )
    .execute(&mut *db)
    .await
    .unwrap();
    let count: i64 = admin_roles::table.count().get_result(&mut *db).await.unwrap();
    let members_count: i64 = admin_role_members::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!((count, members_count), (1000, 1001));
    drop(db);
    statements.to(&app);
    let (listed, sent) = statements.of(async || admin.get("/v1/admin/admin-roles").await).await;
    assert_eq!(listed.data().as_array().unwrap().len(), 1000);
    assert_eq!(sent.len(), 1, "{sent:#?}");
    let members = format!("/v1/admin/admin-roles/{role}/members");
    let (listed, sent) = statements.of(async || admin.get(&members).await).await;
    assert_eq!(listed.data().as_array().unwrap().len(), 1000);
    assert_eq!(sent.len(), 2, "{sent:#?}");
    let both = create(&admin, json!({ "name": "One more", "permissions": [] })).await;
    refused(&both, 409, "CONFLICT", "Role limit reached");
}
