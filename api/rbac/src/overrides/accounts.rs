//! Overrides of an account: for everybody in it (specification A §4.6, §5.2, rule 3).

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, Grants, lock_account_rights},
};
use diesel::{Queryable, Selectable};
use diesel_async::AsyncConnection;
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::{
    audit,
    catalogue::{AccountPermission, AdminPermission, PermissionSet},
    db::schema::account_permission_overrides,
    id::AccountId,
    invalidation::Invalidation,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{SetPermissionOverrideInput, db, not_found};
use crate::{authority::Authority, people, requested, tell};

/// An account permission that everybody in an account is granted or denied beside the roles.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = account_permission_overrides)]
pub struct AccountPermissionOverride {
    pub account_id: Uuid,
    pub permission: String,
    /// `true` grants, `false` denies.
    pub granted: bool,
    pub reason: Option<String>,
    /// Null once that person is gone.
    pub set_by: Option<Uuid>,
    pub created_at: Timestamp,
}

/// The overrides of an account.
pub static ADMIN_ACCOUNT_PERMISSION_OVERRIDES: Operation<Admin> = Operation::admin(
    "adminAccountPermissionOverrides",
    AdminPermission::AccountsOverridesRead,
    Grants::Nothing,
);

/// Lists the overrides of an account by permission.
///
/// # Errors
/// As the rule; 404 when there is no such account.
pub async fn admin_account_permission_overrides(
    cx: &Cx,
    account: Input<Uuid>,
) -> Result<Vec<AccountPermissionOverride>> {
    let admin = cx.authorize(&ADMIN_ACCOUNT_PERMISSION_OVERRIDES).await?;
    let (account, mut connection) = (AccountId(account?), admin.db().await?);
    people::find_account(&mut connection, account).await?;
    db::of_account(&mut connection, account).await
}

/// Overrides a permission of an account.
pub static ADMIN_SET_ACCOUNT_PERMISSION_OVERRIDE: Operation<Admin> = Operation::admin(
    "adminSetAccountPermissionOverride",
    AdminPermission::AccountsOverridesEdit,
    Grants::AccountPermissions,
);

/// Grants or denies everybody in an account one of the 123 account permissions, whatever their roles say. An override
/// of the same permission is replaced.
///
/// # Errors
/// As the rule; 400 for a wrong input, with `Invalid permission: …` for any but the 123; 403 for one that the caller does
/// not hold in the account; 404 when there is no such account.
pub async fn admin_set_account_permission_override(
    cx: &Cx,
    account: Input<Uuid>,
    input: Input<SetPermissionOverrideInput>,
) -> Result<AccountPermissionOverride> {
    let admin = cx.authorize(&ADMIN_SET_ACCOUNT_PERMISSION_OVERRIDE).await?;
    let (account, input, now) = (AccountId(account?), input?, cx.state().clock.now());
    let permission: AccountPermission = requested::permission(&input.permission, |_| true)?;
    let row = AccountPermissionOverride {
        account_id: account.0,
        permission: permission.to_string(),
        granted: input.granted,
        reason: input.reason()?,
        set_by: Some(admin.user.0),
        created_at: now.into(),
    };
    let set = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            lock_account_rights(connection, account).await?;
            people::hold_account(connection, account).await?;
            authority.must_hold_in(connection, account, &[permission].into_iter().collect()).await?;
            let set = db::set_for_account(connection, &row).await?;
            let mut entry = entry(cx, "permission_override:set", account);
            entry.metadata =
                json!({ "permission": set.permission, "granted": set.granted, "reason": set.reason });
            shared::audit::record(connection, entry).await?;
            tell::account(connection, account, None, now).await?;
            Ok::<_, ApiError>(set)
        })
        .await?;
    cx.changed(Invalidation::Account { account_id: account.0 }).await;
    Ok(set)
}

/// Removes an override of an account.
pub static ADMIN_REMOVE_ACCOUNT_PERMISSION_OVERRIDE: Operation<Admin> = Operation::admin(
    "adminRemoveAccountPermissionOverride",
    AdminPermission::AccountsOverridesEdit,
    Grants::AccountPermissions,
);

/// Removes an override of an account: the roles decide again.
///
/// # Errors
/// As the rule; 403 for a permission that the caller does not hold in the account; 404 when there is no such override, 400 `Invalid permission: …` when there cannot be one.
pub async fn admin_remove_account_permission_override(
    cx: &Cx,
    account: Input<Uuid>,
    permission: &str,
) -> Result<()> {
    let admin = cx.authorize(&ADMIN_REMOVE_ACCOUNT_PERMISSION_OVERRIDE).await?;
    let (account, now) = (AccountId(account?), cx.state().clock.now());
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            lock_account_rights(connection, account).await?;
            if !db::is_set_for_account(connection, account, permission).await? {
                // One that an earlier version allowed can still be removed.
                requested::permission::<AccountPermission>(permission, |_| true)?;
                return Err(not_found());
            }
            let asked = PermissionSet::from_strings([permission]);
            authority.must_hold_in(connection, account, &asked).await?;
            db::remove_from_account(connection, account, permission).await?;
            let mut entry = entry(cx, "permission_override:removed", account);
            entry.metadata = json!({ "permission": permission });
            shared::audit::record(connection, entry).await?;
            tell::account(connection, account, None, now).await
        })
        .await?;
    cx.changed(Invalidation::Account { account_id: account.0 }).await;
    Ok(())
}

/// The account itself can read what was done to its rights.
fn entry<'a>(cx: &Cx, action: &'a str, account: AccountId) -> audit::Entry<'a> {
    audit::Entry { scope: audit::Scope::Account(account.0), ..cx.audit(action, "account", account) }
}
