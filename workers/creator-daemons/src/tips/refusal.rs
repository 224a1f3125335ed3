//! Refusal of a token by StreamElements: stored, shown in the list of tokens, and announced to the owner of the
//! account once (reference/tips.md#sockets).

use chrono::{DateTime, Utc};
use diesel::{prelude::*, update};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::audit::{self, Actor, Entry, Scope};
use notices::notify::{self, Notice};
use serde_json::json;
use shared::{
    Error, Result,
    id::UserId,
    platform::UnknownPlatform,
    schema::{accounts, se_tokens::dsl},
};
use worker_core::Context;

use super::tokens::Token;

/// Stores that a token is refused, and notifies the owner of the account unless that was done since the token was
/// replaced or accepted.
pub(super) async fn record(context: &Context, token: &Token) -> Result<()> {
    let now = context.clock.now();
    let mut connection = context.databases.postgres.get().await?;
    connection
        .transaction(async |connection| {
            if !set(connection, token, now).await? {
                return Ok(());
            }
            audit::record(connection, entry(token)).await?;
            notify_owner(connection, token, now).await
        })
        .await
}

/// Removes the refusal of a token that is accepted again.
pub(super) async fn clear(context: &Context, token: &Token) -> Result<()> {
    let own = dsl::se_tokens.filter(dsl::id.eq(token.id).and(dsl::account_id.eq(token.account_id)));
    update(own.filter(dsl::refused_at.is_not_null()))
        .set(dsl::refused_at.eq(None::<DateTime<Utc>>))
        .execute(&mut *context.databases.postgres.get().await?)
        .await?;
    Ok(())
}

/// False when the token was replaced or deleted meanwhile, or its refusal is known.
async fn set(connection: &mut AsyncPgConnection, token: &Token, now: DateTime<Utc>) -> Result<bool> {
    let own = dsl::se_tokens.filter(dsl::id.eq(token.id).and(dsl::account_id.eq(token.account_id)));
    let present = own.filter(dsl::updated_at.eq(token.updated_at).and(dsl::refused_at.is_null()));
    Ok(update(present).set(dsl::refused_at.eq(now)).execute(connection).await? > 0)
}

async fn notify_owner(connection: &mut AsyncPgConnection, token: &Token, now: DateTime<Utc>) -> Result<()> {
    let (owner, account_name): (UserId, String) = accounts::table
        .find(token.account_id)
        .select((accounts::owner_id, accounts::name))
        .first(connection)
        .await?;
    let notice = Notice::TipTokenRefused {
        token_id: token.id,
        account_id: token.account_id,
        account_name: &account_name,
        platform: token
            .platform
            .parse()
            .map_err(|error: UnknownPlatform| Error::Internal(error.to_string()))?,
    };
    notify::notify(connection, &[owner], &notice, now).await
}

fn entry(token: &Token) -> Entry<'static> {
    Entry {
        scope: Scope::Account(token.account_id),
        actor: Actor::System,
        action: "se_token:refused",
        resource_type: "se_token",
        resource_id: Some(token.id.to_string()),
        metadata: json!({ "platform": token.platform }),
        ip: None,
    }
}
