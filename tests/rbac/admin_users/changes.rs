//! Changes of a user by staff: fields, login connections, memberships (reference/administration.md#users).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp};
use serde_json::{Value, json};
use shared::{
    id,
    schema::{accounts, login_connections, memberships},
};
use uuid::Uuid;

use super::{add, admin, disconnect, find, lowered, override_creation, remove, role, update};
use crate::refused;

/// A login connection of a person.
async fn login(app: &TestApp, user: Uuid, platform: &str) -> Uuid {
    let login = id::new();
    insert_into(login_connections::table)
        .values((
            login_connections::id.eq(login),
            login_connections::user_id.eq(user),
            login_connections::platform.eq(platform),
            login_connections::provider_user_id.eq(login.to_string()),
            login_connections::username.eq("ada"),
            login_connections::display_name.eq("Ada"),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    login
}

#[tokio::test]
async fn admin_update_user_changes_fields_and_audits_no_address() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let twitch = login(&app, person.user_id, "twitch").await;
    let (rest, graphql) = find(&admin, person.user_id).await;
    assert_eq!(lowered(graphql.field("adminUser")), *rest.data());
    let user = rest.data();
    assert_eq!((&user["owned_account_count"], &user["is_developer"]), (&json!(1), &json!(false)));
    assert_eq!(user["account_creation_override"], "default");
    assert_eq!(user["memberships"][0]["account_id"], json!(person.account_id));
    assert_eq!(user["memberships"][0]["is_owner"], true);
    assert_eq!(user["login_connections"][0]["id"], json!(twitch));

    let rest = json!({
        "display_name": " Ada ", "email": "ada@example.org", "account_creation_override": "deny",
        "max_accounts_override": 7,
    });
    let graphql =
        json!({ "displayName": "Ada", "accountCreationOverride": "DENY", "maxAccountsOverride": 7 });
    let (rest, graphql) = update(&admin, person.user_id, rest, graphql).await;
    assert_eq!(rest.status, 200, "{}", rest.text);
    assert_eq!(lowered(graphql.field("adminUpdateUser")), *rest.data());
    assert_eq!(
        (&rest.data()["display_name"], &rest.data()["email"]),
        (&json!("Ada"), &json!("ada@example.org"))
    );
    assert_eq!(rest.data()["max_accounts_override"], 7);
    let cleared = json!({ "email": null, "max_accounts_override": null });
    let (rest, _) = update(&admin, person.user_id, cleared, json!({})).await;
    assert_eq!((&rest.data()["email"], &rest.data()["max_accounts_override"]), (&Value::Null, &Value::Null));
    let audited = app.audited("user:updated").await;
    assert_eq!((audited.len(), audited[0].scope.as_str()), (3, "system"));
    assert_eq!(
        audited[0].metadata,
        json!({
            "display_name": "changed", "email": "changed", "account_creation_override": "deny",
            "max_accounts_override": 7,
        })
    );
    assert!(!audited.iter().any(|entry| entry.metadata.to_string().contains("ada@")));
}

#[tokio::test]
async fn admin_update_user_refuses_wrong_inputs() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let id = person.user_id;
    for (rest, graphql, message) in [
        (json!({ "display_name": " " }), json!({ "displayName": " " }), "display_name must not be empty"),
        (json!({ "display_name": null }), json!({ "displayName": null }), "display_name cannot be null"),
        (json!({ "email": "x" }), json!({ "email": "x" }), "email must be between 3 and 254 characters"),
        (json!({ "email": "ada@x" }), json!({ "email": "ada@x" }), "email must be an e-mail address"),
        (
            json!({ "account_creation_override": null }),
            json!({ "accountCreationOverride": null }),
            "account_creation_override cannot be null",
        ),
        (
            json!({ "max_accounts_override": -1 }),
            json!({ "maxAccountsOverride": -1 }),
            "max_accounts_override must be between 0 and 1000",
        ),
        (
            json!({ "max_accounts_override": 1001 }),
            json!({ "maxAccountsOverride": 1001 }),
            "max_accounts_override must be between 0 and 1000",
        ),
    ] {
        refused(&update(&admin, id, rest, graphql).await, 400, "VALIDATION_ERROR", message);
    }
    let path = format!("/v1/admin/users/{id}");
    admin
        .patch(&path, json!({ "account_creation_override": "maybe" }))
        .await
        .refused_with("VALIDATION_ERROR");
    admin.get("/v1/admin/users/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    admin
        .delete(&format!("{path}/login-connections/x"))
        .await
        .refused("VALIDATION_ERROR", "Invalid UUID: cid");
    admin
        .post(&format!("{path}/memberships"), json!({ "account_id": Uuid::now_v7() }))
        .await
        .refused("VALIDATION_ERROR", "Missing field: role_id");
    assert!(app.audited("user:updated").await.is_empty());
}

#[tokio::test]
async fn admin_update_user_account_creation_override_takes_effect_immediately() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let status = async || {
        let me = person.get("/v1/users/me").await;
        let statuses = me.data()["feature_statuses"].as_array().unwrap().clone();
        statuses.into_iter().find(|status| status["key"] == "system:account_creation").unwrap()
    };
    assert_eq!(status().await["enabled"], true);
    let answer = override_creation(&admin, person.user_id, "DENY").await;
    let user = answer.field("adminUpdateUserAccountCreationOverride");
    assert_eq!(user["account_creation_override"], "DENY");
    assert_eq!(
        (&status().await["enabled"], &status().await["reason"]),
        (&json!(false), &json!("user_override"))
    );
    app.switch("system:account_creation", false).await;
    override_creation(&admin, person.user_id, "ALLOW").await.field("adminUpdateUserAccountCreationOverride");
    assert_eq!(status().await["enabled"], true);
    override_creation(&admin, person.user_id, "DEFAULT")
        .await
        .field("adminUpdateUserAccountCreationOverride");
    assert_eq!(status().await["reason"], "global_off");
    assert_eq!(app.audited("user:updated").await.len(), 3);
}

