//! Emotes: global ones of each provider, and those of channels whose use of emotes is counted or that are on the
//! watch list.

use std::time::Duration;

use diesel::{OptionalExtension, QueryableByName, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use foundation::db::Prepare;
use platforms::{
    PlatformError,
    emotes::{EmoteProvider, EmotesOf, ProviderEmote},
};
use shared::{Result, platform::Platform};
use stats_model::emotes::{self, Emote};

use super::Reading;
use crate::crawler::{
    PlatformCrawler,
    budget::Priority,
    calls::NoAnswer,
    credentials::Access,
    hidden::{self, NamedBy},
};

/// Maximum number of channels whose emotes are read in a day.
const MAX_CHANNELS: usize = 5_000;
/// Pause between calls to a provider that is no platform and publishes no limit.
const PROVIDER_PAUSE: Duration = Duration::from_millis(200);

#[derive(QueryableByName)]
struct Channel {
    #[diesel(sql_type = Text)]
    id: String,
}

/// Next channel by its id.
const NEXT: &str = "
    (SELECT named.platform_channel_id AS id FROM channel_connections AS named
        WHERE named.platform = $1 AND named.platform_channel_id > $2 AND named.connected_at > 'epoch'
            AND NOT EXISTS (SELECT FROM public_channels AS channel
                WHERE channel.platform = $1 AND channel.platform_channel_id = named.platform_channel_id
                    AND channel.is_hidden)
        ORDER BY named.platform_channel_id LIMIT 1)
    UNION ALL
    (SELECT named.platform_channel_id FROM crawler_channels AS named
        WHERE named.platform = $1 AND named.platform_channel_id > $2 AND named.is_watched
            AND NOT EXISTS (SELECT FROM public_channels AS channel
                WHERE channel.platform = $1 AND channel.platform_channel_id = named.platform_channel_id
                    AND channel.is_hidden)
        ORDER BY named.platform_channel_id LIMIT 1)
    ORDER BY id LIMIT 1";

/// Providers that are read together with a platform.
const fn providers(platform: Platform) -> &'static [EmoteProvider] {
    match platform {
        Platform::Twitch => {
            &[EmoteProvider::Twitch, EmoteProvider::SevenTv, EmoteProvider::Bttv, EmoteProvider::Ffz]
        }
        Platform::Youtube => &[EmoteProvider::Youtube],
        Platform::Kick => &[EmoteProvider::Kick],
        _ => &[],
    }
}

/// Providers of emotes of a platform's channels. Kick names channels differently there.
const fn channel_providers(platform: Platform) -> &'static [EmoteProvider] {
    match platform {
        Platform::Twitch => {
            &[EmoteProvider::Twitch, EmoteProvider::SevenTv, EmoteProvider::Bttv, EmoteProvider::Ffz]
        }
        Platform::Youtube => &[EmoteProvider::SevenTv, EmoteProvider::Bttv],
        Platform::Kick => &[EmoteProvider::SevenTv],
        _ => &[],
    }
}

/// Reads the emotes of the platform; false when the reading was interrupted. A provider that fails is left out
/// until the next day.
pub(super) async fn read(reading: &mut Reading<'_>) -> Result<bool, NoAnswer> {
    let crawler = reading.crawler;
    if !reading.position.are_global_emotes_read {
        for provider in providers(crawler.platform) {
            if !reading.may_continue().await? {
                return Ok(false);
            }
            read_one(crawler, *provider, None).await?;
        }
        reading.position.are_global_emotes_read = true;
        reading.save().await?;
    }
    while reading.position.channels < MAX_CHANNELS {
        let Some(channel) = next_channel(crawler, reading.position.channel.as_deref()).await? else { break };
        for provider in channel_providers(crawler.platform) {
            if reading.position.failed.contains(provider) {
                continue;
            }
            if !reading.may_continue().await? {
                return Ok(false);
            }
            if !read_one(crawler, *provider, Some(&channel)).await? {
                reading.position.failed.push(*provider);
            }
        }
        reading.position.channel = Some(channel);
        reading.position.channels += 1;
        reading.save().await?;
    }
    Ok(true)
}

