use std::time::Duration;

use serde_json::Value;

use crate::failure::Failure;
use crate::recording::Recording;

/// Outcome of one invocation. Failures of handler code are values, not errors: the caller records them.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Result of the handler (`null` when it returned nothing).
    pub result: Result<Value, Failure>,
    /// Failure of the functions that `ctx.defer` ran after the result.
    pub deferred: Option<Failure>,
    /// Resources that the invocation used.
    pub metrics: Metrics,
    /// Answers of the host, if a recording was requested.
    pub recording: Option<Recording>,
}

/// Resources that an invocation used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Time from the call of `invoke` to its end.
    pub wall: Duration,
    /// Processor time in handler code.
    pub cpu: Duration,
    /// Maximum size of the linear memory in bytes, engine included.
    pub memory_bytes: usize,
    /// Number of `ctx.fetch` calls.
    pub fetches: u32,
    /// Number of lines that reached the host.
    pub log_lines: u32,
    /// Number of lines beyond the limit.
    pub log_lines_dropped: u32,
}
