//! Round of the daemon.

use std::time::Instant;

use shared::Result;
use tokio_util::sync::CancellationToken;
use usage_model::{batches, budgets, storage};
use worker_core::Context;

use crate::metrics::UsageMetrics;

/// Maximum number of repetitions of one step in a round; the next one continues.
const MAX_STEPS: usize = 200;

/// Rounds of one copy. Cheap to clone.
#[derive(Clone)]
pub struct Rounds {
    context: Context,
    metrics: UsageMetrics,
    shutdown: CancellationToken,
}

impl Rounds {
    /// Registers the metrics. A step ends after its present transaction when `shutdown` is cancelled.
    ///
    /// # Errors
    /// A metric that is registered as another kind.
    pub fn new(context: &Context, shutdown: CancellationToken) -> Result<Self> {
        Ok(Self { context: context.clone(), metrics: UsageMetrics::new(&context.metrics)?, shutdown })
    }

    /// Runs each step until nothing is left. One that fails is repeated with the next round and does not stop the
    /// others.
    pub async fn run(&self) {
        let drained = self.drain().await;
        let measured = self.measure().await;
        let compared = self.compare().await;
        for (name, outcome) in [("drain", drained), ("measure", measured), ("compare", compared)] {
            if let Err(error) = outcome {
                self.metrics.failed(name);
                tracing::warn!(step = name, %error, "a step of usage failed");
            }
        }
    }

    /// Moves the counts of Redis to the hours.
    ///
    /// # Errors
    /// A failure of Redis or the database. What was not moved stays in Redis.
    pub async fn drain(&self) -> Result<()> {
        let (redis, clock) = (&self.context.redis, &self.context.clock);
        self.metrics.wait(batches::waiting(redis, clock.now()).await?.unwrap_or_default());
        let mut connection = self.context.databases.postgres.get().await?;
        for _ in 0..MAX_STEPS {
            let began = Instant::now();
            let drained = batches::drain(redis, &mut connection, clock.now()).await?;
            if drained.is_empty() {
                break;
            }
            self.metrics.drained(drained.entries, began.elapsed());
            if self.shutdown.is_cancelled() {
                break;
            }
        }
        Ok(())
    }

    /// Compares the budgets of accounts whose counts have changed.
    ///
    /// # Errors
    /// A failure of the database. The accounts stay marked.
    pub async fn compare(&self) -> Result<()> {
        let mut connection = self.context.databases.postgres.get().await?;
        for _ in 0..MAX_STEPS {
            let now = self.context.clock.now();
            let compared = budgets::pass(&mut connection, now, budgets::MARK_BATCH_SIZE).await?;
            if compared == 0 || self.shutdown.is_cancelled() {
                break;
            }
        }
        Ok(())
    }

    /// Measures the stored bytes of accounts, when that is due.
    ///
    /// # Errors
    /// A failure of the database. The page is measured again.
    pub async fn measure(&self) -> Result<()> {
        let mut connection = self.context.databases.postgres.get().await?;
        for _ in 0..MAX_STEPS {
            let now = self.context.clock.now();
            let is_more_left = storage::measure(&mut connection, now, storage::PAGE_SIZE).await?;
            if !is_more_left || self.shutdown.is_cancelled() {
                break;
            }
        }
        Ok(())
    }
}
