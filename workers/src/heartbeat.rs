//! The sign of life of a daemon (specification C B17): a key that expires when nobody renews it.

use std::time::Duration;

use serde::Serialize;
use shared::daemons;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{Context, Daemon};

const TTL: Duration = Duration::from_secs(30);
const RENEW_INTERVAL: Duration = Duration::from_secs(10);

/// One copy of a daemon, as operators see it.
#[derive(Serialize)]
struct Sign<'a> {
    daemon: &'a str,
    instance: Uuid,
    version: &'a str,
    seen_at: chrono::DateTime<chrono::Utc>,
}

/// Renews the key until `over` is cancelled; a renewal that is on its way is waited for, so that none comes after the end.
/// Redis being away is no reason to stop working.
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
    let sign = Sign {
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
        .arg(TTL.as_secs())
        .query_async::<()>(&mut *connection)
        .await?;
    Ok(())
}

/// Has this copy counted among those that work, if it can.
async fn count(context: &Context, daemon: Daemon, instance: Uuid) -> shared::Result<()> {
    if daemon.can_work(&context.readiness) {
        let until = context.clock.now() + TTL;
        return daemons::count_until(&context.redis, daemon.name(), instance, until).await;
    }
    daemons::withdraw(&context.redis, daemon.name(), instance).await
}

/// Takes the sign away, so that an orderly end is not taken for life.
pub(crate) async fn end(context: &Context, daemon: Daemon, instance: Uuid) {
    let forget = async {
        daemons::withdraw(&context.redis, daemon.name(), instance).await?;
        let mut connection = context.redis.get().await?;
        redis::cmd("DEL").arg(key(context, daemon, instance)).query_async::<()>(&mut *connection).await?;
        Ok::<_, shared::Error>(())
    };
    if let Err(error) = forget.await {
        tracing::debug!(daemon = daemon.name(), %error, "the heartbeat is left to expire");
    }
}

fn key(context: &Context, daemon: Daemon, instance: Uuid) -> String {
    context.redis.key(format_args!("worker:{}:{instance}", daemon.name()))
}
