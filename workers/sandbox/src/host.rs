use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::request::HostRequest;

/// What handler code can reach outside its instance. The runtime daemon implements it; one value serves one
/// invocation and knows which install it acts for.
///
/// To add an operation on data: a variant of [`HostRequest`], a line in `host_operations.rs` that says which kinds of
/// function may use it, and the member of `ctx` in `engine/runtime.js`. One that the sandbox itself counts or answers
/// is a variant of `Operation` with its arm in `operations.rs`.
#[async_trait::async_trait]
pub trait Host: Send + Sync + 'static {
    /// A line for the install log. Called at most [`Limits::log_lines`](crate::Limits::log_lines) times, with the
    /// line already cut to its limit and with the secrets this invocation has read blanked out. Must not block.
    fn log(&self, line: LogLine);

    /// The value behind `ctx.secrets.get(name)`; `None` becomes `null`. Must not block, so load secrets before
    /// the invocation starts.
    fn secret(&self, name: &str) -> Option<String>;

    /// `ctx.fetch`. The sandbox counts calls; which address may be reached, time-outs, redirects and the size of
    /// the body are this method's business.
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, HostError>;

    /// `ctx.db`, `ctx.cache`, `ctx.push` and `ctx.actions`. The sandbox has checked that the kind of function may ask
    /// for it and that the arguments have their types; everything else is this method's business.
    async fn perform(&self, request: HostRequest) -> Result<Value, HostError>;

    /// The result, when functions given to `ctx.defer` run after it. Called at most once; must not block.
    fn replied(&self, result: Value);

    /// Waits until the result has reached whoever waits for it, or is given up: what was deferred reaches nothing
    /// before. Called after [`replied`](Self::replied), at most once.
    async fn delivered(&self) {}
}

/// A line that handler code wrote with `ctx.log` or `console`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    pub level: LogLevel,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    Info,
    Warn,
    Error,
}

impl LogLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// The subset of a standard request that `ctx.fetch` supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// As handler code wrote it; not parsed yet.
    pub url: String,
    /// Upper case; `GET` when handler code named none.
    pub method: String,
    /// Names in lower case, in the order given.
    pub headers: Vec<(String, String)>,
    pub redirect: Redirect,
    pub body: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Redirect {
    #[default]
    Follow,
    /// Hand the redirect itself to the handler.
    Manual,
    /// Treat a redirect as a failure.
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FetchResponse {
    pub status: u16,
    pub status_text: String,
    /// The address that answered, after redirects.
    pub url: String,
    pub redirected: bool,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Why a host operation failed. In handler code it is an `Error` whose `name` is [`HostErrorKind::name`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", .kind.name())]
pub struct HostError {
    pub kind: HostErrorKind,
    /// Shown to the developer: what was refused and what is allowed, no secrets, no internal addresses.
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HostErrorKind {
    /// The address is not one this extension may reach (C §B3.3).
    Egress,
    /// The request was allowed and failed on its way.
    Network,
    /// The manifest does not declare what was asked for.
    Permission,
    /// A limit of the invocation is used up.
    Limit,
    /// The arguments make no sense.
    Argument,
    /// The result is larger than it may be.
    TooLarge,
    /// A host action was allowed and not carried out.
    Action,
    /// The platform's own fault.
    Internal,
}

impl HostErrorKind {
    /// `name` of the error that handler code catches.
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
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub fn egress(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Egress, message)
    }

    pub fn network(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Network, message)
    }

    pub fn permission(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Permission, message)
    }

    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Limit, message)
    }

    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Argument, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(HostErrorKind::Internal, message)
    }
}
