//! What an answer means beside what is known. Lists of live channels lag behind what is pushed by minutes, in both
//! directions.

use chrono::{DateTime, TimeDelta, Utc};
use shared::{
    connections::status::Standing,
    platforms::{LiveStream, Platform},
};

/// So long a list may be behind.
const LAG: TimeDelta = TimeDelta::minutes(5);

/// What is known of a channel, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub is_online: bool,
    pub at: DateTime<Utc>,
}

/// Where a channel stands; `None` when the answer tells nothing new, or is not to be believed yet.
pub(super) fn standing(
    platform: Platform,
    known: Option<Known>,
    stream: Option<&LiveStream>,
    now: DateTime<Utc>,
) -> Option<Standing> {
    // Trovo is asked about the channel itself.
    let lag = if platform == Platform::Trovo { TimeDelta::zero() } else { LAG };
    match (stream, known) {
        (Some(stream), Some(known)) if !known.is_online && now - known.at < lag => {
            let is_another = stream.started_at.is_some_and(|at| at > known.at);
            is_another.then_some(Standing::Live)
        }
        (Some(_), _) => Some(Standing::Live),
        (None, Some(known)) => (known.is_online && now - known.at >= lag).then_some(Standing::Offline),
        (None, None) => Some(Standing::Offline),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(started_at: DateTime<Utc>) -> LiveStream {
        LiveStream {
            id: "1".into(),
            title: None,
            category: None,
            viewer_count: None,
            like_count: None,
            total_views: None,
            started_at: Some(started_at),
        }
    }

    fn known(is_online: bool, at: DateTime<Utc>) -> Option<Known> {
        Some(Known { is_online, at })
    }

    #[test]
    fn a_list_is_not_believed_against_what_was_pushed_a_moment_ago() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(1);
        let (recently, long_ago) = (now - TimeDelta::minutes(1), now - LAG);
        let old = stream(now - TimeDelta::hours(2));
        let judge = |known, stream: Option<&LiveStream>| standing(Platform::Twitch, known, stream, now);
        assert_eq!(judge(known(false, recently), Some(&old)), None, "it ended a moment ago");
        assert_eq!(judge(known(false, recently), Some(&stream(now))), Some(Standing::Live), "another began");
        assert_eq!(judge(known(false, long_ago), Some(&old)), Some(Standing::Live));
        assert_eq!(judge(known(true, recently), None), None, "it began a moment ago");
        assert_eq!(judge(known(true, long_ago), None), Some(Standing::Offline));
        assert_eq!(judge(known(false, long_ago), None), None, "nothing new");
        assert_eq!(judge(None, None), Some(Standing::Offline));
        assert_eq!(judge(None, Some(&old)), Some(Standing::Live));
        assert_eq!(standing(Platform::Trovo, known(true, recently), None, now), Some(Standing::Offline));
        assert_eq!(standing(Platform::Trovo, known(false, recently), Some(&old), now), Some(Standing::Live));
    }
}
