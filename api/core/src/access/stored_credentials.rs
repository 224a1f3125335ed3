//! Lookup of stored credentials (reference/credentials.md#lookup).

use std::sync::Arc;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use shared::{
    catalogue::{PermissionSet, key_user_permissions},
    id::{AccountId, UserId},
    schema::{account_service_keys, popout_tokens, sessions, surface_tokens, system_keys, user_api_keys},
};
use uuid::Uuid;

use super::{
    credential::{Credential, SessionRecord},
    rights::UserScopes,
};
use crate::{Result, State, token::TokenKind};

/// Session by its id, unless the process remembers it.
pub(super) async fn session(state: &State, id: Uuid) -> Result<Option<Arc<SessionRecord>>> {
    let load = || async move {
        let row: Option<(UserId, DateTime<Utc>, Option<DateTime<Utc>>)> = sessions::table
            .find(id)
            .select((sessions::user_id, sessions::expires_at, sessions::revoked_at))
            .first(&mut state.databases.primary().await?)
            .await
            .optional()?;
        Ok(row.map(|(user, expires_at, revoked_at)| {
            Arc::new(SessionRecord { user, expires_at, is_revoked: revoked_at.is_some() })
        }))
    };
    state.caches.sessions.get_or_load(id, load).await
}

type Keyed = (Uuid, UserId, AccountId, Vec<String>, Option<DateTime<Utc>>);

/// Credential by the hash of its text.
pub(super) async fn load(state: &State, kind: TokenKind, hash: Vec<u8>) -> Result<Option<Arc<Credential>>> {
    let mut connection = state.databases.primary().await?;
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
            let row: Option<ServiceKey> = t::account_service_keys
                .filter(t::key_hash.eq(hash))
                .select((t::id, t::account_id, t::permissions, t::expires_at))
                .first(&mut connection)
                .await
                .optional()?;
            row.map(service_key)
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

/// Personal key or popout token by its id.
pub(super) async fn load_by_id(state: &State, kind: TokenKind, id: Uuid) -> Result<Option<Arc<Credential>>> {
    let mut connection = state.databases.primary().await?;
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

type ServiceKey = (Uuid, AccountId, Vec<String>, Option<DateTime<Utc>>);

/// Service key by its id.
pub(super) async fn load_service_key(state: &State, id: Uuid) -> Result<Option<Arc<Credential>>> {
    use account_service_keys::dsl as t;
    let row: Option<ServiceKey> = t::account_service_keys
        .find(id)
        .select((t::id, t::account_id, t::permissions, t::expires_at))
        .first(&mut state.databases.primary().await?)
        .await
        .optional()?;
    Ok(row.map(|row| Arc::new(service_key(row))))
}

fn service_key((id, account, permissions, expires_at): ServiceKey) -> Credential {
    Credential {
        account: Some(account),
        permissions: PermissionSet::from_strings(&permissions),
        expires_at,
        ..bare(TokenKind::Service, id)
    }
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

/// User-scope permissions of a personal key: only those of an ordinary member, also for the scope `ideas:*`
/// (reference/credentials.md#key-scopes).
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

/// Text in the column `kind` of `surface_tokens`.
const fn surface_kind(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Overlay => "overlay",
        TokenKind::Share => "share",
        TokenKind::Widget => "widget",
        _ => "extension",
    }
}
