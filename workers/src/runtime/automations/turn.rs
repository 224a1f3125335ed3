//! One at a time: what a trigger keeps between two questions is lost when they overlap.

use std::{sync::LazyLock, time::Duration};

use redis::Script;
use shared::{Result, redis::Redis};
use uuid::Uuid;

/// Longer than a job may take, so that a turn that was not given back ends by itself.
const LONGEST: Duration = Duration::from_secs(95);

static GIVE_BACK: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
    )
});

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
        let taken: Option<String> = redis::cmd("SET")
            .arg(&key)
            .arg(&holder)
            .arg("NX")
            .arg("EX")
            .arg(LONGEST.as_secs())
            .query_async(&mut *redis.get().await?)
            .await?;
        Ok(taken.map(|_| Self { redis: redis.clone(), key, holder }))
    }

    /// Gives the turn back.
    pub async fn give_back(self) {
        let given = async {
            let mut connection = self.redis.get().await?;
            GIVE_BACK.key(&self.key).arg(&self.holder).invoke_async::<()>(&mut *connection).await?;
            Ok::<(), shared::Error>(())
        };
        if let Err(error) = given.await {
            tracing::debug!(%error, "a turn ends by itself");
        }
    }
}
