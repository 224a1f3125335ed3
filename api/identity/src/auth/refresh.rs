//! Refresh tokens: signed, rotating, usable once (specification C §2.1).

use api_core::{
    Result, State,
    access::{Claims, TokenType},
};
use chrono::{DateTime, Duration, Utc};
use shared::{id::UserId, secret::Secret, token};
use uuid::Uuid;

/// A refresh token to hand out. The session keeps its hash.
pub(super) struct RefreshToken {
    pub text: Secret,
    /// SHA-256 of its `jti`.
    pub hash: Vec<u8>,
    /// When the session ends unless it is refreshed before.
    pub expires_at: DateTime<Utc>,
}

/// A refresh token that was presented: ours, not expired, and for a session that may or may not still want it.
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