#[tokio::test]
async fn admin_disconnect_user_login_removes_a_login_unless_it_is_needed() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let twitch = login(&app, person.user_id, "twitch").await;
    let both = disconnect(&admin, person.user_id, twitch).await;
    refused(&both, 409, "CONFLICT", "Cannot remove the last login connection");
    let kick = login(&app, person.user_id, "kick").await;
    diesel::update(accounts::table.find(person.account_id))
        .set(accounts::primary_login_connection_id.eq(twitch))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let both = disconnect(&admin, person.user_id, twitch).await;
    refused(&both, 409, "CONFLICT", "Login connection is the primary connection of an account");
    let (rest, graphql) = disconnect(&admin, person.user_id, kick).await;
    assert_eq!(rest.status, 204, "{}", rest.text);
    graphql.refused("NOT_FOUND", "Login connection not found");
    let audited = app.audited_once("connection:disconnected").await;
    assert_eq!(audited.metadata, json!({ "provider": "kick", "user_id": person.user_id }));
    let (rest, _) = find(&admin, person.user_id).await;
    assert_eq!(rest.data()["login_connections"].as_array().unwrap().len(), 1);
    // The login that opened the person's session is unknown, so it may be that one.
    person.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let ended = app.audited_once("session:revoked").await;
    assert_eq!((&ended.metadata["reason"], ended.actor_id), (&json!("login_removed"), Some(admin.user_id)));
}

#[tokio::test]
async fn admin_add_user_membership_grants_access_immediately() {
    let app = TestApp::start().await;
    let (admin, owner) = (app.system_admin().await, app.owner().await);
    let user = app.user("newcomer").await;
    let session = app.session(user, owner.account_id).await;
    session.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
    let owners = role(&owner, "owner").await;
    let both = add(&admin, user, owner.account_id, owners).await;
    refused(&both, 400, "VALIDATION_ERROR", "The Owner role cannot be assigned");
    let moderator = role(&owner, "moderator").await;
    let (rest, graphql) = add(&admin, user, owner.account_id, moderator).await;
    assert_eq!(rest.status, 201, "{}", rest.text);
    graphql.refused("CONFLICT", "User is already a member");
    let membership = rest.data();
    assert_eq!((&membership["role_id"], &membership["is_owner"]), (&json!(moderator), &json!(false)));
    session.get("/v1/roles").await.expect(200);
    let joined = app.audited_once("member:joined").await;
    assert_eq!((joined.account_id, joined.actor_id), (Some(owner.account_id), Some(admin.user_id)));
}

#[tokio::test]
async fn admin_remove_user_membership_ends_the_access_of_a_member() {
    let app = TestApp::start().await;
    let (admin, owner) = (app.system_admin().await, app.owner().await);
    let (one, two) =
        (app.member_as(owner.account_id, "moderator").await, app.member_as(owner.account_id, "viewer").await);
    let membership = async |person: &Person| -> Uuid {
        memberships::table
            .filter(memberships::user_id.eq(person.user_id))
            .select(memberships::id)
            .first(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    };
    one.get("/v1/roles").await.expect(200);
    let id = membership(&one).await;
    let both = remove(&owner, one.user_id, id).await;
    refused(&both, 403, "FORBIDDEN", "Missing permission: users:edit");
    // Under another person's name it is not found.
    refused(&remove(&admin, owner.user_id, id).await, 404, "NOT_FOUND", "Membership not found");

    // The first call ends the membership, and the second finds none.
    let (rest, graphql) = remove(&admin, one.user_id, id).await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Membership not found");
    let entry = app.audited_once("member:removed").await;
    assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(admin.user_id)));
    assert_eq!(entry.metadata, json!({ "user_id": one.user_id }));
    one.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
    let document = format!(
        "mutation {{ adminRemoveUserMembership(userId: \"{}\", membershipId: \"{}\") }}",
        two.user_id,
        membership(&two).await
    );
    assert_eq!(admin.graphql(&document, json!({})).await.field("adminRemoveUserMembership"), true);

    let both = remove(&admin, owner.user_id, membership(&owner).await).await;
    refused(&both, 409, "CONFLICT", "The account owner cannot be removed");
}
