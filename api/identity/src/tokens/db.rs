//! Queries over `popout_tokens`. Each one carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    id::{AccountId, UserId},
    schema::{
        memberships,
        popout_tokens::{self, dsl},
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Maximum number of tokens of an account, expired ones included. The list shows as many.
pub(super) const MAX_TOKENS: i64 = 1000;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "popout_tokens",
        MAX_TOKENS,
        "SELECT count(*) FROM popout_tokens WHERE account_id = $1",
    )
}

/// A popout token, without its text.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = popout_tokens)]
pub struct PopoutToken {
    /// Id of the token.
    pub id: Uuid,
    /// Owning account.
    pub account_id: Uuid,
    /// Member that the token acts for. Its permissions never exceed the member's present ones.
    pub user_id: Uuid,
    /// Prefix of the kind and the first characters of the token, for display.
    pub token_prefix: String,
    /// Name of the token; null when it has none.
    pub label: Option<String>,
    /// Permissions of the account, each by name.
    pub permissions: Vec<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time from which the token no longer works; null when it does not expire.
    pub expires_at: Option<Timestamp>,
    /// Time of the last use; null before the first one.
    pub last_used_at: Option<Timestamp>,
}

#[derive(Insertable)]
#[diesel(table_name = popout_tokens)]
pub(super) struct NewPopoutToken<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub user_id: UserId,
    /// Person who receives the text of the token.
    pub created_by: UserId,
    pub token_hash: &'a [u8],
    pub token_prefix: &'a str,
    pub label: Option<&'a str>,
    pub permissions: Vec<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// New values of columns. Absent fields stay as they are; an inner `None` is null.
#[derive(AsChangeset)]
#[diesel(table_name = popout_tokens)]
pub(super) struct Changes {
    pub label: Option<Option<String>>,
    pub permissions: Option<Vec<String>>,
    pub user_id: Option<UserId>,
    pub expires_at: Option<Option<DateTime<Utc>>>,
}

pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<PopoutToken>> {
    Ok(dsl::popout_tokens
        .filter(dsl::account_id.eq(account))
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(MAX_TOKENS)
        .select(PopoutToken::as_select())
        .load(connection)
        .await?)
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<PopoutToken>> {
    Ok(dsl::popout_tokens
        .filter(dsl::id.eq(id).and(dsl::account_id.eq(account)))
        .select(PopoutToken::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// Locks the token until the transaction ends.
pub(super) async fn find_for_update(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<PopoutToken>> {
    Ok(dsl::popout_tokens
        .filter(dsl::id.eq(id).and(dsl::account_id.eq(account)))
        .select(PopoutToken::as_select())
        .for_update()
        .first(connection)
        .await
        .optional()?)
}

/// True when a person is a member of an account. The membership is kept until the transaction ends.
pub(super) async fn is_member(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<bool> {
    let membership: Option<Uuid> = memberships::table
        .filter(memberships::account_id.eq(account).and(memberships::user_id.eq(user)))
        .select(memberships::id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    Ok(membership.is_some())
}

/// Number of tokens of an account. Blocks other creations in the account until the transaction ends, so that
/// the count stays true until the insert.
pub(super) async fn lock_and_count(connection: &mut AsyncPgConnection, account: AccountId) -> Result<i64> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("popout_tokens:{account}"))
        .execute(connection)
        .await?;
    Ok(dsl::popout_tokens.filter(dsl::account_id.eq(account)).count().get_result(connection).await?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    token: &NewPopoutToken<'_>,
) -> Result<PopoutToken> {
    Ok(insert_into(dsl::popout_tokens)
        .values(token)
        .returning(PopoutToken::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    changes: &Changes,
) -> Result<PopoutToken> {
    let own = dsl::popout_tokens.filter(dsl::id.eq(id).and(dsl::account_id.eq(account)));
    Ok(diesel::update(own).set(changes).returning(PopoutToken::as_returning()).get_result(connection).await?)
}

/// The deleted token, if it existed.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<PopoutToken>> {
    let own = dsl::popout_tokens.filter(dsl::id.eq(id).and(dsl::account_id.eq(account)));
    Ok(diesel::delete(own).returning(PopoutToken::as_returning()).get_result(connection).await.optional()?)
}
