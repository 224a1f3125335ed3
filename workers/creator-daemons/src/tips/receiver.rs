//! Receiver of the tips of one token.

use tokio_util::sync::CancellationToken;
use worker_core::Context;

use super::{metrics::TipMetrics, tokens::Token};

/// Receiver of the tips of one token.
pub(super) struct Receiver {
    pub context: Context,
    pub metrics: TipMetrics,
    pub token: Token,
    pub stop: CancellationToken,
}
