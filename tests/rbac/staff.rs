//! Authority of staff (reference/permissions.md#authority-of-staff).

use diesel::{delete as remove_rows, prelude::*, sql_query, sql_types::BigInt};
use diesel_async::{AsyncConnection, RunQueryDsl};
use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};
use shared::schema::{admin_role_members, admin_roles, users};
use uuid::Uuid;

use super::{
    Both,
    admin_roles::{assign, create, delete, new_role, system_admin, unassign, update},
    admin_users::{add, delete as delete_user, override_creation, remove, role, update as update_user},
    id_of, refused,
};

fn lacks(both: &Both, permission: &str) {
    refused(both, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
}

fn out_of_reach(both: &Both, permission: &str) {
    let message = format!("User holds a permission that you lack: {permission}");
    refused(both, 403, "FORBIDDEN", &message);
}

async fn staff(app: &TestApp, permissions: &[&str]) -> Person {
    app.admin_with(&[&["admin:access"][..], permissions].concat()).await
}

async fn system_admins(app: &TestApp) -> i64 {
    admin_role_members::table
        .inner_join(admin_roles::table)
        .filter(admin_roles::is_system)
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn staff_roles_grant_no_more_than_their_author_holds() {
    let app = TestApp::start().await;
    let root = app.system_admin().await;
    let clerk =
        staff(&app, &["admin-roles:create", "admin-roles:edit", "admin-roles:delete", "users:read"]).await;
    let both = create(&clerk, json!({ "name": "Keys", "permissions": ["users:read", "system-keys:create"] }));
    lacks(&both.await, "system-keys:create");
    let own = id_of(&new_role(&clerk, "Readers", &["users:read"]).await);
    let both = update(&clerk, own, json!({ "permissions": ["users:read", "users:delete"] })).await;
    lacks(&both, "users:delete");

    let keys = id_of(&new_role(&root, "Keys", &["system-keys:create"]).await);
    lacks(&update(&clerk, keys, json!({ "name": "Renamed" })).await, "system-keys:create");
    lacks(&update(&clerk, keys, json!({ "permissions": [] })).await, "system-keys:create");
    lacks(&delete(&clerk, keys).await, "system-keys:create");
    lacks(&assign(&clerk, keys, clerk.user_id).await, "system-keys:create");
    let keeper = app.owner().await;
    assign(&root, keys, keeper.user_id).await.0.expect(200);
    out_of_reach(&unassign(&clerk, keys, keeper.user_id).await, "system-keys:create");
    // Nor can it change a person who holds more, by a role that the caller holds.
    out_of_reach(&assign(&clerk, own, keeper.user_id).await, "system-keys:create");
    // Changes within the caller's own permissions are allowed.
    let friend = app.owner().await;
    assign(&clerk, own, friend.user_id).await.0.expect(200);
    unassign(&clerk, own, friend.user_id).await.0.expect(200);
    assert_eq!(delete(&clerk, own).await.0.status, 204);
}

#[tokio::test]
async fn admin_unassign_user_role_keeps_the_last_member_of_system_admin() {
    let app = TestApp::start().await;
    let clerk = staff(&app, &["admin-roles:read", "admin-roles:edit"]).await;
    let system = id_of(&system_admin(&clerk).await);
    lacks(&assign(&clerk, system, clerk.user_id).await, "admin-roles:create");
    let root = app.system_admin().await;
    out_of_reach(&unassign(&clerk, system, root.user_id).await, "admin-roles:create");
    let message = "The last member of the System Admin role cannot be removed";
    refused(&unassign(&root, system, root.user_id).await, 409, "CONFLICT", message);
    assert_eq!(system_admins(&app).await, 1);

    let second = app.owner().await;
    assign(&root, system, second.user_id).await.0.expect(200);
    unassign(&second, system, root.user_id).await.0.expect(200);
    refused(&unassign(&second, system, second.user_id).await, 409, "CONFLICT", message);
    assert_eq!(system_admins(&app).await, 1);
}

#[tokio::test]
async fn admin_unassign_user_role_keeps_one_system_admin_in_a_race() {
    let app = TestApp::start().await;
    for round in 0..6 {
        let (first, second) = (app.system_admin().await, app.system_admin().await);
        let system = id_of(&system_admin(&first).await);
        let member = |user: Uuid| format!("/v1/admin/admin-roles/{system}/members/{user}");
        if round % 2 == 0 {
            let (path, other) = (member(second.user_id), member(first.user_id));
            tokio::join!(first.delete(&path), second.delete(&other));
        } else {
            let path = |person: &Person| format!("/v1/admin/users/{}", person.user_id);
            let (theirs, ours) = (path(&second), path(&first));
            tokio::join!(first.delete(&theirs), second.delete(&ours));
        }
        assert_eq!(system_admins(&app).await, 1, "round {round}");
        remove_rows(admin_role_members::table)
            .execute(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        app.state.caches.invalidate(&foundation::invalidation::Invalidation::AllUsers);
    }
}

#[tokio::test]
async fn admin_create_role_refuses_reserved_permissions() {
    let app = TestApp::start().await;
    let root = app.system_admin().await;
    let role = id_of(&new_role(&root, "Other", &[]).await);
    for reserved in [
        "copyright:moderate",
        "crawler:scope-read",
        "crawler:scope-edit",
        "crawler:watchlist-read",
        "crawler:watchlist-create",
        "crawler:watchlist-delete",
        "csp-reports:read",
        "admin:privacy-erase",
    ] {
        let message = format!("Only the System Admin role may hold {reserved}");
        let both = create(&root, json!({ "name": "New", "permissions": [reserved] })).await;
        refused(&both, 400, "VALIDATION_ERROR", &message);
        let both = update(&root, role, json!({ "permissions": ["users:read", reserved] })).await;
        refused(&both, 400, "VALIDATION_ERROR", &message);
    }
}

#[tokio::test]
async fn staff_cannot_change_or_delete_a_user_who_holds_more() {
    let app = TestApp::start().await;
    let clerk = staff(&app, &["users:edit", "users:delete", "accounts:delete", "user-roles:edit"]).await;
    let root = app.system_admin().await;
    let peer = staff(&app, &["users:edit"]).await;
    let lacking = "admin-roles:read";
    let email = json!({ "email": "mine@example.org" });
    out_of_reach(&update_user(&clerk, root.user_id, email.clone(), email.clone()).await, lacking);
    out_of_reach(&delete_user(&clerk, root.user_id).await, lacking);
    let message = format!("User holds a permission that you lack: {lacking}");
    override_creation(&clerk, root.user_id, "DENY").await.refused("FORBIDDEN", &message);
    let account = clerk.delete(&format!("/v1/admin/accounts/{}", root.account_id)).await;
    account.refused("FORBIDDEN", &message);
    let path = format!("/v1/users/{}/permission-overrides", root.user_id);
    let denial = json!({ "permission": "ideas:vote", "granted": false });
    clerk.put(&path, denial).await.refused("FORBIDDEN", &message);
    // Persons with the same or fewer permissions may be changed, and oneself.
    update_user(&clerk, peer.user_id, email.clone(), email.clone()).await.0.expect(200);
    update_user(&clerk, clerk.user_id, email.clone(), email.clone()).await.0.expect(200);
    update_user(&root, clerk.user_id, email.clone(), email).await.0.expect(200);
    assert_eq!(delete_user(&clerk, peer.user_id).await.0.status, 204);
    let left: i64 = users::table
        .filter(users::id.eq(root.user_id))
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(left, 1);
}

#[tokio::test]
async fn staff_grants_and_revokes_in_an_account_only_what_it_holds_there() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let clerk = staff(&app, &["users:edit", "accounts:overrides-edit"]).await;
    let [administrator, viewer] = [role(&owner, "administrator").await, role(&owner, "viewer").await];
    let missing = |both: &Both, permission: &str| {
        let message = format!("Missing permission in the account: {permission}");
        refused(both, 403, "FORBIDDEN", &message);
    };
    // Not a member of the account: no permission in it.
    missing(&add(&clerk, clerk.user_id, owner.account_id, administrator).await, "events:read");
    missing(&add(&clerk, clerk.user_id, owner.account_id, viewer).await, "events:read");
    let member = app.member_as(owner.account_id, "viewer").await;
    let members = owner.get(&format!("/v1/accounts/{}/members", owner.account_id)).await;
    let membership = |user: Uuid| -> Uuid {
        let found = members.data().as_array().unwrap().iter().find(|found| found["user_id"] == json!(user));
        found.unwrap()["membership_id"].as_str().unwrap().parse().unwrap()
    };
    let viewers = membership(member.user_id);
    missing(&remove(&clerk, member.user_id, viewers).await, "events:read");
    let path = format!("/v1/admin/accounts/{}/permission-overrides", owner.account_id);
    let message = "Missing permission in the account: chat:ban";
    for granted in [true, false] {
        let input = json!({ "permission": "chat:ban", "granted": granted });
        clerk.put(&path, input).await.refused("FORBIDDEN", message);
    }
    // As a member: only the permissions of the role.
    app.join(owner.account_id, clerk.user_id, "viewer").await;
    app.state.caches.invalidate(&foundation::invalidation::Invalidation::AllUsers);
    missing(&add(&clerk, app.user("friend").await, owner.account_id, administrator).await, "events:create");
    assert_eq!(add(&clerk, app.user("friend").await, owner.account_id, viewer).await.0.status, 201);
    assert_eq!(remove(&clerk, member.user_id, viewers).await.0.status, 204);
    clerk.put(&path, json!({ "permission": "events:read", "granted": true })).await.expect(200);
    clerk
        .put(&path, json!({ "permission": "chat:ban", "granted": true }))
        .await
        .refused("FORBIDDEN", message);
    // System Admins may change these in every account.
    let root = app.system_admin().await;
    root.put(&path, json!({ "permission": "chat:ban", "granted": false })).await.expect(200);
    clerk.delete(&format!("{path}/chat:ban")).await.refused("FORBIDDEN", message);
    assert_eq!(root.delete(&format!("{path}/chat:ban")).await.status, 204);
}

#[tokio::test]
async fn staff_grants_and_revokes_only_user_permissions_that_it_holds() {
    let app = TestApp::start().await;
    let root = app.system_admin().await;
    let clerk = staff(&app, &["user-roles:read", "user-roles:edit"]).await;
    let roles = clerk.get("/v1/user-roles").await;
    let seeded = |slug: &str| {
        id_of(roles.data().as_array().unwrap().iter().find(|role| role["slug"] == slug).unwrap())
    };
    let (moderator, restricted) = (seeded("moderator"), seeded("restricted"));
    let message = "Missing permission: ideas:moderate_status";
    let own = format!("/v1/users/{}/roles", clerk.user_id);
    clerk.post(&own, json!({ "role_id": moderator })).await.refused("FORBIDDEN", message);
    let change = json!({ "description": "Theirs." });
    clerk.patch(&format!("/v1/user-roles/{moderator}"), change).await.refused("FORBIDDEN", message);
    let person = app.owner().await;
    let path = format!("/v1/users/{}/roles", person.user_id);
    root.post(&path, json!({ "role_id": moderator })).await.expect(201);
    clerk.delete(&format!("{path}/{moderator}")).await.refused("FORBIDDEN", message);
    // A restricted person can neither lift the restriction nor give others more.
    root.post(&own, json!({ "role_id": restricted })).await.expect(201);
    let message = "Missing permission: ideas:create";
    clerk.delete(&format!("{own}/{restricted}")).await.refused("FORBIDDEN", message);
    let input = json!({ "name": "Writers", "permissions": ["ideas:read", "ideas:create"] });
    clerk.post("/v1/user-roles", input).await.refused("FORBIDDEN", message);
    let overrides = format!("/v1/users/{}/permission-overrides", clerk.user_id);
    let grant = json!({ "permission": "ideas:create", "granted": true });
    clerk.put(&overrides, grant).await.refused("FORBIDDEN", message);
    clerk
        .post("/v1/user-roles", json!({ "name": "Readers", "permissions": ["ideas:read"] }))
        .await
        .expect(201);
}

/// Starts a request, holds it at the lock of rights, makes a change meanwhile, and returns the response.
async fn change_while_waiting(
    app: &TestApp,
    lock: &str,
    request: impl Future<Output = Value> + Send + 'static,
    change: &str,
) -> Value {
    #[derive(QueryableByName)]
    struct Waiting {
        #[diesel(sql_type = BigInt)]
        waiting: i64,
    }
    let mut holder = app.databases.postgres.get().await.unwrap();
    let (lock, change) = (lock.to_owned(), change.to_owned());
    let answer = holder
        .transaction(async |connection| {
            sql_query(format!("SELECT pg_advisory_xact_lock(hashtextextended('{lock}', 0))"))
                .execute(connection)
                .await?;
            let answer = tokio::spawn(request);
            let waiting =
                "SELECT count(*) AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
            while sql_query(waiting).get_result::<Waiting>(connection).await?.waiting == 0 {
                assert!(!answer.is_finished(), "the request never came to the lock");
                tokio::task::yield_now().await;
            }
            sql_query(change).execute(connection).await?;
            Ok::<_, diesel::result::Error>(answer)
        })
        .await
        .unwrap();
    answer.await.unwrap()
}

async fn message(answer: impl Future<Output = lumio_tests::Answer>) -> Value {
    json!(answer.await.error().1)
}

#[tokio::test]
async fn staff_rights_lost_while_a_change_waits_do_not_count() {
    let app = TestApp::start().await;
    let clerk = staff(&app, &["admin-roles:create", "users:read"]).await;
    clerk.get("/v1/users/me").await.expect(200);
    let caller: Caller = clerk.caller.clone();
    let input = json!({ "name": "Readers", "permissions": ["users:read"] });
    let request = async move { message(caller.post("/v1/admin/admin-roles", input)).await };
    let change = format!("DELETE FROM admin_role_members WHERE user_id = '{}'", clerk.user_id);
    let answered = change_while_waiting(&app, "admin_roles", request, &change).await;
    assert_eq!(answered, "Missing permission: admin:access");

    let owner = app.owner().await;
    let editor = app.member_with(owner.account_id, &["roles:edit", "chat:read"]).await;
    let caller = editor.caller.clone();
    let input = json!({ "name": "Readers", "permissions": ["chat:read"] });
    let request = async move { message(caller.post("/v1/roles", input)).await };
    let viewer = "SELECT id FROM account_roles WHERE slug = 'viewer' AND account_id = memberships.account_id";
    let change = format!("UPDATE memberships SET role_id = ({viewer}) WHERE user_id = '{}'", editor.user_id);
    let lock = format!("account_roles:{}", owner.account_id);
    assert_eq!(change_while_waiting(&app, &lock, request, &change).await, "Missing permission: chat:read");
}
