//! Linking by an API key: the login waits until a session of the person confirms it (specification E, 1).

use api_core::{ApiError, Cx, Result, sign_in_changes::unconfirmed_since};
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    connections::UNCONFIRMED_LOGIN_LIFETIME,
    crypto::{self, Place},
    db::schema::{
        unconfirmed_logins::{self, dsl},
        users,
    },
    id::UserId,
    notify::{self, Notice},
};
use uuid::Uuid;

use super::{
    identity::{Linked, record},
    login::Login,
};

/// Logins of a person that wait at the same time: each is told by mail.
const MAX_UNCONFIRMED_LOGINS: i64 = 5;

/// Has a login wait for its confirmation and tells its person, or renews the grant of one that waits already; it then
/// waits no longer than before.
pub(super) async fn request(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    user: UserId,
) -> Result<Linked> {
    let now = cx.state().clock.now();
    hold_person(connection, user).await?;
    discard_expired(connection, user, now).await?;
    if let Some(id) = waiting(connection, login, user).await? {
        renew(cx, connection, id, login).await?;
        return Ok(Linked::Unconfirmed { id, is_new: false });
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
    record(cx, connection, "connection:link_requested", user, id, login).await?;
    Ok(Linked::Unconfirmed { id, is_new: true })
}

/// Forgets what waits of an identity that its person links by a session now.
pub(super) async fn supersede(connection: &mut AsyncPgConnection, login: &Login, user: UserId) -> Result<()> {
    if let Some(id) = waiting(connection, login, user).await? {
        delete(dsl::unconfirmed_logins.find(id)).execute(connection).await?;
        notify::withdraw_unconfirmed_login(connection, user, id).await?;
    }
    Ok(())
}

/// One request of a person after the other, so that what is counted stays true until the insert.
async fn hold_person(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
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

/// The grant, encrypted for its row.
fn sealed(cx: &Cx, id: Uuid, login: &Login) -> Result<Vec<u8>> {
    let row = crypto::row(id);
    let place = Place { table: "unconfirmed_logins", column: "access_token", row: &row };
    Ok(cx.state().keyring.seal(place, &login.access_token)?)
}
