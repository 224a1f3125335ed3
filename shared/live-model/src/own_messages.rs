//! Recognition of our own chat lines, so that a bot does not reply to itself
//! (reference/chat.md#own-messages).
//!
//! A platform delivers the lines that we send back to us like any other, sometimes before it has replied to
//! the sending call. So a line is recorded by its text before it is sent, and by its id on the platform once
//! that is known.

use std::sync::LazyLock;

use redis::Script;
use sha2::{Digest, Sha256};

use foundation::redis::{Answers, PendingReply, Redis, RoundTrip};
use shared::Result;

/// Lifetime of a record by text. It is longer than a call to a platform may take, and not much longer: until
/// then a person who repeats the line in the same name is taken for the bot.
const TEXT_REMEMBERED_SECS: u64 = 15;
/// Lifetime of a record by id. It is longer than a platform takes to deliver (Kick: hours,
/// reference/platforms.md#kick).
const ID_REMEMBERED_SECS: u64 = 6 * 3600;

/// Counts lines of a text that are being sent.
static SENDING: LazyLock<Script> = LazyLock::new(|| {
    Script::new("redis.call('INCR', KEYS[1]) return redis.call('EXPIRE', KEYS[1], ARGV[1])")
});
/// Takes a line off the count.
static SENT: LazyLock<Script> =
    LazyLock::new(|| Script::new("if redis.call('DECR', KEYS[1]) <= 0 then redis.call('DEL', KEYS[1]) end"));

/// Line of chat.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Slug of the platform.
    pub platform: &'a str,
    /// Id of the channel on the platform.
    pub channel_id: &'a str,
    /// Id of the sender on the platform; `None` when the platform chooses it, as for the bot of a Kick
    /// application.
    pub sender_id: Option<&'a str>,
    /// Text of the line.
    pub text: &'a str,
}

/// Records of all processes. Cheap to clone.
#[derive(Clone)]
pub struct OwnMessages {
    redis: Redis,
}

/// Pending check of a delivered line.
#[must_use]
pub struct PendingOwn([PendingReply<bool>; 3]);

impl PendingOwn {
    /// Returns true when the line is one of ours.
    ///
    /// # Errors
    /// A reply of the server in another form.
    pub fn answered(self, answers: &mut Answers) -> Result<bool> {
        let mut is_own = false;
        for found in self.0 {
            is_own |= answers.take(found)?;
        }
        Ok(is_own)
    }
}

impl OwnMessages {
    /// Creates access to the records in the given Redis.
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Records a line that is about to be sent.
    ///
    /// # Errors
    /// A failure of Redis. The line must then not be sent, or the bot may reply to itself.
    pub async fn sending(&self, line: &Line<'_>) -> Result<()> {
        let mut connection = self.redis.get().await?;
        SENDING
            .key(self.text_key(line))
            .arg(TEXT_REMEMBERED_SECS)
            .invoke_async::<()>(&mut *connection)
            .await?;
        Ok(())
    }

    /// Records the id on the platform of a sent line. From then on its text alone identifies nothing.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn sent(&self, line: &Line<'_>, message_id: &str) -> Result<()> {
        let mut connection = self.redis.get().await?;
        // First the id: the line is recognised at every moment.
        let mut record = redis::cmd("SET");
        record.arg(self.id_key(line.platform, message_id)).arg(1).arg("EX").arg(ID_REMEMBERED_SECS);
        record.query_async::<()>(&mut *connection).await?;
        SENT.key(self.text_key(line)).invoke_async::<()>(&mut *connection).await?;
        Ok(())
    }

    /// Returns true when a delivered line is one of ours.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn contain(&self, line: &Line<'_>, message_id: &str) -> Result<bool> {
        let mut trip = RoundTrip::default();
        let is_own = self.contain_in(&mut trip, line, message_id);
        is_own.answered(&mut trip.send(&self.redis).await?)
    }

    /// Checks a delivered line together with other calls.
    pub fn contain_in(&self, trip: &mut RoundTrip, line: &Line<'_>, message_id: &str) -> PendingOwn {
        let exists = |trip: &mut RoundTrip, key| trip.command(redis::cmd("EXISTS").arg(key).to_owned());
        let texts = [self.text_key(line), self.text_key(&Line { sender_id: None, ..*line })];
        let [own, chosen] = texts.map(|key| exists(trip, key));
        // After the texts: a line that is sent in between is recorded by its id before its text is forgotten.
        trip.barrier();
        PendingOwn([own, chosen, exists(trip, self.id_key(line.platform, message_id))])
    }

    fn id_key(&self, platform: &str, message_id: &str) -> String {
        self.redis.key(format_args!("own:{platform}:id:{message_id}"))
    }

    /// White space does not count, because platforms trim and fold it.
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
