//! Recent removals. A removal can overtake its message, so code that publishes a message, replies to it or
//! stores it checks here (reference/ingest.md#removals).

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::ChatMessage;
use foundation::events::Removal;
use foundation::redis::{Answers, PendingReply, Redis, RoundTrip};
use shared::Result;

/// Lifetime of a record. It is longer than a platform takes to deliver a message after its removal.
const REMOVAL_TTL: Duration = Duration::hours(1);
/// Removals of one account that are kept, newest first.
const MAX_REMOVALS: isize = 10_000;

/// Recent removals of all accounts. Each account has a sorted set of removed subjects, with the time of the
/// removal as the score. Cheap to clone.
#[derive(Clone)]
pub struct Removals {
    redis: Redis,
}

/// Pending check of messages.
#[must_use]
pub struct PendingRemovals(Vec<Subjects>);

/// Subjects under which a message may have been removed, and the times of their removals, in milliseconds
/// since 1970.
struct Subjects {
    account_id: Uuid,
    subjects: Vec<String>,
    scores: PendingReply<Vec<Option<f64>>>,
}

impl Removals {
    /// Creates access to the removals in the given Redis.
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Records a removal. Call it before the removal is published and before the stored messages are marked:
    /// a message that is published or stored later then finds the record.
    ///
    /// # Errors
    /// A failure of Redis.
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
            // The latest of several removals of one user is kept.
            .cmd("ZADD")
            .arg(&key)
            .arg("GT")
            .arg(at.timestamp_millis())
            .arg(subject)
            .ignore()
            .zrembyscore(&key, "-inf", (at - REMOVAL_TTL).timestamp_millis())
            .ignore()
            .zremrangebyrank(&key, 0, -MAX_REMOVALS - 1)
            .ignore()
            .expire(&key, REMOVAL_TTL.num_seconds())
            .ignore()
            .query_async::<()>(&mut *self.redis.get().await?)
            .await?;
        Ok(())
    }

    /// Messages that were removed, among the given ones.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn among<'a>(&self, messages: &[&'a ChatMessage]) -> Result<Vec<&'a ChatMessage>> {
        let mut trip = RoundTrip::default();
        let asked = self.ask_in(&mut trip, messages);
        asked.among(messages, &mut trip.send(&self.redis).await?)
    }

    /// Checks messages together with other calls.
    pub fn ask_in(&self, trip: &mut RoundTrip, messages: &[&ChatMessage]) -> PendingRemovals {
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
        PendingRemovals(subjects.into_iter().map(ask).collect())
    }

    /// The key is not `removals:`. Other versions keep the same data under that name, for an hour, as JSON
    /// that is not read here.
    fn key(&self, account_id: Uuid) -> String {
        self.redis.key(format_args!("removed:{account_id}"))
    }
}

impl PendingRemovals {
    /// Messages that were removed, among the given ones. They must be the checked ones, but their times may
    /// have changed since.
    ///
    /// # Errors
    /// A reply of the server in another form.
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
            let sent_at = message.sent_at.timestamp_millis() as f64;
            // Later messages of a user are not affected, because a time-out ends.
            as_of(message_id).is_some() || [user, chat].into_iter().filter_map(as_of).any(|at| sent_at <= at)
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

/// The user's id is a segment of the name, by which an erasure finds it.
fn of_user(platform: &str, user_id: &str) -> String {
    format!("{platform}:user:{user_id}")
}

fn of_chat(platform: &str) -> String {
    format!("{platform}:chat")
}
