use std::sync::atomic::{AtomicUsize, Ordering};

use sandbox::HostError;

/// Maximum size of all responses to one invocation, in bytes. They wait in memory until handler code takes
/// them, where no limit of the sandbox counts them.
const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Remaining size of the responses to one invocation.
#[derive(Debug)]
pub struct Budget {
    left: AtomicUsize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: AtomicUsize::new(MAX_BYTES) }
    }
}

impl Budget {
    /// Takes bytes of the budget, before they are stored.
    ///
    /// # Errors
    /// `Limit` when the budget does not have them.
    pub fn take(&self, bytes: usize) -> Result<(), HostError> {
        let taken =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map(drop).map_err(|_left| {
            HostError::limit(format!(
                "ctx.fetch: the answers are larger than {MAX_BYTES} bytes together, the limit per invocation"
            ))
        })
    }
}
