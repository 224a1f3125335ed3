//! Errors of values that serde cannot read (reference/errors.md#field-errors).

use shared::parse_error::message;

use crate::ApiError;

/// Error of a value in a body or query. `path` is the position in it, `reason` the message of serde.
pub(super) fn refusal(path: &str, reason: &str, whole: &str) -> ApiError {
    ApiError::invalid(message(path, reason, whole))
}
