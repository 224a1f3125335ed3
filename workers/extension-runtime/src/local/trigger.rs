//! Causes of local runs.

use live_model::AccountEvent;
use serde_json::Value;
use uuid::Uuid;

use crate::triggers::Line;

/// Cause of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Trigger {
    /// A chat line: moderation, then a command, keywords and patterns.
    Line(Box<Line>),
    /// An event of the account.
    Event(Box<AccountEvent>),
    /// A due timer.
    Timer {
        /// Name of the timer.
        name: String,
        /// Slug of the platform that it runs on.
        platform: String,
        /// Number of the run.
        run: i64,
    },
    /// A call of a server function.
    Function {
        /// Name of the function in the manifest.
        name: String,
        /// Arguments of the call.
        args: Value,
        /// Caller, as `ctx.auth` shows it.
        caller: FunctionCaller,
    },
    /// A call of the automation node.
    Node(NodeInput),
}

/// Caller of a server function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCaller {
    /// Person; null for callers without one.
    pub user_id: Option<Uuid>,
    /// `owner`, `editor`, `viewer` or `anonymous`.
    pub role: String,
    /// `editor`, `layer` or `interactive`.
    pub surface: String,
}

/// Input of an automation node (reference/handlers.md#inputs-and-results).
#[derive(Debug, Clone, PartialEq)]
pub enum NodeInput {
    /// A poll of a trigger.
    Poll {
        /// State of the last call.
        state: Value,
        /// Settings of the node.
        config: Value,
    },
    /// A webhook of a trigger.
    Webhook {
        /// Body of the delivery.
        body: Value,
        /// Header fields of the delivery.
        headers: Value,
        /// State of the last call.
        state: Value,
        /// Settings of the node.
        config: Value,
    },
    /// A step of an automation.
    Step {
        /// Rendered settings of the node.
        config: Value,
        /// Payload of the automation's trigger.
        input: Value,
    },
}

/// Name that the manifest does not declare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("lumio.config.json declares no {0}")]
pub struct Undeclared(pub String);
