//! The eight rules of specification A §5.2, each by its number.

use api_core::{
    Cx,
    access::{Claims, Operation, Participant, Presented, RequestInfo, TokenType, Transport, Who, resolve},
};
use chrono::Duration;
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, SocketRequest, TestApp, both_refused};
use platforms_stand_in::{NewToken, Platform};
use reqwest::Method;
use serde_json::{Value, json};
use shared::{
    catalogue::UserPermission,
    db::schema::{
        account_permission_overrides, admin_role_members, admin_roles, user_permission_overrides,
        user_role_assignments, user_roles,
    },
    invalidation::Invalidation,
    secret::Secret,
    token::TokenKind,
};
use uuid::Uuid;

use super::{EXCHANGED, sign_in_with, text};

/// What the operations of rule 2 are called, by whoever builds them.
const FIRST_PARTY: [&str; 45] = [
    "me",
    "updateMe",
    "mySessions",
    "revokeOtherSessions",
    "revokeSession",
    "loginConnections",
    "disconnectLoginConnection",
    "setLoginReconnectFlag",
    "accountLoginAssignments",
    "assignLoginConnection",
    "removeLoginAssignment",
    "linkLoginProvider",
    "setPrimaryLoginConnection",
    "notifications",
    "unreadNotificationCount",
    "markNotificationRead",
    "markAllNotificationsRead",
    "runNotificationAction",
    "deleteNotification",
    "notificationPreferences",
    "updateNotificationPreference",
    "developerApplication",
    "submitDeveloperApplication",
    "developerVerification",
    "submitDeveloperVerification",
    "createAccount",
    "dissolveAccount",
    "leaveAccount",
    "issueWsToken",
    "createPopoutToken",
    "apiKeyAssignablePermissions",
    "userApiKeys",
    "createUserApiKey",
    "updateUserApiKey",
    "deleteUserApiKey",
    "flaggedConnections",
    "developerLimits",
    "developerProfile",
    "updateDeveloperProfile",
    "developerPayoutSettings",
    "updateDeveloperPayoutSettings",
    "requestDeveloperPayout",
    "developerPayouts",
    "developerRevenue",
    "logout",
];

/// Those of them that a later part of the product brings: the list may only shrink.
const NOT_BUILT: [&str; 12] = [
    "developerApplication",
    "submitDeveloperApplication",
    "developerVerification",
    "submitDeveloperVerification",
    "developerLimits",
    "developerProfile",
    "updateDeveloperProfile",
    "developerPayoutSettings",
    "updateDeveloperPayoutSettings",
    "requestDeveloperPayout",
    "developerPayouts",
    "developerRevenue",
];

async fn surfaces(app: &TestApp, account_id: Uuid) -> Vec<(&'static str, Caller)> {
    let mut surfaces = Vec::new();
    for (name, kind) in [
        ("overlay", TokenKind::Overlay),
        ("share", TokenKind::Share),
        ("widget", TokenKind::Widget),
        ("extension", TokenKind::Extension),
    ] {
        surfaces.push((name, app.surface_token(kind, account_id, &Uuid::now_v7().to_string(), None).await));
    }
    surfaces
}

async fn held(caller: &Caller) -> Value {
    caller.get("/v1/tokens/me").await.data()["permissions"].clone()
}

fn holds(held: &Value, permission: &str) -> bool {
    held.as_array().unwrap().contains(&json!(permission))
}

/// The platform-wide permissions of a person, sorted.
async fn user_permissions(person: &Person) -> Value {
    person.get("/v1/users/me").await.data()["user_permissions"].clone()
}

