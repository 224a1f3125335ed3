//! Favourite channels of a person (reference/public-stats.md#watchlist).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SessionHolder},
    graphql::Int64,
    validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::db::Reader;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::platform::Platform;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    names::{self, MAX_NAME_LENGTH, channel_not_found},
    platforms::supported,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&WATCHLIST, &ADD_TO_WATCHLIST, &REMOVE_FROM_WATCHLIST];

/// Channels of a watchlist.
const MAX_ENTRIES: i64 = 200;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_person(
        "watchlist",
        MAX_ENTRIES,
        "SELECT count(*) FROM watchlist_entries AS entries
            LEFT JOIN public_channels AS channels ON channels.platform = entries.platform
                AND channels.platform_channel_id = entries.platform_channel_id
            WHERE entries.user_id = $2 AND channels.is_hidden IS NOT TRUE",
    )
}

/// Length of the slug of a platform.
const MAX_PLATFORM_LENGTH: usize = 16;

/// Favourite channel with its live state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct WatchlistEntry {
    /// Identifier of the entry.
    pub id: Uuid,
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: String,
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Displayed name. Null: not known.
    pub channel_display_name: Option<String>,
    /// Address of the picture. Null: not known.
    pub avatar_url: Option<String>,
    /// True while the channel is on air.
    pub is_live: bool,
    /// Present viewers. Null: it is not on air.
    pub current_viewers: Option<Int64>,
    /// Time at which it was added.
    pub added_at: Timestamp,
}

/// Channel for the watchlist.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "platform": "twitch", "channel": "some_login" }))]
pub struct AddToWatchlistInput {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    #[schema(extensions(("maxLength" = json!(MAX_PLATFORM_LENGTH))))]
    pub platform: String,
    /// The platform's id or the login of the channel: 1 to 128 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub channel: String,
}

pub static WATCHLIST: Operation<SessionHolder> = Operation::session("watchlist", Grants::Nothing).polled();

/// Lists the caller's favourite channels with their live state, newest first.
///
/// Channels that have opted out are left out.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn watchlist(cx: &Cx) -> Result<Vec<WatchlistEntry>> {
    let caller = cx.authorize(&WATCHLIST).await?;
    db::list(&mut *caller.db().await?, caller.user).await
}

pub static ADD_TO_WATCHLIST: Operation<SessionHolder> =
    Operation::session("addToWatchlist", Grants::Nothing).idempotent();

/// Adds a channel to the caller's watchlist.
///
/// A channel that is not in the public statistics yet is taken by its id on the platform.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 404 for a channel that is not known or has opted
/// out; 409 for a channel that is on the list; 403 `PLAN_LIMIT_REACHED` beyond 200 channels.
#[api_core::operation]
pub async fn add_to_watchlist(cx: &Cx, input: Input<AddToWatchlistInput>) -> Result<WatchlistEntry> {
    let caller = cx.authorize(&ADD_TO_WATCHLIST).await?;
    let input = input?;
    let platform = supported("platform", &input.platform)?;
    let name = validate::text("channel", &input.channel, 1, MAX_NAME_LENGTH)?;
    let (user, now) = (caller.user, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            db::lock(connection, user).await?;
            let channel = resolve(connection, platform, &name).await?;
            if db::has(connection, user, platform, &channel).await? {
                return Err(ApiError::conflict("Channel is on the watchlist already"));
            }
            if db::count(connection, user).await? >= MAX_ENTRIES {
                let refusal = ApiError::new(Code::PlanLimitReached, "Watchlist limit reached");
                return Err(refusal.with_details(json!({ "limit": MAX_ENTRIES })));
            }
            db::insert(connection, user, platform, &channel, now).await
        })
        .await
}

pub static REMOVE_FROM_WATCHLIST: Operation<SessionHolder> =
    Operation::session("removeFromWatchlist", Grants::Nothing);

/// Removes a channel from the caller's watchlist.
///
/// # Errors
/// Refusals of the access rule; 404 when the list has no such entry.
#[api_core::operation]
pub async fn remove_from_watchlist(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REMOVE_FROM_WATCHLIST).await?;
    if db::delete(&mut *caller.db().await?, caller.user, id?).await? {
        return Ok(());
    }
    Err(ApiError::not_found("Watchlist entry not found"))
}

/// Id of the channel of a name: of one that is shown, or else the name itself where it has the form of an id
/// and no hidden channel has it.
async fn resolve(connection: &mut AsyncPgConnection, platform: Platform, name: &str) -> Result<String> {
    if let Some(known) = names::find(&mut Reader::of(connection), platform, name).await? {
        return Ok(known.platform_channel_id);
    }
    if !is_id(platform, name) || db::is_known(connection, platform, name).await? {
        return Err(channel_not_found());
    }
    Ok(name.to_owned())
}

/// True for a text with the form of a channel's id on the platform.
fn is_id(platform: Platform, text: &str) -> bool {
    match platform {
        Platform::Twitch | Platform::Kick | Platform::Trovo => {
            (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        }
        Platform::Youtube => text.strip_prefix("UC").is_some_and(|rest| {
            rest.len() == 22 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        }),
        Platform::Spotify | Platform::Discord => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_id_knows_the_form_of_each_platform() {
        let youtube = "UC0123456789_-abcdefghij";
        for (platform, id) in [
            (Platform::Twitch, "1"),
            (Platform::Kick, "12345678901234567890"),
            (Platform::Trovo, "100"),
            (Platform::Youtube, youtube),
        ] {
            assert!(is_id(platform, id), "{platform} {id}");
        }
        for (platform, other) in [
            (Platform::Twitch, ""),
            (Platform::Twitch, "some_login"),
            (Platform::Twitch, "123456789012345678901"),
            (Platform::Kick, "１２"),
            (Platform::Youtube, "123"),
            (Platform::Youtube, "UC0123456789/-abcdefghij"),
            (Platform::Discord, "1"),
        ] {
            assert!(!is_id(platform, other), "{platform} {other}");
        }
    }
}
