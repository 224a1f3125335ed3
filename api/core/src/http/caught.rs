//! Panics of handlers as errors.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;

use crate::{ApiError, Result};

/// Awaits a future that may panic.
///
/// # Errors
/// 500 when it panicked.
pub async fn caught<T>(work: impl Future<Output = T>) -> Result<T> {
    // State that a panic leaves behind belongs to the request. Shared state is built of atomics and locks
    // without poisoning.
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    outcome.map_err(|panic| ApiError::internal(format_args!("panicked: {}", panic_text(&*panic))))
}

/// Message of a panic, when it has one.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}
