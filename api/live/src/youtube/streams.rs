//! Requests for broadcasts to YouTube, at most twice a minute for an account: each costs quota that accounts
//! may share (reference/platforms.md#quota). A failed request costs as well, so a failure is cached too.

use platform_access::PlatformAccess as _;
use std::collections::HashMap;

use api_core::{ApiError, Code, Cx, Result, graphql::Int64};
use chrono::{DateTime, Duration, Utc};
use connection_model::quota::youtube::{LIST_BROADCASTS, LIST_VIDEOS};
use platforms::{
    ChatCredentials, PlatformError,
    youtube::{Broadcast, BroadcastStatus},
};
use serde::{Deserialize, Serialize};
use shared::{id::AccountId, platform::Platform};

use super::{YoutubeStream, YoutubeStreamStatus};
use crate::chat::acting::{Acting, Obstacle, own_channel};

const CACHE_TTL: Duration = Duration::seconds(30);
const FAILURE_TTL: Duration = Duration::seconds(10);
/// Longest pause that is kept. YouTube may ask for a longer one and repeats its request then.
const MAX_BACKOFF: Duration = Duration::minutes(10);

/// Last response of YouTube.
#[derive(Serialize, Deserialize)]
struct Cached {
    answer: Answer,
    until: DateTime<Utc>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Streams(Vec<YoutubeStream>),
    /// Failed request with its error.
    Failed {
        code: String,
        message: String,
    },
}

pub(super) async fn of(cx: &Cx, account: AccountId) -> Result<Vec<YoutubeStream>> {
    let now = cx.state().clock.now();
    match read(cx, account).await {
        Ok(Some(cached)) if cached.until > now => return cached.into_result(now),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "cached broadcasts cannot be read"),
    }
    let mut acting = own_channel(cx, account.uuid(), Platform::Youtube).await?;
    let asked = ask(cx, &mut acting).await?;
    let lifetime = match &asked {
        Ok(_) => CACHE_TTL,
        Err(Obstacle::Platform(PlatformError::RateLimited { retry_after })) => {
            let pause = retry_after.and_then(|pause| Duration::from_std(pause).ok());
            pause.unwrap_or(FAILURE_TTL).min(MAX_BACKOFF)
        }
        Err(Obstacle::Platform(_) | Obstacle::TokenRefused) => FAILURE_TTL,
        // No request was made.
        Err(_) => return asked.map_err(Obstacle::into_error),
    };
    let asked = asked.map_err(Obstacle::into_error);
    let cached = Cached { answer: Answer::of(&asked), until: now + lifetime };
    if let Err(error) = write(cx, account, &cached, lifetime).await {
        tracing::warn!(%error, "broadcasts cannot be cached");
    }
    asked
}

async fn ask(cx: &Cx, acting: &mut Acting) -> Result<Result<Vec<YoutubeStream>, Obstacle>> {
    let youtube = cx.state().platforms().youtube();
    let list =
        |credentials: ChatCredentials| async move { youtube.broadcasts(&credentials.access_token).await };
    let broadcasts = match acting.call_for(cx, LIST_BROADCASTS, list).await? {
        Ok(broadcasts) => broadcasts,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    let live: Vec<&str> = broadcasts.iter().filter(|one| is_live(one)).map(|one| one.id.as_str()).collect();
    let live = &live;
    let count =
        |credentials: ChatCredentials| async move { youtube.viewers(&credentials.access_token, live).await };
    let viewers = if live.is_empty() {
        HashMap::new()
    } else {
        match acting.call_for(cx, LIST_VIDEOS, count).await? {
            Ok(viewers) => viewers,
            Err(obstacle) => return Ok(Err(obstacle)),
        }
    };
    let mut streams: Vec<YoutubeStream> =
        broadcasts.into_iter().filter_map(|broadcast| stream(broadcast, &viewers)).collect();
    // Live ones first, then by the scheduled start.
    streams.sort_by_key(|stream| (stream.status != YoutubeStreamStatus::Live, stream.scheduled_start));
    Ok(Ok(streams))
}

impl Answer {
    fn of(asked: &Result<Vec<YoutubeStream>>) -> Self {
        match asked {
            Ok(streams) => Self::Streams(streams.clone()),
            Err(error) => {
                Self::Failed { code: error.code.as_str().to_owned(), message: error.message.clone() }
            }
        }
    }
}

impl Cached {
    fn into_result(self, now: DateTime<Utc>) -> Result<Vec<YoutubeStream>> {
        let (code, message) = match self.answer {
            Answer::Streams(streams) => return Ok(streams),
            Answer::Failed { code, message } => (code, message),
        };
        let code = Code::ALL.into_iter().find(|known| known.as_str() == code);
        let error = ApiError::new(code.unwrap_or(Code::InternalServerError), message);
        if error.code == Code::RateLimitExceeded {
            let wait = u64::try_from((self.until - now).num_seconds()).unwrap_or_default();
            return Err(error.with_retry_after(wait.max(1)));
        }
        Err(error)
    }
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

async fn write(cx: &Cx, account: AccountId, cached: &Cached, lifetime: Duration) -> shared::Result<()> {
    let mut redis = cx.state().redis.get().await?;
    let mut set = redis::cmd("SET");
    set.arg(key(cx, account))
        .arg(serde_json::to_string(cached)?)
        .arg("EX")
        .arg(lifetime.num_seconds().max(1));
    set.query_async::<()>(&mut *redis).await?;
    Ok(())
}

fn key(cx: &Cx, account: AccountId) -> String {
    cx.state().redis.key(format_args!("youtube_streams:{account}"))
}
