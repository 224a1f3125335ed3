//! Reports of local runs.

use std::time::Duration;

use sandbox::{Failure, LogLine};
use serde::Serialize;
use serde_json::Value;

use super::recorded::RecordedRun;

/// Effect of a handler.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Effect {
    /// An action, by the result or by `ctx.actions.run`.
    Action {
        /// Name of the action, such as `chat:send`.
        action: String,
        /// Payload of the action, without fields that are null.
        payload: Value,
    },
    /// A message to the pages of the install.
    Push {
        /// Topic of the message.
        push: String,
        /// Payload of the message.
        payload: Value,
    },
}

/// Action of a result that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedEffect {
    /// Code of the refusal (reference/handlers.md#action-errors).
    pub code: String,
    /// Message of the refusal.
    pub message: String,
}

/// Run of one handler.
#[derive(Debug, Clone)]
pub struct RunReport {
    /// Name of the export, or of a declarative function.
    pub handler: String,
    /// Kind of the trigger: `command`, `event`, `function` and others.
    pub trigger: &'static str,
    /// Result of the handler, or its failure.
    pub result: Result<Value, Failure>,
    /// Failure of functions that `ctx.defer` ran.
    pub deferred: Option<Failure>,
    /// Effects, in their order.
    pub effects: Vec<Effect>,
    /// Actions of the result that were refused.
    pub refused: Vec<RefusedEffect>,
    /// Lines that the handler logged.
    pub logs: Vec<LogLine>,
    /// Requests that no recorded answer was given for.
    pub unanswered: Vec<String>,
    /// Time that the run took.
    pub wall: Duration,
    /// Record of a failed run, for a replay.
    pub recorded: Option<Box<RecordedRun>>,
}
