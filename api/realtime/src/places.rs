//! Places of open sockets, counted across processes (reference/realtime.md#open-sockets).
//!
//! A socket holds a place that its process renews. Places of a dead process end by themselves. While Redis is
//! away a process counts only its own sockets.

use std::time::Duration;

use foundation::limits::LeasedPermits;
use tokio::time::MissedTickBehavior;
use uuid::Uuid;

use crate::{hub::Hub, quota::Quota};

/// Lifetime of a place without renewal.
const LEASE_TTL: Duration = Duration::from_secs(30);
const RENEW_INTERVAL: Duration = Duration::from_secs(10);
/// Places in one renewal command.
const BATCH_SIZE: usize = 500;
/// Permits to hold a socket open.
const PLACES: LeasedPermits = LeasedPermits { ttl: LEASE_TTL };

/// Takes a place for a socket. Returns false when none is free.
pub async fn take(hub: &Hub, quota: &Quota, socket: Uuid) -> bool {
    match PLACES.take(&hub.state.redis, &key(hub, quota), socket, quota.limit).await {
        Ok(taken) => taken,
        Err(error) => {
            tracing::warn!(%error, "sockets are counted by this process alone");
            hub.sockets.count(quota) < quota.limit
        }
    }
}

/// Gives the place of a socket back.
pub async fn release(hub: &Hub, quota: &Quota, socket: Uuid) {
    if let Err(error) = PLACES.release(&hub.state.redis, &key(hub, quota), socket).await {
        // The place ends by itself.
        tracing::debug!(%error, "the place of a socket was not released");
    }
}

/// Renews the places of this process's sockets.
pub async fn renew(hub: Hub) {
    let mut ticks = tokio::time::interval(RENEW_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let held: Vec<(String, Uuid)> = hub
            .sockets
            .select(|open| open.quota.is_some())
            .iter()
            .filter_map(|open| Some((key(&hub, open.quota.as_ref()?), open.socket.id())))
            .collect();
        for batch in held.chunks(BATCH_SIZE) {
            if let Err(error) = PLACES.renew(&hub.state.redis, batch).await {
                tracing::debug!(%error, "places of sockets were not renewed");
                break;
            }
        }
    }
}

fn key(hub: &Hub, quota: &Quota) -> String {
    hub.state.redis.key(format_args!("ws:places:{}", quota.holder))
}
