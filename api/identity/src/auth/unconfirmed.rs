//! Linking by an API key: the login waits until a session of the person confirms it
//! (reference/users.md#unconfirmed-logins).

use api_core::{ApiError, Cx, Result};
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::crypto::{self, SecretLocation};
use notices::notify::{self, Notice};
use shared::{
    connection::UNCONFIRMED_LOGIN_LIFETIME,
    id::UserId,
    schema::{
        unconfirmed_logins::{self, dsl},
        users,
    },
};
use sign_in::sign_in_changes::unconfirmed_since;
use uuid::Uuid;

use super::login::{Login, record_change};

/// Maximum number of logins of a person that wait at the same time. A mail is sent for each.
const MAX_UNCONFIRMED_LOGINS: i64 = 5;

/// A login that waits for its confirmation.
pub(super) struct Request {
    pub id: Uuid,
    /// False when the login waited already.
    pub is_new: bool,
}

/// Stores a login that waits for confirmation and notifies its person, or renews the grant of one that waits
/// already. A renewal does not prolong the wait.
pub(super) async fn request(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    user: UserId,
) -> Result<Request> {
    let now = cx.state().clock.now();
    lock_person(connection, user).await?;
    discard_expired(connection, user, now).await?;
    if let Some(id) = waiting(connection, login, user).await? {
        renew(cx, connection, id, login).await?;
        return Ok(Request { id, is_new: false });
    }
    let own = dsl::unconfirmed_logins.filter(dsl::user_id.eq(user));
    if own.count().get_result::<i64>(connection).await? >= MAX_UNCONFIRMED_LOGINS {
        let message = format!("At most {MAX_UNCONFIRMED_LOGINS} logins wait for confirmation at a time");
        return Err(ApiError::conflict(message));
    }
    let id = insert(cx, connection, login, user, now).await?;
    let expires_at = now + UNCONFIRMED_LOGIN_LIFETIME;
    let notice = Notice::LoginUnconfirmed {
        connection_id: id,
        platform: login.platform,
        name: &login.username,
        expires_at,
    };
    notify::notify(connection, &[user], &notice, now).await?;
    record_change(cx, connection, "connection:link_requested", user, id, login).await?;
    Ok(Request { id, is_new: true })
}

/// Discards an unconfirmed login of an identity that its person now links by a session.
pub(super) async fn supersede(connection: &mut AsyncPgConnection, login: &Login, user: UserId) -> Result<()> {
    if let Some(id) = waiting(connection, login, user).await? {
        delete(dsl::unconfirmed_logins.find(id)).execute(connection).await?;
        notify::withdraw_unconfirmed_login(connection, user, id).await?;
    }
    Ok(())
}

/// Locks the person, so that requests run one after the other and the count stays true until the insert.
async fn lock_person(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    let person = users::table.find(user).select(users::id).for_no_key_update();
    person.first::<UserId>(connection).await?;
    Ok(())
}

async fn discard_expired(connection: &mut AsyncPgConnection, user: UserId, now: DateTime<Utc>) -> Result<()> {
    let expired = dsl::user_id.eq(user).and(dsl::created_at.le(unconfirmed_since(now)));
    let gone: Vec<Uuid> = delete(dsl::unconfirmed_logins.filter(expired))
        .returning(unconfirmed_logins::id)
        .get_results(connection)
        .await?;
    for id in gone {
        notify::withdraw_unconfirmed_login(connection, user, id).await?;
    }
    Ok(())
}

async fn waiting(connection: &mut AsyncPgConnection, login: &Login, user: UserId) -> Result<Option<Uuid>> {
    Ok(dsl::unconfirmed_logins
        .filter(dsl::user_id.eq(user).and(dsl::platform.eq(login.platform.slug())))
        .filter(dsl::provider_user_id.eq(&login.provider_user_id))
        .select(dsl::id)
        .for_update()
        .first(connection)
        .await
        .optional()?)
}

async fn renew(cx: &Cx, connection: &mut AsyncPgConnection, id: Uuid, login: &Login) -> Result<()> {
    update(dsl::unconfirmed_logins.find(id))
        .set((
            dsl::access_token.eq(sealed(cx, id, login)?),
            dsl::expires_at.eq(login.expires_at),
            dsl::client_id.eq(&login.client_id),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let id = shared::id::new();
    insert_into(dsl::unconfirmed_logins)
        .values((
            dsl::id.eq(id),
            dsl::user_id.eq(user),
            dsl::platform.eq(login.platform.slug()),
            dsl::provider_user_id.eq(&login.provider_user_id),
            dsl::username.eq(&login.username),
            dsl::display_name.eq(&login.display_name),
            dsl::avatar_url.eq(&login.avatar_url),
            dsl::access_token.eq(sealed(cx, id, login)?),
            dsl::expires_at.eq(login.expires_at),
            dsl::client_id.eq(&login.client_id),
            dsl::created_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(id)
}

/// Grant, encrypted for its row.
fn sealed(cx: &Cx, id: Uuid, login: &Login) -> Result<Vec<u8>> {
    let row = crypto::row(id);
    let place = SecretLocation { table: "unconfirmed_logins", column: "access_token", row: &row };
    Ok(cx.state().keyring.seal(place, &login.access_token)?)
}