#[tokio::test]
async fn rule_1_tokens_of_surfaces_hold_nothing_and_call_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (name, caller) in surfaces(&app, owner.account_id).await {
        let message = "This token cannot call the API";
        for (path, query) in [
            ("/v1/tokens/me", "{ myPermissions { permissions } }"),
            ("/v1/platforms/enabled", "{ enabledPlatforms }"),
            ("/v1/service-keys", "{ accountServiceKeys { id } }"),
        ] {
            let (rest, graphql) = (caller.get(path).await, caller.graphql(query, json!({})).await);
            assert_eq!(rest.error().1, message, "{name} {path}");
            both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
        }
        let cx = cx(&app, &caller).await;
        assert!(cx.account_permissions().await.unwrap().is_empty(), "{name}");
        assert!(cx.user_permissions().await.unwrap().is_empty(), "{name}");
        assert!(cx.admin_permissions().await.unwrap().is_empty(), "{name}");
        // It connects, and no channel of the account is open to it.
        let mut socket = SocketRequest::to(app.url()).query(caller.token()).connect().await;
        for channel in ["chat", "events", "extensions", "account"] {
            let channel = format!("{channel}:{}", owner.account_id);
            let frame = json!({ "type": "subscribe", "channel": channel });
            assert_eq!(socket.error_of(frame).await, "UNAUTHORIZED", "{name} {channel}");
        }
    }
}

#[tokio::test]
async fn rule_2_first_party_operations_take_a_session_or_the_person_s_own_key() {
    let app = TestApp::start().await;
    let rules: Vec<_> = lumio_api::operations::rules().collect();
    for name in FIRST_PARTY {
        match rules.iter().find(|rule| rule.name == name) {
            Some(rule) => {
                assert!(matches!(rule.who, Who::FirstParty | Who::Session), "{name}: {:?}", rule.who)
            }
            None => assert!(NOT_BUILT.contains(&name), "{name} is not there"),
        }
    }
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["account:read", "apikeys:read", "tokens:read"]).await;
    let exchanged =
        app.anonymous().post("/v1/auth/popout/exchange", json!({ "token": popout.token() })).await;
    let mut refused = surfaces(&app, owner.account_id).await;
    refused.push(("popout", popout));
    refused.push(("popout session", app.bearer(text(exchanged.data(), "/token"))));
    refused.push(("service key", app.service_key(owner.account_id, &["apikeys:read"]).await));
    let key = app.personal_key(&owner, &["apikeys:read"]).await;
    let token = json!({ "permissions": ["chat:read"] });
    for (method, path, body, query) in [
        (Method::GET, "/v1/users/me", json!({}), "{ me { id } }"),
        (Method::GET, "/v1/api-keys", json!({}), "{ userApiKeys { id } }"),
        (Method::POST, "/v1/auth/ws-token", json!({}), "mutation { issueWsToken { wsToken } }"),
        (
            Method::POST,
            "/v1/tokens",
            token,
            "mutation { createPopoutToken(input: { permissions: [\"chat:read\"] }) { token } }",
        ),
    ] {
        let ask = async |caller: &Caller| -> (Answer, Answer) {
            let request = caller.request(method.clone(), path);
            let request = if method == Method::GET { request } else { request.json(&body) };
            (caller.send(request).await, caller.graphql(query, json!({})).await)
        };
        for (name, caller) in &refused {
            let (rest, graphql) = ask(caller).await;
            assert_eq!(rest.status, 403, "{name} {path}: {}", rest.text);
            both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
        }
        for caller in [&owner.caller, &key] {
            let (rest, graphql) = ask(caller).await;
            for answer in [rest, graphql] {
                assert_ne!(answer.error().1, "First-party session required", "{path}: {}", answer.text);
            }
        }
    }
}

