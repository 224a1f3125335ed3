//! Invalidation of caches in every process (reference/storage.md#control-channels,
//! reference/permissions.md#caches).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::redis::Redis;
use shared::Result;

/// Redis channel, after the prefix of the deployment.
pub const CHANNEL: &str = "invalidate";

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
