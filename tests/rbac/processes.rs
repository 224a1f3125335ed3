//! A change of rights takes effect within a second in every process, and only the affected caches are dropped
//! (reference/permissions.md#caches).

use lumio_tests::{Caller, TestApp, eventually};
use serde_json::{Value, json};

use super::{account_permissions, id_of};

/// Asserts that the question has one result now and the other one after the change, also in the other process.
async fn seen_within_a_second<Q, C>(
    here: &Caller,
    elsewhere: &Caller,
    question: Q,
    before: &Value,
    change: C,
    after: &Value,
) where
    Q: AsyncFn(&Caller) -> Value,
    C: Future<Output = ()>,
{
    assert_eq!((&question(here).await, &question(elsewhere).await), (before, before));
    change.await;
    assert_eq!(&question(here).await, after);
    eventually("the other process knows", async || &question(elsewhere).await == after).await;
}

async fn user_scope(person: &Caller) -> Value {
    person.get("/v1/users/me").await.data()["user_permissions"].clone()
}

async fn admin_scope(person: &Caller) -> Value {
    person.get("/v1/users/me").await.data()["admin_permissions"].clone()
}

async fn account_scope(person: &Caller) -> Value {
    account_permissions(person).await
}

#[tokio::test]
async fn processes_see_changed_rights_within_a_second() {
    let app = TestApp::start().await;
    let (mut second, other) = app.second_process().await;
    let staff = app.system_admin().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    let elsewhere = member.at(&other);

    // A role of the account.
    let roles = owner.get("/v1/roles").await;
    let role =
        roles.data().as_array().unwrap().iter().find(|role| role["permissions"] == json!(["chat:read"]));
    let path = format!("/v1/roles/{}", id_of(role.unwrap()));
    seen_within_a_second(
        &member,
        &elsewhere,
        account_scope,
        &json!(["chat:read"]),
        async {
            owner.patch(&path, json!({ "permissions": ["chat:read", "chat:write"] })).await.expect(200);
        },
        &json!(["chat:read", "chat:write"]),
    )
    .await;
    // An override of the account.
    let path = format!("/v1/admin/accounts/{}/permission-overrides", owner.account_id);
    seen_within_a_second(
        &member,
        &elsewhere,
        account_scope,
        &json!(["chat:read", "chat:write"]),
        async {
            let input = json!({ "permission": "chat:write", "granted": false });
            staff.put(&path, input).await.expect(200);
        },
        &json!(["chat:read"]),
    )
    .await;
    // An override of the person.
    let path = format!("/v1/users/{}/permission-overrides", member.user_id);
    let all = user_scope(&member).await;
    let without = all.as_array().unwrap().iter().filter(|permission| **permission != "ideas:vote");
    let without = Value::Array(without.cloned().collect());
    seen_within_a_second(
        &member,
        &elsewhere,
        user_scope,
        &all,
        async {
            let input = json!({ "permission": "ideas:vote", "granted": false });
            staff.put(&path, input).await.expect(200);
        },
        &without,
    )
    .await;
    // A role of the person, then its permissions.
    let created = staff.post("/v1/user-roles", json!({ "name": "Fan", "permissions": ["ideas:read"] })).await;
    let fan = id_of(created.data());
    let path = format!("/v1/users/{}/roles", member.user_id);
    seen_within_a_second(
        &member,
        &elsewhere,
        user_scope,
        &without,
        async {
            staff.post(&path, json!({ "role_id": fan })).await.expect(201);
        },
        &json!(["ideas:read"]),
    )
    .await;
    seen_within_a_second(
        &member,
        &elsewhere,
        user_scope,
        &json!(["ideas:read"]),
        async {
            let input = json!({ "permissions": ["ideas:create"] });
            staff.patch(&format!("/v1/user-roles/{fan}"), input).await.expect(200);
        },
        &json!(["ideas:create"]),
    )
    .await;
    // A role of staff.
    let created = staff.post("/v1/admin/admin-roles", json!({ "name": "Support", "permissions": [] })).await;
    let support = format!("/v1/admin/admin-roles/{}", id_of(created.data()));
    seen_within_a_second(
        &member,
        &elsewhere,
        admin_scope,
        &json!([]),
        async {
            staff.post(&format!("{support}/members"), json!({ "user_id": member.user_id })).await.expect(200);
        },
        &json!(["admin:access"]),
    )
    .await;
    seen_within_a_second(
        &member,
        &elsewhere,
        admin_scope,
        &json!(["admin:access"]),
        async {
            assert_eq!(staff.delete(&support).await.status, 204);
        },
        &json!([]),
    )
    .await;
    second.terminate();
    assert!(second.ended().await.success(), "it drains");
}

#[tokio::test]
async fn processes_drop_only_the_cache_that_an_override_concerns() {
    let app = TestApp::start().await;
    let staff = app.system_admin().await;
    let owner = app.owner().await;
    let stranger = app.owner().await;
    let caches = &app.state.caches;
    let warm = async || {
        for person in [&owner, &stranger] {
            account_scope(person).await;
            user_scope(person).await;
        }
        assert!(caches.users.knows(&owner.user_id));
        assert!(caches.members.knows(&(owner.account_id, owner.user_id)));
    };
    warm().await;
    let path = format!("/v1/admin/accounts/{}/permission-overrides", owner.account_id);
    let input = json!({ "permission": "chat:read", "granted": false });
    staff.put(&path, input).await.expect(200);
    assert!(!caches.members.knows(&(owner.account_id, owner.user_id)));
    assert!(caches.members.knows(&(stranger.account_id, stranger.user_id)));
    assert!(caches.users.knows(&owner.user_id), "only the account's cache is dropped");

    warm().await;
    let path = format!("/v1/users/{}/permission-overrides", owner.user_id);
    let input = json!({ "permission": "ideas:vote", "granted": false });
    staff.put(&path, input).await.expect(200);
    assert!(!caches.users.knows(&owner.user_id));
    assert!(caches.users.knows(&stranger.user_id));
    assert!(caches.members.knows(&(owner.account_id, owner.user_id)));
}

#[tokio::test]
async fn processes_keep_caches_when_a_change_grants_nothing() {
    let app = TestApp::start().await;
    let staff =
        app.admin_with(&["admin:access", "user-roles:edit", "admin-roles:create", "admin-roles:edit"]).await;
    let created = staff.post("/v1/user-roles", json!({ "name": "Fan", "permissions": [] })).await;
    let fan = format!("/v1/user-roles/{}", id_of(created.data()));
    let created = staff.post("/v1/admin/admin-roles", json!({ "name": "Support", "permissions": [] })).await;
    let support = format!("/v1/admin/admin-roles/{}", id_of(created.data()));
    user_scope(&staff).await;
    for path in [&fan, &support] {
        staff.patch(path, json!({ "description": "New." })).await.expect(200);
        assert!(app.state.caches.users.knows(&staff.user_id), "{path}");
        staff.patch(path, json!({ "permissions": [] })).await.expect(200);
        assert!(!app.state.caches.users.knows(&staff.user_id), "{path}");
        user_scope(&staff).await;
    }
}
