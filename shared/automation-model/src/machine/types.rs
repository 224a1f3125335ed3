//! Input and output of the interpreter.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// Begin of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Trigger node that fired.
    pub trigger_node: Uuid,
    /// Trigger as `{ node_id, type, payload }`.
    pub trigger: Value,
    /// Event that fired it; null without one.
    pub event: Value,
    /// Person of the event; null without one.
    pub user: Value,
    /// Account.
    pub account: Value,
    /// Broadcast; null without one.
    pub stream: Value,
    /// Time of the start.
    pub now: DateTime<Utc>,
    /// Time zone of the account.
    pub timezone: Tz,
}

/// Status of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// The effect has begun.
    Running,
    /// Done.
    Succeeded,
    /// Failed without an effect.
    Failed,
    /// A process ended within the effect: it may have happened.
    Unknown,
    /// The run was cancelled.
    Cancelled,
}

impl StepStatus {
    /// Stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Cancelled => "cancelled",
        }
    }

    /// Status with the given stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Running, Self::Succeeded, Self::Failed, Self::Unknown, Self::Cancelled]
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

/// Outcome of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Status; not `running`.
    pub status: StepStatus,
    /// Output, for `steps.<node_id>` of templates.
    pub output: Value,
    /// Handle whose edges follow; `None` for `out`.
    pub branch: Option<String>,
    /// Reason of a failure.
    pub error: Option<String>,
}

impl Outcome {
    /// Success with an output; the edges of `out` follow.
    #[must_use]
    pub const fn succeeded(output: Value) -> Self {
        Self { status: StepStatus::Succeeded, output, branch: None, error: None }
    }

    /// Success; the edges of the branch follow.
    #[must_use]
    pub fn branched(output: Value, branch: impl Into<String>) -> Self {
        Self { status: StepStatus::Succeeded, output, branch: Some(branch.into()), error: None }
    }

    /// Failure.
    #[must_use]
    pub fn failed(error: impl Into<String>) -> Self {
        Self { status: StepStatus::Failed, output: Value::Null, branch: None, error: Some(error.into()) }
    }

    /// Effect of which it is not known if it happened.
    #[must_use]
    pub fn unknown(error: impl Into<String>) -> Self {
        Self { status: StepStatus::Unknown, ..Self::failed(error) }
    }
}

/// Effect of an action node or a node of an extension.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// Name of the node type.
    pub r#type: &'static str,
    /// Install of a node of an extension.
    pub install_id: Option<Uuid>,
    /// Checked arguments: keys of the configuration without templates.
    pub arguments: Value,
}

/// Work of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Nothing to do: the outcome is known.
    Decided(Outcome),
    /// Choice of one branch by weight.
    Random {
        /// Handles and their weights.
        branches: Vec<(String, u32)>,
    },
    /// Claim of the node's cooldown; the branch is `false` while it runs.
    Cooldown {
        /// Seconds between two passes; 0 for none.
        global_secs: u32,
        /// Seconds between two passes of a person; 0 for none.
        user_secs: u32,
        /// The person, `{platform}:{id}`; `None` without one.
        user: Option<String>,
    },
    /// Pause.
    Delay {
        /// Length, 1 to 3,600.
        seconds: u32,
    },
    /// An effect.
    Effect(Effect),
}

/// Step of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Number of the step, from 0.
    pub position: u32,
    /// The node.
    pub node_id: Uuid,
    /// Name of the node type.
    pub node_type: &'static str,
    /// Configuration with its templates filled in.
    pub input: Value,
    /// Work.
    pub work: Work,
}

/// Ending of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Every step was done, or its failure was handled.
    Succeeded,
    /// A step failed.
    Failed {
        /// Node of the step; `None` for a graph that cannot run.
        node_id: Option<Uuid>,
        /// Reason.
        error: String,
    },
}
