//! Logic that the interpreter leaves to the engine: chance and cooldowns.

use std::{sync::LazyLock, time::Duration};

use automation_model::machine::Outcome;
use foundation::redis::Redis;
use rand::RngExt;
use redis::Script;
use serde_json::json;
use shared::Result;
use uuid::Uuid;

static CLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("cooldown.lua")));

/// Maximum wait for a cooldown; without an answer the step passes.
const REDIS_TIMEOUT: Duration = Duration::from_secs(1);

/// Chooses a branch by its weight.
pub(super) fn random(branches: &[(String, u32)]) -> Outcome {
    let total: u64 = branches.iter().map(|(_, weight)| u64::from(*weight)).sum();
    if total == 0 {
        return Outcome::failed("The node has no branches");
    }
    let mut left = rand::rng().random_range(0..total);
    for (name, weight) in branches {
        match left.checked_sub(u64::from(*weight)) {
            Some(rest) => left = rest,
            None => return Outcome::branched(json!({ "branch": name }), name.clone()),
        }
    }
    Outcome::failed("The node has no branches")
}

/// Claim of a cooldown by a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct CooldownUse<'a> {
    /// Account.
    pub account: Uuid,
    /// Node.
    pub node: Uuid,
    /// Run and number of the step.
    pub step: (Uuid, u32),
    /// Seconds between two passes.
    pub global_secs: u32,
    /// Seconds between two passes of a person.
    pub user_secs: u32,
    /// The person as `{platform}:{id}`.
    pub user: Option<&'a str>,
}

/// Claims a cooldown; the branch is `false` when the step may not pass. While Redis is away every step passes.
pub(super) async fn cooldown(redis: &Redis, of: CooldownUse<'_>) -> Outcome {
    let passes = match tokio::time::timeout(REDIS_TIMEOUT, claim(redis, of)).await {
        Ok(Ok(passes)) => passes,
        Ok(Err(error)) => {
            tracing::debug!(%error, "a cooldown cannot be looked up");
            true
        }
        Err(_elapsed) => true,
    };
    let output = json!({ "passed": passes });
    if passes { Outcome::succeeded(output) } else { Outcome::branched(output, "false") }
}

async fn claim(redis: &Redis, of: CooldownUse<'_>) -> Result<bool> {
    let node = redis.key(format_args!("automation_cd:{}:{}", of.account, of.node));
    let mut connection = redis.get().await?;
    let mut call = CLAIM.key(format!("{node}:global"));
    if let Some(user) = of.user {
        call.key(format!("{node}:user:{user}"));
    }
    let (run, position) = of.step;
    call.arg(format!("{run}:{position}")).arg(of.global_secs).arg(of.user_secs);
    Ok(call.invoke_async(&mut *connection).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_follows_the_weights() {
        let branches = [("a".to_owned(), 1), ("never".to_owned(), 0), ("b".to_owned(), 3)];
        let mut chosen = [0_u32; 2];
        for _ in 0..4_000 {
            let branch = random(&branches).branch.unwrap();
            chosen[usize::from(branch == "b")] += 1;
            assert_ne!(branch, "never");
        }
        assert!((700..=1300).contains(&chosen[0]), "{chosen:?}");
        assert!(random(&[]).error.is_some());
    }
}
