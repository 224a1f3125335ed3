//! Caller of a function or of the storage, as the extension sees it.

use api_core::token::TokenKind;
use shared::{
    catalogue::AccountPermission,
    id::{AccountId, UserId},
};
use uuid::Uuid;

use api_core::{
    ApiError, Cx, Result,
    access::{AccountScopes, Principal, member_access},
};

/// Surface of the caller (reference/handlers.md#auth).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Editor of the account.
    Editor,
    /// Layer of an overlay.
    Layer,
    /// Page for viewers, and every API credential without a session.
    Interactive,
}

impl Surface {
    /// Text in `ctx.auth` and in tokens.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Editor => "editor",
            Self::Layer => "layer",
            Self::Interactive => "interactive",
        }
    }

    /// Parses a stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Editor, Self::Layer, Self::Interactive].into_iter().find(|surface| surface.as_str() == text)
    }
}

/// A caller of an install's data and functions.
#[derive(Debug, Clone)]
pub struct FunctionCaller {
    /// Account of the install.
    pub account: AccountId,
    /// Person who acts; `None` for a service key, and for a popout that another member made.
    pub user: Option<UserId>,
    /// Surface of the caller.
    pub surface: Surface,
    pub(super) role: &'static str,
    permissions: AccountScopes,
    /// The only install that a token opens; `None` for other credentials.
    bound_to: Option<Uuid>,
}

impl FunctionCaller {
    /// Caller of a request or a socket; `None` for a credential that acts in no account.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the rights cannot be read.
    pub async fn of(cx: &Cx) -> Result<Option<Self>> {
        let principal = cx.principal();
        let Some(account) = principal.account() else { return Ok(None) };
        let user = principal.identity();
        let member = match user {
            Some(user) => member_access(cx.state(), account, user).await?,
            None => None,
        };
        let (surface, permissions, bound_to) = match principal {
            // A page may do what its person, who holds the token, may do (reference/realtime.md#calls).
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

    /// Checks that the caller has a permission for an install's data.
    ///
    /// # Errors
    /// 404 for another install than the one that a token opens. 403 that names the missing permission.
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
