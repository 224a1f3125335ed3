//! Calls of server functions, passed from the API to a runtime and back (reference/extensions.md#calls).
//!
//! The API never runs handler code. A call waits in a Redis list until a runtime takes it. Taking removes it
//! and stores the runtime's id in one step, so that **a call runs at most once**. The result is stored under
//! the call's id and announced. A caller that gives up withdraws a call that no runtime has taken.

mod exchange;
mod waiting;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use exchange::{Calls, Presence, Withdrawn};
pub use waiting::{FunctionCalls, NoReply};

/// A server function call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Id of the call.
    pub id: Uuid,
    /// Account of the install.
    pub account_id: Uuid,
    /// Install whose function is called.
    pub install_id: Uuid,
    /// Extension of the install.
    #[serde(default)]
    pub extension_id: Uuid,
    /// `updated_at` of the install when the caller was authorised.
    pub revision: DateTime<Utc>,
    /// Name of the function in the manifest; empty for a node of an automation.
    pub function: String,
    /// Node of an automation that calls the install; `None` for a function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeCall>,
    /// Arguments, as JSON.
    pub args: Value,
    /// Caller, as `ctx.auth` shows it.
    pub caller: CallerOfFunction,
    /// Time after which the call must not be started.
    pub expires_at: DateTime<Utc>,
}

/// Call of the install's automation node (reference/automations.md#nodes-of-extensions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeCall {
    /// The automation.
    pub automation_id: Uuid,
    /// True in a run that a test event started.
    pub is_test: bool,
}

/// `ctx.auth` of a server function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallerOfFunction {
    /// Person, or null for callers without one.
    pub user_id: Option<Uuid>,
    /// `owner`, `editor`, `viewer` or `anonymous`.
    pub role: String,
    /// `editor`, `layer` or `interactive`.
    pub surface: String,
}

/// Outcome of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum FunctionReply {
    /// The handler returned a value.
    Returned { value: Value },
    /// The handler threw, or exceeded a limit.
    Failed {
        /// `HANDLER_ERROR`, `INVALID_ARGUMENTS`, `TIMEOUT`, `MEMORY_LIMIT`, `RESPONSE_TOO_LARGE`,
        /// `EGRESS_DENIED` …
        code: String,
        /// Message of the error.
        message: String,
    },
    /// The handler did not run.
    Refused { reason: Refusal, message: String },
}

/// Reason why a call did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The install has used up its invocations of the minute.
    RateLimited,
    /// Too many calls of the account wait.
    Overloaded,
    /// The install is gone, switched off, or changed so that it has no such function.
    Unavailable,
    /// The caller no longer waits.
    Expired,
    /// The runtime failed to run it for reasons of its own.
    Internal,
}
