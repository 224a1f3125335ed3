//! What was removed lately. A removal can overtake its message: whoever tells a message, answers it or writes it looks
//! here.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::{ChatMessage, Removal};
use crate::{Result, redis::Redis};

/// Longer than a platform takes to deliver a message after its removal.
const REMEMBERED: Duration = Duration::hours(1);
/// Removals of one account that are remembered, the latest.
const MOST: isize = 10_000;

/// The latest removals of every account: for each a sorted set of what was removed, by the time as of which it was.
/// Cheap to clone.
#[derive(Clone)]
pub struct Removals {
    redis: Redis,
}

impl Removals {
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Remembers a removal. To be called before it is told and before the stored messages are marked: a message that is
    /// told or written later finds this note.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn note(
        &self,
        account_id: Uuid,
        platform: &str,
        removal: &Removal,
        at: DateTime<Utc>,
    ) -> Result<()> {
        let subject = match removal {
            Removal::Message { message_id } => of_message(platform, message_id),
            Removal::User { platform_user_id, .. } => of_user(platform, platform_user_id),
            Removal::Chat { .. } => of_chat(platform),
        };
        let key = self.key(account_id);
        redis::pipe()
            .atomic()
            // The latest of several removals of one user stands.
            .cmd("ZADD")
            .arg(&key)
            .arg("GT")
            .arg(at.timestamp_millis())
            .arg(subject)
            .ignore()
            .zrembyscore(&key, "-inf", (at - REMEMBERED).timestamp_millis())
            .ignore()
            .zremrangebyrank(&key, 0, -MOST - 1)
            .ignore()
            .expire(&key, REMEMBERED.num_seconds())
            .ignore()
            .query_async::<()>(&mut *self.redis.get().await?)
            .await?;
        Ok(())
    }

    /// Those of the messages that were removed.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn among<'a>(&self, messages: &[&'a ChatMessage]) -> Result<Vec<&'a ChatMessage>> {
        let mut subjects: HashMap<Uuid, HashSet<String>> = HashMap::new();
        for message in messages {
            subjects.entry(message.account_id).or_default().extend(subjects_of(message));
        }
        if subjects.is_empty() {
            return Ok(Vec::new());
        }
        let asked: Vec<(Uuid, Vec<String>)> = subjects
            .into_iter()
            .map(|(account, subjects)| (account, subjects.into_iter().collect()))
            .collect();
        let mut pipe = redis::pipe();
        for (account, subjects) in &asked {
            pipe.cmd("ZMSCORE").arg(self.key(*account)).arg(subjects);
        }
        let scores: Vec<Vec<Option<f64>>> = pipe.query_async(&mut *self.redis.get().await?).await?;
        let removed: HashMap<(Uuid, String), f64> = asked
            .into_iter()
            .zip(scores)
            .flat_map(|((account, subjects), scores)| {
                let found = subjects.into_iter().zip(scores);
                found.filter_map(move |(subject, score)| Some(((account, subject), score?)))
            })
            .collect();
        let is_removed = |message: &ChatMessage| {
            let [message_id, user, chat] = subjects_of(message);
            let as_of = |subject: String| removed.get(&(message.account_id, subject)).copied();
            #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 are exact in a float")]
            let said_at = message.sent_at.timestamp_millis() as f64;
            // A user's later messages are none of a removal's business: a time-out ends.
            as_of(message_id).is_some() || [user, chat].into_iter().filter_map(as_of).any(|at| said_at <= at)
        };
        Ok(messages.iter().copied().filter(|message| is_removed(message)).collect())
    }

    /// Not `removals:`: under this name other versions keep the same and, for an hour each, JSON that is not read here.
    fn key(&self, account_id: Uuid) -> String {
        self.redis.key(format_args!("removed:{account_id}"))
    }
}

fn subjects_of(message: &ChatMessage) -> [String; 3] {
    let platform = message.platform.as_str();
    [
        of_message(platform, &message.platform_message_id),
        of_user(platform, &message.platform_user_id),
        of_chat(platform),
    ]
}

fn of_message(platform: &str, message_id: &str) -> String {
    format!("{platform}:message:{message_id}")
}

/// The user's id is a segment, by which an erasure finds it.
fn of_user(platform: &str, user_id: &str) -> String {
    format!("{platform}:user:{user_id}")
}

fn of_chat(platform: &str) -> String {
    format!("{platform}:chat")
}
