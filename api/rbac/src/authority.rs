//! Authority of a member of staff (reference/permissions.md#authority-of-staff). Rights that staff creates,
//! changes, gives, takes or removes lie within the rights that the caller holds. A person who holds more
//! cannot be changed or deleted. System Admins are exempt.
//!
//! It is read in the transaction that decides by it, past the caches and under one lock: of two changes of
//! rights the second sees the result of the first.

use api_core::{
    ApiError, Result,
    access::{
        Admin, AdminScopes, Rights, UserScopes, admin_permissions, effective_user_roles, member_rights,
    },
};
use diesel::{dsl::exists, prelude::*, select, sql_query};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::{AccountPermission, AdminPermission, Permission, PermissionSet},
    id::{AccountId, UserId},
    schema::{admin_role_members, admin_roles},
};

/// Rights of a member of staff.
pub(crate) struct Authority {
    user: UserId,
    held: AdminScopes,
    is_system_admin: bool,
}

impl Authority {
    /// Returns the present authority of the caller. No other change by staff alters it until the transaction
    /// ends. Must be called before any row is locked.
    pub async fn of(connection: &mut AsyncPgConnection, admin: &Admin) -> Result<Self> {
        sql_query("SELECT pg_advisory_xact_lock(hashtextextended('admin_roles', 0))")
            .execute(connection)
            .await?;
        let user = admin.user;
        let held = admin_permissions(connection, user).await?;
        Ok(Self { user, held, is_system_admin: is_system_admin(connection, user).await? })
    }

    /// Requires that the staff permissions lie within those of the caller.
    ///
    /// # Errors
    /// 403 that names the missing permission.
    pub fn must_hold(&self, asked: &AdminScopes) -> Result<()> {
        if self.is_system_admin {
            return Ok(());
        }
        lacking(asked, &self.held).map_or(Ok(()), |lacking| Err(missing(lacking)))
    }

    /// Requires that the platform-wide permissions lie within those of the caller: as a person, or under the
    /// same text as staff.
    ///
    /// # Errors
    /// 403 that names the missing permission.
    pub async fn must_hold_as_user(
        &self,
        connection: &mut AsyncPgConnection,
        asked: &UserScopes,
    ) -> Result<()> {
        if self.is_system_admin {
            return Ok(());
        }
        let (_, held) = effective_user_roles(connection, self.user).await?;
        let as_staff = |text: &str| AdminPermission::parse(text).is_some_and(|same| self.held.contains(same));
        let lacking = asked.iter().find(|asked| !held.contains(*asked) && !as_staff(asked.as_str()));
        lacking.map_or(Ok(()), |lacking| Err(missing(lacking)))
    }

    /// Requires that the permissions of an account lie within those that the caller holds there as a member.
    /// Staff that does not belong to the account holds none of them. The caller must have locked the rights
    /// of the account.
    ///
    /// # Errors
    /// 403 that names the missing permission.
    pub async fn must_hold_in(
        &self,
        connection: &mut AsyncPgConnection,
        account: AccountId,
        asked: &PermissionSet<AccountPermission>,
    ) -> Result<()> {
        if self.is_system_admin {
            return Ok(());
        }
        let rights = member_rights(connection, account, self.user).await?.unwrap_or(Rights::NONE);
        match asked.iter().find(|asked| !rights.permissions.contains(*asked)) {
            None => Ok(()),
            Some(lacking) => {
                Err(ApiError::forbidden(format!("Missing permission in the account: {lacking}")))
            }
        }
    }

    /// Requires that a person holds no staff permission that the caller lacks.
    ///
    /// # Errors
    /// 403 that names the missing permission.
    pub async fn must_reach(&self, connection: &mut AsyncPgConnection, person: UserId) -> Result<()> {
        if self.is_system_admin || person == self.user {
            return Ok(());
        }
        let theirs = admin_permissions(connection, person).await?;
        match lacking(&theirs, &self.held) {
            None => Ok(()),
            Some(lacking) => {
                Err(ApiError::forbidden(format!("User holds a permission that you lack: {lacking}")))
            }
        }
    }
}

/// Requires that the System Admin role still has a member. Must be called after every removal of a member.
///
/// # Errors
/// 409 when the role has no member left.
pub(crate) async fn must_have_a_system_admin(connection: &mut AsyncPgConnection) -> Result<()> {
    let members = admin_role_members::table.inner_join(admin_roles::table).filter(admin_roles::is_system);
    if select(exists(members)).get_result(connection).await? {
        return Ok(());
    }
    Err(ApiError::conflict("The last member of the System Admin role cannot be removed"))
}

/// Returns true when a person holds the System Admin role.
pub(crate) async fn is_system_admin(connection: &mut AsyncPgConnection, user: UserId) -> Result<bool> {
    let own = admin_role_members::table
        .inner_join(admin_roles::table)
        .filter(admin_role_members::user_id.eq(user).and(admin_roles::is_system));
    Ok(select(exists(own)).get_result(connection).await?)
}

fn lacking(asked: &AdminScopes, held: &AdminScopes) -> Option<AdminPermission> {
    asked.iter().find(|permission| !held.contains(*permission))
}

fn missing(permission: impl std::fmt::Display) -> ApiError {
    ApiError::forbidden(format!("Missing permission: {permission}"))
}
