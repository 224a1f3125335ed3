//! E-mail addresses that await confirmation.

use diesel::{prelude::*, update};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::audit;
use notices::notify;
use shared::{id::UserId, schema::users};

use super::require_session;
use api_core::{ApiError, Cx, Result, access::SignedIn};

/// Confirms an e-mail address that a key requested: it becomes the person's address.
///
/// # Errors
/// 403 without a session. 409 when this address no longer awaits confirmation.
pub async fn confirm_email(cx: &Cx, person: &SignedIn, email: &str) -> Result<()> {
    let user = person.user;
    require_session(cx)?;
    let now = cx.state().clock.now();
    let mut connection = person.db().await?;
    connection
        .transaction(async |connection| {
            let waiting = users::table.find(user).filter(users::pending_email.eq(email));
            let change =
                (users::email.eq(email), users::pending_email.eq(None::<String>), users::updated_at.eq(now));
            if update(waiting).set(change).execute(connection).await? == 0 {
                return Err(ApiError::conflict("E-mail address does not wait for confirmation"));
            }
            settle(cx, connection, user, "user:email_confirmed").await
        })
        .await
}

/// Discards an e-mail address that a key requested.
///
/// # Errors
/// 403 without a session.
pub async fn decline_email(cx: &Cx, person: &SignedIn, email: &str) -> Result<()> {
    let user = person.user;
    require_session(cx)?;
    let now = cx.state().clock.now();
    let mut connection = person.db().await?;
    connection
        .transaction(async |connection| {
            let waiting = users::table.find(user).filter(users::pending_email.eq(email));
            let change = (users::pending_email.eq(None::<String>), users::updated_at.eq(now));
            if update(waiting).set(change).execute(connection).await? == 0 {
                return Ok(notify::withdraw_unconfirmed_email(connection, user).await?);
            }
            settle(cx, connection, user, "user:email_declined").await
        })
        .await
}

async fn settle(cx: &Cx, connection: &mut AsyncPgConnection, user: UserId, action: &str) -> Result<()> {
    notify::withdraw_unconfirmed_email(connection, user).await?;
    let entry = audit::Entry { scope: audit::Scope::User, ..cx.audit(action, "user", user) };
    Ok(audit::record(connection, entry).await?)
}
