//! Erasing jobs about a person: those that wait, run, are delayed or dead. What a job would have told of them is not told.

use api_core::{ApiError, Result, State};
use queue::Connection;
use serde_json::Value;
use shared::jobs::QUEUES;

use super::{Identity, redis_keys::Erased};

pub(super) async fn erase(state: &State, identity: &Identity, erased: &mut Erased) -> Result<()> {
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
    /// Whether something in a job is about the person. The platform of what is inside is that of what is around it.
    fn is_anywhere_in(&self, said: &Value, around: Option<&str>) -> bool {
        match said {
            Value::Object(fields) => {
                let platform = fields.get("platform").and_then(Value::as_str).or(around);
                let is_theirs = platform.is_none_or(|platform| platform == self.platform.slug());
                (is_theirs && self.is_in(said))
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
    use shared::platforms::Platform;

    use super::*;

    #[test]
    fn a_job_is_about_whom_it_names_on_their_platform() {
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