#[tokio::test]
async fn rule_3_permissions_come_from_the_role_and_then_the_account_s_overrides() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["chat:read", "events:read"]).await;
    let without_account = {
        let now = app.clock.now();
        let claims = Claims::new(TokenType::Session, member.user_id, member.session_id, None, now, 900);
        app.bearer(app.state.jwt.sign(&claims).unwrap())
    };
    for (permission, granted) in [("chat:read", false), ("obs:read", true)] {
        use account_permission_overrides as t;
        insert_into(t::table)
            .values((
                t::account_id.eq(owner.account_id),
                t::permission.eq(permission),
                t::granted.eq(granted),
            ))
            .execute(&mut *app.state.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    }
    app.state.caches.invalidate(&Invalidation::Account { account_id: owner.account_id });
    let key = app.personal_key(&member, &["chat:read", "events:read", "obs:*"]).await;
    for (caller, name) in [(&member.caller, "session"), (&key, "key")] {
        let held = held(caller).await;
        for (permission, expected) in
            [("events:read", true), ("chat:read", false), ("obs:read", true), ("obs:edit", false)]
        {
            assert_eq!(holds(&held, permission), expected, "{name} {permission}");
        }
    }
    assert!(!holds(&held(&owner).await, "chat:read"), "a denial is for everybody in the account");
    let answer = without_account.get("/v1/tokens/me").await;
    assert_eq!(answer.data()["account_id"], Value::Null);
    assert!(!holds(&answer.data()["permissions"], "obs:read"), "no account, no override");
    without_account.get("/v1/service-keys").await.refused("FORBIDDEN", "Missing permission: apikeys:read");
}

#[tokio::test]
async fn rule_4_platform_wide_permissions_come_from_user_roles_and_overrides_and_are_cached() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let changed = || app.state.caches.invalidate(&Invalidation::User { user_id: owner.user_id });
    let mut db = app.state.databases.postgres.get().await.unwrap();
    // Nobody assigned anything: the role that is the default.
    assert_eq!(user_permissions(&owner).await.as_array().unwrap().len(), 10);

    // An empty role that is assigned does not fall back; what is cached stays until the change is announced.
    let empty = Uuid::now_v7();
    insert_into(user_roles::table)
        .values((
            user_roles::id.eq(empty),
            user_roles::slug.eq("empty"),
            user_roles::name.eq("Empty"),
            user_roles::permissions.eq(Vec::<String>::new()),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    let assign = async |db: &mut diesel_async::AsyncPgConnection, role: Uuid| {
        insert_into(user_role_assignments::table)
            .values((
                user_role_assignments::user_id.eq(owner.user_id),
                user_role_assignments::role_id.eq(role),
            ))
            .execute(db)
            .await
            .unwrap();
    };
    assign(&mut db, empty).await;
    assert_eq!(user_permissions(&owner).await.as_array().unwrap().len(), 10, "from the cache");
    changed();
    assert_eq!(user_permissions(&owner).await, json!([]));

    // Several roles add up, overrides come last: a grant adds, a denial removes.
    let restricted: Uuid = user_roles::table
        .filter(user_roles::slug.eq("restricted"))
        .select(user_roles::id)
        .first(&mut *db)
        .await
        .unwrap();
    assign(&mut db, restricted).await;
    for (permission, granted) in [("ideas:vote", true), ("ideas:read", false)] {
        use user_permission_overrides as t;
        insert_into(t::table)
            .values((t::user_id.eq(owner.user_id), t::permission.eq(permission), t::granted.eq(granted)))
            .execute(&mut *db)
            .await
            .unwrap();
    }
    changed();
    assert_eq!(user_permissions(&owner).await, json!(["ideas:comment_read", "ideas:vote"]));
    assert_eq!(user_permissions(&other).await.as_array().unwrap().len(), 10, "of this person alone");

    // They are the same whatever the account, and an account's change leaves them cached.
    app.join(other.account_id, owner.user_id, "viewer").await;
    let session = app.session(owner.user_id, other.account_id).await;
    assert_eq!(user_permissions(&session).await, json!(["ideas:comment_read", "ideas:vote"]));
    diesel::delete(user_role_assignments::table).execute(&mut *db).await.unwrap();
    app.state.caches.invalidate(&Invalidation::Account { account_id: owner.account_id });
    assert_eq!(user_permissions(&owner).await, json!(["ideas:comment_read", "ideas:vote"]), "still cached");
}

/// Needs a platform-wide permission.
static CREATE_SOMETHING: Operation<Participant> =
    Operation::user("createSomething", UserPermission::IdeasCreate);
/// Needs it among users or among operator staff.
static MODERATE_SOMETHING: Operation<Participant> =
    Operation::user_or_admin("moderateSomething", &[UserPermission::IdeasModerateEdit]);

/// A request of somebody, before any operation looked at it.
async fn cx(app: &TestApp, caller: &Caller) -> Cx {
    let presented = Presented { text: Secret::new(caller.token()), transport: Transport::SocketHeader };
    let principal = resolve(&app.state, Some(&presented)).await.unwrap();
    Cx::new(app.state.clone(), principal, RequestInfo::default())
}

/// What an operation answers somebody: nothing when it lets them pass.
async fn refusal(cx: &Cx, operation: &'static Operation<Participant>) -> Option<(String, String)> {
    let refused = cx.authorize(operation).await.err()?;
    Some((refused.code.as_str().to_owned(), refused.message.to_string()))
}

#[tokio::test]
async fn rule_5_only_a_session_or_a_key_with_the_scope_acts_platform_wide() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let missing = Some(("FORBIDDEN".to_owned(), "Missing permission: ideas:create".to_owned()));
    let may = [
        owner.caller.clone(),
        app.personal_key(&owner, &["ideas:create"]).await,
        app.personal_key(&owner, &["ideas:*"]).await,
    ];
    for caller in &may {
        assert_eq!(refusal(&cx(&app, caller).await, &CREATE_SOMETHING).await, None);
    }
    for caller in [
        app.personal_key(&owner, &["ideas:read", "chat:read"]).await,
        app.service_key(owner.account_id, &["ideas:create", "ideas:*"]).await,
        app.popout(&owner, &["ideas:create"]).await,
    ] {
        assert_eq!(refusal(&cx(&app, &caller).await, &CREATE_SOMETHING).await, missing);
    }
    let nobody = resolve(&app.state, None).await.unwrap();
    let nobody = Cx::new(app.state.clone(), nobody, RequestInfo::default());
    assert_eq!(
        refusal(&nobody, &CREATE_SOMETHING).await,
        missing,
        "anonymous is forbidden, not unauthorized"
    );

    // A session and a key lose it with their person.
    use user_permission_overrides as t;
    insert_into(t::table)
        .values((t::user_id.eq(owner.user_id), t::permission.eq("ideas:create"), t::granted.eq(false)))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::User { user_id: owner.user_id });
    for caller in &may {
        assert_eq!(refusal(&cx(&app, caller).await, &CREATE_SOMETHING).await, missing);
    }
}

