//! Erasure of jobs about a person: waiting, running, delayed and dead ones. Their effects do not happen.

use api_core::{ApiError, Result, State};
use foundation::jobs::QUEUES;
use queue::Connection;
use serde_json::Value;

use super::{Identity, erased_keys::ErasedKeys};

pub(super) async fn erase(state: &State, identity: &Identity, erased: &mut ErasedKeys) -> Result<()> {
    let redis = &state.config.redis;
    let queues = Connection::open(redis.url.expose(), &redis.prefix).map_err(ApiError::internal)?;
    for queue in QUEUES {
        let removed = queues
            .remove_jobs(queue, &identity.user_id, |job| identity.is_anywhere_in(job, None))
            .await
            .map_err(ApiError::internal)?;
        erased.keys += i64::try_from(removed).unwrap_or(i64::MAX);
    }
    Ok(())
}

impl Identity {
    /// Returns true when a part of a job is about the person. A part without a platform has that of the part
    /// around it.
    fn is_anywhere_in(&self, value: &Value, around: Option<&str>) -> bool {
        match value {
            Value::Object(fields) => {
                let platform = fields.get("platform").and_then(Value::as_str).or(around);
                let is_theirs = platform.is_none_or(|platform| platform == self.platform.slug());
                (is_theirs && self.is_in(value))
                    || fields.values().any(|field| self.is_anywhere_in(field, platform))
            }
            Value::Array(items) => items.iter().any(|item| self.is_anywhere_in(item, around)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::platform::Platform;

    use super::*;

    #[test]
    fn queues_match_a_job_by_platform_and_id() {
        let identity = Identity { platform: Platform::Twitch, user_id: "47".into() };
        let is_about = |job: Value| identity.is_anywhere_in(&job, None);
        assert!(is_about(json!({ "event": { "data": { "platform": "twitch", "platform_user_id": "47" } } })));
        assert!(is_about(
            json!({ "platform": "twitch", "removal": { "user": { "platform_user_id": "47" } } })
        ));
        assert!(is_about(json!([{ "platform": "twitch", "data": { "gifter_user_id": "47" } }])));
        for other in [
            json!({ "event": { "data": { "platform": "kick", "platform_user_id": "47" } } }),
            json!({ "platform": "kick", "removal": { "platform_user_id": "47" } }),
            json!({ "platform": "twitch", "text": "47", "platform_user_id": "471" }),
        ] {
            assert!(!is_about(other.clone()), "{other}");
        }
    }
}
