//! Job payloads (reference/jobs.md#queues).
//!
//! A payload is a small struct of ids. Its runner loads fresh state, may run twice, and makes the state
//! match. Payloads outlive deployments: a new field needs a default.

mod automations;
mod erasures;
mod exports;
mod metrics;
mod producers;
mod rewards;
mod triggers;

use std::time::Duration;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::events::{Event, Removal};

pub use automations::RunAutomation;
pub use erasures::{DeleteSamples, EraseAccount};
pub use exports::ExportAccount;
pub use metrics::JobMetrics;
pub use producers::Producers;
pub use rewards::{RedeemReward, RestoreLayer};
pub use triggers::{PollSlot, RunAutomationTrigger, StartAutomations, TriggerSource};

/// Payload, and the queue that carries it.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + Unpin + 'static {
    /// Name of the queue. Each kind of job has its own queue.
    const QUEUE: &'static str;
}

/// Handles one webhook delivery of the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandleDelivery {
    /// Delivery in the inbox.
    pub delivery_id: Uuid,
}

impl Job for HandleDelivery {
    const QUEUE: &'static str = "webhook_inbox";
}

/// Runs the handlers that an event of an account triggers. The payload contains the event, because the log it
/// came from is bounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTriggers {
    /// Account of the event.
    pub account_id: Uuid,
    /// The event.
    pub event: Event,
    /// Id on the platform of the channel of the event.
    #[serde(default)]
    pub channel_id: Option<String>,
}

impl Job for RunTriggers {
    const QUEUE: &'static str = "extension_triggers";
}

/// Moves the unpinned installs of an extension to its newest version that needs no consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollOutVersion {
    /// The extension.
    pub extension_id: Uuid,
}

impl Job for RollOutVersion {
    const QUEUE: &'static str = "extension_rollout";
}

/// Appends an event to the log of its channel. Operations add it to the outbox, to publish after their
/// commit. The id of the event keeps a second append without effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishEvent {
    /// The event.
    pub event: Event,
}

impl Job for PublishEvent {
    const QUEUE: &'static str = "live_events";
}

/// Publishes a removal by a moderator and marks the stored messages, however long the time-series database or
/// Redis is away. The id of the event keeps a second append without effect (reference/ingest.md#removals).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkRemoval {
    /// Account of the chat.
    pub account_id: Uuid,
    /// Slug of the platform.
    pub platform: String,
    /// The removal.
    pub removal: Removal,
    /// Event for the clients that show the chat.
    pub event: Event,
    /// True when the event was published before the job was added.
    #[serde(default, rename = "is_told")]
    pub is_published: bool,
}

impl Job for MarkRemoval {
    const QUEUE: &'static str = "chat_removals";
}

/// Sends a mail. The mail itself is a row, because it may hold data that no queue should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendMail {
    /// Row of the mail.
    pub mail_id: Uuid,
}

impl Job for SendMail {
    const QUEUE: &'static str = "mail";
}

/// Subscribes a connected channel to the deliveries of its platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscribeChannel {
    /// The channel connection.
    pub connection_id: Uuid,
}

impl Job for SubscribeChannel {
    const QUEUE: &'static str = "webhook_subscriptions";
}

/// Compares the subscriptions of a connected channel with those of its platform, and requests the dropped
/// ones again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareSubscriptions {
    /// The channel connection.
    pub connection_id: Uuid,
}

impl Job for CompareSubscriptions {
    const QUEUE: &'static str = "webhook_comparisons";
}

/// Revokes the tokens of a removed connection on its platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevokeTokens {
    /// Row of the revocation.
    pub revocation_id: Uuid,
}

impl Job for RevokeTokens {
    const QUEUE: &'static str = "token_revocations";
}

/// Runs one task of housekeeping. The clock adds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Housekeep {
    /// The task.
    pub task: HousekeepingTask,
}

/// Task of housekeeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HousekeepingTask {
    /// Creates the partitions that will be needed.
    MakePartitions,
    /// Drops time-series rows beyond their retention.
    DropExpired,
    /// Deletes handled webhook deliveries, action results that are no longer requested, old notifications and
    /// reports, and mails that were never sent.
    ForgetHandled,
    /// Deletes entries of the audit log beyond their retention.
    ForgetAudit,
    /// Deletes chat messages beyond the retention of their account's plan.
    ForgetChat,
    /// Deletes events beyond the chat retention of their account's plan and older than 30 days.
    ForgetEvents,
    /// Removes uploads of uninstalled extensions, and stored objects that no row names.
    SweepObjects,
    /// Deletes data that extensions stored in accounts which uninstalled them thirty days ago.
    ForgetExtensionData,
    /// Deletes dead letters that were not requeued for a week.
    ForgetDeadLetters,
    /// Deletes ended runs of automations beyond their retention.
    ForgetAutomationRuns,
    /// Signs the chains of the audit log that have new links.
    SignAuditLog,
    /// Removes archives of accounts whose time is over.
    SweepArchives,
}

