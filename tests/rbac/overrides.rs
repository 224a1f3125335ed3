//! Permissions granted or denied beside the roles (specification A §2.9, §4.6, §5.2; C §6).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};
use shared::db::schema::{account_permission_overrides, user_permission_overrides, users};
use uuid::Uuid;

use super::{Both, each_needs, refused, told};

const RESOLVED: &str = "{ permissions roles overrides { userId permission granted reason setBy createdAt } \
    accountOverrides { accountId permission granted reason setBy createdAt } }";

async fn user_admin(app: &TestApp) -> Person {
    app.admin_with(&["user-roles:read", "user-roles:edit"]).await
}

async fn account_admin(app: &TestApp) -> Person {
    app.system_admin().await
}

/// Which of the two kinds of override a call is about.
#[derive(Clone, Copy)]
enum Of {
    User(Uuid),
    Account(Uuid),
}

impl Of {
    fn path(self) -> String {
        match self {
            Self::User(id) => format!("/v1/users/{id}/permission-overrides"),
            Self::Account(id) => format!("/v1/admin/accounts/{id}/permission-overrides"),
        }
    }

    /// `(argument, id, list, set, remove, owner's field)`
    const fn names(self) -> (&'static str, Uuid, &'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::User(id) => (
                "userId",
                id,
                "userPermissionOverrides",
                "setUserPermissionOverride",
                "removeUserPermissionOverride",
                "userId",
            ),
            Self::Account(id) => (
                "accountId",
                id,
                "adminAccountPermissionOverrides",
                "adminSetAccountPermissionOverride",
                "adminRemoveAccountPermissionOverride",
                "accountId",
            ),
        }
    }

    async fn set(self, caller: &Caller, permission: &str, granted: bool, reason: Option<&str>) -> Both {
        let (argument, id, _, set, _, owner) = self.names();
        let document = format!(
            "mutation($p: String!, $g: Boolean!, $r: String) {{ \
             {set}({argument}: \"{id}\", permission: $p, granted: $g, reason: $r) \
             {{ {owner} permission granted reason setBy createdAt }} }}"
        );
        let input = json!({ "permission": permission, "granted": granted, "reason": reason });
        let variables = json!({ "p": permission, "g": granted, "r": reason });
        (caller.put(&self.path(), input).await, caller.graphql(&document, variables).await)
    }

    async fn remove(self, caller: &Caller, permission: &str) -> Both {
        let (argument, id, _, _, remove, _) = self.names();
        let document = format!("mutation($p: String!) {{ {remove}({argument}: \"{id}\", permission: $p) }}");
        (
            caller.delete(&format!("{}/{permission}", self.path())).await,
            caller.graphql(&document, json!({ "p": permission })).await,
        )
    }

    async fn list(self, caller: &Caller) -> Both {
        let (argument, id, list, _, _, owner) = self.names();
        let document = format!(
            "{{ {list}({argument}: \"{id}\") {{ {owner} permission granted reason setBy createdAt }} }}"
        );
        (caller.get(&self.path()).await, caller.graphql(&document, json!({})).await)
    }

    /// What both protocols list.
    async fn listed(self, caller: &Caller) -> Value {
        let (rest, graphql) = self.list(caller).await;
        assert_eq!(graphql.field(self.names().2), *rest.data());
        rest.data().clone()
    }
}

async fn resolved(caller: &Caller, user: Uuid) -> Both {
    let document = format!("{{ resolvedUserPermissions(userId: \"{user}\") {RESOLVED} }}");
    (
        caller.get(&format!("/v1/users/{user}/permissions/resolved")).await,
        caller.graphql(&document, json!({})).await,
    )
}

async fn held(person: &Caller) -> Vec<String> {
    serde_json::from_value(person.get("/v1/users/me").await.data()["user_permissions"].clone()).unwrap()
}

