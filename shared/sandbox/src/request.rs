//! Requests of handler code to its host beyond the network, as data (reference/handlers.md#ctx).

use serde::Deserialize;
use serde_json::Value;

/// Request of handler code; names of tables, scopes and actions are unchecked.
#[derive(Debug, Clone, PartialEq)]
pub enum HostRequest {
    /// `ctx.db.query(table, { filter, orderBy, orderDir, limit, offset })`
    QueryRows(QueryRows),
    /// `ctx.db.get(table, { filter })`
    GetRow(GetRow),
    /// `ctx.db.insert(table, row)`
    InsertRow(InsertRow),
    /// `ctx.db.patch(table, id, partial)`
    PatchRow(PatchRow),
    /// `ctx.db.delete(table, id)`
    DeleteRow(DeleteRow),
    /// `ctx.db.get(scope, ...keys)`
    GetValue(ValueAt),
    /// `ctx.db.set(scope, ...keys, value)`
    SetValue(SetValue),
    /// `ctx.db.delete(scope, ...keys)`
    DeleteValue(ValueAt),
    /// `ctx.db.list(scope, prefix)`
    ListValues(ListValues),
    /// `ctx.cache.get(key)`
    CacheGet(CacheKey),
    /// `ctx.cache.set(key, value, ttlSecs)`
    CacheSet(CacheSet),
    /// `ctx.cache.delete(key)`
    CacheDelete(CacheKey),
    /// `ctx.cache.incr(key, by, ttlSecs)`
    CacheIncrement(CacheIncrement),
    /// `ctx.push(topic, payload)`
    Push(Push),
    /// `ctx.actions.run(action, payload)`
    RunAction(RunAction),
}

/// Query for rows of a declared table.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct QueryRows {
    /// Name of the table.
    pub table: String,
    /// Conditions for the rows; all rows when absent.
    pub filter: Option<Value>,
    /// Column to order by; `created_at` when absent.
    pub order_by: Option<String>,
    /// Direction of the order: `asc` or `desc`.
    pub order_dir: Option<String>,
    /// Maximum number of rows.
    pub limit: Option<Value>,
    /// Number of rows to skip.
    pub offset: Option<Value>,
}

/// Query for the oldest row that matches.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct GetRow {
    /// Name of the table.
    pub table: String,
    /// Conditions for the row.
    pub filter: Option<Value>,
}

/// New row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct InsertRow {
    /// Name of the table.
    pub table: String,
    /// Object of columns and values.
    pub row: Value,
}

/// Change of a row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PatchRow {
    /// Name of the table.
    pub table: String,
    /// Id of the row.
    pub id: String,
    /// Columns to change.
    pub partial: Value,
}

/// Deletion of a row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct DeleteRow {
    /// Name of the table.
    pub table: String,
    /// Id of the row.
    pub id: String,
}

/// Scopes of key-value storage (reference/handlers.md#storage).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueScope {
    /// Shared by all installs of the extension.
    Global,
    /// Of one install.
    Install,
    /// Of one viewer in one install.
    User,
}

/// Key of a value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ValueAt {
    /// Scope of the value.
    pub scope: ValueScope,
    /// Key within the scope.
    pub key: String,
}

/// Value to store.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SetValue {
    /// Scope of the value.
    pub scope: ValueScope,
    /// Key within the scope.
    pub key: String,
    /// New value.
    pub value: Value,
}

/// Query for the values of a scope.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ListValues {
    /// Scope of the values.
    pub scope: ValueScope,
    /// Prefix of the keys; empty for all.
    pub prefix: String,
}

/// Key of a cached value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CacheKey {
    /// Key within the namespace of extension and account.
    pub key: String,
}

/// Value to cache.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CacheSet {
    /// Key within the namespace.
    pub key: String,
    /// Value as JSON.
    pub value: Value,
    /// Lifetime in seconds.
    pub ttl_secs: Option<Value>,
}

/// Change of a cached number.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CacheIncrement {
    /// Key within the namespace.
    pub key: String,
    /// Amount to add; 1 when absent.
    pub by: Option<Value>,
    /// Lifetime in seconds, for a key that is created.
    pub ttl_secs: Option<Value>,
}

/// Message to the pages of the install.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Push {
    /// Topic of the message.
    pub topic: String,
    /// Payload of the message.
    pub payload: Value,
}

/// Host action.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RunAction {
    /// Name of the action.
    pub action: String,
    /// Payload of the action.
    pub payload: Value,
}
