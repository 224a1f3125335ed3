//! Key-value storage.

use sandbox::{HostError, ListValues, SetValue, ValueAt};
use serde_json::{Value, json};

use super::{Store, StoreContext};
use crate::storage::{
    quota::QuotaKey,
    values::{MAX_LIST_BYTES, MAX_ROWS, checked_key, checked_prefix, list_too_large, size_of},
};

#[derive(Debug, Clone)]
pub(super) struct StoredValue {
    pub value: Value,
    /// Bytes of key and value.
    pub bytes: i64,
}

pub(super) fn get(store: &Store, cx: &StoreContext<'_>, at: &ValueAt) -> Result<Value, HostError> {
    let quota_key = QuotaKey::of_values(cx.owner, at.scope)?;
    checked_key("ctx.db.get", &at.key)?;
    let stored = store.values.get(&quota_key).and_then(|values| values.get(&at.key));
    Ok(stored.map_or(Value::Null, |stored| stored.value.clone()))
}

pub(super) fn set(store: &mut Store, cx: &StoreContext<'_>, set: &SetValue) -> Result<Value, HostError> {
    let quota_key = QuotaKey::of_values(cx.owner, set.scope)?;
    checked_key("ctx.db.set", &set.key)?;
    let bytes = size_of(set, cx.max_value_bytes())?;
    let before = store.values.get(&quota_key).and_then(|values| values.get(&set.key));
    let (change, keys) = (bytes - before.map_or(0, |before| before.bytes), i64::from(before.is_none()));
    store.admit(cx, &quota_key, change, keys)?;
    let stored = StoredValue { value: set.value.clone(), bytes };
    store.values.entry(quota_key).or_default().insert(set.key.clone(), stored);
    Ok(Value::Null)
}

pub(super) fn delete(store: &mut Store, cx: &StoreContext<'_>, at: &ValueAt) -> Result<Value, HostError> {
    let quota_key = QuotaKey::of_values(cx.owner, at.scope)?;
    checked_key("ctx.db.delete", &at.key)?;
    let deleted = store.values.get_mut(&quota_key).and_then(|values| values.remove(&at.key));
    Ok(json!(deleted.is_some()))
}

pub(super) fn list(store: &Store, cx: &StoreContext<'_>, list: &ListValues) -> Result<Value, HostError> {
    let quota_key = QuotaKey::of_values(cx.owner, list.scope)?;
    checked_prefix(&list.prefix)?;
    let max_rows = usize::try_from(MAX_ROWS).unwrap_or(usize::MAX);
    let values = store.values.get(&quota_key).into_iter().flatten();
    let found: Vec<_> = values.filter(|(key, _)| key.starts_with(&list.prefix)).take(max_rows).collect();
    if found.iter().map(|(_, stored)| stored.bytes).sum::<i64>() > MAX_LIST_BYTES {
        return Err(list_too_large());
    }
    Ok(found.into_iter().map(|(key, stored)| json!({ "key": key, "value": stored.value })).collect())
}
