//! Tokens with which tips are received.

use std::collections::HashSet;

use account_model::features;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::se_tokens::open;
use shared::{
    Error, Result,
    catalogue::Feature,
    schema::se_tokens::{self, dsl},
    secret::Secret,
};
use uuid::Uuid;
use worker_core::Context;

/// Number of tokens of one page.
const PAGE_SIZE: i64 = 1000;

/// Stored token, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = se_tokens)]
pub(super) struct Token {
    pub id: Uuid,
    pub account_id: Uuid,
    pub platform: String,
    /// Time of the last replacement.
    pub updated_at: DateTime<Utc>,
}

/// Page of tokens in the order of their ids.
pub(super) struct Page {
    /// Tokens of accounts that have the integration switched on.
    pub tokens: Vec<Token>,
    /// Last id of the page; `None` when there is no further page.
    pub next: Option<Uuid>,
}

/// Returns the tokens after a position.
pub(super) async fn page(connection: &mut AsyncPgConnection, after: Option<Uuid>) -> Result<Page> {
    let mut tokens: Vec<Token> = dsl::se_tokens
        .filter(dsl::id.gt(after.unwrap_or_else(Uuid::nil)))
        .order(dsl::id)
        .limit(PAGE_SIZE)
        .select(Token::as_select())
        .load(connection)
        .await?;
    let is_full = i64::try_from(tokens.len()).unwrap_or(i64::MAX) >= PAGE_SIZE;
    let next = tokens.last().filter(|_| is_full).map(|last| last.id);
    let accounts: HashSet<Uuid> = tokens.iter().map(|token| token.account_id).collect();
    let accounts: Vec<Uuid> = accounts.into_iter().collect();
    let off = features::accounts_without(connection, &accounts, Feature::Streamelements.key()).await?;
    tokens.retain(|token| !off.contains(&token.account_id));
    Ok(Page { tokens, next })
}

/// Returns the content of a token; `None` when it was deleted, or no configured key opens it.
pub(super) async fn content(context: &Context, token: &Token) -> Result<Option<Secret>> {
    let own = dsl::account_id.eq(token.account_id).and(dsl::id.eq(token.id));
    let sealed: Option<Vec<u8>> = dsl::se_tokens
        .filter(own)
        .select(dsl::token)
        .first(&mut *context.databases.postgres.get().await?)
        .await
        .optional()?;
    let Some(sealed) = sealed else { return Ok(None) };
    match open(&context.keyring, token.account_id, &token.platform, &sealed) {
        Ok(content) => Ok(Some(content)),
        Err(Error::Decryption(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
