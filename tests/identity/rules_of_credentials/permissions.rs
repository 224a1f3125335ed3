//! Sources of permissions, in the account and platform-wide (reference/permissions.md#resolution).

use api_core::{
    Cx,
    access::{Claims, Grants, Operation, Participant, RequestInfo, TokenType, resolve},
};
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use foundation::invalidation::Invalidation;
use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};
use shared::{
    catalogue::UserPermission,
    schema::{
        account_permission_overrides, admin_role_members, admin_roles, user_permission_overrides,
        user_role_assignments, user_roles,
    },
};
use uuid::Uuid;

use super::cx;

async fn held(caller: &Caller) -> Value {
    caller.get("/v1/tokens/me").await.data()["permissions"].clone()
}

fn holds(held: &Value, permission: &str) -> bool {
    held.as_array().unwrap().contains(&json!(permission))
}

/// Platform-wide permissions of a person, sorted.
async fn user_permissions(person: &Person) -> Value {
    person.get("/v1/users/me").await.data()["user_permissions"].clone()
}

#[tokio::test]
async fn permissions_come_from_the_role_and_then_account_overrides() {
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
            .execute(&mut *app.databases.postgres.get().await.unwrap())
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
async fn permissions_of_users_come_from_user_roles_and_overrides_and_are_cached() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let changed = || app.state.caches.invalidate(&Invalidation::User { user_id: owner.user_id });
    let mut db = app.databases.postgres.get().await.unwrap();
    // The default role applies without an assignment.
    assert_eq!(user_permissions(&owner).await.as_array().unwrap().len(), 10);

    // An assigned empty role does not fall back to the default; the cache holds until the change is
    // announced.
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

    // Several roles add up. Overrides come last: a grant adds, a denial removes.
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

    // They do not depend on the account, and a change of an account keeps them cached.
    app.join(other.account_id, owner.user_id, "viewer").await;
    let session = app.session(owner.user_id, other.account_id).await;
    assert_eq!(user_permissions(&session).await, json!(["ideas:comment_read", "ideas:vote"]));
    diesel::delete(user_role_assignments::table).execute(&mut *db).await.unwrap();
    app.state.caches.invalidate(&Invalidation::Account { account_id: owner.account_id });
    assert_eq!(user_permissions(&owner).await, json!(["ideas:comment_read", "ideas:vote"]), "still cached");
}

/// Operation that needs a platform-wide permission.
static CREATE_SOMETHING: Operation<Participant> =
    Operation::user("createSomething", UserPermission::IdeasCreate, Grants::Nothing);
/// Operation that needs a permission in the user scope or in the admin scope.
static MODERATE_SOMETHING: Operation<Participant> =
    Operation::user_or_admin("moderateSomething", &[UserPermission::IdeasModerateEdit], Grants::Nothing);

/// Code and message of a refusal; `None` when the operation accepts the caller.
async fn refusal(cx: &Cx, operation: &'static Operation<Participant>) -> Option<(String, String)> {
    let refused = cx.authorize(operation).await.err()?;
    Some((refused.code.as_str().to_owned(), refused.message.to_string()))
}

#[tokio::test]
async fn permissions_of_users_need_a_session_or_a_key_with_the_scope() {
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
    let anonymous = resolve(&app.state, None).await.unwrap().principal;
    let anonymous = Cx::new(app.state.clone(), anonymous, RequestInfo::default());
    assert_eq!(
        refusal(&anonymous, &CREATE_SOMETHING).await,
        missing,
        "anonymous is forbidden, not unauthorized"
    );

    // A session and a key lose the permission with their user.
    use user_permission_overrides as t;
    insert_into(t::table)
        .values((t::user_id.eq(owner.user_id), t::permission.eq("ideas:create"), t::granted.eq(false)))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::User { user_id: owner.user_id });
    for caller in &may {
        assert_eq!(refusal(&cx(&app, caller).await, &CREATE_SOMETHING).await, missing);
    }
}

#[tokio::test]
async fn permissions_for_moderation_pass_in_the_user_or_admin_scope() {
    let app = TestApp::start().await;
    let (member, moderator) = (app.owner().await, app.owner().await);
    let mut db = app.databases.postgres.get().await.unwrap();
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
    // Either permission is enough, and neither has an effect after its removal.
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