impl Job for Housekeep {
    const QUEUE: &'static str = "housekeeping";
}

/// All queues, for operators and metrics.
pub const QUEUES: [&str; 18] = [
    HandleDelivery::QUEUE,
    MarkRemoval::QUEUE,
    RunTriggers::QUEUE,
    RollOutVersion::QUEUE,
    Housekeep::QUEUE,
    PublishEvent::QUEUE,
    SendMail::QUEUE,
    EraseAccount::QUEUE,
    DeleteSamples::QUEUE,
    ExportAccount::QUEUE,
    SubscribeChannel::QUEUE,
    CompareSubscriptions::QUEUE,
    RevokeTokens::QUEUE,
    RunAutomationTrigger::QUEUE,
    StartAutomations::QUEUE,
    RunAutomation::QUEUE,
    RedeemReward::QUEUE,
    RestoreLayer::QUEUE,
];

/// Time that handlers of a stopping worker may continue to run. Then their jobs are put back, for others to
/// run at once.
pub const HANDLER_DRAIN_TIMEOUT: Duration = Duration::from_secs(8);

/// Lease of jobs whose replies are awaited. Jobs of a dead worker are searched for every half of it, give or
/// take a fifth, so they are taken over within 5 s, and the chat line is still young enough for a reply
/// (reference/handlers.md#late-messages).
const PROMPT_LEASE: Duration = Duration::from_secs(3);

