//! Trigger nodes of automations.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::Job;

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
