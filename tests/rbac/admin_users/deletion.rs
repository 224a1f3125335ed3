//! Deletion of a user, and users who cannot be deleted (reference/administration.md#deletion-of-a-user).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use platforms_stand_in::Platform;
use serde_json::json;
use shared::{
    id,
    schema::{accounts, extensions, memberships},
};
use uuid::Uuid;

use super::{admin, delete, people};
use crate::{refused, text};

#[tokio::test]
async fn admin_delete_user_removes_accounts_memberships_and_sessions() {
    let app = TestApp::start().await;
    let (admin, other) = (admin(&app).await, app.owner().await);
    // A user with a real grant, an own account and a membership in another.
    let (user, token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = json!({
        "provider": "twitch", "provider_user_id": user.id, "access_token": token,
        "profile": { "display_name": "Ada", "username": "ada" },
    });
    let signed_in = app.anonymous().post("/v1/auth/token", input).await;
    let ada: Uuid = text(signed_in.data(), "/user_id").parse().unwrap();
    let session = app.bearer(text(signed_in.data(), "/token"));
    app.join(other.account_id, ada, "viewer").await;
    session.get("/v1/users/me").await.expect(200);
    let own: Vec<Uuid> = accounts::table
        .filter(accounts::owner_id.eq(ada))
        .select(accounts::id)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(own.len(), 1);

    let (rest, graphql) = delete(&admin, ada).await;
    assert_eq!((rest.status, rest.text.as_str()), (204, ""));
    graphql.refused("NOT_FOUND", "User not found");
    session.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    assert_eq!(people(&app).await, 2);
    let mut db = app.databases.postgres.get().await.unwrap();
    let left: i64 =
        memberships::table.filter(memberships::user_id.eq(ada)).count().get_result(&mut *db).await.unwrap();
    let accounts_left: i64 = accounts::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!((left, accounts_left), (0, 2));
    drop(db);
    assert_eq!(app.audited_once("user:deleted").await.resource_id, Some(ada.to_string()));
    let removed = app.audited_once("member:removed").await;
    assert_eq!((removed.account_id, removed.actor_id), (Some(other.account_id), Some(admin.user_id)));
    assert_eq!(removed.metadata, json!({ "user_id": ada }));
    assert_eq!(app.audited_once("account:deleted").await.resource_id, Some(own[0].to_string()));
}

#[tokio::test]
async fn admin_delete_user_refuses_oneself_and_owners_of_extensions() {
    let app = TestApp::start().await;
    let (admin, developer) = (admin(&app).await, app.owner().await);
    refused(&delete(&admin, admin.user_id).await, 409, "CONFLICT", "You cannot delete yourself");
    let profile = app.developer_profile(developer.user_id).await;
    insert_into(extensions::table)
        .values((
            extensions::id.eq(id::new()),
            extensions::owner_developer_id.eq(profile),
            extensions::name.eq("Counter"),
            extensions::short_id.eq("counter1"),
            extensions::slug.eq("counter"),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let both = delete(&admin, developer.user_id).await;
    let message = "User still owns 1 extension(s). Transfer or delete them first.";
    refused(&both, 409, "CONFLICT", message);
    assert_eq!(people(&app).await, 2);
    developer.get("/v1/users/me").await.expect(200);
    assert!(app.audited("user:deleted").await.is_empty());
    assert!(app.audited("account:deleted").await.is_empty());
}
