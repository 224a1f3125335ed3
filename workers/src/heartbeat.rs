//! Heartbeat of a daemon: a key that expires when it is not renewed (reference/jobs.md#heartbeat).

use std::time::Duration;

use foundation::daemons;
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Daemon;
use worker_core::Context;

/// Lifetime of a heartbeat key.
const HEARTBEAT_TTL: Duration = Duration::from_secs(30);
/// Interval at which a heartbeat is renewed.
const RENEW_INTERVAL: Duration = Duration::from_secs(10);

/// Value of a heartbeat key, for operators.
#[derive(Serialize)]
struct HeartbeatBody<'a> {
    daemon: &'a str,
    instance: Uuid,
    version: &'a str,
    seen_at: chrono::DateTime<chrono::Utc>,
}

/// Renews the key until `over` is cancelled. Waits for a renewal in progress, so that none follows the end.
/// Does not stop while Redis is away.
pub(crate) async fn beat(context: &Context, daemon: Daemon, instance: Uuid, over: &CancellationToken) {
    let mut ticks = tokio::time::interval(RENEW_INTERVAL);
    while over.run_until_cancelled(ticks.tick()).await.is_some() {
        let renewed = async {
            renew(context, daemon, instance).await?;
            count(context, daemon, instance).await
        };
        if let Err(error) = renewed.await {
            tracing::warn!(daemon = daemon.name(), %error, "the heartbeat could not be renewed");
        }
    }
}

async fn renew(context: &Context, daemon: Daemon, instance: Uuid) -> shared::Result<()> {
    let sign = HeartbeatBody {
        daemon: daemon.name(),
        instance,
        version: env!("CARGO_PKG_VERSION"),
        seen_at: context.clock.now(),
    };
    let mut connection = context.redis.get().await?;
    redis::cmd("SET")
        .arg(key(context, daemon, instance))
        .arg(serde_json::to_string(&sign)?)
        .arg("EX")
        .arg(HEARTBEAT_TTL.as_secs())
        .query_async::<()>(&mut *connection)
        .await?;
    Ok(())
}

/// Counts this copy among those that work, if it can work.
async fn count(context: &Context, daemon: Daemon, instance: Uuid) -> shared::Result<()> {
    if daemon.can_work(&context.readiness) {
        let until = context.clock.now() + HEARTBEAT_TTL;
        return daemons::count_until(&context.redis, daemon.name(), instance, until).await;
    }
    daemons::withdraw(&context.redis, daemon.name(), instance).await
}

/// Removes the heartbeat, so that an orderly end does not look like a running copy.
pub(crate) async fn end(context: &Context, daemon: Daemon, instance: Uuid) {
    let forget = async {
        daemons::withdraw(&context.redis, daemon.name(), instance).await?;
        let mut connection = context.redis.get().await?;
        redis::cmd("DEL").arg(key(context, daemon, instance)).query_async::<()>(&mut *connection).await?;
        Ok::<_, shared::Error>(())
    };
    if let Err(error) = forget.await {
        tracing::debug!(daemon = daemon.name(), %error, "the heartbeat was not removed; it expires");
    }
}

fn key(context: &Context, daemon: Daemon, instance: Uuid) -> String {
    context.redis.key(format_args!("worker:{}:{instance}", daemon.name()))
}
