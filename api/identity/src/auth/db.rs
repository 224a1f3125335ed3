//! Queries over `sessions`, and over `users` and `login_connections` as far as sign-in needs them.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    platform::Platform,
    schema::{login_connections, memberships, sessions, users},
};
use uuid::Uuid;

use super::{
    login::Login,
    refresh::{Presented, RefreshToken},
};

/// Columns of a login connection that sign-in needs.
#[derive(Queryable, Selectable)]
#[diesel(table_name = login_connections)]
pub(super) struct Identity {
    pub id: Uuid,
    pub user_id: UserId,
    pub reconnect_required: bool,
}

#[derive(Insertable)]
#[diesel(table_name = sessions)]
pub(super) struct NewSession<'a> {
    pub id: Uuid,
    pub user_id: UserId,
    pub refresh_hash: &'a [u8],
    pub active_account_id: Option<AccountId>,
    pub ip: Option<String>,
    pub user_agent: Option<&'a str>,
    pub created_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub login_connection_id: Uuid,
}

pub(super) async fn identity(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    provider_user_id: &str,
) -> Result<Option<Identity>> {
    Ok(login_connections::table
        .filter(login_connections::platform.eq(platform.slug()))
        .filter(login_connections::provider_user_id.eq(provider_user_id))
        .select(Identity::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// Login connection of an identity. Its row is locked until the transaction ends.
pub(super) async fn locked_identity(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    provider_user_id: &str,
) -> Result<Option<Identity>> {
    Ok(login_connections::table
        .filter(login_connections::platform.eq(platform.slug()))
        .filter(login_connections::provider_user_id.eq(provider_user_id))
        .select(Identity::as_select())
        .for_update()
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn insert_user(
    connection: &mut AsyncPgConnection,
    user: UserId,
    login: &Login,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_into(users::table)
        .values((
            users::id.eq(user),
            users::display_name.eq(&login.display_name),
            users::username.eq(&login.username),
            users::email.eq(&login.email),
            users::avatar_url.eq(&login.avatar_url),
            users::created_at.eq(now),
            users::updated_at.eq(now),
            users::last_login_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn insert_connection(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    user: UserId,
    login: &Login,
    sealed_token: &[u8],
    now: DateTime<Utc>,
) -> Result<()> {
    insert_into(login_connections::table)
        .values((
            login_connections::id.eq(id),
            login_connections::user_id.eq(user),
            login_connections::platform.eq(login.platform.slug()),
            login_connections::provider_user_id.eq(&login.provider_user_id),
            login_connections::username.eq(&login.username),
            login_connections::display_name.eq(&login.display_name),
            login_connections::avatar_url.eq(&login.avatar_url),
            login_connections::access_token.eq(sealed_token),
            login_connections::expires_at.eq(login.expires_at),
            login_connections::client_id.eq(&login.client_id),
            login_connections::created_at.eq(now),
            login_connections::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores the new grant and the person's present names. An absent avatar leaves the known one.
pub(super) async fn renew_connection(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    login: &Login,
    sealed_token: &[u8],
    now: DateTime<Utc>,
) -> Result<()> {
    update(login_connections::table.find(id))
        .set((
            login_connections::username.eq(&login.username),
            login_connections::display_name.eq(&login.display_name),
            login.avatar_url.as_ref().map(|url| login_connections::avatar_url.eq(url)),
            login_connections::access_token.eq(sealed_token),
            login_connections::expires_at.eq(login.expires_at),
            login_connections::client_id.eq(&login.client_id),
            login_connections::token_version.eq(login_connections::token_version + 1),
            login_connections::reconnect_required.eq(false),
            login_connections::flagged_at.eq(None::<DateTime<Utc>>),
            login_connections::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn record_login(
    connection: &mut AsyncPgConnection,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<()> {
    update(users::table.find(user)).set(users::last_login_at.eq(now)).execute(connection).await?;
    Ok(())
}

pub(super) async fn set_active_account(
    connection: &mut AsyncPgConnection,
    user: UserId,
    account: AccountId,
) -> Result<()> {
    update(users::table.find(user))
        .set(users::active_account_id.eq(account.uuid()))
        .execute(connection)
        .await?;
    Ok(())
}

/// Account that the person acted in last, else the oldest membership.
pub(super) async fn usual_account(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Option<AccountId>> {
    Ok(memberships::table
        .inner_join(users::table)
        .filter(memberships::user_id.eq(user))
        .order((
            users::active_account_id.is_not_distinct_from(memberships::account_id.nullable()).desc(),
            memberships::joined_at.asc(),
            memberships::id.asc(),
        ))
        .select(memberships::account_id)
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn insert_session(
    connection: &mut AsyncPgConnection,
    session: &NewSession<'_>,
) -> Result<()> {
    insert_into(sessions::table).values(session).execute(connection).await?;
    Ok(())
}

/// Account that the session acts in, if the presented token is its current refresh token; else `None`.
pub(super) async fn waiting_session(
    connection: &mut AsyncPgConnection,
    presented: &Presented,
    now: DateTime<Utc>,
) -> Result<Option<Option<AccountId>>> {
    Ok(sessions::table
        .find(presented.session)
        .filter(sessions::user_id.eq(presented.user))
        .filter(sessions::refresh_hash.eq(&presented.hash))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now))
        .select(sessions::active_account_id)
        .first(connection)
        .await
        .optional()?)
}

/// Replaces the presented refresh token by the next one. Returns false when the presented token is not, or no
/// longer, the session's current one.
pub(super) async fn rotate(
    connection: &mut AsyncPgConnection,
    presented: &Presented,
    next: &RefreshToken,
    now: DateTime<Utc>,
) -> Result<bool> {
    let waiting = sessions::table
        .find(presented.session)
        .filter(sessions::user_id.eq(presented.user))
        .filter(sessions::refresh_hash.eq(&presented.hash))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now));
    Ok(update(waiting)
        .set((
            sessions::refresh_hash.eq(&next.hash),
            sessions::last_seen_at.eq(now),
            sessions::expires_at.eq(next.expires_at),
        ))
        .execute(connection)
        .await?
        > 0)
}
