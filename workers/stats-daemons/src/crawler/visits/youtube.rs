//! Visits on YouTube, which has no directory of live channels and whose search is too costly. The newest videos
//! of a channel are listed from time to time; broadcasts among them are visited in each interval, fifty with a
//! unit of quota (reference/public-stats.md#visits).

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Text},
};
use diesel_async::RunQueryDsl;
use foundation::db::Prepare;
use platforms::{ListedStream, youtube::MAX_LISTED};
use shared::{Result, platform::Platform};

use super::{
    super::{PlatformCrawler, batches::Batch, budget::Priority, calls::NoAnswer, hidden::NamedBy},
    Answers,
    db::{Claimed, Uploads},
    renew,
};

/// Shortest time between two lists of a channel's newest videos.
const MIN_UPLOADS_INTERVAL: TimeDelta = TimeDelta::minutes(15);
/// Percentage of the daily quota that such lists may spend.
const UPLOADS_PERCENT: i64 = 15;

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct Category {
    #[diesel(sql_type = Text)]
    game_id: String,
    #[diesel(sql_type = Text)]
    name: String,
}

const WATCHED: &str = "SELECT count(*) AS count FROM crawler_channels WHERE platform = $1 AND is_watched";

const CATEGORIES: &str = "SELECT game_id, name FROM public_games WHERE platform = $1 AND game_id = ANY ($2)";

/// Visits channels. A channel whose videos cannot be listed now counts as visited when its known broadcasts
/// were.
pub(super) async fn visit(
    crawler: &PlatformCrawler,
    due: &[Claimed],
    now: DateTime<Utc>,
) -> Result<Answers, NoAnswer> {
    if due.is_empty() {
        return Ok(Answers::default());
    }
    let Playlists { known: playlists, mut refused, left } = playlists(crawler, due).await?;
    let interval = uploads_interval(crawler).await?;
    let mut uploads: BTreeMap<&str, Uploads> = BTreeMap::new();
    let mut videos: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for channel in due.iter().filter(|channel| !refused.contains(&channel.id) && !left.contains(&channel.id))
    {
        let playlist = channel.uploads_id.clone().or_else(|| playlists.get(&channel.id).cloned());
        let mut of_channel = Uploads {
            channel_id: channel.id.clone(),
            playlist,
            next_at: channel.uploads_next_at,
            live: Vec::new(),
        };
        let mut known = channel.broadcast_ids.clone();
        if channel.uploads_next_at.is_none_or(|at| at <= now) {
            match newest(crawler, due, &channel.id, of_channel.playlist.as_deref()).await {
                Ok(Some(newest)) => {
                    known.extend(newest);
                    of_channel.next_at = Some(now + interval);
                }
                // It is no longer this copy's, or was opted out.
                Ok(None) => continue,
                // It is listed with the next visit.
                Err(NoAnswer::Later(_)) if !channel.broadcast_ids.is_empty() => {}
                Err(NoAnswer::Later(_)) if !uploads.is_empty() => continue,
                Err(error) => return Err(error),
            }
        }
        videos.insert(&channel.id, known);
        uploads.insert(&channel.id, of_channel);
    }
    let live = live(crawler, due, &mut videos).await?;
    uploads.retain(|id, _| !live.left.contains(id) && !live.refused.contains(id));
    refused.extend(live.refused.into_iter().map(str::to_owned));
    let broadcasts = with_categories(crawler, live.rows).await?;
    Ok(Answers { refused, ..answers(uploads, broadcasts) })
}

/// Playlists of the newest videos of channels for which they were not known.
struct Playlists {
    /// Playlists by channel.
    known: HashMap<String, String>,
    /// Channels that the platform refused to report on.
    refused: Vec<String>,
    /// Channels for which no call was made.
    left: Vec<String>,
}

