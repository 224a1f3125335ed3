use std::sync::Arc;

use serde_json::Value;

/// Second argument of a handler (reference/handlers.md#inputs-and-results). Members that all handlers of a
/// message or event share are stored once, until a handler runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Input {
    own: Value,
    shared: Option<(&'static str, Arc<Value>)>,
}

impl Input {
    /// Returns an input with these members.
    pub const fn new(own: Value) -> Self {
        Self { own, shared: None }
    }

    /// Adds a member that other inputs share.
    #[must_use]
    pub fn with(self, name: &'static str, value: &Arc<Value>) -> Self {
        Self { shared: Some((name, value.clone())), ..self }
    }

    /// Returns the whole input as handlers see it.
    pub fn to_json(&self) -> Value {
        let mut whole = self.own.clone();
        if let (Value::Object(members), Some((name, value))) = (&mut whole, &self.shared) {
            members.insert((*name).to_owned(), Value::clone(value));
        }
        whole
    }
}
