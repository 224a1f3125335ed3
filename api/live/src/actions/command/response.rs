//! Text of a response.

use chrono::{DateTime, Utc};
use extension_model::{
    bots::{Values, expand},
    feeds::CommandReply,
};

use super::db::Channel;

/// Value of `{uptime}` for a stream that is not live.
const OFFLINE: &str = "offline";
/// Value of `{song}` while no song is known to play.
const NO_SONG: &str = "nothing";

/// Response with its variables filled in.
pub(super) fn filled_in(
    reply: &CommandReply,
    channel: Option<&Channel>,
    song: Option<&str>,
    now: DateTime<Utc>,
) -> String {
    let live_since = channel.and_then(|channel| channel.live_since);
    let uptime = live_since.map_or_else(|| OFFLINE.to_owned(), |since| in_words(now - since));
    let values = Values {
        user: &reply.user_name,
        channel: channel.map_or("", |channel| &channel.name),
        platform: &reply.platform,
        uptime: &uptime,
        song: song.unwrap_or(NO_SONG),
        count: reply.use_count,
    };
    // The end of the id is random.
    expand(&reply.response, &values, reply.event_id.as_u64_pair().1)
}

/// True when the response shows the song.
pub(super) fn shows_song(reply: &CommandReply) -> bool {
    reply.response.contains("{song}")
}

/// Duration in the form `2d 3h`, `3h 5m` or `5m`.
fn in_words(time: chrono::Duration) -> String {
    let minutes = time.num_minutes().max(0);
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    if days > 0 {
        format!("{days}d {hours}h")
    } else if hours > 0 {
        format!("{hours}h {minutes}m")
    } else {
        format!("{minutes}m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_writes_durations_in_their_two_largest_units() {
        let words = |minutes| in_words(chrono::Duration::minutes(minutes));
        assert_eq!(
            [words(-1), words(0), words(59), words(60), words(1439), words(1440), words(3000)],
            ["0m", "0m", "59m", "1h 0m", "23h 59m", "1d 0h", "2d 2h"]
        );
    }
}
