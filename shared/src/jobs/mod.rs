//! Job payloads: small structs of ids. A runner loads fresh state, may run twice, and makes the world match.
//! Payloads outlive deployments: a new field needs a default.

mod metrics;
mod triggers;

use std::time::Duration;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::{events::Event, ingest::Removal};

pub use metrics::JobMetrics;
pub use triggers::{RunAutomationTrigger, TriggerSource};

/// A payload and the queue it travels on.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + Unpin + 'static {
    /// Name of the queue: one kind of job, one queue.
    const QUEUE: &'static str;
}

/// Handle one webhook delivery of the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandleDelivery {
    pub delivery_id: Uuid,
}

impl Job for HandleDelivery {
    const QUEUE: &'static str = "webhook_inbox";
}

/// Run the handlers that an event of an account triggers. The event travels along, because the log it came from is
/// bounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTriggers {
    pub account_id: Uuid,
    pub event: Event,
    /// The platform's id of the channel that it happened in.
    #[serde(default)]
    pub channel_id: Option<String>,
}

impl Job for RunTriggers {
    const QUEUE: &'static str = "extension_triggers";
}

/// Bring the unpinned installs of an extension to its newest version that needs no consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollOutVersion {
    pub extension_id: Uuid,
}

impl Job for RollOutVersion {
    const QUEUE: &'static str = "extension_rollout";
}

/// Append an event to the log of its channel: what an operation tells after its commit, through the outbox. The
/// event's id keeps a second append without effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishEvent {
    pub event: Event,
}

impl Job for PublishEvent {
    const QUEUE: &'static str = "live_events";
}

/// See to it that what a moderator removed is told and marked where it is stored, however long the time-series database
/// or Redis is away. The event's id keeps a second append without effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkRemoval {
    pub account_id: Uuid,
    pub platform: String,
    pub removal: Removal,
    /// Tells those who show the chat.
    pub event: Event,
    /// Whether they were told before the job was added.
    #[serde(default)]
    pub is_told: bool,
}

impl Job for MarkRemoval {
    const QUEUE: &'static str = "chat_removals";
}

/// Send a mail. The mail itself is a row, because it can hold what no queue should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendMail {
    pub mail_id: Uuid,
}

impl Job for SendMail {
    const QUEUE: &'static str = "mail";
}

/// Erase what an account that was ended leaves outside of the primary database: rows over time, event logs, stored
/// objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EraseAccount {
    pub account_id: Uuid,
    /// The second time, for rows that were about to be written at the first.
    #[serde(default)]
    pub is_repeat: bool,
}

impl Job for EraseAccount {
    const QUEUE: &'static str = "account_erasure";
}

/// Ask the platform of a connected channel to deliver what happens there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscribeChannel {
    pub connection_id: Uuid,
}

impl Job for SubscribeChannel {
    const QUEUE: &'static str = "webhook_subscriptions";
}

/// Ask the platform of a connected channel what it delivers, and for what it has dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareSubscriptions {
    pub connection_id: Uuid,
}

impl Job for CompareSubscriptions {
    const QUEUE: &'static str = "webhook_comparisons";
}

/// Tell a platform that tokens of a connection that was ended are no longer wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevokeTokens {
    pub revocation_id: Uuid,
}

impl Job for RevokeTokens {
    const QUEUE: &'static str = "token_revocations";
}

/// Keep the databases in order. Added by the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Housekeep {
    pub task: HousekeepingTask,
}

/// What there is to keep in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HousekeepingTask {
    /// Make the partitions that will be needed.
    MakePartitions,
    /// Drop time-series rows beyond their retention.
    DropExpired,
    /// Forget webhook deliveries that were handled, action results that nobody asks for any more, old notifications,
    /// reports and mails that never went out.
    ForgetHandled,
    /// Forget entries of the audit trail that are beyond their retention.
    ForgetAudit,
    /// Delete chat that is older than its account's plan keeps it.
    ForgetChat,
    /// Delete events that are older than their account's plan keeps chat, and than 30 days.
    ForgetEvents,
    /// Remove uploads of extensions that were uninstalled, and stored objects that no row names.
    SweepObjects,
    /// Delete what extensions stored in accounts that uninstalled them thirty days ago.
    ForgetExtensionData,
    /// Forget dead letters that nobody made jobs again for a week.
    ForgetDeadLetters,
}

impl Job for Housekeep {
    const QUEUE: &'static str = "housekeeping";
}

