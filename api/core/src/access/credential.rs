//! From the text that a request brings to a [`Principal`] (specification A §5.1).

use std::sync::Arc;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use shared::{
    catalogue::{PermissionSet, key_user_permissions},
    db::schema::{account_service_keys, popout_tokens, sessions, surface_tokens, system_keys, user_api_keys},
    id::{AccountId, UserId},
    secret::Secret,
    token::{self, TokenKind},
};
use uuid::Uuid;

use super::{AccountScopes, Claims, Principal, TokenType, UserScopes};
use crate::{Result, State};

/// Where in the request a credential stood.
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
    pub text: Secret,
    pub transport: Transport,
}

/// An opaque credential as it is stored.
#[derive(Debug, Clone)]
pub struct Credential {
    pub id: Uuid,
    pub kind: TokenKind,
    pub user: Option<UserId>,
    /// Who made a popout token, and so knows its text.
    pub maker: Option<UserId>,
    pub account: Option<AccountId>,
    pub permissions: AccountScopes,
    /// Platform-wide permissions; personal keys only.
    pub user_permissions: UserScopes,
    pub subject: String,
    pub surface: Option<String>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// A session as it is stored.
#[derive(Debug, Clone)]
pub struct SessionRecord {
    pub user: UserId,
    pub expires_at: DateTime<Utc>,
    pub is_revoked: bool,
}

impl Credential {
    /// Whether it acts in an account.
    #[must_use]
    pub fn is_in(&self, account: Uuid) -> bool {
        self.account.is_some_and(|own| own.0 == account)
    }

    /// Whether it stands and falls with a person's membership.
    #[must_use]
    pub fn is_of(&self, user: Uuid) -> bool {
        [self.user, self.maker].into_iter().flatten().any(|person| person.0 == user)
    }

    fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

impl Transport {
    const fn is_socket(self) -> bool {
        matches!(self, Self::SocketHeader | Self::SocketQuery)
    }

    /// Long-lived secrets must not reach URLs (C §11.1), and outside the socket only tokens of overlays, shares and
    /// popouts may (A §5.1).
    const fn admits(self, kind: TokenKind) -> bool {
        match self {
            Self::Header | Self::SocketHeader => true,
            Self::Query => matches!(kind, TokenKind::Overlay | TokenKind::Share | TokenKind::Popout),
            Self::SocketQuery => !matches!(kind, TokenKind::User | TokenKind::Service | TokenKind::System),
            Self::Cookie => false,
        }
    }

