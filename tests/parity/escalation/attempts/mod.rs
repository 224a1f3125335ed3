//! What is tried with each operation that grants something. Each attempt would raise the caller or a friend, or lower
//! or reach somebody who holds more, if its operation let it.

mod accounts;
mod credentials;
mod extensions;
mod sign_in;
mod staff;

use serde_json::{Map, Value, json};

use super::{Actor, stage::Stage};

/// One call.
pub struct Attempt {
    /// In words, for the table.
    pub tried: &'static str,
    /// What stands in the path, and other arguments of the field.
    pub names: Value,
    pub query: Vec<(&'static str, String)>,
    pub body: Value,
}

impl Attempt {
    pub fn new(tried: &'static str, names: Value, body: Value) -> Self {
        Self { tried, names, query: Vec::new(), body }
    }

    /// What an argument or a part of the path is to be. `user_id` is `id` where nothing else is said.
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

/// The attempts with an operation; none means that nobody thought of one.
pub async fn of(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let mut attempts = accounts::of(stage, actor, operation).await;
    attempts.extend(staff::of(stage, actor, operation).await);
    attempts.extend(sign_in::of(stage, actor, operation).await);
    attempts.extend(credentials::of(stage, actor, operation).await);
    attempts.extend(extensions::of(stage, actor, operation).await);
    attempts
}
