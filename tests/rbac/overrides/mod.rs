//! Permissions granted or denied in addition to the roles (reference/permissions.md#overrides).

mod refusals;
mod resolution;

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};
use shared::schema::user_permission_overrides;
use uuid::Uuid;

use super::{Both, pending_events, refused};

const RESOLVED: &str = "{ permissions roles overrides { userId permission granted reason setBy createdAt } \
    accountOverrides { accountId permission granted reason setBy createdAt } }";

async fn user_admin(app: &TestApp) -> Person {
    app.admin_with(&["user-roles:read", "user-roles:edit"]).await
}

async fn account_admin(app: &TestApp) -> Person {
    app.system_admin().await
}

/// Subject of an override.
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

    /// Overrides that both protocols list.
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
async fn set_user_permission_override_takes_precedence_over_roles() {
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
    assert_eq!(
        pending_events(&app, &format!("user:{}", person.user_id)).await,
        vec!["permissions:updated"; 5]
    );
}

#[tokio::test]
async fn admin_set_account_permission_override_applies_to_everybody_in_the_account() {
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
    assert_eq!(
        pending_events(&app, &format!("account:{}", owner.account_id)).await,
        vec!["roles:updated"; 5]
    );
}

/// Asserts that both protocols list the overrides of a subject by permission, to staff who may read them.
async fn lists_by_permission(of: Of, admin: &Caller, permissions: [&str; 2], needed: &str, caller: &Caller) {
    assert_eq!(of.listed(admin).await, json!([]));
    let [first, second] = permissions;
    of.set(admin, second, true, None).await.0.expect(200);
    of.set(admin, first, false, Some("Spam.")).await.0.expect(200);
    let listed = of.listed(admin).await;
    let facts: Vec<_> =
        listed.as_array().unwrap().iter().map(|row| (&row["permission"], &row["granted"])).collect();
    assert_eq!(facts, [(&json!(first), &json!(false)), (&json!(second), &json!(true))]);
    assert_eq!((&listed[0]["reason"], &listed[1]["reason"]), (&json!("Spam."), &Value::Null));
    refused(&of.list(caller).await, 403, "FORBIDDEN", &format!("Missing permission: {needed}"));
}

#[tokio::test]
async fn user_permission_overrides_lists_by_permission() {
    let app = TestApp::start().await;
    let (admin, person) = (user_admin(&app).await, app.owner().await);
    let (of, permissions) = (Of::User(person.user_id), ["ideas:create", "ideas:vote"]);
    lists_by_permission(of, &admin, permissions, "user-roles:read", &person).await;
    let both = Of::User(Uuid::now_v7()).list(&admin).await;
    refused(&both, 404, "NOT_FOUND", "User not found");
}

#[tokio::test]
async fn admin_account_permission_overrides_lists_by_permission() {
    let app = TestApp::start().await;
    let (admin, owner) = (account_admin(&app).await, app.owner().await);
    let (of, permissions) = (Of::Account(owner.account_id), ["chat:ban", "roles:read"]);
    lists_by_permission(of, &admin, permissions, "accounts:overrides-read", &owner).await;
    let both = Of::Account(Uuid::now_v7()).list(&admin).await;
    refused(&both, 404, "NOT_FOUND", "Account not found");
}

#[tokio::test]
async fn admin_remove_account_permission_override_lets_the_roles_decide_again() {
    let app = TestApp::start().await;
    let (admin, owner) = (account_admin(&app).await, app.owner().await);
    let of = Of::Account(owner.account_id);
    of.set(&admin, "roles:read", false, None).await.0.expect(200);
    owner.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
    let both = of.remove(&owner, "roles:read").await;
    refused(&both, 403, "FORBIDDEN", "Missing permission: accounts:overrides-edit");

    // The first call removes the override, and the second finds none.
    let (rest, graphql) = of.remove(&admin, "roles:read").await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Permission override not found");
    owner.get("/v1/roles").await.expect(200);
    assert_eq!(of.listed(&admin).await, json!([]));
    let entry = app.audited_once("permission_override:removed").await;
    assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(admin.user_id)));
    assert_eq!(entry.metadata, json!({ "permission": "roles:read" }));
}

#[tokio::test]
async fn remove_user_permission_override_removes_one_of_an_earlier_version() {
    let app = TestApp::start().await;
    let (admin, owner) = (user_admin(&app).await, app.owner().await);
    insert_into(user_permission_overrides::table)
        .values((
            user_permission_overrides::user_id.eq(owner.user_id),
            user_permission_overrides::permission.eq("ideas:old"),
            user_permission_overrides::granted.eq(true),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let of = Of::User(owner.user_id);
    assert_eq!(of.listed(&admin).await[0]["permission"], "ideas:old");
    assert_eq!(of.remove(&admin, "ideas:old").await.0.status, 204);
}
