//! Trigger nodes of automations.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::Job;

/// Ask a trigger node of an automation whether it fires (specification B §4.4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunAutomationTrigger {
    pub registration_id: Uuid,
    /// Names the occasion for ever: what fires at it is one run, however often it is asked.
    pub occasion: String,
    pub source: TriggerSource,
}

/// Why a trigger is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TriggerSource {
    Webhook { body: Value, headers: Map<String, Value> },
    Poll,
}

impl Job for RunAutomationTrigger {
    const QUEUE: &'static str = "automation_triggers";
}
