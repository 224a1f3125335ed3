//! Queries over `oauth_clients`.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id,
    schema::oauth_clients::{self, dsl},
};
use uuid::Uuid;

use super::{
    OauthClient,
    input::{ClientChange, NewClient},
};

/// Largest number of clients: as many as the list returns.
pub(super) const MAX_CLIENTS: i64 = 200;

#[derive(AsChangeset)]
#[diesel(table_name = oauth_clients)]
struct Changes<'a> {
    name: Option<&'a str>,
    redirect_uris: Option<&'a [String]>,
    allowed_hosts: Option<&'a [String]>,
    is_active: Option<bool>,
    updated_at: DateTime<Utc>,
}

pub(super) async fn list(connection: &mut AsyncPgConnection) -> Result<Vec<OauthClient>> {
    Ok(dsl::oauth_clients
        .order((dsl::name.asc(), dsl::id.asc()))
        .limit(MAX_CLIENTS)
        .select(OauthClient::as_select())
        .load(connection)
        .await?)
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<OauthClient>> {
    Ok(dsl::oauth_clients.find(id).select(OauthClient::as_select()).first(connection).await.optional()?)
}

/// Returns the number of clients. Other creations wait until the transaction ends, so that the count is valid
/// at the insert.
pub(super) async fn lock_and_count(connection: &mut AsyncPgConnection) -> Result<i64> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended('oauth_clients', 0))")
        .execute(connection)
        .await?;
    Ok(dsl::oauth_clients.count().get_result(connection).await?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    new: &NewClient,
    now: DateTime<Utc>,
) -> Result<OauthClient> {
    Ok(insert_into(dsl::oauth_clients)
        .values((
            dsl::id.eq(id::new()),
            dsl::name.eq(&new.name),
            dsl::redirect_uris.eq(&new.redirect_uris),
            dsl::allowed_hosts.eq(&new.allowed_hosts),
            dsl::is_active.eq(new.is_active),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .returning(OauthClient::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    change: &ClientChange,
    now: DateTime<Utc>,
) -> Result<Option<OauthClient>> {
    let changes = Changes {
        name: change.name.as_deref(),
        redirect_uris: change.redirect_uris.as_deref(),
        allowed_hosts: change.allowed_hosts.as_deref(),
        is_active: change.is_active,
        updated_at: now,
    };
    Ok(diesel::update(dsl::oauth_clients.find(id))
        .set(changes)
        .returning(OauthClient::as_returning())
        .get_result(connection)
        .await
        .optional()?)
}

/// Deletes a client and returns it; `None` when there is no such client.
pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<OauthClient>> {
    Ok(diesel::delete(dsl::oauth_clients.find(id))
        .returning(OauthClient::as_returning())
        .get_result(connection)
        .await
        .optional()?)
}
