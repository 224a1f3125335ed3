//! Callers, permissions and subjects for which overrides are refused (reference/permissions.md#overrides).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, TestApp};
use serde_json::json;
use shared::schema::{account_permission_overrides, user_permission_overrides};
use uuid::Uuid;

use super::{Of, account_admin, resolved, user_admin};
use crate::{each_needs, refused};

#[tokio::test]
async fn overrides_need_the_permission_of_the_operation() {
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
    let mut db = app.databases.postgres.get().await.unwrap();
    let users: i64 = user_permission_overrides::table.count().get_result(&mut *db).await.unwrap();
    let accounts: i64 = account_permission_overrides::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!((users, accounts), (0, 0));
}

#[tokio::test]
async fn overrides_take_only_permissions_of_their_scope() {
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
async fn overrides_report_unknown_users_and_accounts() {
    let app = TestApp::start().await;
    let (user_admin, account_admin, owner) =
        (user_admin(&app).await, account_admin(&app).await, app.owner().await);
    let unknown_id = Uuid::now_v7();
    let (user, account) = (Of::User(unknown_id), Of::Account(unknown_id));
    refused(&user.list(&user_admin).await, 404, "NOT_FOUND", "User not found");
    refused(&user.set(&user_admin, "ideas:vote", true, None).await, 404, "NOT_FOUND", "User not found");
    refused(&resolved(&user_admin, unknown_id).await, 404, "NOT_FOUND", "User not found");
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
