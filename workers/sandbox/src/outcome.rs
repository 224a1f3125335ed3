use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::recording::Recording;

/// What came of one invocation. Failures of handler code are values, not errors: the caller records them.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The handler's result (`null` when it returned nothing).
    pub result: Result<Value, Failure>,
    /// What went wrong in the functions that `ctx.defer` ran after the result.
    pub deferred: Option<Failure>,
    pub metrics: Metrics,
    /// What the host told, if it was to be recorded.
    pub recording: Option<Recording>,
}

/// What the invocation used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    /// From the call of `invoke` to its end.
    pub wall: Duration,
    /// Processor time in handler code.
    pub cpu: Duration,
    /// Linear memory at its largest, engine included.
    pub memory_bytes: usize,
    pub fetches: u32,
    /// Lines that reached the host.
    pub log_lines: u32,
    /// Lines beyond the limit.
    pub log_lines_dropped: u32,
}

/// Why handler code gave no result, or why a module did not load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{name}: {message}")]
pub struct Failure {
    pub code: FailureCode,
    /// Type of the JavaScript error, such as `TypeError`.
    pub name: String,
    pub message: String,
    /// At most 8 KB, positions in the handler's own source (`server.js:line:column`).
    pub stack: Option<String>,
}

/// The kinds of failure. [`FailureCode::as_str`] is the value for `details.code` (C §B3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FailureCode {
    /// The source is not a valid module, or imports something that does not exist.
    SyntaxError,
    /// Handler code threw, rejected, or returned a promise that nothing can settle.
    HandlerError,
    /// The module has no such export, or it is not a handler of the kind that was called.
    UnknownHandler,
    /// The input does not satisfy the handler's `args`.
    InvalidArguments,
    /// Wall or processor time used up.
    Timeout,
    /// The memory limit was reached.
    MemoryLimit,
    /// The result is larger than the reply limit.
    ResponseTooLarge,
    /// An address that the extension may not reach, not handled by the handler.
    EgressDenied,
    /// The engine trapped, for instance when its stack was exhausted.
    Crashed,
    /// No instance became free in time. Says nothing about the handler.
    Overloaded,
    /// The platform's own fault. Says nothing about the handler.
    Internal,
}

impl FailureCode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SyntaxError => "SYNTAX_ERROR",
            Self::HandlerError => "HANDLER_ERROR",
            Self::UnknownHandler => "UNKNOWN_HANDLER",
            Self::InvalidArguments => "INVALID_ARGUMENTS",
            Self::Timeout => "TIMEOUT",
            Self::MemoryLimit => "MEMORY_LIMIT",
            Self::ResponseTooLarge => "RESPONSE_TOO_LARGE",
            Self::EgressDenied => "EGRESS_DENIED",
            Self::Crashed => "CRASHED",
            Self::Overloaded => "OVERLOADED",
            Self::Internal => "INTERNAL",
        }
    }

    /// Whether the failure belongs in the extension's errors and counts for its circuit breaker.
    pub fn is_handlers_fault(self) -> bool {
        !matches!(self, Self::Overloaded | Self::Internal | Self::InvalidArguments)
    }
}

impl fmt::Display for FailureCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

const MAX_NAME_BYTES: usize = 128;
const MAX_MESSAGE_BYTES: usize = 4 * 1024;
const MAX_STACK_BYTES: usize = 8 * 1024;

impl Failure {
    pub(crate) fn new(code: FailureCode, name: &str, message: impl Into<String>) -> Self {
        let mut failure = Self { code, name: name.to_owned(), message: message.into(), stack: None };
        cut(&mut failure.name, MAX_NAME_BYTES);
        cut(&mut failure.message, MAX_MESSAGE_BYTES);
        failure
    }

    pub(crate) fn with_stack(mut self, mut stack: String) -> Self {
        cut(&mut stack, MAX_STACK_BYTES);
        self.stack = (!stack.is_empty()).then_some(stack);
        self
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(FailureCode::Internal, "InternalError", message)
    }
}

/// Shortens `text` to at most `max` bytes without splitting a character.
pub(crate) fn cut(text: &mut String, max: usize) {
    text.truncate(text.floor_char_boundary(max));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_cut_at_character_boundaries() {
        let failure =
            Failure::new(FailureCode::HandlerError, "Error", "é".repeat(4096)).with_stack("x".repeat(9000));

        assert_eq!(failure.message.len(), MAX_MESSAGE_BYTES);
        assert_eq!(failure.stack.map(|stack| stack.len()), Some(MAX_STACK_BYTES));
    }

    #[test]
    fn codes_serialise_to_the_names_they_show() {
        for code in [FailureCode::Timeout, FailureCode::MemoryLimit, FailureCode::ResponseTooLarge] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
