//! Tokens by which the page reads bundles that are not public
//! (reference/overlays.md#versions-that-are-not-public).

use std::collections::HashMap;

use api_core::{
    Result, State,
    token::{NewToken, PAGE_SURFACE, TokenKind},
};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{delete, insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::bundle_tokens::body;
use serde_json::{Map, Value, json};
use shared::{
    id::AccountId,
    schema::surface_tokens::{self, dsl},
};
use uuid::Uuid;

use super::stored::Install;

/// Stored kind of the tokens.
const KIND: &str = "extension";
/// Period in which every page of an install gets the same token, in seconds.
const PERIOD_SECS: i64 = 300;
/// Validity of a token from the beginning of its period (reference/extensions.md#extension-tokens).
const TOKEN_TTL: TimeDelta = TimeDelta::minutes(15);

#[derive(Insertable)]
#[diesel(table_name = surface_tokens)]
struct Row {
    id: Uuid,
    kind: &'static str,
    account_id: AccountId,
    subject: String,
    token_hash: Vec<u8>,
    token_prefix: String,
    surface: &'static str,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

/// Texts of the tokens of installs whose version is not public, by the ids of the installs.
pub(super) async fn issue(
    state: &State,
    connection: &mut AsyncPgConnection,
    account: AccountId,
    installs: &HashMap<Uuid, Install>,
) -> Result<Map<String, Value>> {
    let now = state.clock.now();
    let period = now.timestamp().div_euclid(PERIOD_SECS) * PERIOD_SECS;
    let began_at = DateTime::from_timestamp(period, 0).unwrap_or(now);
    let (mut texts, mut rows) = (Map::new(), Vec::new());
    for install in installs.values().filter(|install| !install.is_public) {
        let token = NewToken::of(TokenKind::Extension, body(&state.config, install.id, period));
        rows.push(Row {
            id: shared::id::new(),
            kind: KIND,
            account_id: account,
            subject: install.id.to_string(),
            token_hash: token.hash,
            token_prefix: token.prefix,
            surface: PAGE_SURFACE,
            created_at: began_at,
            expires_at: began_at + TOKEN_TTL,
        });
        texts.insert(install.id.to_string(), json!(token.text.expose()));
    }
    if !rows.is_empty() {
        store(connection, account, rows, now).await?;
    }
    Ok(texts)
}

/// Adds tokens that no other process has added, and deletes expired ones of the same installs.
async fn store(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    rows: Vec<Row>,
    now: DateTime<Utc>,
) -> Result<()> {
    let subjects: Vec<String> = rows.iter().map(|row| row.subject.clone()).collect();
    let outdated = dsl::surface_tokens
        .filter(dsl::account_id.eq(account).and(dsl::kind.eq(KIND)).and(dsl::subject.eq_any(subjects)))
        .filter(dsl::surface.eq(PAGE_SURFACE).and(dsl::expires_at.lt(now)));
    delete(outdated).execute(connection).await?;
    insert_into(dsl::surface_tokens).values(rows).on_conflict_do_nothing().execute(connection).await?;
    Ok(())
}
