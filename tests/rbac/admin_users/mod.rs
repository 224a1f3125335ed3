//! Users as staff reads and changes them (reference/administration.md#users).

mod changes;
mod deletion;
mod search;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};
use shared::schema::users;
use uuid::Uuid;

use super::{Both, each_needs, id_of, refused};

const MEMBERSHIP: &str = "{ membershipId accountId accountName roleId roleName isOwner joinedAt }";

const USER: &str = "{ id displayName username email avatarUrl createdAt lastLoginAt accountCreationOverride \
    maxAccountsOverride ownedAccountCount isDeveloper \
    memberships { membershipId accountId accountName roleId roleName isOwner joinedAt } \
    loginConnections { id provider providerUserId username displayName reconnectRequired createdAt } }";

async fn admin(app: &TestApp) -> Person {
    app.admin_with(&["users:read", "users:edit", "users:delete"]).await
}

async fn find(caller: &Caller, user: Uuid) -> Both {
    let document = format!("{{ adminUser(id: \"{user}\") {USER} }}");
    (caller.get(&format!("/v1/admin/users/{user}")).await, caller.graphql(&document, json!({})).await)
}

pub(super) async fn update(caller: &Caller, user: Uuid, rest: Value, graphql: Value) -> Both {
    let document = format!(
        "mutation($id: UUID!, $input: AdminUpdateUserInput!) {{ adminUpdateUser(id: $id, input: $input) {USER} }}"
    );
    (
        caller.patch(&format!("/v1/admin/users/{user}"), rest).await,
        caller.graphql(&document, json!({ "id": user, "input": graphql })).await,
    )
}

pub(super) async fn override_creation(caller: &Caller, user: Uuid, value: &str) -> lumio_tests::Answer {
    let document = format!(
        "mutation {{ adminUpdateUserAccountCreationOverride(userId: \"{user}\", override: {value}) {USER} }}"
    );
    caller.graphql(&document, json!({})).await
}

pub(super) async fn delete(caller: &Caller, user: Uuid) -> Both {
    let document = format!("mutation {{ adminDeleteUser(id: \"{user}\") }}");
    (caller.delete(&format!("/v1/admin/users/{user}")).await, caller.graphql(&document, json!({})).await)
}

async fn disconnect(caller: &Caller, user: Uuid, login: Uuid) -> Both {
    let document = format!(
        "mutation {{ adminDisconnectUserLogin(userId: \"{user}\", loginConnectionId: \"{login}\") }}"
    );
    (
        caller.delete(&format!("/v1/admin/users/{user}/login-connections/{login}")).await,
        caller.graphql(&document, json!({})).await,
    )
}

pub(super) async fn add(caller: &Caller, user: Uuid, account: Uuid, role: Uuid) -> Both {
    let document = format!(
        "mutation($input: AdminAddUserMembershipInput!) {{ \
         adminAddUserMembership(userId: \"{user}\", input: $input) {MEMBERSHIP} }}"
    );
    let path = format!("/v1/admin/users/{user}/memberships");
    (
        caller.post(&path, json!({ "account_id": account, "role_id": role })).await,
        caller.graphql(&document, json!({ "input": { "accountId": account, "roleId": role } })).await,
    )
}

pub(super) async fn remove(caller: &Caller, user: Uuid, membership: Uuid) -> Both {
    let document = format!(
        "mutation {{ adminRemoveUserMembership(userId: \"{user}\", membershipId: \"{membership}\") }}"
    );
    (
        caller.delete(&format!("/v1/admin/users/{user}/memberships/{membership}")).await,
        caller.graphql(&document, json!({})).await,
    )
}

/// The role of an account with the slug.
pub(super) async fn role(owner: &Person, slug: &str) -> Uuid {
    let roles = owner.get("/v1/roles").await;
    id_of(roles.data().as_array().unwrap().iter().find(|role| role["slug"] == slug).unwrap())
}

async fn people(app: &TestApp) -> i64 {
    users::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Enum values are upper-case over GraphQL.
fn lowered(mut user: Value) -> Value {
    if let Some(value) = user["account_creation_override"].as_str() {
        user["account_creation_override"] = json!(value.to_lowercase());
    }
    user
}

#[tokio::test]
async fn admin_users_operations_need_their_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let other = app.admin_with(&["accounts:read", "accounts:edit", "accounts:delete", "admin:access"]).await;
    let (user, thing) = (owner.user_id, Uuid::now_v7());
    let calls = |caller: Caller| async move {
        let edit = "users:edit";
        let name = json!({ "email": null });
        vec![
            (
                "users:read",
                (
                    caller.get("/v1/admin/users").await,
                    caller.graphql("{ adminUsers { total } }", json!({})).await,
                ),
            ),
            ("users:read", find(&caller, user).await),
            (edit, update(&caller, user, name.clone(), name).await),
            ("users:delete", delete(&caller, user).await),
            (edit, disconnect(&caller, user, thing).await),
            (edit, add(&caller, user, thing, thing).await),
            (edit, remove(&caller, user, thing).await),
        ]
    };
    each_needs(&app, &[&owner, &other], calls).await;
    override_creation(&other, user, "ALLOW").await.refused("FORBIDDEN", "Missing permission: users:edit");
    let service = app.service_key(owner.account_id, &["members:*"]).await;
    for (permission, both) in calls(service).await {
        refused(&both, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    assert!(app.audited("user:updated").await.is_empty());
    assert_eq!(people(&app).await, 2);
}

#[tokio::test]
async fn admin_user_and_its_changes_report_unknown_users() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let (unknown_id, viewer) = (Uuid::now_v7(), role(&person, "viewer").await);
    let empty = json!({});
    for both in [
        find(&admin, unknown_id).await,
        update(&admin, unknown_id, empty.clone(), empty).await,
        delete(&admin, unknown_id).await,
        disconnect(&admin, unknown_id, unknown_id).await,
        add(&admin, unknown_id, person.account_id, viewer).await,
    ] {
        refused(&both, 404, "NOT_FOUND", "User not found");
    }
    override_creation(&admin, unknown_id, "DENY").await.refused("NOT_FOUND", "User not found");
    let user = admin.user_id;
    refused(&disconnect(&admin, user, unknown_id).await, 404, "NOT_FOUND", "Login connection not found");
    refused(&add(&admin, user, unknown_id, viewer).await, 404, "NOT_FOUND", "Account not found");
    refused(&add(&admin, user, person.account_id, unknown_id).await, 404, "NOT_FOUND", "Role not found");
    // A role of another account does not exist in this one.
    refused(&add(&admin, user, admin.account_id, viewer).await, 404, "NOT_FOUND", "Role not found");
    refused(&remove(&admin, user, unknown_id).await, 404, "NOT_FOUND", "Membership not found");
}