/// Every queue, for operators and metrics.
pub const QUEUES: [&str; 12] = [
    HandleDelivery::QUEUE,
    MarkRemoval::QUEUE,
    RunTriggers::QUEUE,
    RollOutVersion::QUEUE,
    Housekeep::QUEUE,
    PublishEvent::QUEUE,
    SendMail::QUEUE,
    EraseAccount::QUEUE,
    SubscribeChannel::QUEUE,
    CompareSubscriptions::QUEUE,
    RevokeTokens::QUEUE,
    RunAutomationTrigger::QUEUE,
];

/// How long handlers of a stopping worker may run on. Then their jobs are put back, for others to run at once.
pub const HANDLER_DRAIN: Duration = Duration::from_secs(8);

/// The lease of jobs whose answers are awaited. A dead worker's jobs are looked for every half of it, give or take a
/// fifth, so they are taken over within 5 s, and the line is still young enough to be answered (specification E, 31).
const PROMPT_LEASE: Duration = Duration::from_secs(3);

/// The settings of a queue, the same for those who add jobs and those who run them.
#[must_use]
pub fn settings(queue: &str) -> queue::Config {
    let settings = queue::Config { drain: Some(HANDLER_DRAIN), ..queue::Config::new(queue) };
    if queue == Housekeep::QUEUE {
        // A task takes turns of less than a minute; dropping partitions may take two more.
        return queue::Config { timeout: Duration::from_secs(240), ..settings };
    }
    if queue == HandleDelivery::QUEUE {
        // A delivery was acknowledged: it is tried for minutes, through the restart of a database. The inbox tells that
        // one was handled. Many are held at a time, because some of a busy channel wait for each other.
        let backoff = queue::Backoff { first: Duration::from_millis(500), longest: Duration::from_secs(30) };
        return queue::Config { max_attempts: 20, backoff, concurrency: 500, forgets_keys: true, ..settings };
    }
    if queue == MarkRemoval::QUEUE {
        // A database that is away is waited for through days.
        let backoff = queue::Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(300) };
        return queue::Config { max_attempts: 1000, backoff, ..settings };
    }
    if queue == RunTriggers::QUEUE {
        // A job waits for handlers, and the runtime shares itself between accounts: many at a time, and long enough
        // for an event handler that waited, ran for its 30 s and asked for something. Attempts for more than ten
        // minutes without the API; what finished in one attempt does not run in the next. A key for each chat line is
        // kept for longer than its delivery is tried, and not much longer.
        let backoff = queue::Backoff { first: Duration::from_millis(500), longest: Duration::from_secs(60) };
        let (concurrency, timeout) = (1000, Duration::from_secs(180));
        let idempotency_ttl = Duration::from_mins(30);
        return queue::Config {
            max_attempts: 30,
            concurrency,
            timeout,
            backoff,
            idempotency_ttl,
            lease: PROMPT_LEASE,
            ..settings
        };
    }
    if queue == RunAutomationTrigger::QUEUE {
        // A webhook was acknowledged: its handler is asked for about a quarter of an hour, through a restart of the API
        // and two pauses of the circuit breaker. A job waits for its trigger's other jobs and for a handler that may
        // take 30 s.
        let backoff = queue::Backoff { first: Duration::from_millis(500), longest: Duration::from_secs(30) };
        let (concurrency, timeout) = (200, Duration::from_secs(90));
        return queue::Config { max_attempts: 50, concurrency, timeout, backoff, ..settings };
    }
    if queue == EraseAccount::QUEUE {
        // Millions of rows in batches; what one run leaves, and a database that is away, are tried for a day.
        let backoff = queue::Backoff { first: Duration::from_secs(5), longest: Duration::from_secs(3600) };
        return queue::Config { max_attempts: 30, timeout: Duration::from_secs(600), backoff, ..settings };
    }
    if queue == SubscribeChannel::QUEUE || queue == RevokeTokens::QUEUE {
        // A platform that is away is tried for a day.
        let backoff = queue::Backoff { first: Duration::from_secs(2), longest: Duration::from_secs(1800) };
        return queue::Config { max_attempts: 60, backoff, ..settings };
    }
    if queue == CompareSubscriptions::QUEUE {
        // The next hour's comes anyway.
        let backoff = queue::Backoff { first: Duration::from_secs(5), longest: Duration::from_secs(600) };
        let idempotency_ttl = Duration::from_hours(2);
        return queue::Config { max_attempts: 8, backoff, idempotency_ttl, ..settings };
    }
    if queue == SendMail::QUEUE {
        // A mail server that is away is tried for hours, and a slow one for a minute.
        let backoff = queue::Backoff { first: Duration::from_secs(5), longest: Duration::from_secs(900) };
        return queue::Config { max_attempts: 20, backoff, timeout: Duration::from_secs(90), ..settings };
    }
    settings
}

