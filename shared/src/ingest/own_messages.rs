//! Which chat lines are our own: a bot must not answer itself.
//!
//! A platform delivers what we send back to us like any other line, sometimes before it has answered the call that
//! sent it. So a line is noted twice: by its text just before it is sent, by the platform's id once that is known.

use sha2::{Digest, Sha256};

use crate::{Result, redis::Redis};

/// Longer than a call to a platform may take, and not much longer: until then somebody who repeats the line in the
/// same name is taken for the bot.
const TEXT_REMEMBERED_SECS: u64 = 15;
/// Longer than a platform takes to deliver (Kick: hours, specification D §4).
const ID_REMEMBERED_SECS: u64 = 6 * 3600;

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
        self.note(self.text_key(line), TEXT_REMEMBERED_SECS).await
    }

    /// Notes the platform's id of a line that was sent.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn sent(&self, platform: &str, message_id: &str) -> Result<()> {
        self.note(self.id_key(platform, message_id), ID_REMEMBERED_SECS).await
    }

    /// Whether a line that a platform delivered is one of ours.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn contain(&self, line: &Line<'_>, message_id: &str) -> Result<bool> {
        let found: u64 = redis::cmd("EXISTS")
            .arg(self.id_key(line.platform, message_id))
            .arg(self.text_key(line))
            .arg(self.text_key(&Line { sender_id: None, ..*line }))
            .query_async(&mut *self.redis.get().await?)
            .await?;
        Ok(found > 0)
    }

    async fn note(&self, key: String, seconds: u64) -> Result<()> {
        let mut connection = self.redis.get().await?;
        redis::cmd("SET").arg(key).arg(1).arg("EX").arg(seconds).query_async::<()>(&mut *connection).await?;
        Ok(())
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
