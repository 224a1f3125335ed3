//! Tokens of StreamElements (reference/tips.md#tokens): with each of them the daemon `tips` receives the tips of
//! a channel.

pub mod admin;
mod db;
pub mod graphql;
pub mod rest;

use account_model::limits::{Quota, release};
use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    limits, validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit;
use juniper::{GraphQLInputObject, GraphQLObject};
use live_model::se_tokens::seal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
    secret::Secret,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&SE_TOKENS, &CREATE_SE_TOKEN, &DELETE_SE_TOKEN];

/// Platforms whose channels have tips (reference/tips.md#tokens).
const PLATFORMS: [&str; 4] = ["twitch", "youtube", "kick", "trovo"];
/// Length of a token, in characters (reference/tips.md#tokens).
const MAX_TOKEN_LENGTH: usize = 2048;
/// Length of a label, in characters (reference/tips.md#tokens).
const MAX_LABEL_LENGTH: usize = 100;
/// Number of characters at each end of a token that its hint shows (reference/tips.md#tokens).
const HINT_END_LENGTH: usize = 4;
/// Hint of a token that is too short to show a part of it, or that no key opens.
const HIDDEN: &str = "****";

/// Token of StreamElements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct SeToken {
    /// Identifier.
    pub id: Uuid,
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: String,
    /// First and last four characters of the token with `***` between them, or `****`.
    pub hint: String,
    /// Name that the account gave it. Null: none.
    pub label: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last replacement.
    pub updated_at: Timestamp,
    /// Time since which StreamElements does not accept the token. Null: it is accepted, or was not used yet.
    pub refused_at: Option<Timestamp>,
}

/// Result of storing a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Token.
    pub token: SeToken,
    /// True when the account had no token of the platform.
    pub is_new: bool,
}

/// New token.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "platform": "twitch", "token": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl", "label": "Main channel" }))]
pub struct CreateSeTokenInput {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    #[schema(extensions(("enum" = json!(PLATFORMS))))]
    pub platform: String,
    /// JWT or overlay token of the channel at StreamElements: 1 to 2048 printable characters without spaces.
    #[schema(extensions(("maxLength" = json!(MAX_TOKEN_LENGTH))))]
    pub token: String,
    /// 1 to 100 characters. Absent or null: none.
    #[schema(extensions(("maxLength" = json!(MAX_LABEL_LENGTH))))]
    pub label: Option<String>,
}

/// Checked token.
struct Draft {
    platform: String,
    token: Secret,
    label: Option<String>,
}

/// Token of StreamElements of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AdminSeToken {
    /// Identifier.
    pub id: Uuid,
    /// Identifier of the account.
    pub account_id: Uuid,
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: String,
    /// First and last four characters of the token with `***` between them, or `****`.
    pub hint: String,
    /// Name that the account gave it. Null: none.
    pub label: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last replacement.
    pub updated_at: Timestamp,
    /// Time since which StreamElements does not accept the token. Null: it is accepted, or was not used yet.
    pub refused_at: Option<Timestamp>,
}

pub static SE_TOKENS: Operation<AccountCaller> =
    Operation::account("seTokens", AccountPermission::SeTokensRead, Grants::Nothing)
        .feature(Feature::Streamelements);

/// Lists the account's tokens of StreamElements by platform.
///
/// A token itself is never returned.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn se_tokens(cx: &Cx) -> Result<Vec<SeToken>> {
    let caller = cx.authorize(&SE_TOKENS).await?;
    db::list(&mut *caller.db().await?, &cx.state().keyring, caller.account).await
}

pub static CREATE_SE_TOKEN: Operation<AccountCaller> =
    Operation::account("createSeToken", AccountPermission::SeTokensCreate, Grants::Nothing)
        .feature(Feature::Streamelements)
        .idempotent();

