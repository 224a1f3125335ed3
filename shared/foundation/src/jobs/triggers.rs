//! Triggers of automations.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::Job;
use crate::events::Event;

/// Calls a trigger node of an automation to find out whether it fires
/// (reference/automations.md#trigger-result).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunAutomationTrigger {
    /// Registration of the trigger.
    pub registration_id: Uuid,
    /// Name of the occasion, unique for ever. However often it is tried, it starts one run.
    #[serde(rename = "occasion")]
    pub occurrence: String,
    /// Cause of the call.
    pub source: TriggerSource,
    /// Slot of a poll; `None` for a webhook.
    #[serde(default)]
    pub slot: Option<PollSlot>,
}

/// Slot of a poll, in seconds of Unix time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PollSlot {
    /// Begin: the time at which the poll is due.
    pub begins_at: i64,
    /// End: the begin of the next slot, whose poll takes the place of this one.
    pub ends_at: i64,
}

impl PollSlot {
    /// True when the next slot has begun: a poll that is late by its interval is skipped.
    #[must_use]
    pub const fn is_over(&self, now: i64) -> bool {
        now >= self.ends_at
    }
}

/// Cause of the call of a trigger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TriggerSource {
    /// A received webhook.
    Webhook { body: Value, headers: Map<String, Value> },
    /// A poll of the trigger.
    Poll,
}

impl Job for RunAutomationTrigger {
    const QUEUE: &'static str = "automation_triggers";
}

/// Starts the automations of an account that wait for a chat line or an event
/// (reference/automations.md#triggers). The payload contains it, because the log it came from is bounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartAutomations {
    /// Account of the event.
    pub account_id: Uuid,
    /// The `chat:message`, `event:new` or `event:test`.
    pub event: Event,
    /// Id on the platform of the channel of the event.
    #[serde(default)]
    pub channel_id: Option<String>,
    /// Number of runs that led to the event, 0 without one.
    #[serde(default)]
    pub depth: i16,
    /// Run that emitted the event.
    #[serde(default)]
    pub parent_run_id: Option<Uuid>,
    /// True for the changed status of an earlier redemption, which is no redemption of its own.
    #[serde(default)]
    pub is_update: bool,
}

impl Job for StartAutomations {
    const QUEUE: &'static str = "automation_starts";
}