/// Channel after another one by its id.
async fn next_channel(crawler: &PlatformCrawler, after: Option<&str>) -> Result<Option<String>> {
    let mut connection = crawler.context.databases.postgres.get().await?;
    let channel: Option<Channel> = sql_query(NEXT)
        .bind::<Text, _>(crawler.platform.slug())
        .bind::<Text, _>(after.unwrap_or_default())
        .prepared()
        .get_result(&mut *connection)
        .await
        .optional()?;
    Ok(channel.map(|channel| channel.id))
}

/// Reads emotes of one provider, the global ones or those of a channel; false when it failed.
async fn read_one(
    crawler: &PlatformCrawler,
    provider: EmoteProvider,
    channel: Option<&str>,
) -> Result<bool, NoAnswer> {
    let emotes = match provider {
        EmoteProvider::Twitch => twitch(crawler, channel).await?,
        _ => other(crawler, provider, channel).await?,
    };
    let Some(emotes) = emotes else { return Ok(false) };
    store(crawler, provider, emotes).await?;
    Ok(true)
}

/// Emotes of Twitch, which are paid from the budget of the platform. The client takes the token of the
/// configured application only.
async fn twitch(
    crawler: &PlatformCrawler,
    channel: Option<&str>,
) -> Result<Option<Vec<ProviderEmote>>, NoAnswer> {
    if crawler.context.config.platforms.twitch.client_id.is_none() {
        return Ok(None);
    }
    let platforms = &crawler.context.platforms;
    let read = |_access: Access| async move {
        let token = platforms.app_token(Platform::Twitch).await?;
        platforms.twitch().emotes(&token, channel).await
    };
    let emotes = match channel {
        None => crawler.calls.call(Priority::Background, read).await.map(Some),
        Some(id) => crawler.calls.about(Priority::Background, NamedBy::Id, id, read).await,
    };
    match emotes {
        Ok(emotes) => Ok(Some(emotes.unwrap_or_default())),
        // Twitch does not know the channel.
        Err(NoAnswer::Refused(_)) => Ok(Some(Vec::new())),
        Err(error) => Err(error),
    }
}

/// Emotes of a provider that is no platform. None of a channel that was opted out.
async fn other(
    crawler: &PlatformCrawler,
    provider: EmoteProvider,
    channel: Option<&str>,
) -> Result<Option<Vec<ProviderEmote>>> {
    tokio::time::sleep(PROVIDER_PAUSE).await;
    let of = match channel {
        None => EmotesOf::Everybody,
        Some(id) => EmotesOf::Channel { platform: crawler.platform, id },
    };
    if let Some(id) = channel {
        let mut connection = crawler.context.databases.postgres.get().await?;
        if hidden::shown(&mut connection, crawler.platform, NamedBy::Id, &[id]).await?.is_empty() {
            return Ok(Some(Vec::new()));
        }
    }
    match crawler.context.platforms.emotes().emotes(provider, of).await {
        Ok(emotes) => Ok(Some(emotes)),
        Err(error) => {
            log(provider, &error);
            Ok(None)
        }
    }
}

fn log(provider: EmoteProvider, error: &PlatformError) {
    tracing::info!(provider = provider.as_str(), %error, "a provider did not return its emotes");
}

async fn store(crawler: &PlatformCrawler, provider: EmoteProvider, found: Vec<ProviderEmote>) -> Result<()> {
    let emote = |emote: ProviderEmote| Emote {
        provider: provider.as_str().to_owned(),
        emote_id: emote.id,
        name: emote.name,
        url: Some(emote.url),
        animated: Some(emote.animated),
    };
    let emotes: Vec<Emote> = found.into_iter().map(emote).collect();
    let mut connection = crawler.context.databases.postgres.get().await?;
    emotes::catalogue(&mut connection, &emotes, crawler.context.clock.now()).await
}
