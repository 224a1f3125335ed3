//! Receipts of counts.

use std::time::Duration;

use tokio::{sync::watch, time::timeout};

use crate::{consumer::Consumer, counts::Counter};

/// Longest wait for the storage of a count. A slow Redis delays an answer by this time at most.
pub const RECEIPT_TIMEOUT: Duration = Duration::from_secs(1);

/// Count that will be stored.
#[must_use = "without a wait a kill may lose the count"]
#[derive(Debug)]
pub struct Receipt(Option<Parts>);

#[derive(Debug)]
struct Parts {
    counted: Counted,
    generation: u64,
    progress: watch::Receiver<Progress>,
}

/// Progress of the additions of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    /// Counts of generations before this one are stored.
    pub next_generation: u64,
    /// True after a failure, until the next success.
    pub is_away: bool,
}

/// Counted use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    pub hour: i64,
    pub consumer: Consumer,
    pub counter: Counter,
    pub number: i64,
}

impl Receipt {
    /// Receipt of nothing: there is nothing to wait for.
    pub const fn none() -> Self {
        Self(None)
    }

    pub(super) const fn of(counted: Counted, generation: u64, progress: watch::Receiver<Progress>) -> Self {
        Self(Some(Parts { counted, generation, progress }))
    }

    pub(super) fn counted(&self) -> Option<Counted> {
        self.0.as_ref().map(|parts| parts.counted)
    }

    /// Waits until the count is stored, at most [`RECEIPT_TIMEOUT`], and not at all while Redis is away: the process
    /// then keeps the count until Redis is back.
    pub async fn stored(&self) {
        let Some(parts) = &self.0 else { return };
        let is_settled = |at: &Progress| at.is_away || at.next_generation > parts.generation;
        // Operations take longer than most additions.
        if is_settled(&parts.progress.borrow()) {
            return;
        }
        let mut progress = parts.progress.clone();
        let stored = progress.wait_for(is_settled);
        if timeout(RECEIPT_TIMEOUT, stored).await.is_err() {
            tracing::debug!("a count of usage is stored late");
        }
    }
}
