//! People as operator staff sees and changes them (specification A §3, §4.3; C §9).

use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, Statements, TestApp};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::{
    db::schema::{accounts, extensions, login_connections, memberships, users},
    id,
};
use uuid::Uuid;

use super::{Both, each_needs, id_of, refused, text};

const SUMMARY: &str = "{ id displayName username email avatarUrl createdAt lastLoginAt accountCreationOverride \
    maxAccountsOverride ownedAccountCount membershipCount isDeveloper }";
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

async fn update(caller: &Caller, user: Uuid, rest: Value, graphql: Value) -> Both {
    let document = format!(
        "mutation($id: UUID!, $input: AdminUpdateUserInput!) {{ adminUpdateUser(id: $id, input: $input) {USER} }}"
    );
    (
        caller.patch(&format!("/v1/admin/users/{user}"), rest).await,
        caller.graphql(&document, json!({ "id": user, "input": graphql })).await,
    )
}

async fn override_creation(caller: &Caller, user: Uuid, value: &str) -> lumio_tests::Answer {
    let document = format!(
        "mutation {{ adminUpdateUserAccountCreationOverride(userId: \"{user}\", override: {value}) {USER} }}"
    );
    caller.graphql(&document, json!({})).await
}

async fn delete(caller: &Caller, user: Uuid) -> Both {
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

async fn add(caller: &Caller, user: Uuid, account: Uuid, role: Uuid) -> Both {
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

async fn remove(caller: &Caller, user: Uuid, membership: Uuid) -> Both {
    let document = format!(
        "mutation {{ adminRemoveUserMembership(userId: \"{user}\", membershipId: \"{membership}\") }}"
    );
    (
        caller.delete(&format!("/v1/admin/users/{user}/memberships/{membership}")).await,
        caller.graphql(&document, json!({})).await,
    )
}

/// The role of an account with the slug.
async fn role(owner: &Person, slug: &str) -> Uuid {
    let roles = owner.get("/v1/roles").await;
    id_of(roles.data().as_array().unwrap().iter().find(|role| role["slug"] == slug).unwrap())
}

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

async fn people(app: &TestApp) -> i64 {
    users::table.count().get_result(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Enum values are upper-case over GraphQL.
fn lowered(mut user: Value) -> Value {
    if let Some(value) = user["account_creation_override"].as_str() {
        user["account_creation_override"] = json!(value.to_lowercase());
    }
    user
}

#[tokio::test]
async fn people_are_found_by_name_address_and_identifier() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let ada = app.user("Ada_Lovelace").await;
    let grace = app.user("grace").await;
    let change = json!({ "email": "hopper@example.org" });
    assert_eq!(update(&admin, grace, change.clone(), change).await.0.status, 200);
    for (search, found) in [
        ("ada_l", vec![ada]),
        ("HOPPER@", vec![grace]),
        (&grace.to_string(), vec![grace]),
        ("a_a", vec![]),
        ("%", vec![]),
        ("nobody", vec![]),
    ] {
        let rest = admin
            .send(admin.request(reqwest::Method::GET, "/v1/admin/users").query(&[("search", search)]))
            .await;
        let ids: Vec<Uuid> = rest.data().as_array().unwrap().iter().map(id_of).collect();
        assert_eq!(ids, found, "{search}");
        assert_eq!(rest.body["_meta"]["total"], json!(found.len()));
        let document = format!(
            "query($s: String) {{ adminUsers(search: $s) {{ items {SUMMARY} total page limit pages }} }}"
        );
        let graphql = admin.graphql(&document, json!({ "s": search })).await.field("adminUsers");
        let items: Vec<Value> = graphql["items"].as_array().unwrap().iter().cloned().map(lowered).collect();
        assert_eq!((&json!(items), &graphql["total"]), (rest.data(), &rest.body["_meta"]["total"]));
    }
    let first = admin.get("/v1/admin/users?limit=1").await;
    assert_eq!((first.data().as_array().unwrap().len(), id_of(&first.data()[0])), (1, grace));
    assert_eq!(first.body["_links"]["next"], "/v1/admin/users?page=2&limit=1");
    assert_eq!(first.body["_meta"], json!({ "total": 3, "page": 1, "limit": 1, "pages": 3 }));
    admin.get("/v1/admin/users?page=0").await.refused("VALIDATION_ERROR", "page must be 1 or greater");
    admin
        .get("/v1/admin/users?limit=101")
        .await
        .refused("VALIDATION_ERROR", "limit must be between 1 and 100");
    let long = "x".repeat(101);
    admin
        .get(&format!("/v1/admin/users?search={long}"))
        .await
        .refused("VALIDATION_ERROR", "search must be between 0 and 100 characters");
}

#[tokio::test]
async fn a_page_of_people_is_two_statements() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    sql_query(
        "INSERT INTO users (id, display_name, username)
         SELECT gen_random_uuid(), 'p' || n, 'p' || n FROM generate_series(1, 1000) n",
    )
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    admin.get("/v1/admin/users").await.expect(200);
    statements.to(&app);
    let page = admin.get("/v1/admin/users?limit=100").await;
    assert_eq!(page.data().as_array().unwrap().len(), 100);
    assert_eq!(page.body["_meta"]["total"], 1001);
    let sent = statements.take_of("users");
    assert_eq!(sent.len(), 2, "{sent:#?}");
}

#[tokio::test]
async fn each_operation_needs_its_permission() {
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
        .refused("VALIDATION_ERROR", "Invalid body: missing field `role_id`");
    assert!(app.audited("user:updated").await.is_empty());
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let app = TestApp::start().await;
    let (admin, person) = (admin(&app).await, app.owner().await);
    let (nobody, viewer) = (Uuid::now_v7(), role(&person, "viewer").await);
    let empty = json!({});
    for both in [
        find(&admin, nobody).await,
        update(&admin, nobody, empty.clone(), empty).await,
        delete(&admin, nobody).await,
        disconnect(&admin, nobody, nobody).await,
        add(&admin, nobody, person.account_id, viewer).await,
    ] {
        refused(&both, 404, "NOT_FOUND", "User not found");
    }
    override_creation(&admin, nobody, "DENY").await.refused("NOT_FOUND", "User not found");
    let user = admin.user_id;
    refused(&disconnect(&admin, user, nobody).await, 404, "NOT_FOUND", "Login connection not found");
    refused(&add(&admin, user, nobody, viewer).await, 404, "NOT_FOUND", "Account not found");
    refused(&add(&admin, user, person.account_id, nobody).await, 404, "NOT_FOUND", "Role not found");
    // A role of another account is none of this one.
    refused(&add(&admin, user, admin.account_id, viewer).await, 404, "NOT_FOUND", "Role not found");
    refused(&remove(&admin, user, nobody).await, 404, "NOT_FOUND", "Membership not found");
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
}

#[tokio::test]
async fn a_membership_is_given_and_ended() {
    let app = TestApp::start().await;
    let (admin, owner) = (admin(&app).await, app.owner().await);
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

#[tokio::test]
async fn a_deleted_person_is_gone_with_accounts_memberships_and_sessions() {
    let app = TestApp::start().await;
    let (admin, other) = (admin(&app).await, app.owner().await);
    // Somebody with a real grant, an account of their own and a membership elsewhere.
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
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(own.len(), 1);

    let (rest, graphql) = delete(&admin, ada).await;
    assert_eq!((rest.status, rest.text.as_str()), (204, ""));
    graphql.refused("NOT_FOUND", "User not found");
    session.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    assert_eq!(people(&app).await, 2);
    let mut db = app.state.databases.postgres.get().await.unwrap();
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
async fn oneself_and_the_owner_of_extensions_are_not_deleted() {
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
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
