//! What starts automations from the workers' side.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// Largest output and state of a trigger, in bytes of JSON (C B3.4).
pub const MAX_TRIGGER_VALUE_BYTES: usize = 64 * 1024;
/// Longest key of a fire, in characters.
pub const MAX_DEDUPE_KEY_LENGTH: usize = 200;

/// `POST /v1/internal/automation-triggers/fire`: a trigger handler answered `fired: true` (B §4.4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FireTrigger {
    pub install_id: Uuid,
    pub automation_id: Uuid,
    /// Which of the install's nodes in the automation; the first when absent.
    #[serde(default)]
    pub registration_id: Option<Uuid>,
    /// What the handler gave; has to fit the output schema of the manifest.
    pub output: Value,
    /// Fires with the same key are one run. 1 to 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_DEDUPE_KEY_LENGTH))))]
    pub dedupe_key: String,
    /// What the handler wants to find next time: written with the run or not at all, so that no event falls between the
    /// two. A fire whose run is there already keeps nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<PollState>,
}

/// What became of a fire: the run that it started, or that an earlier fire with the same key had started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TriggerFired {
    pub run_id: Uuid,
    /// `queued`, or `skipped` beyond 60 starts a minute (C B9.3); of an earlier run whatever it came to.
    pub status: String,
}

/// `GET /v1/internal/automation-triggers/polls`, by id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PollFeed {
    pub registrations: Vec<PollRegistration>,
    /// `after` of the next page.
    pub next: Option<Uuid>,
}

/// A trigger node that is polled while its automation is enabled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PollRegistration {
    pub id: Uuid,
    pub account_id: Uuid,
    pub automation_id: Uuid,
    pub node_id: Uuid,
    pub install_id: Uuid,
    /// 10 to 300.
    pub poll_interval_seconds: i32,
    /// What the handler kept at its last poll; null before the first. Absent from a brief feed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// Configuration of the node. Absent from a brief feed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
}

/// `PUT /v1/internal/automation-triggers/{id}/state`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PollState {
    /// At most 64 KiB (C B3.4).
    pub state: Value,
}

impl PollState {
    /// Whether it may be kept.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.state.to_string().len() <= MAX_TRIGGER_VALUE_BYTES
    }
}
