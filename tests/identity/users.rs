//! Current user (reference/users.md#current-user).

use api_core::token::TokenKind;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::invalidation::Invalidation;
use lumio_tests::{Person, Statements, TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::schema::{memberships, notifications, users};
use uuid::Uuid;

use super::{sign_in, sign_in_with, text};

/// Selection of every field of the current user.
const CURRENT_USER: &str = "{ id displayName username email pendingEmail avatarUrl createdAt lastLoginAt activeAccountId \
    memberships { accountId accountName avatarUrl role { id slug name color } isOwner planSlug joinedAt } \
    ownedAccountCount maxAccounts featureStatuses { key enabled reason } enabledFeatures adminPermissions \
    userPermissions isDeveloper extensionDevMode streamerMode loginConnections { id provider providerUserId username \
    displayName avatarUrl reconnectRequired isPrimaryFor confirmed createdAt } notificationsUnread }";

async fn me(person: &Person) -> Value {
    person.get("/v1/users/me").await.data().clone()
}

async fn me_over_graphql(person: &Person) -> Value {
    person.graphql(&format!("{{ me {CURRENT_USER} }}"), json!({})).await.field("me")
}

/// Converts a GraphQL user to the form of REST: enum values in lower case.
fn lowered(mut user: Value) -> Value {
    for status in user["feature_statuses"].as_array_mut().unwrap() {
        if let Some(reason) = status["reason"].as_str() {
            status["reason"] = json!(reason.to_lowercase());
        }
    }
    user
}

fn status_of<'a>(user: &'a Value, key: &str) -> &'a Value {
    let statuses = user["feature_statuses"].as_array().unwrap();
    statuses.iter().find(|status| status["key"] == key).unwrap_or_else(|| panic!("no status of {key}"))
}

async fn insert_notification(app: &TestApp, user_id: Uuid, n: i32, is_read: bool) {
    diesel::insert_into(notifications::table)
        .values((
            notifications::id.eq(Uuid::now_v7()),
            notifications::user_id.eq(user_id),
            notifications::notification_type.eq("system_announcement"),
            notifications::title.eq(n.to_string()),
            notifications::message.eq("text"),
            notifications::read_at.eq(is_read.then(|| app.clock.now())),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

async fn leave(app: &TestApp, person: &Person) {
    let own = memberships::table.filter(memberships::user_id.eq(person.user_id));
    diesel::delete(own).execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    let (account_id, user_id) = (person.account_id, person.user_id);
    app.state.caches.invalidate(&Invalidation::Member { account_id, user_id });
}

async fn override_creation(app: &TestApp, user_id: Uuid, value: &str) {
    let person = users::table.find(user_id);
    diesel::update(person)
        .set(users::account_creation_override.eq(value))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::User { user_id });
}

#[tokio::test]
async fn me_is_the_same_on_both_protocols() {
    let app = TestApp::start().await;
    let signed_in = sign_in(&app, "ada").await;
    let caller = app.bearer(text(signed_in.data(), "/token"));
    let rest = caller.get("/v1/users/me").await;
    assert_eq!(rest.body["_links"], json!({ "self": "/v1/users/me" }));
    let graphql = caller.graphql(&format!("{{ me {CURRENT_USER} }}"), json!({})).await.field("me");
    assert_eq!(lowered(graphql), *rest.data());
    let user = rest.data();
    assert_eq!(user["user_permissions"].as_array().unwrap().len(), 10);
    assert_eq!(user["admin_permissions"], json!([]));
    assert_eq!((&user["owned_account_count"], &user["max_accounts"]), (&json!(1), &json!(1)));
    assert!(user.get("token").is_none());
    let locked = json!({ "key": "feature:multi_account", "enabled": false, "reason": "plan_locked" });
    assert_eq!(*status_of(user, "feature:multi_account"), locked);
    let creation = json!({ "key": "system:account_creation", "enabled": true, "reason": null });
    assert_eq!(*status_of(user, "system:account_creation"), creation);
    let systems = user["feature_statuses"].as_array().unwrap().iter();
    assert_eq!(systems.filter(|status| text(status, "/key").starts_with("system:")).count(), 1);
    assert!(!user["enabled_features"].as_array().unwrap().contains(&json!("feature:multi_account")));
}

#[tokio::test]
async fn me_and_update_me_are_first_party_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let callers = [
        app.popout(&owner, &["account:read"]).await,
        app.service_key(owner.account_id, &["account:read"]).await,
        app.system_key().await,
        app.surface_token(TokenKind::Overlay, owner.account_id, "overlay", None).await,
        app.surface_token(TokenKind::Widget, owner.account_id, "widget", None).await,
        app.surface_token(TokenKind::Extension, owner.account_id, "install", None).await,
    ];
    let change = json!({ "streamer_mode": true });
    for caller in callers {
        let graphql = caller.graphql("{ me { id } }", json!({})).await;
        let message = "First-party session required";
        both_refused(&caller.get("/v1/users/me").await, &graphql, 403, "FORBIDDEN", message);
        let rest = caller.patch("/v1/users/me", change.clone()).await;
        both_refused(&rest, &caller.mutate("updateMe", &change, "{ id }").await, 403, "FORBIDDEN", message);
    }
    let anonymous = app.anonymous();
    let graphql = anonymous.graphql("{ me { id } }", json!({})).await;
    let message = "Authentication required";
    both_refused(&anonymous.get("/v1/users/me").await, &graphql, 401, "UNAUTHORIZED", message);
    assert_eq!(me(&owner).await["streamer_mode"], false);
}

#[tokio::test]
async fn me_has_no_active_account_after_leaving() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "viewer").await;
    assert_eq!(me(&member).await["active_account_id"], json!(owner.account_id));
    leave(&app, &member).await;
    let user = me(&member).await;
    assert_eq!(user["active_account_id"], Value::Null);
    assert_eq!(user["memberships"], json!([]));
    // Without an account only the global switch applies.
    assert_eq!(status_of(&user, "feature:multi_account")["enabled"], true);
}