#[tokio::test]
async fn an_override_of_a_person_beats_the_roles() {
    let app = TestApp::start().await;
    let (admin, person) = (user_admin(&app).await, app.owner().await);
    let of = Of::User(person.user_id);
    assert!(held(&person).await.contains(&"ideas:vote".to_owned()));
    let (rest, graphql) = of.set(&admin, "ideas:vote", false, Some(" Spam. ")).await;
    assert_eq!(rest.status, 200, "{}", rest.text);
    let expected = json!({
        "user_id": person.user_id, "permission": "ideas:vote", "granted": false, "reason": "Spam.",
        "set_by": admin.user_id, "created_at": rest.data()["created_at"],
    });
    assert_eq!(rest.data(), &expected);
    assert_eq!(graphql.field("setUserPermissionOverride")["reason"], "Spam.");
    assert!(!held(&person).await.contains(&"ideas:vote".to_owned()));
    assert_eq!(of.listed(&admin).await.as_array().unwrap().len(), 1);

    // A second one of the same permission replaces the first.
    let (rest, _) = of.set(&admin, "ideas:vote", true, None).await;
    assert_eq!((&rest.data()["granted"], &rest.data()["reason"]), (&json!(true), &Value::Null));
    assert!(held(&person).await.contains(&"ideas:vote".to_owned()));
    assert_eq!(of.listed(&admin).await.as_array().unwrap().len(), 1);
    let audited = app.audited("permission_override:set").await;
    assert_eq!((audited.len(), audited[0].scope.as_str()), (4, "system"));
    assert_eq!(
        audited[0].metadata,
        json!({ "permission": "ideas:vote", "granted": false, "reason": "Spam." })
    );

    let (rest, graphql) = of.remove(&admin, "ideas:vote").await;
    assert_eq!(rest.status, 204, "{}", rest.text);
    graphql.refused("NOT_FOUND", "Permission override not found");
    assert_eq!(app.audited("permission_override:removed").await.len(), 1);
    assert_eq!(of.listed(&admin).await, json!([]));
    assert_eq!(told(&app, &format!("user:{}", person.user_id)).await, vec!["permissions:updated"; 5]);
}

#[tokio::test]
async fn an_override_of_an_account_is_for_everybody_in_it() {
    let app = TestApp::start().await;
    let (admin, owner, other) = (account_admin(&app).await, app.owner().await, app.owner().await);
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let of = Of::Account(owner.account_id);
    viewer.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
    let (rest, graphql) = of.set(&admin, "roles:read", true, Some("Asked for.")).await;
    assert_eq!(rest.status, 200, "{}", rest.text);
    let expected = json!({
        "account_id": owner.account_id, "permission": "roles:read", "granted": true, "reason": "Asked for.",
        "set_by": admin.user_id, "created_at": rest.data()["created_at"],
    });
    assert_eq!(rest.data(), &expected);
    assert_eq!(graphql.field("adminSetAccountPermissionOverride")["granted"], true);
    viewer.get("/v1/roles").await.expect(200);

    assert_eq!(of.set(&admin, "roles:read", false, None).await.0.status, 200);
    let key = app.service_key(owner.account_id, &["roles:read"]).await;
    for caller in [&viewer.caller, &owner.caller, &key] {
        caller.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
    }
    other.get("/v1/roles").await.expect(200);
    assert_eq!(of.listed(&admin).await[0]["permission"], "roles:read");
    let audited = app.audited("permission_override:set").await;
    assert_eq!((audited.len(), audited[0].account_id), (4, Some(owner.account_id)));
    assert_eq!(audited[0].actor_id, Some(admin.user_id));

    let (rest, _) = of.remove(&admin, "roles:read").await;
    assert_eq!(rest.status, 204, "{}", rest.text);
    assert_eq!(app.audited("permission_override:removed").await.len(), 1);
    owner.get("/v1/roles").await.expect(200);
    key.get("/v1/roles").await.expect(200);
    viewer.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
    assert_eq!(told(&app, &format!("account:{}", owner.account_id)).await, vec!["roles:updated"; 5]);
}

