//! Queries over `user_api_keys`. Each one carries the account and the person that the key belongs to.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{dsl::count, insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::user_api_keys::{self, dsl},
};
use uuid::Uuid;

use super::UserApiKey;

/// Maximum number of keys of a person that work at the same time, in all accounts together
/// (reference/limits.md#keys-and-tokens).
const MAX_ACTIVE: i64 = 20;
/// Maximum number of keys of a person in an account, expired ones included. The list shows as many.
const MAX_KEYS: i64 = 1000;

#[derive(Insertable)]
#[diesel(table_name = user_api_keys)]
pub(super) struct NewUserApiKey<'a> {
    pub id: Uuid,
    pub user_id: UserId,
    pub account_id: AccountId,
    pub key_hash: &'a [u8],
    pub key_prefix: &'a str,
    pub label: &'a str,
    pub permissions: &'a [String],
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub created_by_session: Option<Uuid>,
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<Vec<UserApiKey>> {
    Ok(dsl::user_api_keys
        .filter(dsl::account_id.eq(account).and(dsl::user_id.eq(user)))
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(MAX_KEYS)
        .select(UserApiKey::as_select())
        .load(connection)
        .await?)
}

/// Blocks other creations of the person until the transaction ends, so that the counts stay true until the
/// insert.
pub(super) async fn lock_keys(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("user_api_keys:{user}"))
        .execute(connection)
        .await?;
    Ok(())
}

/// True when a person may have no more keys in an account.
pub(super) async fn is_full(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let works = dsl::expires_at.is_null().or(dsl::expires_at.gt(now));
    let (active, listed): (i64, i64) = dsl::user_api_keys
        .filter(dsl::user_id.eq(user))
        .select((
            count(dsl::id).aggregate_filter(works.assume_not_null()),
            count(dsl::id).aggregate_filter(dsl::account_id.eq(account)),
        ))
        .get_result(connection)
        .await?;
    Ok(active >= MAX_ACTIVE || listed >= MAX_KEYS)
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    id: Uuid,
) -> Result<Option<UserApiKey>> {
    Ok(dsl::user_api_keys
        .filter(dsl::id.eq(id).and(dsl::account_id.eq(account)).and(dsl::user_id.eq(user)))
        .select(UserApiKey::as_select())
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    key: &NewUserApiKey<'_>,
) -> Result<UserApiKey> {
    Ok(insert_into(dsl::user_api_keys)
        .values(key)
        .returning(UserApiKey::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn rename(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    id: Uuid,
    label: &str,
) -> Result<Option<UserApiKey>> {
    let own =
        dsl::user_api_keys.filter(dsl::id.eq(id).and(dsl::account_id.eq(account)).and(dsl::user_id.eq(user)));
    Ok(diesel::update(own)
        .set(dsl::label.eq(label))
        .returning(UserApiKey::as_returning())
        .get_result(connection)
        .await
        .optional()?)
}

/// Returns true when the key existed.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    id: Uuid,
) -> Result<bool> {
    let own =
        dsl::user_api_keys.filter(dsl::id.eq(id).and(dsl::account_id.eq(account)).and(dsl::user_id.eq(user)));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}
