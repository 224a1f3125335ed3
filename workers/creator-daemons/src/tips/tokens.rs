//! Tokens with which tips are received.

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

/// Page of tokens in the order of their accounts. It has either all tokens of an account or none.
pub(super) struct Page {
    /// Tokens of accounts that have the integration switched on.
    pub tokens: Vec<Token>,
    /// Last account of the page; `None` when there is no further page.
    pub next: Option<Uuid>,
}

impl Page {
    /// Returns the tokens of an account.
    pub fn of(&self, account: Uuid) -> &[Token] {
        let begin = self.tokens.partition_point(|token| token.account_id < account);
        let rest = self.tokens.get(begin..).unwrap_or_default();
        rest.get(..rest.partition_point(|token| token.account_id == account)).unwrap_or_default()
    }
}

/// Returns the tokens of the accounts after a position.
pub(super) async fn page(connection: &mut AsyncPgConnection, after: Option<Uuid>) -> Result<Page> {
    let mut tokens: Vec<Token> = dsl::se_tokens
        .filter(dsl::account_id.gt(after.unwrap_or_else(Uuid::nil)))
        .order((dsl::account_id, dsl::platform))
        .limit(PAGE_SIZE)
        .select(Token::as_select())
        .load(connection)
        .await?;
    let is_full = i64::try_from(tokens.len()).unwrap_or(i64::MAX) >= PAGE_SIZE;
    if is_full {
        drop_last_account(&mut tokens);
    }
    let next = tokens.last().filter(|_| is_full).map(|last| last.account_id);
    let mut accounts: Vec<Uuid> = tokens.iter().map(|token| token.account_id).collect();
    accounts.dedup();
    let off = features::accounts_without(connection, &accounts, Feature::Streamelements.key()).await?;
    tokens.retain(|token| !off.contains(&token.account_id));
    Ok(Page { tokens, next })
}

/// Removes the tokens of the last account, which may have further ones. An account has fewer than a page.
fn drop_last_account(tokens: &mut Vec<Token>) {
    let last = tokens.last().map(|token| token.account_id);
    tokens.retain(|token| Some(token.account_id) != last);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn token(account: u128, platform: &str) -> Token {
        let (id, account_id) = (Uuid::now_v7(), Uuid::from_u128(account));
        Token { id, account_id, platform: platform.to_owned(), updated_at: DateTime::UNIX_EPOCH }
    }

    #[test]
    fn page_has_whole_accounts() {
        let mut tokens =
            vec![token(1, "kick"), token(1, "twitch"), token(3, "kick"), token(7, "kick"), token(7, "trovo")];
        drop_last_account(&mut tokens);
        let page = Page { tokens, next: Some(Uuid::from_u128(3)) };
        let platforms = |account: u128| -> Vec<&str> {
            page.of(Uuid::from_u128(account)).iter().map(|token| token.platform.as_str()).collect()
        };
        assert_eq!((platforms(1), platforms(3)), (vec!["kick", "twitch"], vec!["kick"]));
        for other in [0, 2, 4, 7] {
            assert!(platforms(other).is_empty(), "{other}");
        }
    }
}