#[tokio::test]
async fn me_hides_logins_of_a_disabled_platform() {
    let app = TestApp::start().await;
    let signed_in = sign_in(&app, "ada").await;
    let caller = app.bearer(text(signed_in.data(), "/token"));
    for flag in ["platform:twitch:login", "platform:twitch"] {
        app.switch(flag, false).await;
        let user = caller.get("/v1/users/me").await;
        assert_eq!(user.data()["login_connections"], json!([]), "{flag}");
        let off = json!({ "key": "platform:twitch:login", "enabled": false, "reason": "global_off" });
        assert_eq!(*status_of(user.data(), "platform:twitch:login"), off);
        app.switch(flag, true).await;
    }
    let user = caller.get("/v1/users/me").await;
    assert_eq!(user.data()["login_connections"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn me_shows_max_accounts_of_the_best_plan_or_override() {
    let app = TestApp::start().await;
    let owner = app.owner_on("enterprise").await;
    assert_eq!(me(&owner).await["max_accounts"], 10);
    diesel::update(users::table.find(owner.user_id))
        .set(users::max_accounts_override.eq(2))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(me(&owner).await["max_accounts"], 2);
}

#[tokio::test]
async fn me_shows_the_account_creation_status_of_the_user() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let creation = async |owner: &Person| status_of(&me(owner).await, "system:account_creation").clone();
    override_creation(&app, owner.user_id, "deny").await;
    assert_eq!(creation(&owner).await["reason"], "user_override");
    let graphql = me_over_graphql(&owner).await;
    assert_eq!(status_of(&graphql, "system:account_creation")["reason"], "USER_OVERRIDE");
    override_creation(&app, owner.user_id, "allow").await;
    app.switch("system:account_creation", false).await;
    assert_eq!(creation(&owner).await["enabled"], true);
    override_creation(&app, owner.user_id, "default").await;
    assert_eq!(creation(&owner).await["reason"], "global_off");
}

#[tokio::test]
async fn me_shows_developers_with_a_profile_or_staff_in_dev_mode() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    assert_eq!(me(&owner).await["is_developer"], false);
    app.developer_profile(owner.user_id).await;
    assert_eq!(me(&owner).await["is_developer"], true);

    let modes = async |person: &Person| {
        let (rest, graphql) = (me(person).await, me_over_graphql(person).await);
        let mode = |user: &Value| (user["is_developer"] == true, user["extension_dev_mode"] == true);
        assert_eq!(mode(&rest), mode(&graphql));
        mode(&rest)
    };
    // Any user can set the mode, so it makes only operator staff developers.
    let staff = app.admin_with(&["admin:access"]).await;
    for (person, with_mode) in [(&other, (false, true)), (&staff, (true, true))] {
        assert_eq!(modes(person).await, (false, false));
        person.patch("/v1/users/me", json!({ "extension_dev_mode": true })).await.expect(200);
        assert_eq!(modes(person).await, with_mode);
    }
    let key = app.personal_key(&staff, &[]).await;
    assert_eq!(key.get("/v1/users/me").await.data()["is_developer"], true);
}

#[tokio::test]
async fn me_counts_unread_notifications() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    assert_eq!(me(&owner).await["notifications_unread"], 0);
    for (n, is_read) in [(0, false), (1, false), (2, true)] {
        insert_notification(&app, owner.user_id, n, is_read).await;
    }
    assert_eq!(me(&owner).await["notifications_unread"], 2);
    assert_eq!(me_over_graphql(&owner).await["notifications_unread"], 2);
    assert_eq!(me(&other).await["notifications_unread"], 0);
}

