//! Background task of a worker that reports the outcomes of jobs to Redis.

use std::sync::{Arc, LazyLock};

use redis::{RedisResult, Script};
use tokio::sync::mpsc;

use crate::{
    connection::{BATCH_SIZE, Core},
    consumer::Consumer,
    keys::GROUP,
    outcome::{Outcome, Settlement},
    pause::Pause,
};

static SETTLE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/settle.lua")));

/// Settles in batches until the worker is gone. A batch is repeated until Redis accepts it. Meanwhile its
/// jobs stay leased and keep their permits, so a worker without Redis does not run ahead of it.
pub(crate) async fn settle_jobs(
    core: Arc<Core>,
    consumer: Arc<Consumer>,
    mut settlements: mpsc::UnboundedReceiver<Settlement>,
) {
    let mut batch = Vec::with_capacity(BATCH_SIZE);
    while settlements.recv_many(&mut batch, BATCH_SIZE).await > 0 {
        let mut pause = Pause::new();
        while let Err(error) = settle(&core, &consumer.name, &batch).await {
            core.redis_failed("settler", &error);
            pause.wait(&consumer.gone).await;
        }
        consumer.held.remove(batch.iter().map(|settlement| settlement.entry_id.as_str()));
        batch.clear();
    }
}

/// Reports a batch. Repeating it is safe: settled entries are not changed again.
async fn settle(core: &Core, consumer: &str, batch: &[Settlement]) -> RedisResult<()> {
    acknowledge(core, batch).await?;
    move_on(core, consumer, batch).await
}

/// Removes jobs that succeeded, also those whose lease was lost: their effect exists, so another run would be
/// useless.
async fn acknowledge(core: &Core, batch: &[Settlement]) -> RedisResult<()> {
    let (mut done, mut keys) = (Vec::new(), Vec::new());
    for settlement in batch {
        if let Outcome::Done { key } = &settlement.outcome {
            done.push(settlement.entry_id.as_str());
            // A key that the producer accepted is valid here.
            keys.extend(key.as_ref().and_then(|key| core.keys.idempotency(key).ok()));
        }
    }
    if done.is_empty() {
        return Ok(());
    }
    let stream = &core.keys.stream;
    let mut pipeline = redis::pipe();
    pipeline.atomic();
    pipeline.cmd("XACK").arg(stream).arg(GROUP).arg(&done).ignore();
    pipeline.cmd("XDEL").arg(stream).arg(&done).ignore();
    if !keys.is_empty() {
        pipeline.del(&keys).ignore();
    }
    pipeline.query_async(&mut core.connection.shared()).await
}

/// Moves jobs that did not succeed to their next place.
async fn move_on(core: &Core, consumer: &str, batch: &[Settlement]) -> RedisResult<()> {
    let mut args = vec![GROUP.to_owned(), consumer.to_owned(), core.config.max_dead_letters.to_string()];
    let fixed = args.len();
    for Settlement { entry_id, outcome } in batch {
        let (verdict, envelope, last) = match outcome {
            Outcome::Done { .. } => continue,
            Outcome::Retry { envelope, delay } | Outcome::Later { envelope, delay } => {
                ("retry", envelope, delay.as_millis().to_string())
            }
            Outcome::Bury { envelope, error, .. } => ("bury", envelope, error.clone()),
            Outcome::PutBack { envelope } => ("back", envelope, String::new()),
        };
        args.extend([entry_id.clone(), verdict.to_owned(), envelope.clone(), last]);
    }
    if args.len() == fixed {
        return Ok(());
    }
    let keys = [core.keys.stream.as_str(), &core.keys.delayed, &core.keys.dead];
    core.connection.run(&SETTLE, &keys, &args).await
}
