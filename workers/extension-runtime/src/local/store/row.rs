//! Row of a declared table.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::storage::rows::view;

/// Row with its size.
#[derive(Debug, Clone)]
pub(super) struct StoredRow {
    pub id: Uuid,
    pub data: Map<String, Value>,
    pub bytes: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl StoredRow {
    /// Returns the row as handler code gets it.
    pub fn view(&self) -> Value {
        view(self.id, Value::Object(self.data.clone()), self.created_at, self.updated_at)
    }
}