#[tokio::test]
async fn rule_6_moderation_passes_in_the_user_scope_or_in_the_admin_scope() {
    let app = TestApp::start().await;
    let (member, moderator) = (app.owner().await, app.owner().await);
    let mut db = app.state.databases.postgres.get().await.unwrap();
    let role: Uuid = user_roles::table
        .filter(user_roles::slug.eq("moderator"))
        .select(user_roles::id)
        .first(&mut *db)
        .await
        .unwrap();
    insert_into(user_role_assignments::table)
        .values((
            user_role_assignments::user_id.eq(moderator.user_id),
            user_role_assignments::role_id.eq(role),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    let admin = app.admin_with(&["ideas:moderate_edit"]).await;
    let other_admin = app.admin_with(&["ideas:moderate_delete"]).await;
    for caller in [&moderator, &admin] {
        let cx = cx(&app, caller).await;
        assert_eq!(refusal(&cx, &MODERATE_SOMETHING).await, None);
        assert!(cx.require_user_or_admin(UserPermission::IdeasModerateEdit).await.is_ok());
    }
    let missing = Some(("FORBIDDEN".to_owned(), "Missing permission: ideas:moderate_edit".to_owned()));
    for caller in [
        member.caller.clone(),
        other_admin.caller.clone(),
        app.personal_key(&admin, &["ideas:*"]).await,
        app.personal_key(&moderator, &["ideas:*"]).await,
        app.service_key(member.account_id, &["ideas:*"]).await,
    ] {
        let cx = cx(&app, &caller).await;
        assert_eq!(refusal(&cx, &MODERATE_SOMETHING).await, missing);
        assert!(cx.require_user_or_admin(UserPermission::IdeasModerateEdit).await.is_err());
    }
    // Either is enough by itself, and neither leaves something behind.
    diesel::delete(admin_role_members::table.filter(admin_role_members::user_id.eq(admin.user_id)))
        .execute(&mut *db)
        .await
        .unwrap();
    diesel::delete(admin_roles::table.filter(admin_roles::permissions.contains(vec!["ideas:moderate_edit"])))
        .execute(&mut *db)
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::User { user_id: admin.user_id });
    assert_eq!(refusal(&cx(&app, &admin).await, &MODERATE_SOMETHING).await, missing);
}

#[tokio::test]
async fn rule_7_a_provider_token_must_be_of_the_subject_and_for_this_application() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut attempts = 0;
    for (provider, platform) in
        [("twitch", Platform::Twitch), ("google", Platform::Youtube), ("discord", Platform::Discord)]
    {
        let (ada, own) = app.platforms.create_user(platform, "ada");
        let (bob, _) = app.platforms.create_user(platform, "bob");
        let foreign = app.platforms.issue_token(NewToken {
            platform,
            user_id: Some(ada.id.clone()),
            client_id: Some("another-application".into()),
            scopes: None,
            expires_in_secs: None,
        });
        for input in [sign_in_with(provider, &ada, &foreign), sign_in_with(provider, &bob, &own)] {
            let anonymous = app.anonymous();
            let rest = anonymous.post("/v1/auth/token", input.clone()).await;
            let graphql = anonymous.mutate("exchangeToken", &input, EXCHANGED).await;
            both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Invalid provider token");
            let authorize = anonymous.post("/v1/auth/authorize", input.clone()).await;
            let link = owner.post("/v1/auth/link", input).await;
            for answer in [authorize, link] {
                assert_eq!(answer.status, 401, "{provider}: {}", answer.text);
                answer.refused("UNAUTHORIZED", "Invalid provider token");
            }
            attempts += 4;
        }
    }
    let failed = app.audited("user:login_failed").await;
    assert_eq!(failed.len(), attempts);

    // Without a configured client id nobody gets in, and nobody learns why.
    let app = TestApp::builder()
        .with("LUMIO_TWITCH_CLIENT_ID", "")
        .with("LUMIO_YOUTUBE_CLIENT_ID", "")
        .with("LUMIO_DISCORD_CLIENT_ID", "")
        .start()
        .await;
    let owner = app.owner().await;
    for (provider, platform) in
        [("twitch", Platform::Twitch), ("google", Platform::Youtube), ("discord", Platform::Discord)]
    {
        let (ada, token) = app.platforms.create_user(platform, "ada");
        let input = sign_in_with(provider, &ada, &token);
        let anonymous = app.anonymous();
        let rest = anonymous.post("/v1/auth/token", input.clone()).await;
        let graphql = anonymous.mutate("exchangeToken", &input, EXCHANGED).await;
        both_refused(&rest, &graphql, 500, "INTERNAL_SERVER_ERROR", "Internal server error");
        let authorize = anonymous.post("/v1/auth/authorize", input.clone()).await;
        let link = owner.post("/v1/auth/link", input).await;
        for answer in [authorize, link] {
            answer.refused("INTERNAL_SERVER_ERROR", "Internal server error");
        }
    }
}

#[tokio::test]
async fn rule_8_tokens_live_as_long_as_is_decided() {
    // C §2.1: a session token 15 minutes, a refresh token 30 days.
    let app = TestApp::start().await;
    let signed_in = super::sign_in(&app, "ada").await;
    let (token, refresh_token) = (text(signed_in.data(), "/token"), text(signed_in.data(), "/refresh_token"));
    let session = app.bearer(token);
    app.clock.advance(Duration::seconds(895));
    session.get("/v1/tokens/me").await.expect(200);
    app.clock.advance(Duration::seconds(6));
    session.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    app.clock.advance(Duration::days(29));
    let next = super::refresh(&app, refresh_token).await;
    app.bearer(text(next.data(), "/token")).get("/v1/tokens/me").await.expect(200);
    app.clock.advance(Duration::days(31));
    super::refresh(&app, text(next.data(), "/refresh_token"))
        .await
        .refused("UNAUTHORIZED", "Invalid refresh token");
}
