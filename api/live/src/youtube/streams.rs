//! Asking YouTube for broadcasts, no more than twice a minute for an account: each answer costs quota that all accounts
//! share (specification D §3).

use std::collections::HashMap;

use api_core::{Cx, Result, graphql::Int64};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    id::AccountId,
    platforms::{
        Platform, PlatformError,
        youtube::{Broadcast, BroadcastStatus},
    },
};

use super::{YoutubeStream, YoutubeStreamStatus};
use crate::chat::acting::{As, Obstacle, acting};

const CACHED_FOR: Duration = Duration::seconds(30);

#[derive(Serialize, Deserialize)]
struct Cached {
    streams: Vec<YoutubeStream>,
    until: DateTime<Utc>,
}

pub(super) async fn of(cx: &Cx, account: AccountId) -> Result<Vec<YoutubeStream>> {
    let now = cx.state().clock.now();
    match read(cx, account).await {
        Ok(Some(cached)) if cached.until > now => return Ok(cached.streams),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "cached broadcasts cannot be read"),
    }
    let streams = ask(cx, account).await?;
    let cached = Cached { streams, until: now + CACHED_FOR };
    if let Err(error) = write(cx, account, &cached).await {
        tracing::warn!(%error, "broadcasts cannot be cached");
    }
    Ok(cached.streams)
}

async fn ask(cx: &Cx, account: AccountId) -> Result<Vec<YoutubeStream>> {
    let youtube = cx.state().platforms.youtube();
    let acting = acting(cx, account.0, Some(Platform::Youtube), As::Channel).await?;
    let mut acting = acting.map_err(Obstacle::into_error)?;
    let call = |credentials: shared::platforms::ChatCredentials| async move {
        let token = &credentials.access_token;
        let broadcasts = youtube.broadcasts(token).await?;
        let live: Vec<&str> =
            broadcasts.iter().filter(|one| is_live(one)).map(|one| one.id.as_str()).collect();
        let viewers = if live.is_empty() { HashMap::new() } else { youtube.viewers(token, &live).await? };
        Ok::<_, PlatformError>((broadcasts, viewers))
    };
    let (broadcasts, viewers) = acting.call(cx, call).await?.map_err(Obstacle::into_error)?;
    let mut streams: Vec<YoutubeStream> =
        broadcasts.into_iter().filter_map(|broadcast| stream(broadcast, &viewers)).collect();
    // Live ones first, then whichever begins next.
    streams.sort_by_key(|stream| (stream.status != YoutubeStreamStatus::Live, stream.scheduled_start));
    Ok(streams)
}

fn is_live(broadcast: &Broadcast) -> bool {
    broadcast.status == BroadcastStatus::Live
}

fn stream(broadcast: Broadcast, viewers: &HashMap<String, i64>) -> Option<YoutubeStream> {
    let status = match broadcast.status {
        BroadcastStatus::Live => YoutubeStreamStatus::Live,
        BroadcastStatus::Upcoming => YoutubeStreamStatus::Upcoming,
        BroadcastStatus::Ended => return None,
    };
    Some(YoutubeStream {
        viewer_count: viewers.get(&broadcast.id).map(|viewers| Int64(*viewers)),
        broadcast_id: broadcast.id,
        title: broadcast.title,
        status,
        scheduled_start: broadcast.scheduled_start.map(Into::into),
        started_at: broadcast.started_at.map(Into::into),
        live_chat_id: broadcast.live_chat_id,
    })
}

async fn read(cx: &Cx, account: AccountId) -> shared::Result<Option<Cached>> {
    let mut redis = cx.state().redis.get().await?;
    let text: Option<String> = redis::cmd("GET").arg(key(cx, account)).query_async(&mut *redis).await?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

async fn write(cx: &Cx, account: AccountId, cached: &Cached) -> shared::Result<()> {
    let mut redis = cx.state().redis.get().await?;
    let mut set = redis::cmd("SET");
    set.arg(key(cx, account)).arg(serde_json::to_string(cached)?).arg("EX").arg(CACHED_FOR.num_seconds());
    set.query_async::<()>(&mut *redis).await?;
    Ok(())
}

fn key(cx: &Cx, account: AccountId) -> String {
    cx.state().redis.key(format_args!("youtube_streams:{account}"))
}
