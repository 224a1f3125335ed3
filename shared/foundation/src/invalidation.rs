//! Invalidation of caches in every process (reference/storage.md#control-channels,
//! reference/permissions.md#caches).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::redis::Redis;
use shared::Result;

/// Redis channel, after the prefix of the deployment.
pub const CHANNEL: &str = "invalidate";

/// Interval of the checks that a subscription is alive.
const PING_INTERVAL: Duration = Duration::from_secs(2);
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// Change that caches must forget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Invalidation {
    /// Permissions of one member in one account.
    Member { account_id: Uuid, user_id: Uuid },
    /// Permissions of every member of an account (a role or an override changed).
    Account { account_id: Uuid },
    /// End of a membership: the person's permissions and credentials in the account.
    MembershipEnded { account_id: Uuid, user_id: Uuid },
    /// End of an account: all its data, and every credential in it.
    AccountEnded { account_id: Uuid },
    /// Removal of an install.
    InstallRemoved { account_id: Uuid, install_id: Uuid },
    /// Features of an account (override, plan).
    Features { account_id: Uuid },
    /// A flag: the features of every account.
    AllFeatures,
    /// Features of a plan: the features of every account on it.
    PlanFeatures { plan_id: Uuid },
    /// Admin-scope and user-scope permissions of a person.
    User { user_id: Uuid },
    /// User-scope or admin-scope permissions of every holder of some role.
    AllUsers,
    /// Limits of a developer or an extension.
    Limits,
    /// Enabled automations of an account, or the prefix of its commands.
    Automations { account_id: Uuid },
    /// Webhook endpoints of an account.
    Webhooks { account_id: Uuid },
    /// A channel was hidden from the public statistics or shown in them, or its chatters were, or an account has
    /// connected or disconnected a channel.
    PublicStats,
    /// Change or revocation of a key or token.
    Credential { id: Uuid },
    /// Revocation of a session.
    Session { id: Uuid },
}

/// Announces a change. Call it after the commit: a process that reads earlier would cache the old state
/// again.
///
/// # Errors
/// A failure of Redis. Caches then expire by themselves within five minutes.
pub async fn announce(redis: &Redis, what: &Invalidation) -> Result<()> {
    redis.publish(&redis.key(CHANNEL), &serde_json::to_vec(what)?).await
}

/// Caches that follow the announced changes.
pub trait Listener: Send + Sync {
    /// Starts caching without entries: announcements arrive from now on, and earlier ones may be missed.
    fn open(&self);
    /// Drops every entry and stops caching: announcements may be missed from now on.
    fn close(&self);
    /// Drops the entries that a change concerns.
    fn forget(&self, what: &Invalidation);
}

/// Subscribes to changes and clears caches of them, until `stop` is cancelled. The caches stay empty while the
/// subscription is lost, so that nothing outdated is used.
pub async fn listen(redis: &Redis, listener: &impl Listener, stop: &CancellationToken) {
    let mut failures = 0_u32;
    let listening = async {
        loop {
            match receive(redis, listener, &mut failures).await {
                Ok(()) => tracing::warn!("the subscription to changes was lost"),
                Err(error) => tracing::warn!(%error, "the subscription to changes failed"),
            }
            listener.close();
            failures = failures.saturating_add(1);
            tokio::time::sleep(pause(failures)).await;
        }
    };
    stop.run_until_cancelled(listening).await;
    listener.close();
}

/// Receives changes until the connection is lost.
async fn receive(redis: &Redis, listener: &impl Listener, failures: &mut u32) -> Result<()> {
    let (mut subscriber, mut messages) = redis.subscription().await?;
    subscriber.subscribe(&[redis.key(CHANNEL)]).await?;
    listener.open();
    *failures = 0;
    let mut checks = tokio::time::interval(PING_INTERVAL);
    loop {
        tokio::select! {
            message = messages.next() => match message {
                Some(message) => forget(listener, message.get_payload_bytes()),
                None => return Ok(()),
            },
            _ = checks.tick() => subscriber.ping().await?,
        }
    }
}

fn forget(listener: &impl Listener, message: &[u8]) {
    match serde_json::from_slice::<Invalidation>(message) {
        Ok(what) => listener.forget(&what),
        Err(error) => {
            // A newer version may publish a message that this one does not know. Everything is forgotten
            // then.
            tracing::warn!(%error, "an announcement of a change is malformed");
            listener.open();
        }
    }
}

/// Delay before the next attempt. It doubles from a tenth of a second, with jitter, so that the processes do
/// not all reconnect to a restarted Redis at once.
fn pause(failures: u32) -> Duration {
    let max_delay = Duration::from_millis(100).saturating_mul(1 << failures.min(10)).min(MAX_BACKOFF);
    max_delay.mul_f64(rand::random_range(0.5..1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_grows_up_to_its_bound() {
        assert!(pause(1) <= Duration::from_millis(200));
        for failures in [10, 1000, u32::MAX] {
            assert!((MAX_BACKOFF / 2..=MAX_BACKOFF).contains(&pause(failures)));
        }
    }
}
