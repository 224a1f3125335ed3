//! One poll: what Spotify reports is compared with the last poll, stored, and published.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use foundation::events::{Channel, Event};
use live_model::{
    copyright::{self, SongQuery},
    music::{self, Playback, Poll},
};
use platform_credentials::tokens::{Holder, Unavailable};
use platforms::{PlatformError, spotify::player::PlaybackState};
use rand::RngExt;
use shared::Result;
use tokio::time::timeout;

use super::{Poller, alert, changes, seen, song_event};

/// Interval between polls of a player that plays (reference/music.md#polling).
const PLAYING_INTERVAL: Duration = Duration::from_secs(3);
/// Interval between polls of a player that does not play, and after a failure.
const IDLE_INTERVAL: Duration = Duration::from_secs(15);
/// Pause after a refusal of Spotify that another attempt does not change.
const REFUSED_PAUSE: Duration = Duration::from_secs(300);
/// Pause of an application that Spotify limits without a stated time.
const LIMITED_PAUSE: Duration = Duration::from_secs(30);
/// Maximum pause of an application: Spotify states up to a day.
const MAX_LIMITED_PAUSE: Duration = Duration::from_secs(2 * 86_400);
/// Maximum duration of a poll: shorter than its claim, so that no other copy polls the account meanwhile.
const POLL_TIMEOUT: Duration = Duration::from_secs(7);

/// Outcome of a poll, and the time until the next one.
struct Next {
    outcome: &'static str,
    pause: Duration,
}

/// Polls an account and ends the claim on it.
pub(super) async fn run(poller: &Poller, poll: &Poll) {
    let next = timeout(POLL_TIMEOUT, next(poller, poll)).await.unwrap_or_else(|_elapsed| {
        tracing::info!(account_id = %poll.account, "Spotify did not answer a poll in time");
        Next { outcome: "failed", pause: IDLE_INTERVAL }
    });
    poller.polls.with_label_values(&[next.outcome]).inc();
    let context = &poller.context;
    let at = context.clock.now() + jittered(next.pause);
    if let Err(error) = poller.schedule.finish(poll, at).await {
        tracing::debug!(account_id = %poll.account, %error, "a claim runs out by itself");
    }
}

async fn next(poller: &Poller, poll: &Poll) -> Next {
    let (context, connection_id) = (&poller.context, poll.target.connection_id);
    let client = context.platforms.spotify();
    let answer = context
        .tokens
        .call(
            Holder::Channel(connection_id),
            |access| async move { client.player_state(&access.token).await },
        )
        .await;
    let failed = match answer {
        Ok(state) => return observed(poller, poll, state).await,
        Err(error) => error,
    };
    tracing::info!(%connection_id, error = %failed, "a player cannot be polled for now");
    let next = classify(&failed);
    if let Err(error) = pause(poller, poll, &next).await {
        tracing::warn!(%connection_id, %error, "the pause of a player cannot be stored");
    }
    next
}

fn classify(failed: &Unavailable) -> Next {
    let after = |outcome, pause| Next { outcome, pause };
    match failed {
        Unavailable::Platform(PlatformError::RateLimited { retry_after }) => {
            after("limited", retry_after.unwrap_or(LIMITED_PAUSE).clamp(PLAYING_INTERVAL, MAX_LIMITED_PAUSE))
        }
        // The schedule drops a flagged or removed connection soon, and finds it again when it works.
        Unavailable::Missing | Unavailable::ReconnectRequired => after("refused", IDLE_INTERVAL),
        Unavailable::Platform(
            PlatformError::Unauthorized
            | PlatformError::Rejected { .. }
            | PlatformError::Forbidden { .. }
            | PlatformError::PremiumRequired
            | PlatformError::InvalidGrant { .. },
        ) => after("refused", REFUSED_PAUSE),
        Unavailable::Platform(_) | Unavailable::Postponed | Unavailable::Failed(_) => {
            after("failed", IDLE_INTERVAL)
        }
    }
}

/// Stores a limit for all accounts of the application. During a long pause nothing is known to play.
async fn pause(poller: &Poller, poll: &Poll, next: &Next) -> Result<()> {
    let (context, now) = (&poller.context, poller.context.clock.now());
    if next.outcome == "limited" {
        poller.schedule.pause(&poll.target.app, now + delta(next.pause)).await?;
    }
    if next.pause.as_secs() > music::PLAYBACK_TTL_SECS {
        music::forget(&context.redis, &context.events, poll.account, now).await?;
    }
    Ok(())
}

