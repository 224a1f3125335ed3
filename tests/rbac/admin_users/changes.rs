//! What staff changes of a person: fields, login connections, memberships (C §9).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::{Value, json};
use shared::{
    db::schema::{accounts, login_connections, memberships},
    id,
};
use uuid::Uuid;

use super::{add, admin, disconnect, find, lowered, override_creation, remove, role, update};
use crate::rbac::{refused, text};

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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    login
}

#[tokio::test]
async fn a_person_is_changed() {
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
async fn wrong_inputs_are_named() {
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
async fn an_override_of_account_creation_holds_at_once() {
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
async fn a_login_connection_is_taken_unless_it_is_needed() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let twitch = login(&app, person.user_id, "twitch").await;
    let both = disconnect(&admin, person.user_id, twitch).await;
    refused(&both, 409, "CONFLICT", "Cannot remove the last login connection");
    let kick = login(&app, person.user_id, "kick").await;
    diesel::update(accounts::table.find(person.account_id))
        .set(accounts::primary_login_connection_id.eq(twitch))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
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
    // Nobody noted which login the person's session was opened through: it may be that one.
    person.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let ended = app.audited_once("session:revoked").await;
    assert_eq!((&ended.metadata["reason"], ended.actor_id), (&json!("login_removed"), Some(admin.user_id)));
}

#[tokio::test]
async fn a_membership_is_given_and_ended() {
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

    let id: Uuid = text(membership, "/membership_id").parse().unwrap();
    // Under another person's name it is not found.
    refused(&remove(&admin, owner.user_id, id).await, 404, "NOT_FOUND", "Membership not found");
    let (rest, _) = remove(&admin, user, id).await;
    assert_eq!(rest.status, 204, "{}", rest.text);
    assert_eq!(app.audited("member:removed").await.len(), 1);
    session.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");

    let own: Uuid = memberships::table
        .filter(memberships::user_id.eq(owner.user_id))
        .select(memberships::id)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let both = remove(&admin, owner.user_id, own).await;
    refused(&both, 409, "CONFLICT", "The account owner cannot be removed");
}
