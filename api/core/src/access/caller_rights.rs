//! Rights and identity of the caller (reference/permissions.md#resolution).

use std::sync::Arc;

use shared::{
    catalogue::{AccountPermission, AdminPermission, Permission, PermissionSet, UserPermission},
    id::{AccountId, UserId},
};

use super::{
    Cx,
    permissions::{denied_permissions, member_access, user_access},
    principal::Principal,
    rights::{AccountScopes, MemberAccess, Rights, UserScopes, missing},
};
use crate::{ApiError, Result};

impl Cx {
    /// Platform-wide permissions of the caller: only a session, or a personal key that carries the
    /// permission, has them (reference/permissions.md#platform-wide-permissions).
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn user_permissions(&self) -> Result<UserScopes> {
        match self.principal() {
            Principal::Session { user, .. } => Ok(user_access(self.state(), *user).await?.user),
            Principal::PersonalKey { user, user_scopes, .. } => {
                Ok(user_access(self.state(), *user).await?.user.intersection(user_scopes))
            }
            _ => Ok(PermissionSet::empty()),
        }
    }

    /// Permissions of the caller as operator staff: only a session has them, because keys carry account and
    /// user scopes.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn admin_permissions(&self) -> Result<PermissionSet<AdminPermission>> {
        match self.principal() {
            Principal::Session { user, .. } => Ok(user_access(self.state(), *user).await?.admin),
            _ => Ok(PermissionSet::empty()),
        }
    }

    /// Permissions of the caller in its account.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn account_permissions(&self) -> Result<AccountScopes> {
        Ok(self.account_rights().await?.permissions)
    }

    /// Rights of the caller in its account: those of the role, within the credential's scopes. Those of a
    /// popout also lie within the rights of its maker, who knows its text. A service key has no role: it has
    /// its scopes without what the account's overrides deny (reference/permissions.md#account-permissions).
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub(super) async fn account_rights(&self) -> Result<Rights> {
        let (state, principal) = (self.state(), self.principal());
        if let Principal::ServiceKey { account, .. } = principal {
            return Ok(Rights::of(principal.own_permissions(), &denied_permissions(state, *account).await?));
        }
        let Some(member) = self.membership().await? else { return Ok(Rights::NONE) };
        let own = principal.scopes().map_or(member.rights(), |scopes| member.rights().within(scopes));
        match principal {
            Principal::Popout { account, user, maker, .. } if maker != user => {
                let maker = member_access(state, *account, *maker).await?;
                Ok(maker.map_or(Rights::NONE, |maker| own.shared_with(&maker.rights())))
            }
            _ => Ok(own),
        }
    }

    /// Membership of the acting person in the account that the credential names.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn membership(&self) -> Result<Option<Arc<MemberAccess>>> {
        match (self.principal().account(), self.principal().user()) {
            (Some(account), Some(user)) if !matches!(self.principal(), Principal::Surface { .. }) => {
                let member = member_access(self.state(), account, user).await?;
                if member.is_some() {
                    self.connections().acts_in(account.uuid());
                    if matches!(self.principal(), Principal::Session { .. }) {
                        self.session_count().make(self.state(), account.uuid());
                    }
                }
                Ok(member)
            }
            _ => Ok(None),
        }
    }

    /// Account of the caller; `None` when a session names one that its person has left.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn active_account(&self) -> Result<Option<AccountId>> {
        let account = self.principal().account();
        if self.principal().user().is_some() && self.membership().await?.is_none() {
            return Ok(None);
        }
        Ok(account)
    }

    /// Checks an account permission of the caller, for rules that depend on the input or a stored row.
    ///
    /// # Errors
    /// 403 without the permission.
    pub async fn require(&self, permission: AccountPermission) -> Result<()> {
        if self.account_permissions().await?.contains(permission) {
            return Ok(());
        }
        Err(missing(permission.as_str()))
    }

    /// Checks an admin permission of the caller, for rules that depend on the input.
    ///
    /// # Errors
    /// 403 without the permission.
    pub async fn require_admin(&self, permission: AdminPermission) -> Result<()> {
        if self.admin_permissions().await?.contains(permission) {
            return Ok(());
        }
        Err(missing(permission.as_str()))
    }

    /// Checks that the caller holds a platform-wide permission or the admin permission of the same text, for
    /// rules that depend on the input or a stored row (reference/permissions.md#access-rules).
    ///
    /// # Errors
    /// 403 with neither permission.
    pub async fn require_user_or_admin(&self, permission: UserPermission) -> Result<()> {
        if self.holds_as_user_or_admin(&[permission]).await? {
            return Ok(());
        }
        Err(missing(permission.as_str()))
    }

    /// Person as whom the caller acts: as author, sender or owner. `None` for a credential without a person.
    ///
    /// # Errors
    /// 403 for a popout that another member made: its sender may not be its person.
    pub fn person(&self) -> Result<Option<UserId>> {
        match (self.principal(), self.principal().identity()) {
            (Principal::Popout { .. }, None) => {
                Err(ApiError::forbidden("A popout of another member cannot act as its user"))
            }
            (_, person) => Ok(person),
        }
    }

    pub(super) async fn holds_as_user_or_admin(&self, any: &[UserPermission]) -> Result<bool> {
        let (user, admin) = (self.user_permissions().await?, self.admin_permissions().await?);
        Ok(any.iter().any(|permission| {
            let as_admin = AdminPermission::parse(permission.as_str());
            user.contains(*permission) || as_admin.is_some_and(|same| admin.contains(same))
        }))
    }
}
