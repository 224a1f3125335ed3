//! Watch list of staff (reference/public-stats.md#scope). An entry names a channel by its id or its name. The
//! channel is found once and kept by its id, which outlives a renaming. A claim on the entry selects the copy
//! that finds it, and is renewed before each call.

mod db;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncPgConnection;
use platforms::{ListedChannel, PlatformError, twitch};
use shared::{Result, platform::Platform};
use uuid::Uuid;

use super::{
    MAX_PAUSE, PlatformCrawler,
    budget::Priority,
    calls::NoAnswer,
    hidden::{self, NamedBy},
};
use db::Entry;

/// Duration of a claim on an entry. The calls for one entry take less.
const CLAIM_DURATION: TimeDelta = TimeDelta::minutes(1);
/// Time after which a name that the platform does not know is tried again, and one of a channel that was opted
/// out.
const UNKNOWN_PAUSE: TimeDelta = TimeDelta::hours(6);
/// Number of entries of a batch on platforms that need a call for each.
const SINGLE_CALL_BATCH_SIZE: usize = 10;

/// Channel of an entry; `None` when the platform knows none.
type FoundEntry<'a> = (&'a Entry, Option<String>);

/// Applies changes of the list to the schedule, and finds the channels of new entries.
pub(super) async fn step(crawler: &PlatformCrawler) -> Result<Duration> {
    let (context, platform, now) = (&crawler.context, crawler.platform, crawler.context.clock.now());
    let mut connection = context.databases.postgres.get().await?;
    let entries =
        db::claim(&mut connection, platform, now, now + CLAIM_DURATION, batch_size(platform)).await?;
    drop(connection);
    let found = match find(crawler, &entries, now + CLAIM_DURATION).await {
        Ok(found) => found,
        Err(NoAnswer::Failed(error)) => return Err(error),
        Err(reason) => {
            tracing::info!(%platform, %reason, "entries of the watch list are resolved later");
            Vec::new()
        }
    };
    let mut connection = context.databases.postgres.get().await?;
    store(&mut connection, platform, &found, now).await?;
    db::schedule(&mut connection, platform, now).await?;
    db::unwatch(&mut connection, platform).await?;
    Ok(MAX_PAUSE)
}

/// Stores the channels of entries. Of a channel that was opted out under a name that was not known then, only the name
/// is stored, so that it is not requested again; its entry is as that of an unknown name.
async fn store(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    found: &[FoundEntry<'_>],
    now: DateTime<Utc>,
) -> Result<()> {
    let known: Vec<(&Entry, &str)> =
        found.iter().filter_map(|(entry, channel)| Some((*entry, channel.as_deref()?))).collect();
    let named: Vec<(&str, &str)> =
        known.iter().map(|(entry, channel)| (*channel, entry.channel.as_str())).collect();
    hidden::remember_names(connection, platform, &named).await?;
    let ids: Vec<&str> = known.iter().map(|(_, channel)| *channel).collect();
    let shown = hidden::shown(connection, platform, NamedBy::Id, &ids).await?;
    let is_shown = |channel: &str| shown.contains(&channel);
    let known: Vec<(&Entry, &str)> = known.into_iter().filter(|(_, channel)| is_shown(channel)).collect();
    db::set_found(connection, &known).await?;
    let is_unknown = |(_, channel): &&FoundEntry<'_>| !channel.as_deref().is_some_and(is_shown);
    let unknown: Vec<&Entry> = found.iter().filter(is_unknown).map(|(entry, _)| *entry).collect();
    db::postpone(connection, &unknown, now + UNKNOWN_PAUSE).await
}

const fn batch_size(platform: Platform) -> usize {
    match platform {
        // An entry of digits is requested as an id and as a name.
        Platform::Twitch => twitch::MAX_LISTED / 2,
        _ => SINGLE_CALL_BATCH_SIZE,
    }
}

/// Finds the channels of entries that are claimed until a time.
async fn find<'a>(
    crawler: &PlatformCrawler,
    entries: &'a [Entry],
    until: DateTime<Utc>,
) -> Result<Vec<FoundEntry<'a>>, NoAnswer> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    if crawler.platform == Platform::Twitch {
        return find_on_twitch(crawler, entries).await;
    }
    let (mut found, mut until) = (Vec::new(), until);
    for entry in entries {
        let claimed;
        (claimed, until) = renew(crawler, entries, until).await?;
        if !claimed.contains(&entry.id) {
            continue;
        }
        let channel = match crawler.platform {
            Platform::Kick => find_on_kick(crawler, &entry.channel).await,
            Platform::Trovo => find_on_trovo(crawler, &entry.channel).await,
            _ => find_on_youtube(crawler, &entry.channel).await,
        };
        match channel {
            Ok(channel) => found.push((entry, channel)),
            // A name that the platform takes for malformed.
            Err(NoAnswer::Refused(_)) => found.push((entry, None)),
            Err(NoAnswer::Failed(error)) => return Err(error.into()),
            Err(NoAnswer::Later(_)) => break,
        }
    }
    Ok(found)
}

