//! Emotes: global ones of each provider, and those of channels whose use of emotes is counted or that are on the
//! watch list.

use std::time::Duration;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text},
};
use diesel_async::RunQueryDsl;
use foundation::{db::Prepare, lease::Lease};
use platforms::{
    PlatformError,
    emotes::{EmoteProvider, EmotesOf, ProviderEmote},
};
use shared::{Result, platform::Platform};
use stats_model::emotes::{self, Emote};

use super::may_continue;
use crate::crawler::{PlatformCrawler, budget::Priority, calls::NoAnswer};

/// Maximum number of channels whose emotes are read in a day.
const MAX_CHANNELS: i64 = 5_000;
/// Pause between calls to a provider that is no platform and publishes no limit.
const PROVIDER_PAUSE: Duration = Duration::from_millis(200);

#[derive(QueryableByName)]
struct Channel {
    #[diesel(sql_type = Text)]
    id: String,
}

const CHANNELS: &str = "
    SELECT named.id FROM (
        SELECT platform_channel_id AS id FROM channel_connections WHERE platform = $1
        UNION
        SELECT platform_channel_id FROM crawler_channels WHERE platform = $1 AND is_watched
    ) AS named
    WHERE NOT EXISTS (SELECT FROM public_channels AS channel
        WHERE channel.platform = $1 AND channel.platform_channel_id = named.id AND channel.is_hidden)
    ORDER BY named.id LIMIT $2";

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

/// Reads the emotes of the platform. A provider that fails is left out until the next day.
pub(super) async fn read(crawler: &PlatformCrawler, lease: &mut Lease) -> Result<(), NoAnswer> {
    for provider in providers(crawler.platform) {
        read_one(crawler, *provider, EmotesOf::Everybody).await?;
    }
    let mut providers = channel_providers(crawler.platform).to_vec();
    for channel in channels(crawler).await? {
        let of = EmotesOf::Channel { platform: crawler.platform, id: &channel };
        let mut failed = Vec::new();
        for provider in &providers {
            if !may_continue(crawler, lease).await? {
                return Ok(());
            }
            if !read_one(crawler, *provider, of).await? {
                failed.push(*provider);
            }
        }
        providers.retain(|provider| !failed.contains(provider));
    }
    Ok(())
}

/// Reads emotes of one provider; false when it failed.
async fn read_one(
    crawler: &PlatformCrawler,
    provider: EmoteProvider,
    of: EmotesOf<'_>,
) -> Result<bool, NoAnswer> {
    let emotes = match provider {
        EmoteProvider::Twitch => twitch(crawler, of).await?,
        _ => other(crawler, provider, of).await,
    };
    let Some(emotes) = emotes else { return Ok(false) };
    store(crawler, provider, emotes).await?;
    Ok(true)
}

/// Emotes of Twitch, which are paid from the budget of the platform. The client takes the token of the
/// configured application only.
async fn twitch(crawler: &PlatformCrawler, of: EmotesOf<'_>) -> Result<Option<Vec<ProviderEmote>>, NoAnswer> {
    if crawler.context.config.platforms.twitch.client_id.is_none() {
        return Ok(None);
    }
    let platforms = &crawler.context.platforms;
    let channel = match of {
        EmotesOf::Everybody => None,
        EmotesOf::Channel { id, .. } => Some(id),
    };
    let emotes = crawler.calls.call(Priority::Background, |_access| async move {
        let token = platforms.app_token(Platform::Twitch).await?;
        platforms.twitch().emotes(&token, channel).await
    });
    match emotes.await {
        Ok(emotes) => Ok(Some(emotes)),
        // Twitch does not know the channel.
        Err(NoAnswer::Refused(_)) => Ok(Some(Vec::new())),
        Err(error) => Err(error),
    }
}

async fn other(
    crawler: &PlatformCrawler,
    provider: EmoteProvider,
    of: EmotesOf<'_>,
) -> Option<Vec<ProviderEmote>> {
    tokio::time::sleep(PROVIDER_PAUSE).await;
    match crawler.context.platforms.emotes().emotes(provider, of).await {
        Ok(emotes) => Some(emotes),
        Err(error) => {
            log(provider, &error);
            None
        }
    }
}

fn log(provider: EmoteProvider, error: &PlatformError) {
    tracing::info!(provider = provider.as_str(), %error, "a provider did not return its emotes");
}

async fn channels(crawler: &PlatformCrawler) -> Result<Vec<String>> {
    let mut connection = crawler.context.databases.postgres.get().await?;
    let channels: Vec<Channel> = sql_query(CHANNELS)
        .bind::<Text, _>(crawler.platform.slug())
        .bind::<BigInt, _>(MAX_CHANNELS)
        .prepared()
        .load(&mut *connection)
        .await?;
    Ok(channels.into_iter().map(|channel| channel.id).collect())
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
