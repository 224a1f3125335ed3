//! `ctx.db` in memory, with the rules of the storage (reference/handlers.md#storage).

mod compare;
mod row;
mod rows;
mod values;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use extension_model::{
    Table,
    limits::{LimitKey, ResolvedLimits},
};
use sandbox::{HostError, HostRequest};
use serde_json::Value;

use self::{row::StoredRow, values::StoredValue};
use crate::storage::{Owner, quota::QuotaKey};

/// Values and rows of one install. A clone is the state to which a mutation is rolled back.
#[derive(Debug, Clone, Default)]
pub(super) struct Store {
    values: BTreeMap<QuotaKey, BTreeMap<String, StoredValue>>,
    rows: BTreeMap<String, Vec<StoredRow>>,
}

/// Invocation that reaches the store.
pub(super) struct StoreContext<'a> {
    /// Owner of the data.
    pub owner: &'a Owner,
    /// Tables of the version.
    pub tables: &'a BTreeMap<String, Table>,
    /// Limits of the extension.
    pub limits: &'a ResolvedLimits,
    /// Time of new and changed rows.
    pub now: DateTime<Utc>,
}

impl StoreContext<'_> {
    /// Returns the maximum size of a value or row, in bytes of JSON.
    fn max_value_bytes(&self) -> usize {
        self.limits.size(LimitKey::ValueBytes)
    }
}

impl Store {
    /// Performs a request of a handler.
    ///
    /// # Errors
    /// Errors for the handler to read.
    pub fn perform(&mut self, cx: &StoreContext<'_>, request: &HostRequest) -> Result<Value, HostError> {
        match request {
            HostRequest::QueryRows(query) => rows::query(self, cx, query),
            HostRequest::GetRow(get) => rows::get(self, cx, get),
            HostRequest::InsertRow(insert) => rows::insert(self, cx, insert),
            HostRequest::PatchRow(patch) => rows::patch(self, cx, patch),
            HostRequest::DeleteRow(delete) => rows::delete(self, cx, delete),
            HostRequest::GetValue(at) => values::get(self, cx, at),
            HostRequest::SetValue(set) => values::set(self, cx, set),
            HostRequest::DeleteValue(at) => values::delete(self, cx, at),
            HostRequest::ListValues(list) => values::list(self, cx, list),
            _ => Err(HostError::internal("this is no request of the storage")),
        }
    }

    /// Checks that a change fits the quota.
    fn admit(&self, cx: &StoreContext<'_>, key: &QuotaKey, bytes: i64, keys: i64) -> Result<(), HostError> {
        let ((max_bytes, max_keys), (used_bytes, used_keys)) = (key.bounds(cx.limits), self.usage(cx, key));
        let too_large = bytes > 0 && used_bytes + bytes > max_bytes;
        let too_many = keys > 0 && used_keys + keys > max_keys;
        if too_large || too_many { Err(key.full(cx.limits)) } else { Ok(()) }
    }

    /// Bytes and keys that count against a quota. Rows count against that of their table's scope.
    fn usage(&self, cx: &StoreContext<'_>, key: &QuotaKey) -> (i64, i64) {
        let values = self.values.get(key);
        let of_values: i64 = values.into_iter().flatten().map(|(_, value)| value.bytes).sum();
        let tables = self.rows.iter().filter(|(name, _)| {
            cx.tables.get(*name).is_some_and(|table| rows::quota_key(cx.owner, table) == *key)
        });
        let of_rows: i64 = tables.flat_map(|(_, rows)| rows).map(|row| row.bytes).sum();
        let keys = values.map_or(0, BTreeMap::len);
        (of_values + of_rows, i64::try_from(keys).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests;
