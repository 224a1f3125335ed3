//! Counts of chat lines and followers by minute (reference/history.md#counts).
//!
//! Every line of chat that came in is one row of `stream_lines`, stored or not. The statement that writes such
//! rows also marks their minutes, and so does the one that writes events. Marked minutes are counted into
//! samples.

mod count;
mod erasure;
mod uses;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub use count::{Counted, Minute, Taken, count, mark_again, postpone_mark, take_marks};
pub use erasure::{ForgottenLines, forget_chatter};
pub use uses::{EmoteUse, GifUse, emotes, gif_links, gifs};

/// Length of a minute.
pub const MINUTE: TimeDelta = TimeDelta::minutes(1);

/// Returns the begin of the minute of a time.
#[must_use]
pub fn begin(at: DateTime<Utc>) -> DateTime<Utc> {
    // Times beyond the year 2262 cannot be rounded; they stay as they are.
    at.duration_trunc(MINUTE).unwrap_or(at)
}

/// Returns the key of a line: the first eight bytes of a hash of the platform and its message id.
#[must_use]
pub fn line_hash(platform: &str, message_id: &str) -> i64 {
    hash(&[platform.as_bytes(), message_id.as_bytes()])
}

/// Returns the key of a person in the counts of one account: the first eight bytes of a hash of the account,
/// the platform and its id of the person.
#[must_use]
pub fn chatter_hash(account: Uuid, platform: &str, user_id: &str) -> i64 {
    hash(&[account.as_bytes(), platform.as_bytes(), user_id.as_bytes()])
}

/// Returns the first eight bytes of a hash of the parts. Only the last part may hold any byte: no other contains
/// a zero where it could be confused with the next.
fn hash(parts: &[&[u8]]) -> i64 {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part);
        digest.update([0]);
    }
    let bytes = digest.finalize();
    bytes.iter().take(8).fold(0_i64, |key, byte| (key << 8) | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begin_is_the_start_of_the_minute() {
        let at: DateTime<Utc> = "2026-11-27T12:00:59.999Z".parse().unwrap();
        assert_eq!(begin(at).to_rfc3339(), "2026-11-27T12:00:00+00:00");
        assert_eq!(begin(begin(at)), begin(at));
    }

    #[test]
    fn line_hash_differs_by_platform_and_message() {
        let all = [line_hash("twitch", "1"), line_hash("kick", "1"), line_hash("twitch", "2")];
        assert_eq!(line_hash("twitch", "1"), all[0]);
        assert!(all[0] != all[1] && all[0] != all[2] && all[1] != all[2]);
    }

    #[test]
    fn chatter_hash_differs_by_account_platform_and_person() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let keys = [
            chatter_hash(one, "twitch", "1"),
            chatter_hash(other, "twitch", "1"),
            chatter_hash(one, "kick", "1"),
            chatter_hash(one, "twitch", "2"),
        ];
        let different: std::collections::BTreeSet<i64> = keys.into_iter().collect();
        assert_eq!(different.len(), keys.len());
    }
}
