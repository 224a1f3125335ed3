//! What was removed lately. A removal can overtake its message: whoever tells a message, answers it or writes it looks
//! here.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::{ChatMessage, Removal};
use crate::{
    Result,
    redis::{Answers, Asked, Redis, RoundTrip},
};

/// Longer than a platform takes to deliver a message after its removal.
const REMEMBERED: Duration = Duration::hours(1);
/// Removals of one account that are remembered, the latest.
const MAX_REMOVALS: isize = 10_000;

/// The latest removals of every account: for each a sorted set of what was removed, by the time as of which it was.
/// Cheap to clone.
#[derive(Clone)]
pub struct Removals {
    redis: Redis,
}

/// What is asked about messages.
#[must_use]
pub struct AskedRemovals(Vec<Subjects>);

/// What an account's messages may have been removed as, and as of when they were, in milliseconds since 1970.
struct Subjects {
    account_id: Uuid,
    subjects: Vec<String>,
    scores: Asked<Vec<Option<f64>>>,
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
            .zremrangebyrank(&key, 0, -MAX_REMOVALS - 1)
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
        let mut trip = RoundTrip::default();
        let asked = self.ask_in(&mut trip, messages);
        asked.among(messages, &mut trip.send(&self.redis).await?)
    }

    /// Asks the same beside other calls.
    pub fn ask_in(&self, trip: &mut RoundTrip, messages: &[&ChatMessage]) -> AskedRemovals {
        let mut subjects: HashMap<Uuid, HashSet<String>> = HashMap::new();
        for message in messages {
            subjects.entry(message.account_id).or_default().extend(subjects_of(message));
        }
        let ask = |(account_id, subjects): (Uuid, HashSet<String>)| {
            let subjects: Vec<String> = subjects.into_iter().collect();
            let mut scores = redis::cmd("ZMSCORE");
            scores.arg(self.key(account_id)).arg(&subjects);
            Subjects { account_id, subjects, scores: trip.command(scores) }
        };
        AskedRemovals(subjects.into_iter().map(ask).collect())
    }

    /// Not `removals:`: under this name other versions keep the same and, for an hour each, JSON that is not read here.
    fn key(&self, account_id: Uuid) -> String {
        self.redis.key(format_args!("removed:{account_id}"))
    }
}

impl AskedRemovals {
    /// Those of the messages that were removed. The messages must be those that were asked about, but may have got
    /// another time since.
    ///
    /// # Errors
    /// When the server's answer is not what was asked for.
    pub fn among<'a>(
        self,
        messages: &[&'a ChatMessage],
        answers: &mut Answers,
    ) -> Result<Vec<&'a ChatMessage>> {
        let mut removed: HashMap<(Uuid, String), f64> = HashMap::new();
        for Subjects { account_id, subjects, scores } in self.0 {
            let found = subjects.into_iter().zip(answers.take(scores)?);
            removed.extend(found.filter_map(|(subject, score)| Some(((account_id, subject), score?))));
        }
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