async fn playlists(crawler: &PlatformCrawler, due: &[Claimed]) -> Result<Playlists, NoAnswer> {
    let unknown = due.iter().filter(|channel| channel.uploads_id.is_none());
    let ids: Vec<&str> = unknown.map(|channel| channel.id.as_str()).collect();
    let client = crawler.context.platforms.youtube();
    let found = Batch::of(&ids).run(|part| async move {
        let part = claimed(crawler, due, part).await?;
        let channels =
            crawler.calls.about_all(Priority::Samples, NamedBy::Id, &part, |access, ids| async move {
                client.listed_channels(&access.token, &ids).await
            });
        if part.is_empty() { Ok(None) } else { channels.await }
    });
    let found = found.await?;
    let owned = |ids: Vec<&str>| ids.into_iter().map(str::to_owned).collect();
    Ok(Playlists {
        known: found.rows.into_iter().filter_map(|channel| Some((channel.id, channel.uploads?))).collect(),
        refused: owned(found.refused),
        left: owned(found.left),
    })
}

/// Those of the given channels that this copy still has.
async fn claimed<'a>(
    crawler: &PlatformCrawler,
    due: &[Claimed],
    mut ids: Vec<&'a str>,
) -> Result<Vec<&'a str>> {
    let claimed = renew(crawler, due).await?;
    ids.retain(|id| claimed.contains(*id));
    Ok(ids)
}

/// Newest videos of a channel, none without a playlist; `None` when the channel must not be requested.
async fn newest(
    crawler: &PlatformCrawler,
    due: &[Claimed],
    channel: &str,
    playlist: Option<&str>,
) -> Result<Option<Vec<String>>, NoAnswer> {
    let Some(playlist) = playlist else { return Ok(Some(Vec::new())) };
    if claimed(crawler, due, vec![channel]).await?.is_empty() {
        return Ok(None);
    }
    let client = crawler.context.platforms.youtube();
    let listed = crawler.calls.about(Priority::Samples, NamedBy::Id, channel, |access| async move {
        client.recent_uploads(&access.token, playlist).await
    });
    match listed.await {
        // A channel without videos has no playlist.
        Err(NoAnswer::Refused(_)) => Ok(Some(Vec::new())),
        other => other,
    }
}

/// Live ones among the videos of channels.
async fn live<'a>(
    crawler: &PlatformCrawler,
    due: &[Claimed],
    videos: &mut BTreeMap<&'a str, Vec<String>>,
) -> Result<Batch<'a, ListedStream>, NoAnswer> {
    for of_channel in videos.values_mut() {
        of_channel.sort_unstable();
        of_channel.dedup();
        of_channel.truncate(MAX_LISTED);
    }
    let client = crawler.context.platforms.youtube();
    let videos = &*videos;
    let found = Batch::of_parts(parts(videos).into_iter()).run(|part| async move {
        let part = claimed(crawler, due, part).await?;
        let streams =
            crawler.calls.about_all(Priority::Samples, NamedBy::Id, &part, |access, ids| async move {
                let videos = ids.iter().filter_map(|id| videos.get(id)).flatten();
                let videos: Vec<&str> = videos.map(String::as_str).collect();
                client.streams_of(&access.token, &videos).await
            });
        if part.is_empty() { Ok(None) } else { streams.await }
    });
    found.await
}

/// Channels of the calls about their videos: as many as fit into one call. Those without videos need none.
fn parts<'a>(videos: &BTreeMap<&'a str, Vec<String>>) -> Vec<Vec<&'a str>> {
    let (mut parts, mut part, mut number) = (Vec::new(), Vec::new(), 0);
    for (channel, of_channel) in videos.iter().filter(|(_, of_channel)| !of_channel.is_empty()) {
        if number + of_channel.len() > MAX_LISTED {
            parts.push(std::mem::take(&mut part));
            number = 0;
        }
        part.push(*channel);
        number += of_channel.len();
    }
    parts.push(part);
    parts
}

