//! Meaning of an answer in view of the known state. Lists of live channels lag minutes behind pushed events,
//! in both directions.

use chrono::{DateTime, TimeDelta, Utc};
use connection_model::status::BroadcastState;
use platforms::LiveStream;
use shared::platform::Platform;

/// Maximum time by which a list of live channels lags behind.
const MAX_LIST_LAG: TimeDelta = TimeDelta::minutes(5);

/// Known state of a channel, and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub is_online: bool,
    pub at: DateTime<Utc>,
}

/// Returns the state of a channel; `None` when the answer is no change, or cannot be trusted yet.
pub(super) fn classify(
    platform: Platform,
    known: Option<Known>,
    stream: Option<&LiveStream>,
    now: DateTime<Utc>,
) -> Option<BroadcastState> {
    // Trovo's query is about the channel itself.
    let lag = if platform == Platform::Trovo { TimeDelta::zero() } else { MAX_LIST_LAG };
    match (stream, known) {
        (Some(stream), Some(known)) if !known.is_online && now - known.at < lag => {
            let is_another = stream.started_at.is_some_and(|at| at > known.at);
            is_another.then_some(BroadcastState::Live)
        }
        (Some(_), _) => Some(BroadcastState::Live),
        (None, Some(known)) => (known.is_online && now - known.at >= lag).then_some(BroadcastState::Offline),
        (None, None) => Some(BroadcastState::Offline),
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
    fn classify_ignores_a_list_that_contradicts_a_recent_event() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(1);
        let (recently, long_ago) = (now - TimeDelta::minutes(1), now - MAX_LIST_LAG);
        let old = stream(now - TimeDelta::hours(2));
        let state_of = |known, stream: Option<&LiveStream>| classify(Platform::Twitch, known, stream, now);
        assert_eq!(state_of(known(false, recently), Some(&old)), None, "it ended a moment ago");
        assert_eq!(
            state_of(known(false, recently), Some(&stream(now))),
            Some(BroadcastState::Live),
            "another began"
        );
        assert_eq!(state_of(known(false, long_ago), Some(&old)), Some(BroadcastState::Live));
        assert_eq!(state_of(known(true, recently), None), None, "it began a moment ago");
        assert_eq!(state_of(known(true, long_ago), None), Some(BroadcastState::Offline));
        assert_eq!(state_of(known(false, long_ago), None), None, "nothing new");
        assert_eq!(state_of(None, None), Some(BroadcastState::Offline));
        assert_eq!(state_of(None, Some(&old)), Some(BroadcastState::Live));
        assert_eq!(
            classify(Platform::Trovo, known(true, recently), None, now),
            Some(BroadcastState::Offline)
        );
        assert_eq!(
            classify(Platform::Trovo, known(false, recently), Some(&old), now),
            Some(BroadcastState::Live)
        );
    }
}