async fn observed(poller: &Poller, poll: &Poll, state: Option<PlaybackState>) -> Next {
    match publish(poller, poll, state).await {
        Ok(true) => Next { outcome: "playing", pause: PLAYING_INTERVAL },
        Ok(false) => Next { outcome: "idle", pause: IDLE_INTERVAL },
        Err(error) => {
            tracing::warn!(account_id = %poll.account, %error, "the state of a player cannot be stored");
            Next { outcome: "failed", pause: IDLE_INTERVAL }
        }
    }
}

/// Stores and publishes what Spotify reports; true when a song plays.
///
/// Events are stored with the state before they are published. When this copy dies in between, the next poll
/// publishes them; an event that was published already keeps its id, and is not published twice.
async fn publish(poller: &Poller, poll: &Poll, state: Option<PlaybackState>) -> Result<bool> {
    let (context, now) = (&poller.context, poller.context.clock.now());
    let known = music::load(&context.redis, poll.account).await?;
    if let Some(known) = &known {
        publish_changes(poller, poll, known).await?;
    }
    let isrc = state.as_ref().and_then(|state| state.item.as_ref()?.isrc.clone());
    let mut seen = seen::playback(state, now);
    check_copyright(poller, poll, known.as_ref(), &mut seen, isrc.as_deref()).await?;
    let changes = changes::compare(known.as_ref(), &mut seen);
    let event =
        |(name, data): changes::Change| Event::new(Channel::Spotify(poll.account.uuid()), name, data, now);
    seen.unpublished = changes.into_iter().map(event).collect();
    music::save(&context.redis, poll.account, &seen).await?;
    publish_changes(poller, poll, &seen).await?;
    let is_alerted = warn(poller, poll, &mut seen, now).await?;
    if is_alerted || !seen.unpublished.is_empty() {
        seen.unpublished.clear();
        music::save(&context.redis, poll.account, &seen).await?;
    }
    Ok(seen.is_playing)
}

/// Publishes what a poll has found and is not known to be published.
async fn publish_changes(poller: &Poller, poll: &Poll, playback: &Playback) -> Result<()> {
    for event in &playback.unpublished {
        poller.context.events.append(event).await?;
        if event.event_type == music::TRACK {
            song_event::report(poller, poll.account.uuid(), playback).await?;
        }
    }
    Ok(())
}

/// Sets the status of the song: that of the last poll, or when the song is another one, the result of a check.
async fn check_copyright(
    poller: &Poller,
    poll: &Poll,
    known: Option<&Playback>,
    seen: &mut Playback,
    isrc: Option<&str>,
) -> Result<()> {
    let is_another = changes::is_another_song(known, seen);
    let Some(song) = seen.song.as_mut().filter(|_| poll.target.checks_copyright) else { return Ok(()) };
    let last = known.and_then(|known| known.song.as_ref()?.copyright_status.clone());
    if let Some(status) = last.filter(|_| !is_another) {
        song.copyright_status = Some(status);
        return Ok(());
    }
    let artist = song.artists.first().map_or("", String::as_str);
    let query = SongQuery::of_track(song.track_id.as_deref(), isrc, &song.title, artist);
    let mut connection = poller.context.databases.postgres.get().await?;
    let found = copyright::check(&mut connection, poll.account, &query).await?;
    song.copyright_status = Some(found.map_or("unknown", |found| found.list.as_str()).to_owned());
    Ok(())
}

/// Warns of a blocked song that plays on stream; true when it was done now.
async fn warn(poller: &Poller, poll: &Poll, seen: &mut Playback, now: DateTime<Utc>) -> Result<bool> {
    let is_blocked = |song: &&live_model::music::Song| song.copyright_status.as_deref() == Some("blocked");
    let blocked = seen.song.as_ref().filter(|_| seen.is_playing).filter(is_blocked);
    let (Some(stream), Some(song)) = (poll.target.stream, blocked) else { return Ok(false) };
    let Some(began_at) = DateTime::from_timestamp_millis(stream) else { return Ok(false) };
    let alerted = Some((stream, song.uri.clone()));
    if seen.alerted == alerted {
        return Ok(false);
    }
    let mut connection = poller.context.databases.postgres.get().await?;
    alert::alert(&mut connection, poll.account, began_at, song, now).await?;
    seen.alerted = alerted;
    Ok(true)
}

/// Between nine tenths and the whole of a pause, so that accounts that were polled together spread.
fn jittered(pause: Duration) -> TimeDelta {
    delta(pause.mul_f64(rand::rng().random_range(0.9..=1.0)))
}

fn delta(pause: Duration) -> TimeDelta {
    TimeDelta::from_std(pause).unwrap_or(TimeDelta::MAX)
}