#[tokio::test]
async fn me_of_a_key_has_no_admin_permissions_and_only_its_scopes() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["users:read", "admin:access"]).await;
    assert_eq!(me(&admin).await["admin_permissions"], json!(["admin:access", "users:read"]));
    let key = app.personal_key(&admin, &["ideas:vote", "ideas:read", "chat:read"]).await;
    let user = key.get("/v1/users/me").await;
    assert_eq!(user.data()["admin_permissions"], json!([]));
    assert_eq!(user.data()["user_permissions"], json!(["ideas:read", "ideas:vote"]));
    assert_eq!(user.data()["active_account_id"], json!(admin.account_id));
}

#[tokio::test]
async fn me_takes_the_same_statements_for_any_number_of_memberships() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "viewer").await;
    for id in [member.user_id, member.session_id, owner.account_id] {
        statements.with(id);
    }
    me(&member).await;
    statements.take();
    me(&member).await;
    let with_one = statements.take();
    assert!(with_one.iter().any(|statement| statement.contains("memberships")), "{with_one:#?}");

    for _ in 0..9 {
        let other = app.owner().await;
        app.join(other.account_id, member.user_id, "viewer").await;
        statements.with(other.account_id);
    }
    statements.take();
    assert_eq!(me(&member).await["memberships"].as_array().unwrap().len(), 10);
    let with_ten = statements.take();
    assert_eq!(with_ten.len(), with_one.len(), "{with_ten:#?}");
}

#[tokio::test]
async fn update_me_changes_only_the_given_fields() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let change = json!({ "display_name": " Ada ", "email": "ada@example.org", "streamer_mode": true });
    let user = owner.patch("/v1/users/me", change).await;
    assert_eq!(user.status, 200, "{}", user.text);
    assert_eq!(user.data()["display_name"], "Ada");
    assert_eq!(user.data()["email"], "ada@example.org");
    assert_eq!(user.data()["streamer_mode"], true);
    assert!(user.data().get("token").is_none());

    let selection = "{ email displayName streamerMode token }";
    let cleared = owner.mutate("updateMe", &json!({ "email": null }), selection).await;
    let cleared = cleared.field("updateMe");
    assert_eq!((&cleared["email"], &cleared["display_name"]), (&Value::Null, &json!("Ada")));
    assert_eq!((&cleared["token"], &cleared["streamer_mode"]), (&Value::Null, &json!(true)));
    assert_eq!(app.audited("user:updated").await.len(), 2);
}

