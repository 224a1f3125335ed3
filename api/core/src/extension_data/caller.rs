//! Who calls a function or changes the storage, as the extension sees it.

use shared::{
    catalogue::AccountPermission,
    id::{AccountId, UserId},
    token::TokenKind,
};
use uuid::Uuid;

use crate::{
    ApiError, Cx, Result,
    access::{AccountScopes, Principal, member_access},
};

/// Where the caller sits (C B3.3, `ctx.auth.surface`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    Editor,
    Layer,
    Interactive,
}

impl Surface {
    /// The text in `ctx.auth` and in tokens.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Editor => "editor",
            Self::Layer => "layer",
            Self::Interactive => "interactive",
        }
    }

    /// Reads a stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Editor, Self::Layer, Self::Interactive].into_iter().find(|surface| surface.as_str() == text)
    }
}

/// Somebody who may reach an install's data.
#[derive(Debug, Clone)]
pub struct FunctionCaller {
    pub account: AccountId,
    pub user: Option<UserId>,
    pub surface: Surface,
    pub(super) role: &'static str,
    permissions: AccountScopes,
    /// The only install that a token opens.
    bound_to: Option<Uuid>,
}

impl FunctionCaller {
    /// The caller behind a request or a socket; `None` for a credential that acts in no account.
    ///
    /// # Errors
    /// When rights cannot be looked up.
    pub async fn of(cx: &Cx) -> Result<Option<Self>> {
        let principal = cx.principal();
        let Some(account) = principal.account() else { return Ok(None) };
        let user = principal.identity();
        let member = match user {
            Some(user) => member_access(cx.state(), account, user).await?,
            None => None,
        };
        let (surface, permissions, bound_to) = match principal {
            // What a page may do, its person may do, who holds the token (C §11.2).
            Principal::Surface { kind: TokenKind::Extension, subject, surface, .. } => {
                let Some(member) = &member else { return Ok(None) };
                let surface = surface.as_deref().and_then(Surface::parse).unwrap_or(Surface::Interactive);
                (surface, member.permissions, Some(subject.parse().map_err(ApiError::internal)?))
            }
            Principal::Surface { .. } | Principal::Anonymous { .. } | Principal::SystemKey { .. } => {
                return Ok(None);
            }
            Principal::Session { .. } => (Surface::Editor, cx.account_permissions().await?, None),
            _ => (Surface::Interactive, cx.account_permissions().await?, None),
        };
        let role = match &member {
            Some(member) if member.is_owner => "owner",
            _ if permissions.contains(AccountPermission::ExtensionDataEdit) => "editor",
            _ if permissions.contains(AccountPermission::ExtensionDataRead) || member.is_some() => "viewer",
            _ => "anonymous",
        };
        Ok(Some(Self { account, user, surface, role, permissions, bound_to }))
    }

    /// Whether the caller may read an install's data, or change it.
    ///
    /// # Errors
    /// 404 for another install than the one that a token opens; 403 that names what is missing.
    pub(super) fn may(&self, install: Uuid, permission: AccountPermission) -> Result<()> {
        if self.bound_to.is_some_and(|bound| bound != install) {
            return Err(super::not_found());
        }
        if self.permissions.contains(permission) {
            return Ok(());
        }
        Err(ApiError::forbidden(format!("Missing permission: {permission}")))
    }
}
