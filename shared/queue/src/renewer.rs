//! Background task of a worker that renews its leases.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use redis::{RedisResult, Script};

use crate::{
    connection::{BATCH_SIZE, Core},
    consumer::Consumer,
    keys::GROUP,
    metric::Metric,
};

static RENEW: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/renew.lua")));

/// Pause after a failure. It is short, because the leases may be about to expire.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Renews all leases every third of their length.
pub(crate) async fn renew_leases(core: Arc<Core>, consumer: Arc<Consumer>) {
    let regular = core.config.lease / 3;
    let mut wait = regular;
    loop {
        tokio::time::sleep(wait).await;
        wait = match renew(&core, &consumer).await {
            Ok(()) => regular,
            Err(error) => {
                core.redis_failed("renewer", &error);
                regular.min(RETRY_DELAY)
            }
        };
    }
}

async fn renew(core: &Core, consumer: &Consumer) -> RedisResult<()> {
    let renewable = consumer.held.renewable();
    if renewable.stuck > 0 {
        let jobs = renewable.stuck;
        tracing::error!(queue = core.config.queue, jobs, "handlers block their threads, leases given up");
        core.report(&Metric::Stuck { jobs });
    }
    for batch in renewable.entry_ids.chunks(BATCH_SIZE) {
        let args: Vec<&str> =
            [GROUP, &consumer.name].into_iter().chain(batch.iter().map(String::as_str)).collect();
        let lost: Vec<String> = core.connection.run(&RENEW, &[&core.keys.stream], &args).await?;
        give_up(core, consumer, &lost);
    }
    Ok(())
}

fn give_up(core: &Core, consumer: &Consumer, lost: &[String]) {
    let jobs = consumer.held.lose(lost);
    if jobs > 0 {
        tracing::warn!(queue = core.config.queue, jobs, "leases lost, jobs run twice");
        core.report(&Metric::LeaseLost { jobs });
    }
}
