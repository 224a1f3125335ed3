//! Credentials as requests present them and as they are stored (reference/credentials.md#kinds).

use chrono::{DateTime, Utc};
use shared::{
    id::{AccountId, UserId},
    secret::Secret,
};
use uuid::Uuid;

use super::{
    jwt::TokenType,
    principal::Principal,
    rights::{AccountScopes, UserScopes},
};
use crate::token::TokenKind;

/// Part of the request that held the credential (reference/credentials.md#transports).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// `Authorization: Bearer …`
    Header,
    /// `?token=…`
    Query,
    /// The popout session's cookie.
    Cookie,
    /// Header of a WebSocket upgrade.
    SocketHeader,
    /// Query of a WebSocket upgrade.
    SocketQuery,
}

/// A credential as it was presented.
#[derive(Debug, Clone)]
pub struct Presented {
    /// Text as sent.
    pub text: Secret,
    /// Part of the request that held it.
    pub transport: Transport,
}

/// An opaque credential as it is stored.
#[derive(Debug, Clone)]
pub struct Credential {
    /// Id of the key or token.
    pub id: Uuid,
    /// Kind, known by the prefix.
    pub kind: TokenKind,
    /// Person that it acts for; `None` for keys of accounts and of the deployment.
    pub user: Option<UserId>,
    /// Maker of a popout token, who knows its text; `None` for other kinds.
    pub maker: Option<UserId>,
    /// Account that it acts in; `None` for system keys.
    pub account: Option<AccountId>,
    /// Account permissions that it carries.
    pub permissions: AccountScopes,
    /// Platform-wide permissions; personal keys only.
    pub user_permissions: UserScopes,
    /// Object that a surface token opens; empty for other kinds.
    pub subject: String,
    /// Surface of an extension that the token was issued to; `None` for other kinds.
    pub surface: Option<String>,
    /// Time from which it is no longer valid; `None` for one without an end.
    pub expires_at: Option<DateTime<Utc>>,
}

/// A session as it is stored.
#[derive(Debug, Clone)]
pub struct SessionRecord {
    /// Person of the session.
    pub user: UserId,
    /// Time from which the session is no longer valid.
    pub expires_at: DateTime<Utc>,
    /// True once the session was ended.
    pub is_revoked: bool,
}

impl Credential {
    /// True when it acts in the account.
    #[must_use]
    pub fn is_in(&self, account: Uuid) -> bool {
        self.account.is_some_and(|own| own.uuid() == account)
    }

    /// True when it ends with the person's membership: the person holds or made it.
    #[must_use]
    pub fn is_of(&self, user: Uuid) -> bool {
        [self.user, self.maker].into_iter().flatten().any(|person| person.0 == user)
    }

    pub(super) fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

impl Transport {
    const fn is_socket(self) -> bool {
        matches!(self, Self::SocketHeader | Self::SocketQuery)
    }

    /// Keys must not reach URLs, and outside the socket only tokens of overlays, shares and popouts may
    /// (reference/credentials.md#transports).
    pub(super) const fn admits(self, kind: TokenKind) -> bool {
        match self {
            Self::Header | Self::SocketHeader => true,
            Self::Query => matches!(kind, TokenKind::Overlay | TokenKind::Share | TokenKind::Popout),
            Self::SocketQuery => !matches!(kind, TokenKind::User | TokenKind::Service | TokenKind::System),
            Self::Cookie => false,
        }
    }

    pub(super) const fn admits_signed(self, typ: TokenType) -> bool {
        match typ {
            TokenType::Session => matches!(self, Self::Header | Self::SocketHeader | Self::SocketQuery),
            TokenType::Ws => self.is_socket(),
            TokenType::Popout => !matches!(self, Self::Query),
            TokenType::Refresh => false,
        }
    }
}

/// Result of resolving a credential.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Caller that the credential identifies.
    pub principal: Principal,
    /// True for an opaque credential that does not exist: it may be a guess.
    pub is_unknown: bool,
}

impl From<Principal> for Resolved {
    fn from(principal: Principal) -> Self {
        Self { principal, is_unknown: false }
    }
}
