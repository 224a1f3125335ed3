use std::fmt;

use serde::{Deserialize, Serialize};

/// Failure of handler code to return a result, or of a module to load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{name}: {message}")]
pub struct Failure {
    /// Kind of the failure.
    pub code: FailureCode,
    /// Type of the JavaScript error, such as `TypeError`.
    pub name: String,
    /// Message of the error, cut to its limit.
    pub message: String,
    /// Stack trace with positions in the handler's own source (`server.js:line:column`), at most 8 KB.
    pub stack: Option<String>,
}

/// Kinds of failure. [`FailureCode::as_str`] is the value for `details.code`
/// (reference/handlers.md#failures).
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
    /// Wall or processor time was used up.
    Timeout,
    /// The memory limit was reached.
    MemoryLimit,
    /// The result is larger than the reply limit.
    ResponseTooLarge,
    /// The extension may not reach an address, and the handler did not catch the error.
    EgressDenied,
    /// The engine trapped, for instance when its stack was exhausted.
    Crashed,
    /// No instance became free in time. Not caused by the handler.
    Overloaded,
    /// Fault of Lumio itself. Not caused by the handler.
    Internal,
}

impl FailureCode {
    /// Returns the code as stored and returned.
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

    /// True when the failure belongs in the extension's errors and counts for its circuit breaker.
    pub fn is_handlers_fault(self) -> bool {
        !matches!(self, Self::Overloaded | Self::Internal | Self::InvalidArguments)
    }
}

impl fmt::Display for FailureCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Maximum length of an error's name, in bytes.
const MAX_NAME_BYTES: usize = 128;
/// Maximum length of an error's message, in bytes.
const MAX_MESSAGE_BYTES: usize = 4 * 1024;
/// Maximum length of a stack trace, in bytes.
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
    fn failure_is_cut_at_character_boundaries() {
        let failure =
            Failure::new(FailureCode::HandlerError, "Error", "é".repeat(4096)).with_stack("x".repeat(9000));

        assert_eq!(failure.message.len(), MAX_MESSAGE_BYTES);
        assert_eq!(failure.stack.map(|stack| stack.len()), Some(MAX_STACK_BYTES));
    }

    #[test]
    fn failure_code_serialises_to_its_name() {
        for code in [FailureCode::Timeout, FailureCode::MemoryLimit, FailureCode::ResponseTooLarge] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
