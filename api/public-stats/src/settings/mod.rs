//! Settings of an account for its channels in the public statistics (reference/public-stats.md#settings).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{
    audit::{self, Entry},
    invalidation::Invalidation,
};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    platform::Platform,
};
use stats_model::{Source, channels, samples};
use utoipa::ToSchema;

use crate::platforms::supported;
use db::{Connected, Former};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&PUBLIC_STATS_CHANNELS, &UPDATE_PUBLIC_STATS_CHANNEL];

/// Place where an account opted out.
const OPTED_OUT_VIA: &str = "settings";

/// Settings of an account for one of its channels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicChannelSettings {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: String,
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Login name of the channel.
    pub channel_name: Option<String>,
    /// False: the channel is in no public list.
    pub is_public: bool,
    /// True when the names of the top chatters of its streams are public.
    pub show_top_chatters: bool,
    /// Place where the account opted out: `settings`. Null: it has not.
    pub opted_out_via: Option<String>,
    /// Time of the last change. Null: there was none.
    pub updated_at: Option<Timestamp>,
}

/// New settings of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "is_public": true, "show_top_chatters": false }))]
pub struct UpdatePublicStatsChannelInput {
    /// False hides the channel in every public list and answer.
    pub is_public: bool,
    /// True shows the names of the top chatters of its streams.
    pub show_top_chatters: bool,
}

pub static PUBLIC_STATS_CHANNELS: Operation<AccountCaller> =
    Operation::account("publicStatsChannels", AccountPermission::PublicStatsRead, Grants::Nothing)
        .feature(Feature::PublicStatsPage);

/// Lists the account's channels with their settings in the public statistics, by platform.
///
/// A channel without a change is public and shows no chatters.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn public_stats_channels(cx: &Cx) -> Result<Vec<PublicChannelSettings>> {
    let caller = cx.authorize(&PUBLIC_STATS_CHANNELS).await?;
    db::list(&mut *caller.db().await?, caller.account).await
}

pub static UPDATE_PUBLIC_STATS_CHANNEL: Operation<AccountCaller> =
    Operation::account("updatePublicStatsChannel", AccountPermission::PublicStatsEdit, Grants::Nothing);

/// Replaces the settings of the account's channel on a platform.
///
/// A channel that is not public disappears from every public list and answer within a second, and what the
/// crawler has stored of it is deleted. It is public again when every account that has connected it agrees.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 404 when the account has no channel on the platform;
/// 422 for a platform without public statistics, and for a channel whose identity is not known.
#[api_core::operation]
pub async fn update_public_stats_channel(
    cx: &Cx,
    platform: &str,
    input: Input<UpdatePublicStatsChannelInput>,
) -> Result<PublicChannelSettings> {
    let caller = cx.authorize(&UPDATE_PUBLIC_STATS_CHANNEL).await?;
    let platform = supported("platform", platform).map_err(unprocessable)?;
    let input = input?;
    let (settings, has_changed) = caller
        .db()
        .await?
        .transaction(async |connection| {
            let channel = db::lock_connected(connection, caller.account, platform).await?;
            let channel = channel.ok_or_else(|| ApiError::not_found("Channel connection not found"))?;
            let channel = channel.identified().ok_or_else(unresolved)?;
            replace(cx, connection, &caller, (platform, &channel), input).await
        })
        .await?;
    if has_changed {
        cx.changed(Invalidation::PublicStats).await;
    }
    if !input.is_public {
        // The roll-ups lock rows of both databases, so the samples follow the commit. No list reads them, and
        // a repeated call deletes what a failure leaves.
        let id = &settings.platform_channel_id;
        let connection = &mut *caller.timeseries().await?;
        samples::delete_channel(connection, platform, id, Source::ExternalCrawler).await?;
    }
    Ok(settings)
}

/// Stores new settings, hides or shows the channel by them, and writes the audit entry. Returns true when they
/// differ from the former ones, or show a hidden channel.
async fn replace(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    caller: &AccountCaller,
    (platform, channel): (Platform, &Connected),
    input: UpdatePublicStatsChannelInput,
) -> Result<(PublicChannelSettings, bool)> {
    let (id, now) = (channel.platform_channel_id.as_str(), cx.state().clock.now());
    db::lock_channel(connection, platform, id).await?;
    let former = db::former(connection, caller.account, platform, id).await?;
    let via = (!input.is_public).then_some(OPTED_OUT_VIA);
    let settings = db::upsert(connection, (caller.account, platform), channel, (input, via), now).await?;
    let is_shown_again = if input.is_public {
        // A dissolved account may have hidden it, so that no settings say so.
        let hidden = channels::hidden(connection, &[(platform, id.to_owned())]).await?;
        channels::show(connection, platform, id).await? && !hidden.is_empty()
    } else {
        channels::hide(connection, platform, id, now).await?;
        channels::delete_crawled(connection, platform, id).await?;
        false
    };
    let Some(action) = action(former, input, is_shown_again) else { return Ok((settings, false)) };
    let metadata = json!({
        "account_id": caller.account.uuid(),
        "platform": platform.slug(),
        "is_public": input.is_public,
        "show_top_chatters": input.show_top_chatters,
    });
    let entry = cx.audit_system(action, "public_channel", format_args!("{platform}:{id}"));
    audit::record(connection, Entry { metadata, ..entry }).await?;
    Ok((settings, true))
}

/// Action of the audit entry; `None` when nothing changes.
const fn action(
    former: Former,
    input: UpdatePublicStatsChannelInput,
    is_shown_again: bool,
) -> Option<&'static str> {
    match (former.is_public, input.is_public) {
        (true, false) => Some("public_stats:channel_opted_out"),
        (false, true) => Some("public_stats:channel_opted_in"),
        _ if is_shown_again => Some("public_stats:channel_opted_in"),
        _ if former.show_top_chatters != input.show_top_chatters => Some("public_stats:channel_updated"),
        _ => None,
    }
}

fn unprocessable(refusal: ApiError) -> ApiError {
    ApiError { code: Code::Unprocessable, ..refusal }
}

fn unresolved() -> ApiError {
    ApiError::new(Code::Unprocessable, "Channel identity is not known")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_names_the_change() {
        let former = |is_public, show_top_chatters| Former { is_public, show_top_chatters };
        let input =
            |is_public, show_top_chatters| UpdatePublicStatsChannelInput { is_public, show_top_chatters };
        for (before, after, expected) in [
            ((true, false), (false, false), Some("public_stats:channel_opted_out")),
            ((true, false), (false, true), Some("public_stats:channel_opted_out")),
            ((false, true), (true, false), Some("public_stats:channel_opted_in")),
            ((true, false), (true, true), Some("public_stats:channel_updated")),
            ((false, true), (false, false), Some("public_stats:channel_updated")),
            ((true, true), (true, true), None),
            ((false, false), (false, false), None),
        ] {
            let named = action(former(before.0, before.1), input(after.0, after.1), false);
            assert_eq!(named, expected, "{before:?} {after:?}");
        }
        let named = action(former(true, false), input(true, false), true);
        assert_eq!(named, Some("public_stats:channel_opted_in"), "another account hid it");
    }
}
