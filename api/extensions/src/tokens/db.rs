//! Queries over `surface_tokens`. Each carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::surface_tokens::{self, dsl},
};
use uuid::Uuid;

#[derive(Insertable)]
#[diesel(table_name = surface_tokens)]
pub(super) struct NewSurfaceToken {
    pub id: Uuid,
    pub kind: &'static str,
    pub account_id: AccountId,
    pub subject: String,
    pub user_id: UserId,
    pub token_hash: Vec<u8>,
    pub token_prefix: String,
    pub surface: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// Adds a token and deletes expired ones of the same person and install: a page requests one every few
/// minutes.
pub(super) async fn replace_expired(
    connection: &mut AsyncPgConnection,
    token: NewSurfaceToken,
    now: DateTime<Utc>,
) -> Result<()> {
    let outdated = dsl::surface_tokens
        .filter(dsl::kind.eq(token.kind).and(dsl::subject.eq(&token.subject)))
        .filter(dsl::account_id.eq(token.account_id).and(dsl::user_id.eq(token.user_id)))
        .filter(dsl::expires_at.lt(now));
    diesel::delete(outdated).execute(connection).await?;
    insert_into(dsl::surface_tokens).values(token).execute(connection).await?;
    Ok(())
}