/// Renews claims that end at a time; returns the entries that this copy still has, and the new end.
async fn renew(
    crawler: &PlatformCrawler,
    entries: &[Entry],
    held: DateTime<Utc>,
) -> Result<(Vec<Uuid>, DateTime<Utc>)> {
    let ids: Vec<Uuid> = entries.iter().map(|entry| entry.id).collect();
    let until = crawler.context.clock.now() + CLAIM_DURATION;
    let mut connection = crawler.context.databases.postgres.get().await?;
    Ok((db::renew(&mut connection, &ids, (held, until)).await?, until))
}

async fn find_on_twitch<'a>(
    crawler: &PlatformCrawler,
    entries: &'a [Entry],
) -> Result<Vec<FoundEntry<'a>>, NoAnswer> {
    let client = crawler.context.platforms.twitch();
    let is_login = |name: &&str| {
        name.len() <= 25 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let logins: Vec<&str> = entries.iter().map(|entry| entry.channel.as_str()).filter(is_login).collect();
    let listed =
        crawler.calls.batch(Priority::Background, NamedBy::IdOrName, &logins, |access, logins| async move {
            let ids: Vec<&str> = logins.iter().filter(|name| is_number(name)).copied().collect();
            client.listed_channels(&access.client_id, &access.token, &ids, &logins).await
        });
    let listed = listed.await?;
    let channel_of = |entry: &Entry| {
        let by_id = listed.rows.iter().find(|channel| channel.id == entry.channel);
        let is_named = |channel: &&ListedChannel| {
            channel.login.as_ref().is_some_and(|login| login.eq_ignore_ascii_case(&entry.channel))
        };
        by_id.or_else(|| listed.rows.iter().find(is_named)).map(|channel| channel.id.clone())
    };
    let is_done = |entry: &&Entry| !listed.left.contains(&entry.channel.as_str());
    Ok(entries.iter().filter(is_done).map(|entry| (entry, channel_of(entry))).collect())
}

async fn find_on_kick(crawler: &PlatformCrawler, name: &str) -> Result<Option<String>, NoAnswer> {
    let client = crawler.context.platforms.kick();
    let by_name = crawler.calls.about(Priority::Background, NamedBy::IdOrName, name, |access| async move {
        let by_slug = client.channel_of_slug(&access.token, name).await?;
        Ok::<_, PlatformError>(by_slug.map(|channel| channel.id))
    });
    if let Some(id) = by_name.await?.flatten() {
        return Ok(Some(id));
    }
    if !is_number(name) {
        return Ok(None);
    }
    let ids = [name];
    let ids = ids.as_slice();
    let by_id = crawler.calls.about(Priority::Background, NamedBy::IdOrName, name, |access| async move {
        client.listed_channels(&access.token, ids).await
    });
    Ok(by_id.await?.into_iter().flatten().next().map(|channel| channel.id))
}

async fn find_on_trovo(crawler: &PlatformCrawler, name: &str) -> Result<Option<String>, NoAnswer> {
    let client = crawler.context.platforms.trovo();
    let names = [name];
    let names = names.as_slice();
    let by_name = crawler.calls.about(Priority::Background, NamedBy::IdOrName, name, |access| async move {
        client.channels_of_names(&access.client_id, names).await
    });
    if let Some(channel) = by_name.await?.into_iter().flatten().next() {
        return Ok(Some(channel.id));
    }
    if !is_number(name) {
        return Ok(None);
    }
    let by_id = crawler.calls.about(Priority::Background, NamedBy::IdOrName, name, |access| async move {
        client.channel_details(&access.client_id, name).await
    });
    Ok(by_id.await?.flatten().map(|details| details.channel.id))
}

async fn find_on_youtube(crawler: &PlatformCrawler, name: &str) -> Result<Option<String>, NoAnswer> {
    const ID_LENGTH: usize = 24;
    let client = crawler.context.platforms.youtube();
    if name.len() == ID_LENGTH && name.starts_with("UC") {
        let ids = [name];
        let ids = ids.as_slice();
        let by_id = crawler.calls.about(Priority::Background, NamedBy::IdOrName, name, |access| async move {
            client.listed_channels(&access.token, ids).await
        });
        return Ok(by_id.await?.into_iter().flatten().next().map(|channel| channel.id));
    }
    let by_handle = crawler.calls.about(Priority::Background, NamedBy::IdOrName, name, |access| async move {
        client.channel_of_handle(&access.token, name).await
    });
    Ok(by_handle.await?.flatten().map(|channel| channel.id))
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}
