//! Overrides of an account, which apply to every member (reference/permissions.md#overrides).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, Grants, lock_account_rights},
};
use diesel_async::AsyncConnection;
use foundation::{audit, invalidation::Invalidation};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, AdminPermission, PermissionSet},
    id::AccountId,
};
use uuid::Uuid;

use super::{AccountPermissionOverride, SetPermissionOverrideInput, db, not_found};
use crate::{authority::Authority, people, publish, requested};

pub static ADMIN_ACCOUNT_PERMISSION_OVERRIDES: Operation<Admin> = Operation::admin(
    "adminAccountPermissionOverrides",
    AdminPermission::AccountsOverridesRead,
    Grants::Nothing,
);

/// Lists the permission overrides of an account, by permission.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such account.
#[api_core::operation]
pub async fn admin_account_permission_overrides(
    cx: &Cx,
    account: Input<Uuid>,
) -> Result<Vec<AccountPermissionOverride>> {
    let admin = cx.authorize(&ADMIN_ACCOUNT_PERMISSION_OVERRIDES).await?;
    let (account, mut connection) = (admin.account(account?), admin.db().await?);
    people::find_account(&mut connection, account).await?;
    db::of_account(&mut connection, account).await
}

pub static ADMIN_SET_ACCOUNT_PERMISSION_OVERRIDE: Operation<Admin> = Operation::admin(
    "adminSetAccountPermissionOverride",
    AdminPermission::AccountsOverridesEdit,
    Grants::AccountPermissions,
);

/// Grants or denies an account permission to everybody in an account, whatever their roles hold.
///
/// It may be any of the 123 permissions of the account scope. An override of the same permission is replaced.
/// A denial also applies to service keys. It takes effect at once.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input, with `Invalid permission: …` for any other
/// permission; 403 for one that the caller does not hold in the account; 404 when there is no such account.
#[api_core::operation]
pub async fn admin_set_account_permission_override(
    cx: &Cx,
    account: Input<Uuid>,
    input: Input<SetPermissionOverrideInput>,
) -> Result<AccountPermissionOverride> {
    let admin = cx.authorize(&ADMIN_SET_ACCOUNT_PERMISSION_OVERRIDE).await?;
    let (account, input, now) = (admin.account(account?), input?, cx.state().clock.now());
    let permission: AccountPermission = requested::permission(&input.permission, |_| true)?;
    let row = AccountPermissionOverride {
        account_id: account.uuid(),
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
            people::lock_account(connection, account).await?;
            authority.must_hold_in(connection, account, &[permission].into_iter().collect()).await?;
            let set = db::set_for_account(connection, &row).await?;
            let mut entry = entry(cx, "permission_override:set", account);
            entry.metadata =
                json!({ "permission": set.permission, "granted": set.granted, "reason": set.reason });
            foundation::audit::record(connection, entry).await?;
            publish::account(connection, account, None, now).await?;
            Ok::<_, ApiError>(set)
        })
        .await?;
    cx.changed(Invalidation::Account { account_id: account.uuid() }).await;
    Ok(set)
}

pub static ADMIN_REMOVE_ACCOUNT_PERMISSION_OVERRIDE: Operation<Admin> = Operation::admin(
    "adminRemoveAccountPermissionOverride",
    AdminPermission::AccountsOverridesEdit,
    Grants::AccountPermissions,
);

/// Removes a permission override of an account, so that the roles decide again.
///
/// An override that an earlier version allowed can be removed too.
///
/// # Errors
/// Refusals of the access rule; 400 `Invalid permission: …` for a permission that cannot have an override;
/// 403 for a permission that the caller does not hold in the account; 404 when there is no such override.
#[api_core::operation]
pub async fn admin_remove_account_permission_override(
    cx: &Cx,
    account: Input<Uuid>,
    permission: &str,
) -> Result<()> {
    let admin = cx.authorize(&ADMIN_REMOVE_ACCOUNT_PERMISSION_OVERRIDE).await?;
    let (account, now) = (admin.account(account?), cx.state().clock.now());
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            lock_account_rights(connection, account).await?;
            if !db::is_set_for_account(connection, account, permission).await? {
                // An override that an earlier version allowed can still be removed.
                requested::permission::<AccountPermission>(permission, |_| true)?;
                return Err(not_found());
            }
            let asked = PermissionSet::from_strings([permission]);
            authority.must_hold_in(connection, account, &asked).await?;
            db::remove_from_account(connection, account, permission).await?;
            let mut entry = entry(cx, "permission_override:removed", account);
            entry.metadata = json!({ "permission": permission });
            foundation::audit::record(connection, entry).await?;
            publish::account(connection, account, None, now).await
        })
        .await?;
    cx.changed(Invalidation::Account { account_id: account.uuid() }).await;
    Ok(())
}

/// Makes an audit entry of the account, whose members can read it.
fn entry<'a>(cx: &Cx, action: &'a str, account: AccountId) -> audit::Entry<'a> {
    audit::Entry { scope: audit::Scope::Account(account.uuid()), ..cx.audit(action, "account", account) }
}
