//! Session tokens and the account that they act in (reference/credentials.md#signed-tokens).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::{sessions, users},
    secret::Secret,
};
use uuid::Uuid;

use super::{Claims, TokenType};
use crate::{Result, State};

/// A session token and the time from which it is no longer accepted.
#[derive(Debug)]
pub struct SessionToken {
    /// Text of the token; a secret.
    pub text: Secret,
    /// Time from which the token is not accepted.
    pub expires_at: DateTime<Utc>,
}

/// Signs a token for a session that acts in `account`.
///
/// # Errors
/// 500 when signing fails.
pub fn session_token(
    state: &State,
    user: UserId,
    session: Uuid,
    account: Option<AccountId>,
) -> Result<SessionToken> {
    let now = state.clock.now();
    let lifetime = state.config.secrets.session_lifetime_seconds;
    let claims =
        Claims::new(TokenType::Session, user.0, session, account.map(AccountId::uuid), now, lifetime);
    let expires_at = DateTime::from_timestamp(claims.exp, 0).unwrap_or(now);
    Ok(SessionToken { text: Secret::new(state.jwt.sign(&claims)?), expires_at })
}

/// Stores the account that a person acts in: for further tokens of the session, and for the person's next
/// sign-in.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn act_in(
    connection: &mut AsyncPgConnection,
    user: UserId,
    session: Uuid,
    account: Option<AccountId>,
) -> Result<()> {
    diesel::update(users::table.find(user))
        .set(users::active_account_id.eq(account))
        .execute(connection)
        .await?;
    diesel::update(sessions::table.find(session).filter(sessions::user_id.eq(user)))
        .set(sessions::active_account_id.eq(account))
        .execute(connection)
        .await?;
    Ok(())
}