#[tokio::test]
async fn update_me_validates_every_field() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let before = me(&owner).await;
    let long = "ß".repeat(101);
    for (change, message) in [
        (json!({}), "At least one field is required"),
        (json!({ "display_name": "" }), "display_name must not be empty"),
        (json!({ "display_name": long }), "display_name must be between 1 and 100 characters"),
        (json!({ "display_name": null }), "display_name cannot be null"),
        (json!({ "display_name": "Eve", "email": "eve" }), "email must be an e-mail address"),
        (json!({ "streamer_mode": null }), "streamer_mode cannot be null"),
        (
            json!({ "active_account_id": Uuid::now_v7(), "clear_active_account": true }),
            "active_account_id and clear_active_account exclude each other",
        ),
    ] {
        let rest = owner.patch("/v1/users/me", change.clone()).await;
        let graphql = owner.mutate("updateMe", &change, "{ id }").await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let malformed = owner.patch("/v1/users/me", json!({ "active_account_id": "mine" })).await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: active_account_id");
    let wrong_type = owner.patch("/v1/users/me", json!({ "streamer_mode": "yes" })).await;
    wrong_type.refused_with("VALIDATION_ERROR");
    assert_eq!(me(&owner).await, before);
    assert!(app.audited("user:updated").await.is_empty());
}

#[tokio::test]
async fn update_me_returns_a_token_for_the_new_active_account() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    app.join(other.account_id, owner.user_id, "viewer").await;
    let switched = owner.patch("/v1/users/me", json!({ "active_account_id": other.account_id })).await;
    assert_eq!(switched.data()["active_account_id"], json!(other.account_id));
    let there = app.bearer(text(switched.data(), "/token"));
    let permissions = there.get("/v1/tokens/me").await;
    assert_eq!(permissions.data()["account_id"], json!(other.account_id));
    assert!(!permissions.data()["permissions"].as_array().unwrap().contains(&json!("apikeys:read")));

    let back = there.mutate("updateMe", &json!({ "active_account_id": owner.account_id }), "{ token }").await;
    let back = app.bearer(text(&back.field("updateMe"), "/token"));
    assert_eq!(back.get("/v1/tokens/me").await.data()["account_id"], json!(owner.account_id));

    let cleared = back.patch("/v1/users/me", json!({ "clear_active_account": true })).await;
    assert_eq!(cleared.data()["active_account_id"], Value::Null);
    let nowhere = app.bearer(text(cleared.data(), "/token"));
    assert_eq!(nowhere.get("/v1/tokens/me").await.data()["account_id"], Value::Null);
}

#[tokio::test]
async fn refresh_token_keeps_the_switched_account() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Kick, "ada");
    let signed_in = app.anonymous().post("/v1/auth/token", sign_in_with("kick", &user, &access_token)).await;
    let other = app.owner().await;
    app.join(other.account_id, text(signed_in.data(), "/user_id").parse().unwrap(), "viewer").await;
    let caller = app.bearer(text(signed_in.data(), "/token"));
    caller.patch("/v1/users/me", json!({ "active_account_id": other.account_id })).await.expect(200);
    let pair = app
        .anonymous()
        .post("/v1/auth/refresh", json!({ "refresh_token": text(signed_in.data(), "/refresh_token") }))
        .await;
    let permissions = app.bearer(text(pair.data(), "/token")).get("/v1/tokens/me").await;
    assert_eq!(permissions.data()["account_id"], json!(other.account_id));
}

#[tokio::test]
async fn update_me_refuses_foreign_accounts_and_switches_by_keys() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let change = json!({ "active_account_id": other.account_id, "streamer_mode": true });
    let rest = owner.patch("/v1/users/me", change.clone()).await;
    both_refused(
        &rest,
        &owner.mutate("updateMe", &change, "{ id }").await,
        404,
        "NOT_FOUND",
        "Account not found",
    );

    let key = app.personal_key(&owner, &[]).await;
    let change = json!({ "active_account_id": owner.account_id, "streamer_mode": true });
    let rest = key.patch("/v1/users/me", change.clone()).await;
    let graphql = key.mutate("updateMe", &change, "{ id }").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Switching the account needs a session");
    assert_eq!(me(&owner).await["streamer_mode"], false);
    key.patch("/v1/users/me", json!({ "streamer_mode": true })).await.expect(200);
}
