//! Overrides of a person (reference/permissions.md#overrides).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, Grants},
};
use diesel_async::AsyncConnection;
use foundation::invalidation::Invalidation;
use serde_json::json;
use shared::{
    catalogue::{AdminPermission, PermissionSet, UserPermission, assignable_user_permissions},
    id::UserId,
};
use uuid::Uuid;

use super::{SetPermissionOverrideInput, UserPermissionOverride, db, not_found};
use crate::{authority::Authority, people, publish, requested};

pub static USER_PERMISSION_OVERRIDES: Operation<Admin> =
    Operation::admin("userPermissionOverrides", AdminPermission::UserRolesRead, Grants::Nothing);

/// Lists the permission overrides of a person, by permission.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such person.
#[api_core::operation]
pub async fn user_permission_overrides(cx: &Cx, user: Input<Uuid>) -> Result<Vec<UserPermissionOverride>> {
    let admin = cx.authorize(&USER_PERMISSION_OVERRIDES).await?;
    let (user, mut connection) = (UserId(user?), admin.db().await?);
    people::find(&mut connection, user).await?;
    db::of_user(&mut connection, user).await
}

pub static SET_USER_PERMISSION_OVERRIDE: Operation<Admin> =
    Operation::admin("setUserPermissionOverride", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Grants or denies a platform-wide permission to a person, whatever the roles hold.
///
/// It may be any of the ten permissions of an ordinary member. An override of the same permission is
/// replaced. It takes effect at once.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input, with `Invalid permission: …` for any other
/// permission; 403 for one that the caller lacks, and for a person who holds a staff permission that the
/// caller lacks; 404 when there is no such person.
#[api_core::operation]
pub async fn set_user_permission_override(
    cx: &Cx,
    user: Input<Uuid>,
    input: Input<SetPermissionOverrideInput>,
) -> Result<UserPermissionOverride> {
    let admin = cx.authorize(&SET_USER_PERMISSION_OVERRIDE).await?;
    let (user, input, now) = (UserId(user?), input?, cx.state().clock.now());
    let permission = assignable(&input.permission)?;
    let row = UserPermissionOverride {
        user_id: user.0,
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
            people::lock_user(connection, user).await?;
            authority.must_hold_as_user(connection, &[permission].into_iter().collect()).await?;
            authority.must_reach(connection, user).await?;
            let set = db::set_for_user(connection, &row).await?;
            let mut entry = cx.audit_system("permission_override:set", "user", user);
            entry.metadata =
                json!({ "permission": set.permission, "granted": set.granted, "reason": set.reason });
            foundation::audit::record(connection, entry).await?;
            publish::user(connection, user, now).await?;
            Ok::<_, ApiError>(set)
        })
        .await?;
    cx.changed(Invalidation::User { user_id: user.0 }).await;
    Ok(set)
}

pub static REMOVE_USER_PERMISSION_OVERRIDE: Operation<Admin> =
    Operation::admin("removeUserPermissionOverride", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Removes a permission override of a person, so that the roles decide again.
///
/// An override that an earlier version allowed can be removed too.
///
/// # Errors
/// Refusals of the access rule; 400 `Invalid permission: …` for a permission that cannot have an override;
/// 403 for a permission that the caller lacks, and for a person who holds a staff permission that the caller
/// lacks; 404 when there is no such override.
#[api_core::operation]
pub async fn remove_user_permission_override(cx: &Cx, user: Input<Uuid>, permission: &str) -> Result<()> {
    let admin = cx.authorize(&REMOVE_USER_PERMISSION_OVERRIDE).await?;
    let (user, now) = (UserId(user?), cx.state().clock.now());
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            if !db::is_set_for_user(connection, user, permission).await? {
                // An override that an earlier version allowed can still be removed.
                assignable(permission)?;
                return Err(not_found());
            }
            authority.must_hold_as_user(connection, &PermissionSet::from_strings([permission])).await?;
            authority.must_reach(connection, user).await?;
            db::remove_from_user(connection, user, permission).await?;
            let mut entry = cx.audit_system("permission_override:removed", "user", user);
            entry.metadata = json!({ "permission": permission });
            foundation::audit::record(connection, entry).await?;
            publish::user(connection, user, now).await
        })
        .await?;
    cx.changed(Invalidation::User { user_id: user.0 }).await;
    Ok(())
}

fn assignable(text: &str) -> Result<UserPermission> {
    let ten = assignable_user_permissions();
    requested::permission(text, |permission| ten.contains(permission))
}
