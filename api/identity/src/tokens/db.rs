//! Queries over `popout_tokens`. Each carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::{
        memberships,
        popout_tokens::{self, dsl},
    },
    id::{AccountId, UserId},
};
use uuid::Uuid;

use super::PopoutToken;

/// Tokens that an account may have, expired ones among them: as many as the list shows.
pub(super) const MAX_TOKENS: i64 = 1000;

#[derive(Insertable)]
#[diesel(table_name = popout_tokens)]
pub(super) struct NewPopoutToken<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub user_id: UserId,
    /// Who is shown the token's text.
    pub created_by: UserId,
    pub token_hash: &'a [u8],
    pub token_prefix: &'a str,
    pub label: Option<&'a str>,
    pub permissions: Vec<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Absent fields stay; an inner `None` is null.
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

/// Holds back other changes of the token until the transaction ends.
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

/// Whether a person belongs to an account, and until the transaction ends.
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

/// How many tokens an account has. Holds back other creations there until the transaction ends, so that the count
/// stays true until the insert.
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

/// The token that is gone, if there was one.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<PopoutToken>> {
    let own = dsl::popout_tokens.filter(dsl::id.eq(id).and(dsl::account_id.eq(account)));
    Ok(diesel::delete(own).returning(PopoutToken::as_returning()).get_result(connection).await.optional()?)
}
