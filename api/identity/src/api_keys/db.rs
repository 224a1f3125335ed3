//! Queries over `user_api_keys`. Each one carries the account and the person that the key belongs to.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{dsl::count, insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::limits::{self, LimitKey};
use shared::{
    catalogue::{AccountPermission, Permission},
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

api_core::limits::submit! {
    api_core::limits::CountLimit::of_person(
        "api_keys",
        MAX_ACTIVE,
        "SELECT count(*) FROM user_api_keys WHERE user_id = $2 AND coalesce(expires_at > $3, true)",
    )
    .or_stored(
        "SELECT max(own.value) FROM developer_profiles AS profiles
            JOIN developer_limits AS own ON own.developer_id = profiles.id AND own.limit_key = 'max_api_keys'
            WHERE profiles.user_id = $2",
    )
}

api_core::limits::submit! {
    api_core::limits::CountLimit::of_person(
        "api_keys_in_account",
        MAX_KEYS,
        "SELECT count(*) FROM user_api_keys WHERE user_id = $2 AND account_id = $1",
    )
}

/// Beginning of the permissions of developers. A key with one of them counts against the limit of a
/// developer.
const DEVELOPER_PREFIX: &str = "extension-dev:";

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

/// True when the person of a new key may have no more keys. A developer has a limit of keys with a
/// permission of developers; it raises that of all keys when it is higher
/// (reference/developer-limits.md#api-keys).
pub(super) async fn is_full(
    connection: &mut AsyncPgConnection,
    new: &NewUserApiKey<'_>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let own = limits::of_user(connection, new.user_id, LimitKey::MaxApiKeys).await?;
    let works = dsl::expires_at.is_null().or(dsl::expires_at.gt(now));
    let develops = dsl::permissions.overlaps_with(developer_permissions());
    let (active, developing, listed): (i64, i64, i64) = dsl::user_api_keys
        .filter(dsl::user_id.eq(new.user_id))
        .select((
            count(dsl::id).aggregate_filter(works.assume_not_null()),
            count(dsl::id).aggregate_filter(works.assume_not_null().and(develops)),
            count(dsl::id).aggregate_filter(dsl::account_id.eq(new.account_id)),
        ))
        .get_result(connection)
        .await?;
    let is_developers = new.permissions.iter().any(|given| given.starts_with(DEVELOPER_PREFIX));
    Ok(active >= own.unwrap_or(MAX_ACTIVE).max(MAX_ACTIVE)
        || (is_developers && own.is_some_and(|own| developing >= own))
        || listed >= MAX_KEYS)
}

/// Texts of the permissions of developers, as keys store them.
fn developer_permissions() -> Vec<String> {
    let texts = AccountPermission::ALL.iter().map(|permission| permission.as_str().to_owned());
    let every = format!("{DEVELOPER_PREFIX}*");
    texts.filter(|text| text.starts_with(DEVELOPER_PREFIX)).chain([every]).collect()
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