/// Settings of a queue, the same for producers and consumers.
#[must_use]
pub fn settings(queue: &str) -> queue::Config {
    let settings = queue::Config { drain: Some(HANDLER_DRAIN_TIMEOUT), ..queue::Config::new(queue) };
    if queue == Housekeep::QUEUE {
        // A task works in steps of less than a minute; dropping partitions may take two more.
        return queue::Config { timeout: Duration::from_secs(240), ..settings };
    }
    if queue == HandleDelivery::QUEUE {
        // The delivery was acknowledged, so it is tried for minutes, through the restart of a database. The
        // inbox knows which ones were handled. Many are held at a time, because some of a busy channel wait
        // for each other.
        let backoff = queue::Backoff { initial: Duration::from_millis(500), max: Duration::from_secs(30) };
        return queue::Config { max_attempts: 20, backoff, concurrency: 500, forgets_keys: true, ..settings };
    }
    if queue == MarkRemoval::QUEUE {
        // The database may be away for days.
        let backoff = queue::Backoff { initial: Duration::from_secs(1), max: Duration::from_secs(300) };
        return queue::Config { max_attempts: 1000, backoff, ..settings };
    }
    if queue == RunTriggers::QUEUE {
        // A job waits for handlers, and the runtime divides itself between accounts: many jobs at a time, and
        // long enough for an event handler that waited, ran for its 30 s and requested actions. Attempts go
        // on for more than ten minutes without the API; handlers that finished in one attempt do not run in
        // the next. The key of a chat line is kept for longer than its delivery is tried, and not much
        // longer.
        let backoff = queue::Backoff { initial: Duration::from_millis(500), max: Duration::from_secs(60) };
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
        // The webhook was acknowledged, so its handler is called for about a quarter of an hour, through a
        // restart of the API and two pauses of the circuit breaker. A job waits for the other jobs of its
        // trigger and for a handler that may take 30 s.
        let backoff = queue::Backoff { initial: Duration::from_millis(500), max: Duration::from_secs(30) };
        let (concurrency, timeout) = (200, Duration::from_secs(90));
        return queue::Config { max_attempts: 50, concurrency, timeout, backoff, ..settings };
    }
    if queue == StartAutomations::QUEUE {
        // As the triggers of the same line: tried for more than ten minutes without a database, and known for
        // longer than the delivery is tried.
        let backoff = queue::Backoff { initial: Duration::from_millis(500), max: Duration::from_secs(60) };
        let (concurrency, idempotency_ttl) = (200, Duration::from_mins(30));
        return queue::Config {
            max_attempts: 30,
            concurrency,
            backoff,
            idempotency_ttl,
            lease: PROMPT_LEASE,
            ..settings
        };
    }
    if queue == RunAutomation::QUEUE {
        // The job only wakes the engine, which also finds runs without a job.
        return queue::Config { concurrency: 200, lease: PROMPT_LEASE, forgets_keys: true, ..settings };
    }
    if queue == RedeemReward::QUEUE {
        // The viewer spent points: the job is tried for as long as its action may run, and then for a quarter
        // of an hour more, so that an API that was away can return them.
        let backoff = queue::Backoff { initial: Duration::from_millis(500), max: Duration::from_secs(60) };
        return queue::Config { max_attempts: 60, backoff, lease: PROMPT_LEASE, ..settings };
    }
    if queue == RestoreLayer::QUEUE || queue == DeleteSamples::QUEUE {
        // The database may be away for hours.
        let backoff = queue::Backoff { initial: Duration::from_secs(1), max: Duration::from_secs(300) };
        return queue::Config { max_attempts: 1000, backoff, ..settings };
    }
    if queue == EraseAccount::QUEUE {
        // Millions of rows in batches. The rest of a run, and a database that is away, are tried for a day.
        let backoff = queue::Backoff { initial: Duration::from_secs(5), max: Duration::from_secs(3600) };
        return queue::Config { max_attempts: 30, timeout: Duration::from_secs(600), backoff, ..settings };
    }
    if queue == ExportAccount::QUEUE {
        // Millions of rows. One account at a time in a process; the row of the archive counts the attempts.
        let backoff = queue::Backoff { initial: Duration::from_secs(5), max: Duration::from_secs(600) };
        let timeout = Duration::from_secs(7200);
        return queue::Config { max_attempts: 10, concurrency: 1, timeout, backoff, ..settings };
    }
    if queue == SubscribeChannel::QUEUE || queue == RevokeTokens::QUEUE {
        // A platform that is away is tried for a day.
        let backoff = queue::Backoff { initial: Duration::from_secs(2), max: Duration::from_secs(1800) };
        return queue::Config { max_attempts: 60, backoff, ..settings };
    }
    if queue == CompareSubscriptions::QUEUE {
        // The job of the next hour comes anyway.
        let backoff = queue::Backoff { initial: Duration::from_secs(5), max: Duration::from_secs(600) };
        let idempotency_ttl = Duration::from_hours(2);
        return queue::Config { max_attempts: 8, backoff, idempotency_ttl, ..settings };
    }
    if queue == SendMail::QUEUE {
        // A mail server that is away is tried for hours, and a slow one for a minute.
        let backoff = queue::Backoff { initial: Duration::from_secs(5), max: Duration::from_secs(900) };
        return queue::Config { max_attempts: 20, backoff, timeout: Duration::from_secs(90), ..settings };
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shortest time for which a job is tried.
    fn retry_duration(queue: &str) -> Duration {
        let settings = settings(queue);
        let waits = (1..settings.max_attempts).map(|failures| {
            let doubled = settings.backoff.initial * 2_u32.pow(failures.min(10) - 1);
            // Jitter may take off half of a wait.
            doubled.min(settings.backoff.max) / 2
        });
        waits.sum()
    }

    #[test]
    fn jobs_of_a_killed_runtime_are_reclaimed_within_five_seconds() {
        let lease = settings(RunTriggers::QUEUE).lease;
        let max_claim_interval = lease.mul_f64(0.5 * 1.2);
        assert!(lease + max_claim_interval <= Duration::from_secs(5));
    }

    #[test]
    fn run_triggers_retries_for_at_least_ten_minutes() {
        assert!(retry_duration(RunTriggers::QUEUE) >= Duration::from_secs(600));
    }

    #[test]
    fn jobs_that_start_automations_are_retried_for_at_least_ten_minutes() {
        assert!(retry_duration(StartAutomations::QUEUE) >= Duration::from_secs(600));
    }

    #[test]
    fn jobs_of_redemptions_are_retried_for_at_least_twenty_five_minutes() {
        assert!(retry_duration(RedeemReward::QUEUE) >= Duration::from_secs(25 * 60));
    }

    #[test]
    fn jobs_of_automation_triggers_outlast_a_restart_and_two_breaker_pauses() {
        assert!(retry_duration(RunAutomationTrigger::QUEUE) >= Duration::from_secs(2 * 300 + 60));
    }
}
