//! Telling every process that something it may have cached has changed (specification A §5.2; C §7.1).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Result, redis::Redis};

/// The channel, after the deployment's prefix.
pub const CHANNEL: &str = "invalidate";

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Invalidation {
    /// The permissions of one member in one account.
    Member { account_id: Uuid, user_id: Uuid },
    /// The permissions of everybody in an account (a role or an override changed).
    Account { account_id: Uuid },
    /// A person no longer belongs to an account: their permissions in it, and every credential of theirs there.
    MembershipEnded { account_id: Uuid, user_id: Uuid },
    /// An account is no more: everything of it, every credential of anybody there among it.
    AccountEnded { account_id: Uuid },
    /// An install is no more.
    InstallRemoved { account_id: Uuid, install_id: Uuid },
    /// The features of an account (override, plan).
    Features { account_id: Uuid },
    /// A flag: the features of every account.
    AllFeatures,
    /// What a plan includes: the features of every account on it.
    PlanFeatures { plan_id: Uuid },
    /// The admin-scope and user-scope permissions of a person.
    User { user_id: Uuid },
    /// The user-scope or admin-scope permissions of everybody who holds some role.
    AllUsers,
    /// A key or token was changed or revoked.
    Credential { id: Uuid },
    /// A session was revoked.
    Session { id: Uuid },
}

/// Announces a change. Call it after the commit: a process that reads earlier would cache the old state again.
///
/// # Errors
/// When Redis cannot be reached; caches then expire by themselves within five minutes.
pub async fn announce(redis: &Redis, what: &Invalidation) -> Result<()> {
    redis.publish(&redis.key(CHANNEL), &serde_json::to_vec(what)?).await
}
