//! Resolved permissions of a person with their sources (reference/permissions.md#resolved-permissions).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::json;
use shared::schema::{user_permission_overrides, users};
use uuid::Uuid;

use super::{Of, account_admin, held, resolved, user_admin};

#[tokio::test]
async fn resolved_user_permissions_shows_permissions_and_their_sources() {
    let app = TestApp::start().await;
    let (admin, accounts, person) = (user_admin(&app).await, account_admin(&app).await, app.owner().await);
    let (rest, graphql) = resolved(&admin, person.user_id).await;
    assert_eq!(graphql.field("resolvedUserPermissions"), *rest.data());
    assert_eq!(rest.data()["roles"], json!(["member"]));
    assert_eq!(rest.data()["permissions"].as_array().unwrap().len(), 10);
    assert_eq!((&rest.data()["overrides"], &rest.data()["account_overrides"]), (&json!([]), &json!([])));

    let roles = admin.get("/v1/user-roles").await;
    let restricted =
        roles.data().as_array().unwrap().iter().find(|role| role["slug"] == "restricted").unwrap();
    let path = format!("/v1/users/{}/roles", person.user_id);
    admin.post(&path, json!({ "role_id": restricted["id"] })).await.expect(201);
    let of = Of::User(person.user_id);
    of.set(&admin, "ideas:vote", true, None).await.0.expect(200);
    of.set(&admin, "ideas:comment_read", false, None).await.0.expect(200);
    Of::Account(person.account_id).set(&accounts, "chat:ban", true, None).await.0.expect(200);
    Of::Account(person.account_id).set(&accounts, "chat:read", false, None).await.0.expect(200);

    // Without an active account the overrides of accounts are left out (reference/permissions.md#resolved-permissions).
    let (rest, _) = resolved(&admin, person.user_id).await;
    assert_eq!(rest.data()["permissions"], json!(["ideas:read", "ideas:vote"]));
    assert_eq!(rest.data()["account_overrides"], json!([]));
    act_in(&app, person.user_id, Some(person.account_id)).await;
    let (rest, graphql) = resolved(&admin, person.user_id).await;
    assert_eq!(rest.data()["permissions"], json!(["chat:ban", "ideas:read", "ideas:vote"]));
    assert_eq!(rest.data()["roles"], json!(["restricted"]));
    assert_eq!(rest.data()["overrides"].as_array().unwrap().len(), 2);
    assert_eq!(rest.data()["account_overrides"].as_array().unwrap().len(), 2);
    assert_eq!(graphql.field("resolvedUserPermissions"), *rest.data());
    // Overrides of an account that the person does not belong to are left out, too.
    act_in(&app, person.user_id, Some(admin.account_id)).await;
    let (rest, _) = resolved(&admin, person.user_id).await;
    assert_eq!(rest.data()["account_overrides"], json!([]));
}

async fn act_in(app: &TestApp, user: Uuid, account: Option<Uuid>) {
    diesel::update(users::table.find(user))
        .set(users::active_account_id.eq(account))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn resolved_user_permissions_neither_reads_nor_writes_the_cache() {
    let app = TestApp::start().await;
    let (admin, person) = (user_admin(&app).await, app.owner().await);
    for both in [resolved(&admin, person.user_id).await, resolved(&admin, person.user_id).await] {
        both.0.expect(200);
    }
    assert!(!app.state.caches.users.knows(&person.user_id));
    // And it does not read the cache.
    assert_eq!(held(&person).await.len(), 10);
    assert!(app.state.caches.users.knows(&person.user_id));
    insert_into(user_permission_overrides::table)
        .values((
            user_permission_overrides::user_id.eq(person.user_id),
            user_permission_overrides::permission.eq("ideas:vote"),
            user_permission_overrides::granted.eq(false),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let (rest, _) = resolved(&admin, person.user_id).await;
    assert_eq!(rest.data()["permissions"].as_array().unwrap().len(), 9);
    assert_eq!(held(&person).await.len(), 10);
}
