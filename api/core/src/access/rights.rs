//! What the caller of a request may do, and as whom (specification A §5.2).

use std::sync::Arc;

use shared::{
    catalogue::{AccountPermission, AdminPermission, Permission, PermissionSet, UserPermission},
    id::{AccountId, UserId},
};

use super::{
    AccountScopes, Cx, MemberAccess, Principal, UserScopes, member_access,
    permissions::{Rights, denied_permissions},
    user_access,
};
use crate::{ApiError, Result};

impl Cx {
    /// What the caller may do platform-wide: only a session or a personal key that carries the permission acts for
    /// its person here (A §5.2, rule 5).
    ///
    /// # Errors
    /// When the database fails.
    pub async fn user_permissions(&self) -> Result<UserScopes> {
        match self.principal() {
            Principal::Session { user, .. } => Ok(user_access(self.state(), *user).await?.user),
            Principal::PersonalKey { user, user_scopes, .. } => {
                Ok(user_access(self.state(), *user).await?.user.intersection(user_scopes))
            }
            _ => Ok(PermissionSet::empty()),
        }
    }

    /// What the caller may do as operator staff: only a session ever does, because keys carry account and user
    /// scopes.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn admin_permissions(&self) -> Result<PermissionSet<AdminPermission>> {
        match self.principal() {
            Principal::Session { user, .. } => Ok(user_access(self.state(), *user).await?.admin),
            _ => Ok(PermissionSet::empty()),
        }
    }

    /// What the caller may do in the account it acts in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn account_permissions(&self) -> Result<AccountScopes> {
        Ok(self.account_rights().await?.permissions)
    }

    /// The rights of the caller in the account it acts in: the role's, cut down to the credential's scopes, and of a
    /// popout also to what whoever made it may do, who knows its text. A service key has no role; what the account's
    /// overrides deny, it is denied too (A §5.2, rule 3).
    ///
    /// # Errors
    /// When the database fails.
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

    /// The acting person's membership of the account that the credential names.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn membership(&self) -> Result<Option<Arc<MemberAccess>>> {
        match (self.principal().account(), self.principal().user()) {
            (Some(account), Some(user)) if !matches!(self.principal(), Principal::Surface { .. }) => {
                let member = member_access(self.state(), account, user).await?;
                if member.is_some() {
                    self.connections().acts_in(account.0);
                }
                Ok(member)
            }
            _ => Ok(None),
        }
    }

    /// The account that the caller acts in; `None` when a session names one that its person has left.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn active_account(&self) -> Result<Option<AccountId>> {
        let account = self.principal().account();
        if self.principal().user().is_some() && self.membership().await?.is_none() {
            return Ok(None);
        }
        Ok(account)
    }

    /// Whether the caller holds a permission in its account: for rules that depend on the input or a loaded row.
    ///
    /// # Errors
    /// 403 when it does not.
    pub async fn require(&self, permission: AccountPermission) -> Result<()> {
        if self.account_permissions().await?.contains(permission) {
            return Ok(());
        }
        Err(missing(permission.as_str()))
    }

    /// Whether the caller holds a permission as operator staff: for rules that depend on the input.
    ///
    /// # Errors
    /// 403 when it does not.
    pub async fn require_admin(&self, permission: AdminPermission) -> Result<()> {
        if self.admin_permissions().await?.contains(permission) {
            return Ok(());
        }
        Err(missing(permission.as_str()))
    }

    /// Whether the caller holds a platform-wide permission, or the admin permission of the same text (A §5.2, rule
    /// 6): for rules that depend on the input or a loaded row.
    ///
    /// # Errors
    /// 403 when it holds neither.
    pub async fn require_user_or_admin(&self, permission: UserPermission) -> Result<()> {
        if self.holds_as_user_or_admin(&[permission]).await? {
            return Ok(());
        }
        Err(missing(permission.as_str()))
    }

    /// The person as whom something is done: in whose name it is written or sent, whose possession it becomes. `None`
    /// for a credential without a person.
    ///
    /// # Errors
    /// 403 for a popout that another member made: whoever holds it need not be its person.
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

/// The refusal that names what is lacking.
pub(super) fn missing(permission: &str) -> ApiError {
    ApiError::forbidden(format!("Missing permission: {permission}"))
}
