//! Logins that await confirmation (reference/users.md#unconfirmed-logins).

use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{
    audit,
    crypto::{SecretLocation, row},
};
use notices::notify;
use serde_json::json;
use shared::{
    connection::UNCONFIRMED_LOGIN_LIFETIME,
    id::UserId,
    platform::Platform,
    schema::{login_connections, unconfirmed_logins},
};
use uuid::Uuid;

use super::require_session;
use crate::login_connections::lock_identity;
use api_core::{ApiError, Cx, Result, access::SignedIn};

#[derive(Queryable, Selectable)]
#[diesel(table_name = unconfirmed_logins)]
struct Unconfirmed {
    id: Uuid,
    platform: String,
    provider_user_id: String,
    username: String,
    display_name: String,
    avatar_url: Option<String>,
    access_token: Vec<u8>,
    expires_at: Option<DateTime<Utc>>,
    client_id: Option<String>,
}

/// Earliest time of linking at which a login can still be confirmed.
#[must_use]
pub fn unconfirmed_since(now: DateTime<Utc>) -> DateTime<Utc> {
    now - UNCONFIRMED_LOGIN_LIFETIME
}

/// Confirms a login that a key linked: it becomes one of the person's logins.
///
/// # Errors
/// 403 without a session. 409 when the login no longer awaits confirmation, or its identity belongs to
/// another user.
pub async fn confirm_login(cx: &Cx, person: &SignedIn, id: Uuid) -> Result<()> {
    let user = person.user;
    require_session(cx)?;
    let mut connection = person.db().await?;
    connection
        .transaction(async |connection| {
            let (platform, provider_user_id) =
                identity_of(connection, user, id).await?.ok_or_else(no_longer_waits)?;
            // Blocks concurrent sign-ins and links of the identity.
            lock_identity(connection, &platform, &provider_user_id).await?;
            let login = take(cx, connection, user, id).await?.ok_or_else(no_longer_waits)?;
            match owner_of(connection, &login).await? {
                None => connect(cx, connection, user, &login).await?,
                Some(owner) if owner == user => {}
                Some(_) => return Err(ApiError::conflict("This login belongs to another user")),
            }
            notify::withdraw_unconfirmed_login(connection, user, id).await?;
            record(cx, connection, "connection:connected", id, &login.platform).await
        })
        .await
}

/// Discards a login that a key linked.
///
/// # Errors
/// 403 without a session.
pub async fn decline_login(cx: &Cx, person: &SignedIn, id: Uuid) -> Result<()> {
    let user = person.user;
    require_session(cx)?;
    let mut connection = person.db().await?;
    connection.transaction(async |connection| discard_login(cx, connection, user, id).await.map(drop)).await
}

/// Discards an unconfirmed login with the notification that asks for its confirmation, in the caller's
/// transaction. Returns true when there was one.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn discard_login(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    id: Uuid,
) -> Result<bool> {
    let waiting = unconfirmed_logins::table
        .filter(unconfirmed_logins::id.eq(id).and(unconfirmed_logins::user_id.eq(user)));
    let platform: Option<String> =
        delete(waiting).returning(unconfirmed_logins::platform).get_result(connection).await.optional()?;
    // After the login, in the order of confirming. The notification of a login that can no longer be
    // confirmed is withdrawn too.
    notify::withdraw_unconfirmed_login(connection, user, id).await?;
    let Some(platform) = platform else { return Ok(false) };
    record(cx, connection, "connection:link_declined", id, &platform).await?;
    Ok(true)
}

async fn identity_of(
    connection: &mut AsyncPgConnection,
    user: UserId,
    id: Uuid,
) -> Result<Option<(Platform, String)>> {
    let found: Option<(String, String)> = unconfirmed_logins::table
        .filter(unconfirmed_logins::id.eq(id).and(unconfirmed_logins::user_id.eq(user)))
        .select((unconfirmed_logins::platform, unconfirmed_logins::provider_user_id))
        .first(connection)
        .await
        .optional()?;
    let Some((platform, provider_user_id)) = found else { return Ok(None) };
    Ok(Some((platform.parse().map_err(ApiError::internal)?, provider_user_id)))
}

/// Removes an unconfirmed login and returns it; `None` when it is unknown or too old.
async fn take(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    id: Uuid,
) -> Result<Option<Unconfirmed>> {
    let since = unconfirmed_since(cx.state().clock.now());
    let waiting = unconfirmed_logins::table
        .filter(unconfirmed_logins::id.eq(id).and(unconfirmed_logins::user_id.eq(user)))
        .filter(unconfirmed_logins::created_at.gt(since));
    Ok(delete(waiting).returning(Unconfirmed::as_returning()).get_result(connection).await.optional()?)
}

async fn owner_of(connection: &mut AsyncPgConnection, login: &Unconfirmed) -> Result<Option<UserId>> {
    Ok(login_connections::table
        .filter(login_connections::platform.eq(&login.platform))
        .filter(login_connections::provider_user_id.eq(&login.provider_user_id))
        .select(login_connections::user_id)
        .first(connection)
        .await
        .optional()?)
}

async fn connect(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    login: &Unconfirmed,
) -> Result<()> {
    let (keyring, now, text) = (&cx.state().keyring, cx.state().clock.now(), row(login.id));
    let place = |table| SecretLocation { table, column: "access_token", row: &text };
    let token = keyring.open(place("unconfirmed_logins"), &login.access_token)?;
    insert_into(login_connections::table)
        .values((
            login_connections::id.eq(login.id),
            login_connections::user_id.eq(user),
            login_connections::platform.eq(&login.platform),
            login_connections::provider_user_id.eq(&login.provider_user_id),
            login_connections::username.eq(&login.username),
            login_connections::display_name.eq(&login.display_name),
            login_connections::avatar_url.eq(&login.avatar_url),
            login_connections::access_token.eq(keyring.seal(place("login_connections"), &token)?),
            login_connections::expires_at.eq(login.expires_at),
            login_connections::client_id.eq(&login.client_id),
            login_connections::created_at.eq(now),
            login_connections::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    id: Uuid,
    platform: &str,
) -> Result<()> {
    let entry = audit::Entry {
        scope: audit::Scope::User,
        metadata: json!({ "provider": platform }),
        ..cx.audit(action, "login_connection", id)
    };
    Ok(audit::record(connection, entry).await?)
}

fn no_longer_waits() -> ApiError {
    ApiError::conflict("Login does not wait for confirmation")
}
