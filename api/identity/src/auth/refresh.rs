//! Refresh tokens: signed, rotating, usable once (reference/credentials.md#refresh).

use api_core::token;
use api_core::{
    Result, State,
    access::{Claims, TokenType},
};
use chrono::{DateTime, Duration, Utc};
use shared::{id::UserId, secret::Secret};
use uuid::Uuid;

/// A new refresh token. The session stores its hash.
pub(super) struct RefreshToken {
    pub text: Secret,
    /// SHA-256 of its `jti`.
    pub hash: Vec<u8>,
    /// Time at which the session ends unless it is refreshed before.
    pub expires_at: DateTime<Utc>,
}

/// A presented refresh token with a valid signature that has not expired. It need not be the session's
/// current one.
pub(super) struct Presented {
    pub user: UserId,
    pub session: Uuid,
    /// SHA-256 of its `jti`.
    pub hash: Vec<u8>,
}

impl RefreshToken {
    pub(super) fn issue(state: &State, user: UserId, session: Uuid) -> Result<Self> {
        let (now, jti) = (state.clock.now(), Uuid::new_v4());
        let lifetime = state.config.secrets.refresh_lifetime_seconds;
        let claims = Claims::new(TokenType::Refresh, user.0, session, None, now, lifetime);
        Ok(Self {
            text: Secret::new(state.jwt.sign(&Claims { jti: Some(jti), ..claims })?),
            hash: hash(jti),
            expires_at: now + Duration::seconds(lifetime),
        })
    }
}

impl Presented {
    pub(super) fn read(state: &State, text: &str) -> Option<Self> {
        let claims = state.jwt.read(text, state.clock.now())?;
        if claims.typ != TokenType::Refresh {
            return None;
        }
        Some(Self { user: UserId(claims.sub), session: claims.sid, hash: hash(claims.jti?) })
    }
}

fn hash(jti: Uuid) -> Vec<u8> {
    token::hash(&jti.to_string())
}
