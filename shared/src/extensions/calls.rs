//! Calls of server functions: how the API hands one to a runtime and hears what came of it (specification C B4).
//!
//! The API never runs handler code. A call waits in a list of Redis until a runtime takes it; taking it removes it, in
//! one step with the note of who has it, so that **a call runs at most once**. The result is left under the call's id
//! and announced. A caller that gives up withdraws a call that nobody has taken.

mod exchange;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use exchange::{Calls, Presence, Withdrawn};

/// A server function to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionCall {
    pub id: Uuid,
    pub account_id: Uuid,
    pub install_id: Uuid,
    /// `updated_at` of the install that the caller was checked against.
    pub revision: DateTime<Utc>,
    /// As the manifest names it.
    pub function: String,
    pub args: Value,
    pub caller: CallerOfFunction,
    /// Not to be begun after this.
    pub expires_at: DateTime<Utc>,
}

/// `ctx.auth` of a server function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallerOfFunction {
    pub user_id: Option<Uuid>,
    /// `owner`, `editor`, `viewer` or `anonymous`.
    pub role: String,
    /// `editor`, `layer` or `interactive`.
    pub surface: String,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum FunctionReply {
    Returned {
        value: Value,
    },
    /// The handler threw, or crossed a limit.
    Failed {
        /// `HANDLER_ERROR`, `INVALID_ARGUMENTS`, `TIMEOUT`, `MEMORY_LIMIT`, `RESPONSE_TOO_LARGE`, `EGRESS_DENIED` …
        code: String,
        message: String,
    },
    /// It did not run.
    Refused {
        reason: Refusal,
        message: String,
    },
}

/// Why a call did not run.
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
    /// The runtime cannot do it now.
    Internal,
}
