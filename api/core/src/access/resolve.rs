//! Resolution of the text of a credential to a [`Principal`] (reference/credentials.md#lookup).

use std::sync::Arc;

use shared::id::{AccountId, Trust, UserId};

use super::{
    credential::{Credential, Presented, Resolved},
    jwt::{Claims, TokenType},
    principal::Principal,
    stored_credentials::{load, load_by_id, session},
};
use crate::{
    Result, State,
    token::{self, TokenKind},
};

const REFUSED: Principal = Principal::Anonymous { refused: true };

/// Resolves a credential. An expired API key is anonymous. Any other credential that is not valid is
/// anonymous and marked as refused.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
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

/// Finds a popout token by its text, for its exchange (reference/credentials.md#popout-sessions). `None` when
/// it does not exist or has expired.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
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

/// Finds a credential by one indexed read by hash, unless the process remembers the result
/// (reference/credentials.md#lookup).
async fn find(state: &State, kind: TokenKind, text: &str) -> Result<Option<Arc<Credential>>> {
    let lookup = |hash: Vec<u8>| async move {
        if state.lookups.is_miss(&hash) {
            return Ok(None);
        }
        let found = {
            let _permit = state.lookups.permit().await?;
            load(state, kind, hash.clone()).await?
        };
        if found.is_none() {
            state.lookups.remember_miss(hash);
        }
        Ok(found)
    };
    state.caches.credentials.get_or_find(token::hash(text), lookup).await
}

/// Principal of a stored credential. `exchanged` is true when a signed token was presented in its place.
pub(super) fn principal(credential: &Credential, exchanged: bool) -> Principal {
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
    let (user, account) =
        (UserId(claims.sub), claims.aid.map(|id| AccountId::trusted(id, Trust::Credential)));
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

/// Resolves a token that was issued to a popout or a personal key: it lives no longer than that credential.
async fn from_credential(state: &State, claims: &Claims) -> Result<Principal> {
    let (kind, id) = match claims.key {
        Some(key) => (TokenKind::User, key),
        None => (TokenKind::Popout, claims.sid),
    };
    let found =
        state.caches.credentials.get_or_load(id.as_bytes().to_vec(), || load_by_id(state, kind, id)).await?;
    let Some(credential) = found else { return Ok(REFUSED) };
    // After a popout was assigned to another member, its earlier sessions are not valid.
    let is_same_holder = credential.kind == kind && credential.user == Some(UserId(claims.sub));
    if !is_same_holder || credential.is_expired(state.clock.now()) {
        return Ok(REFUSED);
    }
    state.usage.touch(kind, id);
    Ok(principal(&credential, true))
}
