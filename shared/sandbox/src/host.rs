use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::request::HostRequest;

/// Everything that handler code can reach outside its instance. The runtime daemon implements it; one value
/// serves one invocation of one install.
///
/// To add an operation on data: add a variant of [`HostRequest`], a line in `host_operations.rs` with the
/// kinds of function that may use it, and the member of `ctx` in `engine/runtime.js`. An operation that the
/// sandbox itself counts or handles is a variant of `Operation` with its arm in `operations.rs`.
#[async_trait::async_trait]
pub trait Host: Send + Sync + 'static {
    /// Takes a line for the install log. Called at most [`Limits::log_lines`](crate::Limits::log_lines)
    /// times, with the line already cut to its limit and without the secrets that this invocation has read.
    /// Must not block.
    fn log(&self, line: LogLine);

    /// Returns the value of `ctx.secrets.get(name)`; `None` becomes `null`. Must not block, so load secrets
    /// before the invocation starts.
    fn secret(&self, name: &str) -> Option<String>;

    /// Performs `ctx.fetch`. The sandbox counts calls; this method decides on reachable addresses, time-outs,
    /// redirects and the size of the body.
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, HostError>;

    /// Performs operations of `ctx.db`, `ctx.cache`, `ctx.push` and `ctx.actions`. The sandbox has checked
    /// the kind of function and the types of the arguments; all other checks belong to this method.
    async fn perform(&self, request: HostRequest) -> Result<Value, HostError>;

    /// Takes the result when functions given to `ctx.defer` run after it. Called at most once; must not
    /// block.
    fn replied(&self, result: Value);

    /// Waits until the result has reached its caller or was given up: deferred functions have no effect
    /// before. Called after [`replied`](Self::replied), at most once.
    async fn delivered(&self) {}
}

/// Line that handler code wrote with `ctx.log` or `console`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// Level of the line.
    pub level: LogLevel,
    /// Text of the line, cut to its limit.
    pub message: String,
}

/// Level of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// Information.
    Info,
    /// Warning.
    Warn,
    /// Error.
    Error,
}

impl LogLevel {
    /// Returns the name in stored lines: `info`, `warn` or `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// Subset of a standard request that `ctx.fetch` supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// Address as handler code wrote it; not parsed yet.
    pub url: String,
    /// Method in upper case; `GET` by default.
    pub method: String,
    /// Header fields with names in lower case, in the given order.
    pub headers: Vec<(String, String)>,
    /// Handling of redirects.
    pub redirect: Redirect,
    /// Body, if there is one.
    pub body: Option<Vec<u8>>,
}

/// Handling of redirects by `ctx.fetch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Redirect {
    /// Follow redirects.
    #[default]
    Follow,
    /// Return the redirect itself to the handler.
    Manual,
    /// Treat a redirect as a failure.
    Error,
}

/// Response of `ctx.fetch`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FetchResponse {
    /// HTTP status code.
    pub status: u16,
    /// Reason phrase of the status.
    pub status_text: String,
    /// Final address, after redirects.
    pub url: String,
    /// True when a redirect was followed.
    pub redirected: bool,
    /// Header fields of the response.
    pub headers: Vec<(String, String)>,
    /// Whole body of the response.
    pub body: Vec<u8>,
}

/// Error of a host operation. In handler code it is an `Error` whose `name` is [`HostErrorKind::name`]
/// (reference/handlers.md#errors-of-host-operations).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", .kind.name())]
pub struct HostError {
    /// Kind of the error.
    pub kind: HostErrorKind,
    /// Text for the developer: the refused value and the allowed ones, without secrets and internal
    /// addresses.
    pub message: String,
}

/// Kind of a host error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HostErrorKind {
    /// The extension may not reach the address (reference/handlers.md#egress).
    Egress,
    /// The request was allowed and failed in transit.
    Network,
    /// The manifest does not declare the requested capability.
    Permission,
    /// A limit of the invocation is used up.
    Limit,
    /// The arguments are invalid.
    Argument,
    /// The result is too large.
    TooLarge,
    /// A host action was allowed and failed.
    Action,
    /// Fault of Lumio itself.
    Internal,
}

impl HostErrorKind {
    /// Returns the `name` of the error that handler code catches.
    pub fn name(self) -> &'static str {
        match self {
            Self::Egress => "EgressError",
            Self::Network => "NetworkError",
            Self::Permission => "PermissionError",
            Self::Limit => "LimitError",
            Self::Argument => "TypeError",
            Self::TooLarge => "Error",
            Self::Action => "ActionError",
            Self::Internal => "InternalError",
        }
    }
}

impl HostError {
    /// Returns an error of a kind.
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns an [`HostErrorKind::Egress`] error.
    pub fn egress(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Egress, message)
    }

    /// Returns a [`HostErrorKind::Network`] error.
    pub fn network(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Network, message)
    }

    /// Returns a [`HostErrorKind::Permission`] error.
    pub fn permission(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Permission, message)
    }

    /// Returns a [`HostErrorKind::Limit`] error.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Limit, message)
    }

    /// Returns an [`HostErrorKind::Argument`] error.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Argument, message)
    }

    /// Returns an [`HostErrorKind::Internal`] error.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Internal, message)
    }
}
