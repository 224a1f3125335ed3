//! Music of accounts as the poller last saw it: the song, the player, and the schedule of polls
//! (reference/music.md#polling). All of it is in Redis and made again by polls.

pub mod manual;
mod schedule;

use chrono::{DateTime, Utc};
use foundation::{
    events::{Channel, Event, EventLog},
    redis::Redis,
};
use redis::AsyncCommands;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{Result, id::AccountId};

pub use schedule::{Claims, Poll, Schedule, Target};

/// Type of the event of another song.
pub const TRACK: &str = "spotify:track";
/// Lifetime of what a poll saw, in seconds. After it nothing is known to play (reference/music.md#polling).
pub const PLAYBACK_TTL_SECS: u64 = 120;

/// Song of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Song {
    /// Id of the track at Spotify; `None` for a local file.
    pub track_id: Option<String>,
    /// Address of the form `spotify:track:{id}`.
    pub uri: String,
    /// Title.
    pub title: String,
    /// Names of the artists.
    pub artists: Vec<String>,
    /// Name of the album.
    pub album: Option<String>,
    /// Address of the cover.
    pub image_url: Option<String>,
    /// Address of the track's page.
    pub url: Option<String>,
    /// Duration in milliseconds.
    pub duration_ms: i64,
    /// `safe`, `blocked`, `reported` or `unknown`; `None` without a check.
    pub copyright_status: Option<String>,
}

/// Player of an account as a poll saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Playback {
    /// Song; `None` when there is none.
    pub song: Option<Song>,
    /// True while it plays.
    pub is_playing: bool,
    /// Position in the song in milliseconds.
    pub progress_ms: Option<i64>,
    /// True when songs play in random order.
    pub shuffle: bool,
    /// `off`, `track` or `context`.
    pub repeat: String,
    /// Volume in percent; `None` when the device has none.
    pub volume: Option<i64>,
    /// Device, as it is published; null without one.
    pub device: Value,
    /// Time of the poll.
    pub seen_at: DateTime<Utc>,
    /// Time of the last `spotify:state`.
    pub state_published_at: DateTime<Utc>,
    /// Stream and song of the last alert.
    pub alerted: Option<(i64, String)>,
    /// Events that are not known to be published yet.
    pub unpublished: Vec<Event>,
}

impl Song {
    /// Names of the artists in one text.
    #[must_use]
    pub fn artist(&self) -> String {
        self.artists.join(", ")
    }
}

impl Playback {
    /// Returns the data of `spotify:track`. Keys of an absent song are null.
    #[must_use]
    pub fn track(&self) -> Value {
        let song = self.song.as_ref();
        json!({
            "track_id": song.and_then(|song| song.track_id.as_ref()),
            "uri": song.map(|song| &song.uri),
            "title": song.map(|song| &song.title),
            "artist": song.map(Song::artist),
            "artists": song.map(|song| song.artists.as_slice()).unwrap_or_default(),
            "album": song.and_then(|song| song.album.as_ref()),
            "image_url": song.and_then(|song| song.image_url.as_ref()),
            "url": song.and_then(|song| song.url.as_ref()),
            "duration_ms": song.map(|song| song.duration_ms),
            "progress_ms": song.and(self.progress_ms),
            "is_playing": self.is_playing,
            "copyright_status": song.and_then(|song| song.copyright_status.as_ref()),
        })
    }
}

/// Returns the song of an account in the form of `spotify:track`, with the present `is_playing` and the
/// position of the last poll; `None` when no song is known.
///
/// # Errors
/// A failure of Redis.
pub async fn now_playing(redis: &Redis, account: AccountId) -> Result<Option<Value>> {
    let playback = load(redis, account).await?;
    Ok(playback.filter(|playback| playback.song.is_some()).map(|playback| playback.track()))
}

/// Returns the song that plays as `Title - Artist`; `None` when none is known to play.
///
/// # Errors
/// A failure of Redis.
pub async fn song(redis: &Redis, account: AccountId) -> Result<Option<String>> {
    let playing = load(redis, account).await?.filter(|playback| playback.is_playing);
    Ok(playing.and_then(|playback| playback.song).map(|song| {
        let artist = song.artist();
        if artist.is_empty() { song.title } else { format!("{} - {artist}", song.title) }
    }))
}

/// Returns what the last poll of an account saw; `None` when it is too long ago, or of another version.
///
/// # Errors
/// A failure of Redis.
pub async fn load(redis: &Redis, account: AccountId) -> Result<Option<Playback>> {
    let key = redis.key(format_args!("music:{account}"));
    let text: Option<String> = redis.get().await?.get(key).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Stores what a poll saw.
///
/// # Errors
/// A failure of Redis.
pub async fn save(redis: &Redis, account: AccountId, playback: &Playback) -> Result<()> {
    let key = redis.key(format_args!("music:{account}"));
    let text = serde_json::to_string(playback)?;
    let () = redis.get().await?.set_ex(key, text, PLAYBACK_TTL_SECS).await?;
    Ok(())
}

/// Forgets the song of an account that is no longer polled, and publishes that nothing is known to play.
///
/// # Errors
/// A failure of Redis.
pub async fn forget(redis: &Redis, events: &EventLog, account: AccountId, now: DateTime<Utc>) -> Result<()> {
    let Some(known) = load(redis, account).await? else { return Ok(()) };
    let key = redis.key(format_args!("music:{account}"));
    let () = redis.get().await?.del(key).await?;
    if known.song.is_none() {
        return Ok(());
    }
    let nothing = Playback { song: None, is_playing: false, progress_ms: None, ..known };
    publish(events, account, "spotify:track", nothing.track(), now).await
}

/// Has an account polled immediately, because a command may have changed its player. Without effect for one
/// that is not polled.
///
/// # Errors
/// A failure of Redis.
pub async fn wake(redis: &Redis, account: AccountId) -> Result<()> {
    Schedule::new(redis).wake(account).await
}

/// Publishes that a command changed the queue of an account.
///
/// # Errors
/// A failure of Redis.
pub async fn publish_queue(events: &EventLog, account: AccountId, now: DateTime<Utc>) -> Result<()> {
    publish(events, account, "spotify:queue", json!({}), now).await
}

async fn publish(
    events: &EventLog,
    account: AccountId,
    event_type: &str,
    data: Value,
    now: DateTime<Utc>,
) -> Result<()> {
    events.append(&Event::new(Channel::Spotify(account.uuid()), event_type, data, now)).await?;
    Ok(())
}
