//! Rules of roles and overrides, one test each (reference/permissions.md#grants); those of credentials are in
//! `identity/rules_of_credentials`.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::json;
use shared::schema::{admin_role_members, admin_roles};

use super::{
    admin_roles::{admin, assign, create, delete, new_role, system_admin, update},
    id_of, refused,
};

#[tokio::test]
async fn create_role_validates_permissions_and_takes_no_wildcards() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for wrong in ["chat:*", "*", "*:*", "ideas:read", "admin:access", "chat:none"] {
        let input = json!({ "name": "x", "permissions": [wrong] });
        let both = (
            owner.post("/v1/roles", input.clone()).await,
            owner.mutate("createRole", &input, "{ id }").await,
        );
        refused(&both, 400, "VALIDATION_ERROR", &format!("Invalid permission: {wrong}"));
    }
}

#[tokio::test]
async fn create_user_role_and_delete_user_role_need_user_roles_edit() {
    let app = TestApp::start().await;
    let named = app.admin_with(&["user-roles:create", "user-roles:delete", "user-roles:read"]).await;
    let editor = app.admin_with(&["user-roles:edit"]).await;
    let input = json!({ "name": "Fan", "permissions": [] });
    named
        .post("/v1/user-roles", input.clone())
        .await
        .refused("FORBIDDEN", "Missing permission: user-roles:edit");
    let created = editor.post("/v1/user-roles", input).await;
    let path = format!("/v1/user-roles/{}", id_of(created.data()));
    named.delete(&path).await.refused("FORBIDDEN", "Missing permission: user-roles:edit");
    assert_eq!(editor.delete(&path).await.status, 204);
}

#[tokio::test]
async fn delete_user_role_refuses_system_roles() {
    let app = TestApp::start().await;
    let editor = app.admin_with(&["user-roles:edit", "user-roles:read"]).await;
    let roles = editor.get("/v1/user-roles").await;
    for role in roles.data().as_array().unwrap() {
        let answer = editor.delete(&format!("/v1/user-roles/{}", id_of(role))).await;
        assert_eq!(answer.status, 409, "{}", answer.text);
        answer.refused("CONFLICT", "Cannot delete system role");
    }
}

#[tokio::test]
async fn resolved_user_permissions_does_not_write_the_cache() {
    let app = TestApp::start().await;
    let (staff, person) = (app.admin_with(&["user-roles:read"]).await, app.user("somebody").await);
    staff.get(&format!("/v1/users/{person}/permissions/resolved")).await.expect(200);
    assert!(!app.state.caches.users.knows(&person));
}

#[tokio::test]
async fn admin_set_account_permission_override_takes_exactly_the_account_permissions() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["accounts:overrides-edit"]).await;
    let path = format!("/v1/admin/accounts/{}/permission-overrides", staff.account_id);
    let permissions = app.owner().await.get("/v1/roles/permissions").await;
    let known = permissions.data().as_array().unwrap();
    assert_eq!(known.len(), 123);
    for entry in known {
        let input = json!({ "permission": entry["permission"], "granted": true });
        staff.put(&path, input).await.expect(200);
    }
    for unknown in ["ideas:read", "users:read", "chat:*", "chat:none"] {
        let answer = staff.put(&path, json!({ "permission": unknown, "granted": true })).await;
        answer.refused("VALIDATION_ERROR", &format!("Invalid permission: {unknown}"));
    }
}

#[tokio::test]
async fn admin_create_role_adds_dashboard_access_and_checks_name_and_permissions() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    for (name, asked, held) in [
        ("Empty", json!([]), json!(["admin:access"])),
        ("Without", json!(["users:read"]), json!(["admin:access", "users:read"])),
        ("With", json!(["users:read", "admin:access"]), json!(["admin:access", "users:read"])),
    ] {
        let (rest, graphql) = create(&admin, json!({ "name": name, "permissions": asked })).await;
        assert_eq!((rest.status, &rest.data()["permissions"]), (201, &held));
        graphql.refused("CONFLICT", "Role name already in use");
        let (_, graphql) = create(&admin, json!({ "name": format!("{name} 2"), "permissions": asked })).await;
        graphql.refused("CONFLICT", "Role name already in use");
    }
    let both = create(&admin, json!({ "name": "New", "permissions": ["users:none"] })).await;
    refused(&both, 400, "VALIDATION_ERROR", "Invalid permission: users:none");
    for taken in ["Empty", " empty ", "System Admin"] {
        let both = create(&admin, json!({ "name": taken, "permissions": [] })).await;
        refused(&both, 409, "CONFLICT", "Role name already in use");
    }
}

#[tokio::test]
async fn admin_update_role_applies_a_difference_and_keeps_unknown_permissions() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let role = id_of(&new_role(&admin, "Support", &["users:read", "support:read"]).await);
    let held = ["admin:access", "legacy:thing", "support:read", "users:read"];
    diesel::update(admin_roles::table.find(role))
        .set(admin_roles::permissions.eq(held.to_vec()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    // Omitted fields stay.
    let (rest, _) = update(&admin, role, json!({ "name": "Help" })).await;
    assert_eq!(rest.data()["permissions"], json!(held));
    // Permissions that are sent back as read are accepted, although one is unknown.
    let (rest, graphql) =
        update(&admin, role, json!({ "permissions": ["legacy:thing", "users:edit"] })).await;
    let changed = json!(["admin:access", "legacy:thing", "users:edit"]);
    assert_eq!((&rest.data()["permissions"], &rest.data()["name"]), (&changed, &json!("Help")));
    assert_eq!(graphql.field("adminUpdateRole")["permissions"], changed);
    // Permissions that are not sent are removed, except unknown ones.
    let (rest, _) = update(&admin, role, json!({ "permissions": [] })).await;
    assert_eq!(rest.data()["permissions"], json!(["admin:access", "legacy:thing"]));
    let both = update(&admin, role, json!({ "permissions": ["legacy:other"] })).await;
    refused(&both, 400, "VALIDATION_ERROR", "Invalid permission: legacy:other");
    let both = update(&admin, role, json!({ "name": "system admin" })).await;
    refused(&both, 409, "CONFLICT", "Role name already in use");
    // No caller can edit the one system role (reference/permissions.md#authority-of-staff).
    let system = id_of(&system_admin(&admin).await);
    let root = app.system_admin().await;
    for change in [json!({ "name": "Root" }), json!({ "description": "All." }), json!({ "permissions": [] })]
    {
        for caller in [&admin, &root] {
            let both = update(caller, system, change.clone()).await;
            refused(&both, 409, "CONFLICT", "Cannot edit system admin role");
        }
    }
    assert_eq!(system_admin(&admin).await["permissions"].as_array().unwrap().len(), 90);
}

#[tokio::test]
async fn admin_delete_role_keeps_the_system_admin_role_and_ends_assignments_of_others() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let system = id_of(&system_admin(&admin).await);
    refused(&delete(&admin, system).await, 409, "CONFLICT", "Cannot delete system admin role");
    let role = id_of(&new_role(&admin, "Support", &["admin-roles:read"]).await);
    assert_eq!(assign(&admin, role, person.user_id).await.0.body, json!({ "assigned": true }));
    person.get("/v1/admin/admin-roles").await.expect(200);
    assert_eq!(delete(&admin, role).await.0.status, 204);
    let left: i64 = admin_role_members::table
        .filter(admin_role_members::role_id.eq(role))
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(left, 0);
    person.get("/v1/admin/admin-roles").await.refused("FORBIDDEN", "Missing permission: admin-roles:read");
    assert_eq!(delete(&admin, role).await.0.status, 404);
}
