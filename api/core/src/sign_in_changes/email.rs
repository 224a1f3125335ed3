//! E-mail addresses that wait for their confirmation.

use diesel::{prelude::*, update};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use shared::{audit, db::schema::users, id::UserId, notify};

use super::require_session;
use crate::{ApiError, Cx, Result};

/// Makes the address that a key asked for the person's own.
///
/// # Errors
/// 403 for anything but a session; 409 when another address waits by now, or none.
pub async fn confirm_email(cx: &Cx, user: UserId, email: &str) -> Result<()> {
    require_session(cx)?;
    let now = cx.state().clock.now();
    let mut connection = cx.state().databases.postgres.get().await?;
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

/// Discards the address that a key asked for.
///
/// # Errors
/// 403 for anything but a session.
pub async fn decline_email(cx: &Cx, user: UserId, email: &str) -> Result<()> {
    require_session(cx)?;
    let now = cx.state().clock.now();
    let mut connection = cx.state().databases.postgres.get().await?;
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
