//! Events that follow from what two polls saw (reference/music.md#events-of-music).

use chrono::TimeDelta;
use live_model::music::{Playback, Song};
use serde_json::{Value, json};

/// Difference from the expected position that is a seek: more than a poll may be late.
const SEEK_TOLERANCE: TimeDelta = TimeDelta::seconds(3);
/// Time before its end at which leaving a song is no skip: Spotify fades up to 12 seconds into the next one.
const SKIP_TOLERANCE: TimeDelta = TimeDelta::seconds(15);
/// Interval between states while nothing but the position changes.
const STATE_INTERVAL: TimeDelta = TimeDelta::seconds(15);

/// Type and data of an event.
pub(super) type Change = (&'static str, Value);

/// Returns the events of a poll, and takes over from the last one what no poll sees. Without a last one every
/// player is new.
pub(super) fn compare(known: Option<&Playback>, seen: &mut Playback) -> Vec<Change> {
    let mut changes = Vec::new();
    let is_another = is_another_song(known, seen);
    if let Some(known) = known {
        seen.state_published_at = known.state_published_at;
        seen.alerted.clone_from(&known.alerted);
    }
    if is_another {
        if let Some(left) = known.and_then(|known| skipped(known, seen)) {
            changes.push(("spotify:skip", json!({ "track_id": left.track_id })));
        }
        changes.push(("spotify:track", seen.track()));
    }
    let was_playing = known.is_some_and(|known| known.is_playing);
    if seen.is_playing != was_playing {
        let name = if seen.is_playing { "spotify:play" } else { "spotify:pause" };
        changes.push((name, position(known, seen)));
    }
    if is_another || seen.is_playing != was_playing || has_new_state(known, seen) {
        seen.state_published_at = seen.seen_at;
        changes.push(("spotify:state", state(seen)));
    }
    changes
}

/// True when another song is in the player than at the last poll.
pub(super) fn is_another_song(known: Option<&Playback>, seen: &Playback) -> bool {
    let uri = |playback: &Playback| playback.song.as_ref().map(|song| song.uri.clone());
    known.and_then(uri) != uri(seen)
}

/// Song that was left before its end for another one.
fn skipped<'a>(known: &'a Playback, seen: &Playback) -> Option<&'a Song> {
    let (left, _) = (known.song.as_ref()?, seen.song.as_ref()?);
    let next_began = seen.seen_at - TimeDelta::milliseconds(seen.progress_ms.unwrap_or(0));
    let played = if known.is_playing { next_began - known.seen_at } else { TimeDelta::zero() };
    let position = TimeDelta::milliseconds(known.progress_ms.unwrap_or(0)) + played.max(TimeDelta::zero());
    (position + SKIP_TOLERANCE < TimeDelta::milliseconds(left.duration_ms)).then_some(left)
}

/// True when the player changed, its position is not the expected one, or it was not published for a while.
fn has_new_state(known: Option<&Playback>, seen: &Playback) -> bool {
    let Some(known) = known else { return !seen.device.is_null() };
    let player = |playback: &Playback| {
        (playback.volume, playback.shuffle, playback.repeat.clone(), playback.device.clone())
    };
    let played = if seen.is_playing { seen.seen_at - known.seen_at } else { TimeDelta::zero() };
    let is_moved = known.progress_ms.zip(seen.progress_ms).is_some_and(|(before, after)| {
        (TimeDelta::milliseconds(after - before) - played).abs() > SEEK_TOLERANCE
    });
    let is_due = seen.is_playing && seen.seen_at - known.state_published_at >= STATE_INTERVAL;
    player(known) != player(seen) || is_moved || is_due
}

/// Data of `spotify:play` and `spotify:pause`. A player that is gone paused the last song.
fn position(known: Option<&Playback>, seen: &Playback) -> Value {
    let of = if seen.song.is_some() { Some(seen) } else { known };
    json!({
        "track_id": of.and_then(|playback| playback.song.as_ref()).and_then(|song| song.track_id.as_ref()),
        "progress_ms": of.and_then(|playback| playback.progress_ms),
    })
}

fn state(seen: &Playback) -> Value {
    json!({
        "is_playing": seen.is_playing,
        "progress_ms": seen.progress_ms,
        "volume": seen.volume,
        "shuffle": seen.shuffle,
        "repeat": seen.repeat,
        "device": seen.device,
    })
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn playing(uri: &str, second: i64, progress: i64) -> Playback {
        let song = Song {
            track_id: Some(uri.to_owned()),
            uri: uri.to_owned(),
            title: uri.to_owned(),
            artists: vec!["Artist".into()],
            album: None,
            image_url: None,
            url: None,
            duration_ms: 200_000,
            copyright_status: None,
        };
        Playback {
            song: Some(song),
            is_playing: true,
            progress_ms: Some(progress * 1000),
            shuffle: false,
            repeat: "off".into(),
            volume: Some(50),
            device: json!({ "name": "Desktop" }),
            seen_at: at(second),
            state_published_at: at(second),
            alerted: None,
            unpublished: Vec::new(),
        }
    }

    fn nothing(second: i64) -> Playback {
        let playing = playing("", second, 0);
        Playback { song: None, is_playing: false, progress_ms: None, device: Value::Null, ..playing }
    }

    #[track_caller]
    fn check(known: Option<&Playback>, mut seen: Playback, expected: &[&str]) {
        let names: Vec<&str> = compare(known, &mut seen).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn compare_reports_songs_and_skips() {
        let known = playing("a", 0, 10);
        check(None, playing("a", 0, 10), &["spotify:track", "spotify:play", "spotify:state"]);
        check(Some(&known), playing("a", 3, 13), &[]);
        check(Some(&known), playing("b", 3, 1), &["spotify:skip", "spotify:track", "spotify:state"]);
        check(Some(&playing("a", 0, 198)), playing("b", 3, 1), &["spotify:track", "spotify:state"]);
        let faded = playing("b", 3, 1);
        check(Some(&playing("a", 0, 186)), faded, &["spotify:track", "spotify:state"]);
    }

    #[test]
    fn compare_reports_the_end_of_a_player_once() {
        let known = playing("a", 0, 10);
        check(Some(&known), nothing(3), &["spotify:track", "spotify:pause", "spotify:state"]);
        check(Some(&nothing(3)), nothing(18), &[]);
        check(None, nothing(0), &[]);
    }

    #[test]
    fn compare_reports_pauses_seeks_and_changed_players() {
        let known = playing("a", 0, 10);
        let paused = Playback { is_playing: false, ..playing("a", 3, 12) };
        check(Some(&known), paused.clone(), &["spotify:pause", "spotify:state"]);
        check(Some(&paused), playing("a", 6, 12), &["spotify:play", "spotify:state"]);
        let still = Playback { is_playing: false, ..playing("a", 40, 12) };
        check(Some(&paused), still, &[]);
        check(Some(&known), playing("a", 3, 60), &["spotify:state"]);
        check(Some(&known), playing("a", 3, 1), &["spotify:state"]);
        check(Some(&known), Playback { volume: Some(60), ..playing("a", 3, 13) }, &["spotify:state"]);
        check(Some(&known), playing("a", 15, 25), &["spotify:state"]);
    }
}
