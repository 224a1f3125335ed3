//! Overrides of a person (specification A §2.9, §5.2, rule 4).

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, Grants},
};
use diesel::{Queryable, Selectable};
use diesel_async::AsyncConnection;
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::{
    catalogue::{AdminPermission, PermissionSet, UserPermission, assignable_user_permissions},
    db::schema::user_permission_overrides,
    id::UserId,
    invalidation::Invalidation,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{SetPermissionOverrideInput, db, not_found};
use crate::{authority::Authority, people, requested, tell};

/// A platform-wide permission that a person is granted or denied beside the roles.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = user_permission_overrides)]
pub struct UserPermissionOverride {
    pub user_id: Uuid,
    pub permission: String,
    /// `true` grants, `false` denies.
    pub granted: bool,
    pub reason: Option<String>,
    /// Null once that person is gone.
    pub set_by: Option<Uuid>,
    pub created_at: Timestamp,
}

/// The overrides of a person.
pub static USER_PERMISSION_OVERRIDES: Operation<Admin> =
    Operation::admin("userPermissionOverrides", AdminPermission::UserRolesRead, Grants::Nothing);

/// Lists the overrides of a person by permission.
///
/// # Errors
/// As the rule; 404 when there is no such person.
pub async fn user_permission_overrides(cx: &Cx, user: Input<Uuid>) -> Result<Vec<UserPermissionOverride>> {
    let admin = cx.authorize(&USER_PERMISSION_OVERRIDES).await?;
    let (user, mut connection) = (UserId(user?), admin.db().await?);
    people::find(&mut connection, user).await?;
    db::of_user(&mut connection, user).await
}

/// Overrides a permission of a person.
pub static SET_USER_PERMISSION_OVERRIDE: Operation<Admin> =
    Operation::admin("setUserPermissionOverride", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Grants or denies a person one of the ten platform-wide permissions, whatever the roles say. An override of the
/// same permission is replaced.
///
/// # Errors
/// As the rule; 400 for a wrong input, with `Invalid permission: …` for any but the ten; 403 for one that the caller
/// lacks, and for somebody who holds more as staff; 404 when there is no such person.
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
            people::hold(connection, user).await?;
            authority.must_hold_as_user(connection, &[permission].into_iter().collect()).await?;
            authority.must_reach(connection, user).await?;
            let set = db::set_for_user(connection, &row).await?;
            let mut entry = cx.audit_system("permission_override:set", "user", user);
            entry.metadata =
                json!({ "permission": set.permission, "granted": set.granted, "reason": set.reason });
            shared::audit::record(connection, entry).await?;
            tell::user(connection, user, now).await?;
            Ok::<_, ApiError>(set)
        })
        .await?;
    cx.changed(Invalidation::User { user_id: user.0 }).await;
    Ok(set)
}

/// Removes an override of a person.
pub static REMOVE_USER_PERMISSION_OVERRIDE: Operation<Admin> =
    Operation::admin("removeUserPermissionOverride", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Removes an override of a person: the roles decide again.
///
/// # Errors
/// As the rule; 403 for a permission that the caller lacks, and for somebody who holds more as staff; 404 when there is no
/// such override, 400 `Invalid permission: …` when there cannot be one.
pub async fn remove_user_permission_override(cx: &Cx, user: Input<Uuid>, permission: &str) -> Result<()> {
    let admin = cx.authorize(&REMOVE_USER_PERMISSION_OVERRIDE).await?;
    let (user, now) = (UserId(user?), cx.state().clock.now());
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            if !db::is_set_for_user(connection, user, permission).await? {
                // One that an earlier version allowed can still be removed.
                assignable(permission)?;
                return Err(not_found());
            }
            authority.must_hold_as_user(connection, &PermissionSet::from_strings([permission])).await?;
            authority.must_reach(connection, user).await?;
            db::remove_from_user(connection, user, permission).await?;
            let mut entry = cx.audit_system("permission_override:removed", "user", user);
            entry.metadata = json!({ "permission": permission });
            shared::audit::record(connection, entry).await?;
            tell::user(connection, user, now).await
        })
        .await?;
    cx.changed(Invalidation::User { user_id: user.0 }).await;
    Ok(())
}

fn assignable(text: &str) -> Result<UserPermission> {
    let ten = assignable_user_permissions();
    requested::permission(text, |permission| ten.contains(permission))
}