/// Stores the token of a platform, in place of an earlier one. Tips are received with it from then on.
///
/// A replacement keeps the id and replaces the label too. REST returns 201 for the first token of the platform,
/// else 200. The token is not checked at StreamElements.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 403 `PLAN_LIMIT_REACHED` when the account has no further
/// integration: all its tokens together are one.
#[api_core::operation]
pub async fn create_se_token(cx: &Cx, input: Input<CreateSeTokenInput>) -> Result<Stored> {
    let caller = cx.authorize(&CREATE_SE_TOKEN).await?;
    let draft = Draft::check(input?)?;
    let (account, now) = (caller.account, cx.state().clock.now());
    let sealed = seal(&cx.state().keyring, account.uuid(), &draft.platform, &draft.token)?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            db::lock(connection, account.uuid()).await?;
            if db::count(connection, account.uuid()).await? == 0 {
                limits::take(connection, account, Quota::Integrations, 1).await?;
            }
            let stored = db::put(connection, account, &draft, &sealed, now).await?;
            let action = if stored.is_new { "se_token:created" } else { "se_token:replaced" };
            let entry = audit::Entry {
                metadata: json!({ "platform": draft.platform, "label": draft.label }),
                ..cx.audit(action, "se_token", stored.token.id)
            };
            audit::record(connection, entry).await?;
            Ok(stored)
        })
        .await
}

pub static DELETE_SE_TOKEN: Operation<AccountCaller> =
    Operation::account("deleteSeToken", AccountPermission::SeTokensDelete, Grants::Nothing)
        .feature(Feature::Streamelements);

/// Deletes a token. Tips of its channel are no longer received.
///
/// Stored events stay. The token stays valid at StreamElements.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such token.
#[api_core::operation]
pub async fn delete_se_token(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_SE_TOKEN).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let platform = delete(connection, caller.account, id).await?;
            let entry = audit::Entry {
                metadata: json!({ "platform": platform }),
                ..cx.audit("se_token:deleted", "se_token", id)
            };
            audit::record(connection, entry).await?;
            Ok(())
        })
        .await
}

/// Deletes a token and returns its platform. The last one gives its place among the integrations back.
///
/// # Errors
/// 404 when the account has no such token.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<String> {
    db::lock(connection, account.uuid()).await?;
    let platform = db::delete(connection, account, id).await?.ok_or_else(not_found)?;
    if db::count(connection, account.uuid()).await? == 0 {
        release(connection, account, Quota::Integrations, 1).await?;
    }
    Ok(platform)
}

impl Draft {
    /// Checks a new token.
    ///
    /// # Errors
    /// 400 that names the field.
    fn check(input: CreateSeTokenInput) -> Result<Self> {
        let CreateSeTokenInput { platform, token, label } = input;
        if !PLATFORMS.contains(&platform.as_str()) {
            return Err(ApiError::invalid("platform must be twitch, youtube, kick or trovo"));
        }
        let is_printable = token.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_printable || !(1..=MAX_TOKEN_LENGTH).contains(&token.len()) {
            let message =
                format!("token must have 1 to {MAX_TOKEN_LENGTH} printable characters without spaces");
            return Err(ApiError::invalid(message));
        }
        let label = label.map(|label| validate::text("label", &label, 1, MAX_LABEL_LENGTH)).transpose()?;
        Ok(Self { platform, token: Secret::new(token), label })
    }
}

/// Part of a token that may be shown.
fn hint(token: &str) -> String {
    // A stored token is ASCII; another one is hidden.
    let ends = || Some((token.get(..HINT_END_LENGTH)?, token.get(token.len() - HINT_END_LENGTH..)?));
    match ends() {
        Some((first, last)) if token.len() > 2 * HINT_END_LENGTH => format!("{first}***{last}"),
        _ => HIDDEN.to_owned(),
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Token not found")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hint_shows_both_ends_of_a_long_token_only() {
        for (token, shown) in
            [("123456789", "1234***6789"), ("12345678", HIDDEN), ("123", HIDDEN), ("", HIDDEN)]
        {
            assert_eq!(hint(token), shown, "{token}");
        }
    }
}
