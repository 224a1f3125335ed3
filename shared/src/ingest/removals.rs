//! What was removed lately. A message may wait to be written when it is removed: who writes it looks here afterwards.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{ChatMessage, Removal};
use crate::{Result, redis::Redis};

/// Longer than messages wait.
const REMEMBERED: Duration = Duration::hours(1);
/// Removals of one account that are remembered, the latest.
const MOST: isize = 1000;

/// The latest removals of every account. Cheap to clone.
#[derive(Clone)]
pub struct Removals {
    redis: Redis,
}

/// A removal as it is remembered; one that names neither message nor user is of the whole chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Noted {
    platform: String,
    message_id: Option<String>,
    platform_user_id: Option<String>,
    at: DateTime<Utc>,
}

impl Removals {
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Remembers a removal. To be called before the stored messages are marked: a message that is not among them is
    /// written later, and its writer finds this note.
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
        let (message_id, platform_user_id) = match removal {
            Removal::Message { message_id } => (Some(message_id.clone()), None),
            Removal::User { platform_user_id, .. } => (None, Some(platform_user_id.clone())),
            Removal::Chat { .. } => (None, None),
        };
        let noted = Noted { platform: platform.to_owned(), message_id, platform_user_id, at };
        let key = self.key(account_id);
        redis::pipe()
            .atomic()
            .zadd(&key, serde_json::to_string(&noted)?, at.timestamp_millis())
            .zrembyscore(&key, "-inf", (at - REMEMBERED).timestamp_millis())
            .zremrangebyrank(&key, 0, -MOST - 1)
            .expire(&key, REMEMBERED.num_seconds())
            .query_async::<()>(&mut *self.redis.get().await?)
            .await?;
        Ok(())
    }

    /// Those of the messages that were removed.
    ///
    /// # Errors
    /// When Redis cannot be reached or a note is not readable.
    pub async fn among<'a>(&self, messages: &[&'a ChatMessage]) -> Result<Vec<&'a ChatMessage>> {
        let accounts: HashSet<Uuid> = messages.iter().map(|message| message.account_id).collect();
        if accounts.is_empty() {
            return Ok(Vec::new());
        }
        let mut pipe = redis::pipe();
        for account in &accounts {
            pipe.zrange(self.key(*account), 0, -1);
        }
        let notes: Vec<Vec<String>> = pipe.query_async(&mut *self.redis.get().await?).await?;
        let mut by_account: HashMap<Uuid, Vec<Noted>> = HashMap::new();
        for (account, notes) in accounts.into_iter().zip(notes) {
            let notes =
                notes.iter().map(|note| serde_json::from_str(note)).collect::<Result<Vec<Noted>, _>>()?;
            by_account.insert(account, notes);
        }
        let is_removed = |message: &ChatMessage| {
            by_account
                .get(&message.account_id)
                .is_some_and(|notes| notes.iter().any(|note| note.concerns(message)))
        };
        Ok(messages.iter().copied().filter(|message| is_removed(message)).collect())
    }

    fn key(&self, account_id: Uuid) -> String {
        self.redis.key(format_args!("removals:{account_id}"))
    }
}

impl Noted {
    /// A user's later messages are none of a removal's business: a time-out ends.
    fn concerns(&self, message: &ChatMessage) -> bool {
        let is_named = match (&self.message_id, &self.platform_user_id) {
            (Some(message_id), _) => *message_id == message.platform_message_id,
            (None, Some(user_id)) => *user_id == message.platform_user_id && message.sent_at <= self.at,
            (None, None) => message.sent_at <= self.at,
        };
        self.platform == message.platform && is_named
    }
}
