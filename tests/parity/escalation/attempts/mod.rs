//! Attempts for each operation that grants something. Each would raise the rights of the caller or a friend, or lower
//! or change those of a person who holds more, if its operation allowed it.

mod accounts;
mod credentials;
mod extensions;
mod sign_in;
mod staff;
mod teams;

use serde_json::{Map, Value, json};

use super::{Actor, stage::Stage};

/// One call.
pub struct Attempt {
    /// Description for the table.
    pub tried: &'static str,
    /// Values of the path, and other arguments of the field.
    pub names: Value,
    pub query: Vec<(&'static str, String)>,
    pub body: Value,
}

impl Attempt {
    pub fn new(tried: &'static str, names: Value, body: Value) -> Self {
        Self { tried, names, query: Vec::new(), body }
    }

    /// Value of an argument or of a part of the path. `user_id` falls back to `id`.
    pub fn value(&self, name: &str) -> Option<Value> {
        let found = self.names.get(name).or_else(|| self.body.get(name));
        let queried = || self.query.iter().find(|(key, _)| *key == name).map(|(_, value)| json!(value));
        let by_id = || self.names.get("id").filter(|_| name.ends_with("_id")).cloned();
        found.cloned().or_else(queried).or_else(by_id)
    }

    /// Body and names as one object.
    pub fn everything(&self) -> Value {
        let mut all = Map::new();
        for object in [&self.names, &self.body] {
            all.extend(
                object.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())),
            );
        }
        Value::Object(all)
    }
}

/// Attempts for an operation; none means that none was written.
pub async fn of(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let mut attempts = accounts::of(stage, actor, operation).await;
    attempts.extend(staff::of(stage, actor, operation).await);
    attempts.extend(sign_in::of(stage, actor, operation).await);
    attempts.extend(credentials::of(stage, actor, operation).await);
    attempts.extend(extensions::of(stage, actor, operation).await);
    attempts.extend(teams::of(stage, actor, operation).await);
    attempts
}