/// Hands jobs to the queues. Cheap to clone.
#[derive(Clone)]
pub struct Producers {
    by_queue: std::sync::Arc<std::collections::HashMap<&'static str, queue::Producer<serde_json::Value>>>,
}

impl Producers {
    /// Producers of every queue over one connection, which is made on demand.
    ///
    /// # Errors
    /// When the Redis URL is malformed.
    pub fn new(config: &crate::config::RedisConfig) -> crate::Result<Self> {
        Self::over(&queue::Connection::open(config.url.expose(), &config.prefix)?)
    }

    /// Producers of every queue that count what they add.
    ///
    /// # Errors
    /// When the Redis URL is malformed or the metrics are registered already.
    pub fn counted(
        config: &crate::config::RedisConfig,
        metrics: &crate::telemetry::Metrics,
    ) -> crate::Result<Self> {
        let connection = queue::Connection::open(config.url.expose(), &config.prefix)?;
        Self::over(&connection.with_metrics(JobMetrics::new(metrics)?.hook()))
    }

    /// Producers of every queue over a connection that is at hand, with its metric hook.
    ///
    /// # Errors
    /// Never in practice: the queues' names and settings are constants.
    pub fn over(connection: &queue::Connection) -> crate::Result<Self> {
        let mut by_queue = std::collections::HashMap::new();
        for name in QUEUES {
            by_queue.insert(name, queue::Producer::new(connection, settings(name))?);
        }
        Ok(Self { by_queue: std::sync::Arc::new(by_queue) })
    }

    /// Adds a job; `false` when a job of the same key was added within the last day.
    ///
    /// # Errors
    /// When Redis cannot be reached; the call may then be repeated with the same key.
    pub async fn enqueue<J: Job>(&self, job: &J, idempotency_key: &str) -> crate::Result<bool> {
        self.enqueue_payload(J::QUEUE, &serde_json::to_value(job)?, idempotency_key).await
    }

    /// Adds jobs of one kind, each with its key, in as few calls as possible; answers how many were new.
    ///
    /// # Errors
    /// When Redis cannot be reached; the call may then be repeated with the same keys.
    pub async fn enqueue_each<J: Job>(&self, jobs: &[(J, String)]) -> crate::Result<usize> {
        let payloads = jobs
            .iter()
            .map(|(job, key)| Ok((serde_json::to_value(job)?, key.as_str())))
            .collect::<crate::Result<Vec<_>>>()?;
        let keyed = payloads.iter().map(|(job, key)| (job, queue::EnqueueOptions::new().key(*key)));
        let added = self.producer(J::QUEUE)?.enqueue_bulk(keyed).await?;
        Ok(added.into_iter().filter(|is_new| *is_new).count())
    }

    /// Adds a job whose payload is at hand as JSON: what the outbox relay does.
    ///
    /// # Errors
    /// When the queue is unknown or Redis cannot be reached.
    pub async fn enqueue_payload(
        &self,
        queue: &str,
        payload: &serde_json::Value,
        idempotency_key: &str,
    ) -> crate::Result<bool> {
        Ok(self.producer(queue)?.enqueue(payload, queue::EnqueueOptions::new().key(idempotency_key)).await?)
    }

    fn producer(&self, queue: &str) -> crate::Result<&queue::Producer<serde_json::Value>> {
        let known = self.by_queue.get(queue);
        known.ok_or_else(|| crate::Error::Internal(format!("there is no queue `{queue}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long a job is tried at least.
    fn tried_for(queue: &str) -> Duration {
        let settings = settings(queue);
        let waits = (1..settings.max_attempts).map(|failures| {
            let doubled = settings.backoff.first * 2_u32.pow(failures.min(10) - 1);
            // Half of a wait may be taken off.
            doubled.min(settings.backoff.longest) / 2
        });
        waits.sum()
    }

    #[test]
    fn what_a_killed_runtime_had_in_hand_is_taken_over_within_five_seconds() {
        let lease = settings(RunTriggers::QUEUE).lease;
        let longest_between_looks = lease.mul_f64(0.5 * 1.2);
        assert!(lease + longest_between_looks <= Duration::from_secs(5));
    }

    #[test]
    fn triggers_outlive_ten_minutes_without_the_api() {
        assert!(tried_for(RunTriggers::QUEUE) >= Duration::from_secs(600));
    }

    #[test]
    fn triggers_of_automations_outlive_a_restart_and_two_pauses_of_the_circuit_breaker() {
        assert!(tried_for(RunAutomationTrigger::QUEUE) >= Duration::from_secs(2 * 300 + 60));
    }
}
