//! Queries over `account_service_keys`. Each one carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::account_service_keys::{self, dsl},
};
use uuid::Uuid;

use super::AccountServiceKey;

/// Maximum number of keys of an account, expired ones included. The list shows as many.
pub(super) const MAX_KEYS: i64 = 1000;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "service_keys",
        MAX_KEYS,
        "SELECT count(*) FROM account_service_keys WHERE account_id = $1",
    )
}

#[derive(Insertable)]
#[diesel(table_name = account_service_keys)]
pub(super) struct NewServiceKey<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub created_by: Option<UserId>,
    pub key_hash: &'a [u8],
    pub key_prefix: &'a str,
    pub label: &'a str,
    pub permissions: &'a [String],
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<AccountServiceKey>> {
    Ok(dsl::account_service_keys
        .filter(dsl::account_id.eq(account))
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(MAX_KEYS)
        .select(AccountServiceKey::as_select())
        .load(connection)
        .await?)
}

/// Number of keys of an account. Blocks other creations in the account until the transaction ends, so that
/// the count stays true until the insert.
pub(super) async fn lock_and_count(connection: &mut AsyncPgConnection, account: AccountId) -> Result<i64> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("account_service_keys:{account}"))
        .execute(connection)
        .await?;
    Ok(dsl::account_service_keys.filter(dsl::account_id.eq(account)).count().get_result(connection).await?)
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<AccountServiceKey>> {
    Ok(dsl::account_service_keys
        .filter(dsl::id.eq(id).and(dsl::account_id.eq(account)))
        .select(AccountServiceKey::as_select())
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    key: &NewServiceKey<'_>,
) -> Result<AccountServiceKey> {
    Ok(insert_into(dsl::account_service_keys)
        .values(key)
        .returning(AccountServiceKey::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn rename(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    label: &str,
    now: DateTime<Utc>,
) -> Result<Option<AccountServiceKey>> {
    let own = dsl::account_service_keys.filter(dsl::id.eq(id).and(dsl::account_id.eq(account)));
    Ok(diesel::update(own)
        .set((dsl::label.eq(label), dsl::updated_at.eq(now)))
        .returning(AccountServiceKey::as_returning())
        .get_result(connection)
        .await
        .optional()?)
}

/// Label of the deleted key, if it existed.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<String>> {
    let own = dsl::account_service_keys.filter(dsl::id.eq(id).and(dsl::account_id.eq(account)));
    Ok(diesel::delete(own).returning(dsl::label).get_result(connection).await.optional()?)
}