/// Time between two lists of a channel's newest videos, so that those of all channels fit into the quota.
async fn uploads_interval(crawler: &PlatformCrawler) -> Result<TimeDelta> {
    let mut connection = crawler.context.databases.postgres.get().await?;
    let watched: Count = sql_query(WATCHED)
        .bind::<Text, _>(Platform::Youtube.slug())
        .prepared()
        .get_result(&mut *connection)
        .await?;
    let quota = i64::from(crawler.context.config.ingest.youtube_quota_per_day);
    let lists_of_a_day = (quota * UPLOADS_PERCENT / 100).max(1);
    let secs = watched.count * TimeDelta::days(1).num_seconds() / lists_of_a_day;
    Ok(TimeDelta::seconds(secs).max(MIN_UPLOADS_INTERVAL))
}

/// Fills in the names of the categories, which YouTube does not report with a video.
async fn with_categories(
    crawler: &PlatformCrawler,
    mut broadcasts: Vec<ListedStream>,
) -> Result<Vec<ListedStream>> {
    let ids: Vec<&str> = broadcasts.iter().filter_map(|stream| stream.game_id.as_deref()).collect();
    if ids.is_empty() {
        return Ok(broadcasts);
    }
    let mut connection = crawler.context.databases.postgres.get().await?;
    let known: Vec<Category> = sql_query(CATEGORIES)
        .bind::<Text, _>(Platform::Youtube.slug())
        .bind::<Array<Text>, _>(ids)
        .prepared()
        .load(&mut *connection)
        .await?;
    for stream in &mut broadcasts {
        let category = known.iter().find(|category| Some(&category.game_id) == stream.game_id.as_ref());
        stream.game_name = category.map(|category| category.name.clone());
    }
    Ok(broadcasts)
}

/// Joins the broadcasts of each channel: the one with the most viewers is shown, with the viewers of all.
fn answers(mut uploads: BTreeMap<&str, Uploads>, mut broadcasts: Vec<ListedStream>) -> Answers {
    broadcasts.sort_by_key(|stream| std::cmp::Reverse(stream.viewer_count));
    let mut live: Vec<ListedStream> = Vec::new();
    for stream in &broadcasts {
        let Some(of_channel) = uploads.get_mut(stream.channel_id.as_str()) else { continue };
        of_channel.live.extend(stream.broadcast_id.clone());
        match live.iter_mut().find(|known| known.channel_id == stream.channel_id) {
            None => live.push(stream.clone()),
            Some(known) => {
                let sum = known.viewer_count.unwrap_or(0).saturating_add(stream.viewer_count.unwrap_or(0));
                known.viewer_count = known.viewer_count.map(|_| sum);
            }
        }
    }
    let visited = uploads.values().map(|uploads| uploads.channel_id.clone()).collect();
    Answers { visited, refused: Vec::new(), live, broadcasts, youtube: uploads.into_values().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(channel: &str, video: &str, viewers: Option<i64>) -> ListedStream {
        ListedStream {
            channel_id: channel.to_owned(),
            broadcast_id: Some(video.to_owned()),
            viewer_count: viewers,
            ..ListedStream::default()
        }
    }

    #[test]
    fn answers_add_the_viewers_of_a_channels_broadcasts() {
        let uploads =
            ["a", "b", "c"].map(|id| (id, Uploads { channel_id: id.to_owned(), ..Uploads::default() }));
        let broadcasts = vec![
            stream("a", "1", Some(5)),
            stream("a", "2", Some(7)),
            stream("b", "3", None),
            stream("stranger", "4", Some(9)),
        ];
        let answers = answers(BTreeMap::from(uploads), broadcasts);
        assert_eq!(answers.visited, ["a", "b", "c"]);
        let live: Vec<_> = answers
            .live
            .iter()
            .map(|stream| (stream.channel_id.as_str(), stream.broadcast_id.as_deref(), stream.viewer_count))
            .collect();
        assert_eq!(live, [("a", Some("2"), Some(12)), ("b", Some("3"), None)]);
        assert_eq!(answers.youtube[0].live, ["2", "1"]);
        assert!(answers.youtube[2].live.is_empty());
    }
}
