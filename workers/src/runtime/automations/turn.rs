//! One at a time: what a trigger keeps between two questions is lost when they overlap.

use std::time::Duration;

use shared::{Result, redis::Redis};
use uuid::Uuid;

use crate::lease;

/// Longer than a job may take, so that a turn that was not given back ends by itself.
const LEASE: Duration = Duration::from_secs(95);

/// The right to ask a trigger.
pub struct Turn {
    redis: Redis,
    key: String,
    holder: String,
}

impl Turn {
    /// Takes the turn; `None` when somebody else has it.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn take(redis: &Redis, registration_id: Uuid) -> Result<Option<Self>> {
        let key = redis.key(format_args!("automation:turn:{registration_id}"));
        let holder = shared::id::new().to_string();
        let is_taken = lease::take(redis, &key, &holder, LEASE).await?;
        Ok(is_taken.then(|| Self { redis: redis.clone(), key, holder }))
    }

    /// Gives the turn back.
    pub async fn give_back(self) {
        lease::release(&self.redis, &self.key, &self.holder).await;
    }
}
