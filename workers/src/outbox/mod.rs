//! Hands on the jobs of the outbox (architecture: what must follow a commit is written in the same transaction).
//!
//! Rows are locked while they are handed on, and noted as handed on in the same transaction; a relay that dies in between
//! leaves them, and the idempotency key keeps the second hand-over without effect. They stay until their queue is done
//! with them: Redis may lose its data. Events that follow a commit come the same way and are published here, so that they
//! are told soon after.

mod checkpoint;
mod events;

use std::time::Duration;

use diesel_async::AsyncConnection;
use prometheus::IntCounterVec;
use shared::outbox;
use tokio_util::sync::CancellationToken;

use crate::Context;

const POLL_INTERVAL: Duration = Duration::from_millis(500);
const RETRY_DELAY: Duration = Duration::from_secs(1);
const BATCH: i64 = 200;

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
        "Rows of the outbox by what became of them: relayed, failed or refused.",
        &["outcome"],
    )?;
    while !shutdown.is_cancelled() {
        let pause = match relay(context, &relayed, shutdown).await {
            // More may be waiting.
            Ok(taken) if taken == BATCH => continue,
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

/// Hands on one batch, up to the wish to stop or the first failure of Redis, so that no transaction stays open while
/// Redis is away. Answers how many rows are done with.
async fn relay(
    context: &Context,
    relayed: &IntCounterVec,
    shutdown: &CancellationToken,
) -> shared::Result<i64> {
    let mut connection = context.databases.postgres.get().await?;
    connection
        .transaction(async |connection| {
            let waiting = outbox::take(connection, BATCH).await?;
            let (mut done, mut refused) = (Vec::with_capacity(waiting.len()), 0_usize);
            for row in &waiting {
                if shutdown.is_cancelled() {
                    break;
                }
                match context.jobs.enqueue_payload(&row.queue, &row.payload, &row.idempotency_key).await {
                    Ok(_) => done.push(row.id),
                    Err(shared::Error::InvalidJob(refusal)) => {
                        refused += 1;
                        tracing::error!(queue = row.queue, outbox_id = %row.id, refusal, "a job is never taken");
                        outbox::refuse(connection, row.id, &refusal).await?;
                    }
                    Err(error) => {
                        relayed.with_label_values(&["failed"]).inc();
                        tracing::warn!(queue = row.queue, outbox_id = %row.id, %error, "a job waits in the outbox");
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
