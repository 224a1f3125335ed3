//! Which chat lines are our own: a bot must not answer itself.
//!
//! A platform delivers what we send back to us like any other line, sometimes before it has answered the call that
//! sent it. So a line is noted by its text just before it is sent, and by the platform's id instead once that is known.

use std::sync::LazyLock;

use redis::Script;
use sha2::{Digest, Sha256};

use crate::{
    Result,
    redis::{Asked, Redis, RoundTrip},
};

/// Longer than a call to a platform may take, and not much longer: until then somebody who repeats the line in the
/// same name is taken for the bot.
const TEXT_REMEMBERED_SECS: u64 = 15;
/// Longer than a platform takes to deliver (Kick: hours, specification D §4).
const ID_REMEMBERED_SECS: u64 = 6 * 3600;

/// Counts lines of a text that are being sent.
static SENDING: LazyLock<Script> = LazyLock::new(|| {
    Script::new("redis.call('INCR', KEYS[1]) return redis.call('EXPIRE', KEYS[1], ARGV[1])")
});
/// Notes an id and takes its line off the count, in one step, so that the line is known at every moment.
static SENT: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "redis.call('SET', KEYS[1], 1, 'EX', ARGV[1]) \
         if redis.call('DECR', KEYS[2]) <= 0 then redis.call('DEL', KEYS[2]) end",
    )
});

/// A line of chat.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    pub platform: &'a str,
    /// The platform's id of the channel.
    pub channel_id: &'a str,
    /// The platform's id of the sender; `None` when the platform chooses it, as for a Kick application's bot.
    pub sender_id: Option<&'a str>,
    pub text: &'a str,
}

/// The notes of all processes. Cheap to clone.
#[derive(Clone)]
pub struct OwnMessages {
    redis: Redis,
}

impl OwnMessages {
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Notes a line that is about to be sent.
    ///
    /// # Errors
    /// When Redis cannot be reached: the line must then not be sent, or the bot may answer itself.
    pub async fn sending(&self, line: &Line<'_>) -> Result<()> {
        let mut connection = self.redis.get().await?;
        SENDING
            .key(self.text_key(line))
            .arg(TEXT_REMEMBERED_SECS)
            .invoke_async::<()>(&mut *connection)
            .await?;
        Ok(())
    }

    /// Notes the platform's id of a line that was sent; its text alone tells nothing from now on.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn sent(&self, line: &Line<'_>, message_id: &str) -> Result<()> {
        let mut connection = self.redis.get().await?;
        let mut call = SENT.key(self.id_key(line.platform, message_id));
        call.key(self.text_key(line)).arg(ID_REMEMBERED_SECS).invoke_async::<()>(&mut *connection).await?;
        Ok(())
    }

    /// Whether a line that a platform delivered is one of ours.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn contain(&self, line: &Line<'_>, message_id: &str) -> Result<bool> {
        let mut trip = RoundTrip::default();
        let is_own = self.contain_in(&mut trip, line, message_id);
        trip.send(&self.redis).await?.take(is_own)
    }

    /// The same beside other calls.
    pub fn contain_in(&self, trip: &mut RoundTrip, line: &Line<'_>, message_id: &str) -> Asked<bool> {
        let mut exists = redis::cmd("EXISTS");
        exists
            .arg(self.id_key(line.platform, message_id))
            .arg(self.text_key(line))
            .arg(self.text_key(&Line { sender_id: None, ..*line }));
        trip.command(exists)
    }

    fn id_key(&self, platform: &str, message_id: &str) -> String {
        self.redis.key(format_args!("own:{platform}:id:{message_id}"))
    }

    /// Platforms trim and fold white space, so it does not count.
    fn text_key(&self, line: &Line<'_>) -> String {
        let mut hash = Sha256::new();
        for word in line.text.split_whitespace() {
            hash.update(word.as_bytes());
            hash.update([0]);
        }
        let (hash, sender) = (hex::encode(&hash.finalize()[..16]), line.sender_id.unwrap_or("*"));
        self.redis.key(format_args!("own:{}:text:{}:{sender}:{hash}", line.platform, line.channel_id))
    }
}
