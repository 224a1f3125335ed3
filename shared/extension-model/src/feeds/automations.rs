//! Triggers of automations that workers handle.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// Maximum size of a trigger's output and state, in bytes of JSON (reference/automations.md#trigger-result).
pub const MAX_TRIGGER_VALUE_BYTES: usize = 64 * 1024;
/// Maximum length of a fire's key, in characters.
pub const MAX_DEDUPE_KEY_LENGTH: usize = 200;

/// `POST /v1/internal/automation-triggers/fire`: a trigger handler returned `fired: true`
/// (docs/reference/automations.md#trigger-result).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FireTrigger {
    /// Install of the trigger node.
    pub install_id: Uuid,
    /// Automation to start.
    pub automation_id: Uuid,
    /// Registration of the install in the automation; the first one when absent.
    #[serde(default)]
    pub registration_id: Option<Uuid>,
    /// Output of the handler. It must fit the output schema of the manifest.
    pub output: Value,
    /// Fires with the same key are one run. 1 to 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_DEDUPE_KEY_LENGTH))))]
    pub dedupe_key: String,
    /// State for the handler's next call. It is stored in the transaction that starts the run, so that no
    /// event is lost in between. A repeated fire stores nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<PollState>,
}

/// Result of a fire: the run that it started, or that an earlier fire with the same key started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TriggerFired {
    /// Run of the automation.
    pub run_id: Uuid,
    /// `queued`, or `skipped` beyond 60 starts a minute (docs/reference/automations.md#starts). For an
    /// earlier run, its present status.
    pub status: String,
}

/// `GET /v1/internal/automation-triggers/polls`, by id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PollFeed {
    /// Registrations of this page.
    pub registrations: Vec<PollRegistration>,
    /// `after` of the next page; null on the last.
    pub next: Option<Uuid>,
}

/// A trigger node that is polled while its automation is enabled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PollRegistration {
    /// Registration.
    pub id: Uuid,
    /// Account.
    pub account_id: Uuid,
    /// Automation of the node.
    pub automation_id: Uuid,
    /// Node in the automation.
    pub node_id: Uuid,
    /// Install of the extension.
    pub install_id: Uuid,
    /// 10 to 300.
    pub poll_interval_seconds: i32,
    /// State from the handler's last poll; null before the first. Absent from a brief feed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// Configuration of the node. Absent from a brief feed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
}

/// `PUT /v1/internal/automation-triggers/{id}/state`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PollState {
    /// At most 64 KiB of JSON.
    pub state: Value,
}

impl PollState {
    /// True when the state is small enough to be stored.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.state.to_string().len() <= MAX_TRIGGER_VALUE_BYTES
    }
}