    const fn admits_signed(self, typ: TokenType) -> bool {
        match typ {
            TokenType::Session => matches!(self, Self::Header | Self::SocketHeader | Self::SocketQuery),
            TokenType::Ws => self.is_socket(),
            TokenType::Popout => !matches!(self, Self::Query),
            TokenType::Refresh => false,
        }
    }
}

const REFUSED: Principal = Principal::Anonymous { refused: true };

/// What a presented credential stands for.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub principal: Principal,
    /// An opaque credential that does not exist: perhaps a guess.
    pub is_unknown: bool,
}

impl From<Principal> for Resolved {
    fn from(principal: Principal) -> Self {
        Self { principal, is_unknown: false }
    }
}

/// Resolves what was presented. An expired API key is anonymous; whatever is not valid is anonymous and marked as
/// refused.
///
/// # Errors
/// When the database fails.
pub async fn resolve(state: &State, presented: Option<&Presented>) -> Result<Resolved> {
    let Some(Presented { text, transport }) = presented else {
        return Ok(Principal::Anonymous { refused: false }.into());
    };
    match TokenKind::of(text.expose()) {
        Some(kind) if transport.admits(kind) => opaque(state, kind, text.expose()).await,
        Some(_) => Ok(REFUSED.into()),
        None => match state.jwt.read(text.expose(), state.clock.now()) {
            Some(claims) if transport.admits_signed(claims.typ) => Ok(signed(state, claims).await?.into()),
            _ => Ok(REFUSED.into()),
        },
    }
}

/// The popout token of a text, if it works: for its exchange (A §4.2).
///
/// # Errors
/// When the database fails.
pub async fn popout_token(state: &State, text: &str) -> Result<Option<Arc<Credential>>> {
    let kind = TokenKind::Popout;
    if TokenKind::of(text) != Some(kind) {
        return Ok(None);
    }
    let works = find(state, kind, text).await?.filter(|token| !token.is_expired(state.clock.now()));
    works.iter().for_each(|token| state.usage.touch(kind, token.id));
    Ok(works)
}

async fn opaque(state: &State, kind: TokenKind, text: &str) -> Result<Resolved> {
    let Some(credential) = find(state, kind, text).await? else {
        return Ok(Resolved { principal: REFUSED, is_unknown: true });
    };
    if credential.is_expired(state.clock.now()) {
        let refused = !matches!(kind, TokenKind::User | TokenKind::Service);
        return Ok(Principal::Anonymous { refused }.into());
    }
    state.usage.touch(kind, credential.id);
    Ok(principal(&credential, false).into())
}

/// One indexed read by hash, unless the process knows the answer (specification E, 4).
async fn find(state: &State, kind: TokenKind, text: &str) -> Result<Option<Arc<Credential>>> {
    let hash = token::hash(text);
    if state.lookups.is_miss(&hash) {
        return Ok(None);
    }
    let lookup = async {
        let _permit = state.lookups.permit().await?;
        load(state, kind, hash.clone()).await
    };
    let found = state.caches.credentials.get_or_find(hash.clone(), lookup).await?;
    if found.is_none() {
        state.lookups.remember_miss(hash);
    }
    Ok(found)
}

/// `exchanged`: whether a signed token stood for the credential.
fn principal(credential: &Credential, exchanged: bool) -> Principal {
    let (id, scopes) = (credential.id, credential.permissions);
    match (credential.kind, credential.account, credential.user) {
        (TokenKind::System, _, _) => Principal::SystemKey { id },
        (TokenKind::User, Some(account), Some(user)) => {
            Principal::PersonalKey { id, user, account, scopes, user_scopes: credential.user_permissions }
        }
        (TokenKind::Service, Some(account), _) => Principal::ServiceKey { id, account, scopes },
        (TokenKind::Popout, Some(account), Some(user)) => {
            let maker = credential.maker.unwrap_or(user);
            Principal::Popout { id, user, maker, account, scopes, exchanged }
        }
        (
            kind @ (TokenKind::Overlay | TokenKind::Share | TokenKind::Extension | TokenKind::Widget),
            Some(account),
            user,
        ) => {
            let (subject, surface) = (credential.subject.clone(), credential.surface.clone());
            Principal::Surface { id, kind, account, subject, surface, user }
        }
        _ => REFUSED,
    }
}

async fn signed(state: &State, claims: Claims) -> Result<Principal> {
    let (user, account) = (UserId(claims.sub), claims.aid.map(AccountId));
    match claims.typ {
        TokenType::Session | TokenType::Ws if claims.key.is_none() && claims.perms.is_none() => {
            let session = session(state, claims.sid).await?;
            let is_good =
                session.is_some_and(|s| s.user == user && !s.is_revoked && s.expires_at > state.clock.now());
            Ok(if is_good { Principal::Session { user, session: claims.sid, account } } else { REFUSED })
        }
        TokenType::Popout | TokenType::Ws => from_credential(state, &claims).await,
        TokenType::Session | TokenType::Refresh => Ok(REFUSED),
    }
}

/// A token that was issued to a popout or to a personal key: it lives no longer than what it was issued to.
async fn from_credential(state: &State, claims: &Claims) -> Result<Principal> {
    let (kind, id) = match claims.key {
        Some(key) => (TokenKind::User, key),
        None => (TokenKind::Popout, claims.sid),
    };
    let found =
        state.caches.credentials.get_or_load(id.as_bytes().to_vec(), load_by_id(state, kind, id)).await?;
    let Some(credential) = found else { return Ok(REFUSED) };
    // A popout that was handed to another member has no sessions of the one before.
    let is_theirs = credential.kind == kind && credential.user == Some(UserId(claims.sub));
    if !is_theirs || credential.is_expired(state.clock.now()) {
        return Ok(REFUSED);
    }
    state.usage.touch(kind, id);
    Ok(principal(&credential, true))
}

async fn session(state: &State, id: Uuid) -> Result<Option<Arc<SessionRecord>>> {
    let load = async {
        let row: Option<(UserId, DateTime<Utc>, Option<DateTime<Utc>>)> = sessions::table
            .find(id)
            .select((sessions::user_id, sessions::expires_at, sessions::revoked_at))
            .first(&mut state.databases.postgres.get().await?)
            .await
            .optional()?;
        Ok(row.map(|(user, expires_at, revoked_at)| {
            Arc::new(SessionRecord { user, expires_at, is_revoked: revoked_at.is_some() })
        }))
    };
    state.caches.sessions.get_or_load(id, load).await
}

type Keyed = (Uuid, UserId, AccountId, Vec<String>, Option<DateTime<Utc>>);

async fn load(state: &State, kind: TokenKind, hash: Vec<u8>) -> Result<Option<Arc<Credential>>> {
    let mut connection = state.databases.postgres.get().await?;
    let credential = match kind {
        TokenKind::User => {
            use user_api_keys::dsl as t;
            let row: Option<Keyed> = t::user_api_keys
                .filter(t::key_hash.eq(hash))
                .select((t::id, t::user_id, t::account_id, t::permissions, t::expires_at))
                .first(&mut connection)
                .await
                .optional()?;
            row.map(|row| keyed(kind, row))
        }
        TokenKind::Popout => {
            use popout_tokens::dsl as t;
            let row: Option<(Keyed, UserId)> = t::popout_tokens
                .filter(t::token_hash.eq(hash))
                .select(((t::id, t::user_id, t::account_id, t::permissions, t::expires_at), t::created_by))
                .first(&mut connection)
                .await
                .optional()?;
            row.map(made)
        }
        TokenKind::Service => {
            use account_service_keys::dsl as t;
            type Row = (Uuid, AccountId, Vec<String>, Option<DateTime<Utc>>);
            let row: Option<Row> = t::account_service_keys
                .filter(t::key_hash.eq(hash))
                .select((t::id, t::account_id, t::permissions, t::expires_at))
                .first(&mut connection)
                .await
                .optional()?;
            row.map(|(id, account, permissions, expires_at)| Credential {
                account: Some(account),
                permissions: PermissionSet::from_strings(&permissions),
                expires_at,
                ..bare(kind, id)
            })
        }
        TokenKind::System => {
            use system_keys::dsl as t;
            let found: Option<Uuid> = t::system_keys
                .filter(t::key_hash.eq(hash))
                .select(t::id)
                .first(&mut connection)
                .await
                .optional()?;
            found.map(|id| bare(kind, id))
        }
        TokenKind::Overlay | TokenKind::Share | TokenKind::Extension | TokenKind::Widget => {
            use surface_tokens::dsl as t;
            type Row = (Uuid, AccountId, String, Option<String>, Option<UserId>, Option<DateTime<Utc>>);
            let row: Option<Row> = t::surface_tokens
                .filter(t::token_hash.eq(hash))
                .filter(t::kind.eq(surface_kind(kind)))
                .filter(t::revoked_at.is_null())
                .select((t::id, t::account_id, t::subject, t::surface, t::user_id, t::expires_at))
                .first(&mut connection)
                .await
                .optional()?;
            row.map(|(id, account, subject, surface, user, expires_at)| Credential {
                account: Some(account),
                subject,
                surface,
                user,
                expires_at,
                ..bare(kind, id)
            })
        }
    };
    Ok(credential.map(Arc::new))
}

async fn load_by_id(state: &State, kind: TokenKind, id: Uuid) -> Result<Option<Arc<Credential>>> {
    let mut connection = state.databases.postgres.get().await?;
    let credential = if kind == TokenKind::User {
        use user_api_keys::dsl as t;
        let row: Option<Keyed> = t::user_api_keys
            .find(id)
            .select((t::id, t::user_id, t::account_id, t::permissions, t::expires_at))
            .first(&mut connection)
            .await
            .optional()?;
        row.map(|row| keyed(kind, row))
    } else {
        use popout_tokens::dsl as t;
        let row: Option<(Keyed, UserId)> = t::popout_tokens
            .find(id)
            .select(((t::id, t::user_id, t::account_id, t::permissions, t::expires_at), t::created_by))
            .first(&mut connection)
            .await
            .optional()?;
        row.map(made)
    };
    Ok(credential.map(Arc::new))
}

fn made((row, maker): (Keyed, UserId)) -> Credential {
    Credential { maker: Some(maker), ..keyed(TokenKind::Popout, row) }
}

fn keyed(kind: TokenKind, (id, user, account, permissions, expires_at): Keyed) -> Credential {
    Credential {
        user: Some(user),
        account: Some(account),
        user_permissions: user_permissions(kind, &permissions),
        permissions: PermissionSet::from_strings(&permissions),
        expires_at,
        ..bare(kind, id)
    }
}

/// A personal key may carry the ten permissions of an ordinary member, also when it says `ideas:*` (A §4.4, rule 3).
fn user_permissions(kind: TokenKind, permissions: &[String]) -> UserScopes {
    match kind {
        TokenKind::User => PermissionSet::from_strings(permissions).intersection(&key_user_permissions()),
        _ => PermissionSet::empty(),
    }
}

const fn bare(kind: TokenKind, id: Uuid) -> Credential {
    Credential {
        id,
        kind,
        user: None,
        maker: None,
        account: None,
        permissions: PermissionSet::empty(),
        user_permissions: PermissionSet::empty(),
        subject: String::new(),
        surface: None,
        expires_at: None,
    }
}

/// The `kind` column of `surface_tokens`.
const fn surface_kind(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Overlay => "overlay",
        TokenKind::Share => "share",
        TokenKind::Widget => "widget",
        _ => "extension",
    }
}
