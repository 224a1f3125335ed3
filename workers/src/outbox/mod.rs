//! Relay of the outbox (reference/jobs.md#outbox).
//!
//! Rows are locked while their jobs are enqueued, and marked as relayed in the same transaction. A relay that
//! dies in between leaves them, and the idempotency key makes a second enqueue harmless. Rows stay until
//! their queue has finished with them, because Redis may lose its data. Events that follow a commit take the
//! same way and are published here, so that they follow soon.

mod checkpoint;
mod events;

use std::time::Duration;

use diesel_async::AsyncConnection;
use foundation::{
    outbox,
    trace::{Trace, within},
};
use prometheus::IntCounterVec;
use tokio_util::sync::CancellationToken;

use worker_core::Context;

/// Interval at which the outbox is read.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Pause after a failed read.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Number of rows of one batch.
const BATCH_SIZE: i64 = 200;

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    tokio::try_join!(
        relay_all(&context, &shutdown),
        checkpoint::run(&context, &shutdown),
        events::run(context.clone(), shutdown.clone()),
    )?;
    Ok(())
}

async fn relay_all(context: &Context, shutdown: &CancellationToken) -> anyhow::Result<()> {
    let relayed = context.metrics.counters(
        "lumio_outbox_rows_total",
        "Rows of the outbox by outcome: relayed, failed or refused.",
        &["outcome"],
    )?;
    while !shutdown.is_cancelled() {
        let pause = match relay(context, &relayed, shutdown).await {
            // More rows may be waiting.
            Ok(taken) if taken == BATCH_SIZE => continue,
            Ok(_) => POLL_INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "the outbox cannot be read");
                RETRY_DELAY
            }
        };
        shutdown.run_until_cancelled(tokio::time::sleep(pause)).await;
    }
    Ok(())
}

/// Relays one batch until the shutdown or the first failure of Redis, so that no transaction stays open while
/// Redis is away. Returns the number of rows that are done.
async fn relay(
    context: &Context,
    relayed: &IntCounterVec,
    shutdown: &CancellationToken,
) -> shared::Result<i64> {
    let mut connection = context.databases.postgres.get().await?;
    connection
        .transaction(async |connection| {
            let waiting = outbox::take(connection, BATCH_SIZE).await?;
            let (mut done, mut refused) = (Vec::with_capacity(waiting.len()), 0_usize);
            for row in &waiting {
                if shutdown.is_cancelled() {
                    break;
                }
                let trace = row.traceparent.as_deref().and_then(|trace| Trace::parse(trace, None));
                let job = async {
                    let payload = row.payload.read()?;
                    context.jobs.enqueue_payload(&row.queue, payload, &row.idempotency_key).await
                };
                match within(trace, job).await {
                    Ok(_) => done.push(row.id),
                    Err(shared::Error::InvalidJob(refusal)) => {
                        refused += 1;
                        tracing::error!(queue = row.queue, outbox_id = %row.id, refusal, "a job of the outbox is invalid");
                        outbox::refuse(connection, row.id, &refusal).await?;
                    }
                    Err(error) => {
                        relayed.with_label_values(&["failed"]).inc();
                        tracing::warn!(queue = row.queue, outbox_id = %row.id, %error, "a job could not be relayed; it stays in the outbox");
                        if matches!(error, shared::Error::Redis(_)) {
                            break;
                        }
                    }
                }
            }
            if !done.is_empty() {
                outbox::relayed(connection, &done, context.clock.now()).await?;
            }
            relayed.with_label_values(&["relayed"]).inc_by(done.len() as u64);
            relayed.with_label_values(&["refused"]).inc_by(refused as u64);
            Ok(i64::try_from(done.len() + refused).unwrap_or(i64::MAX))
        })
        .await
}