#[tokio::test]
async fn each_operation_needs_its_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (user, account) = (Of::User(owner.user_id), Of::Account(owner.account_id));
    let user_id = owner.user_id;
    let wrong = app.admin_with(&["accounts:read", "accounts:edit", "user-roles:create"]).await;
    let calls = |caller: Caller| async move {
        vec![
            ("user-roles:read", user.list(&caller).await),
            ("user-roles:edit", user.set(&caller, "ideas:vote", true, None).await),
            ("user-roles:edit", user.remove(&caller, "ideas:vote").await),
            ("user-roles:read", resolved(&caller, user_id).await),
            ("accounts:overrides-read", account.list(&caller).await),
            ("accounts:overrides-edit", account.set(&caller, "chat:read", false, None).await),
            ("accounts:overrides-edit", account.remove(&caller, "chat:read").await),
        ]
    };
    each_needs(&app, &[&owner, &wrong], calls).await;
    let popout = app.popout(&owner, &["account:read"]).await;
    for (permission, both) in calls(popout).await {
        refused(&both, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    let mut db = app.state.databases.postgres.get().await.unwrap();
    let users: i64 = user_permission_overrides::table.count().get_result(&mut *db).await.unwrap();
    let accounts: i64 = account_permission_overrides::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!((users, accounts), (0, 0));
}

#[tokio::test]
async fn only_the_permissions_of_the_scope_can_be_overridden() {
    let app = TestApp::start().await;
    let (user_admin, account_admin, owner) =
        (user_admin(&app).await, account_admin(&app).await, app.owner().await);
    let (user, account) = (Of::User(owner.user_id), Of::Account(owner.account_id));
    for wrong in ["ideas:moderate_edit", "ideas:*", "chat:read", "admin:access", "x"] {
        let message = format!("Invalid permission: {wrong}");
        refused(&user.set(&user_admin, wrong, true, None).await, 400, "VALIDATION_ERROR", &message);
        refused(&user.remove(&user_admin, wrong).await, 400, "VALIDATION_ERROR", &message);
    }
    for wrong in ["ideas:read", "chat:*", "*", "admin:access", "chat:none"] {
        let message = format!("Invalid permission: {wrong}");
        refused(&account.set(&account_admin, wrong, true, None).await, 400, "VALIDATION_ERROR", &message);
        refused(&account.remove(&account_admin, wrong).await, 400, "VALIDATION_ERROR", &message);
    }
    let long = "x".repeat(501);
    let both = user.set(&user_admin, "ideas:vote", true, Some(&long)).await;
    refused(&both, 400, "VALIDATION_ERROR", "reason must be between 0 and 500 characters");
    let answer = user_admin.put(&user.path(), json!({ "permission": "ideas:vote" })).await;
    answer.refused("VALIDATION_ERROR", "Missing field: granted");
    assert_eq!(
        (user.listed(&user_admin).await, account.listed(&account_admin).await),
        (json!([]), json!([]))
    );
    assert!(app.audited("permission_override:set").await.is_empty());
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let app = TestApp::start().await;
    let (user_admin, account_admin, owner) =
        (user_admin(&app).await, account_admin(&app).await, app.owner().await);
    let nobody = Uuid::now_v7();
    let (user, account) = (Of::User(nobody), Of::Account(nobody));
    refused(&user.list(&user_admin).await, 404, "NOT_FOUND", "User not found");
    refused(&user.set(&user_admin, "ideas:vote", true, None).await, 404, "NOT_FOUND", "User not found");
    refused(&resolved(&user_admin, nobody).await, 404, "NOT_FOUND", "User not found");
    refused(&account.list(&account_admin).await, 404, "NOT_FOUND", "Account not found");
    let both = account.set(&account_admin, "chat:read", true, None).await;
    refused(&both, 404, "NOT_FOUND", "Account not found");
    let both = Of::User(owner.user_id).remove(&user_admin, "ideas:vote").await;
    refused(&both, 404, "NOT_FOUND", "Permission override not found");
    let both = Of::Account(owner.account_id).remove(&account_admin, "chat:read").await;
    refused(&both, 404, "NOT_FOUND", "Permission override not found");
    let path = "/v1/admin/accounts/x/permission-overrides";
    account_admin.get(path).await.refused("VALIDATION_ERROR", "Invalid UUID: id");
}

#[tokio::test]
async fn an_override_of_an_earlier_version_can_be_removed() {
    let app = TestApp::start().await;
    let (admin, owner) = (user_admin(&app).await, app.owner().await);
    insert_into(user_permission_overrides::table)
        .values((
            user_permission_overrides::user_id.eq(owner.user_id),
            user_permission_overrides::permission.eq("ideas:old"),
            user_permission_overrides::granted.eq(true),
        ))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let of = Of::User(owner.user_id);
    assert_eq!(of.listed(&admin).await[0]["permission"], "ideas:old");
    assert_eq!(of.remove(&admin, "ideas:old").await.0.status, 204);
}

#[tokio::test]
async fn the_resolved_view_shows_what_a_person_may_do_and_why() {
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

    // Without an active account the overrides of accounts are left out (A §5.2, rule 3).
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
    // Nor are those of an account that the person does not belong to.
    act_in(&app, person.user_id, Some(admin.account_id)).await;
    let (rest, _) = resolved(&admin, person.user_id).await;
    assert_eq!(rest.data()["account_overrides"], json!([]));
}

async fn act_in(app: &TestApp, user: Uuid, account: Option<Uuid>) {
    diesel::update(users::table.find(user))
        .set(users::active_account_id.eq(account))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn the_resolved_view_leaves_the_cache_as_it_is() {
    let app = TestApp::start().await;
    let (admin, person) = (user_admin(&app).await, app.owner().await);
    for both in [resolved(&admin, person.user_id).await, resolved(&admin, person.user_id).await] {
        both.0.expect(200);
    }
    assert!(!app.state.caches.users.knows(&person.user_id));
    // And it does not believe the cache.
    assert_eq!(held(&person).await.len(), 10);
    assert!(app.state.caches.users.knows(&person.user_id));
    insert_into(user_permission_overrides::table)
        .values((
            user_permission_overrides::user_id.eq(person.user_id),
            user_permission_overrides::permission.eq("ideas:vote"),
            user_permission_overrides::granted.eq(false),
        ))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let (rest, _) = resolved(&admin, person.user_id).await;
    assert_eq!(rest.data()["permissions"].as_array().unwrap().len(), 9);
    assert_eq!(held(&person).await.len(), 10);
}
