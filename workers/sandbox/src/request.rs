//! What handler code asks of its host beyond the network, as data (C §B3.3).

use serde::Deserialize;
use serde_json::Value;

/// A request of handler code; its names of tables, scopes and actions are the handler's own and unchecked.
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

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct QueryRows {
    pub table: String,
    pub filter: Option<Value>,
    pub order_by: Option<String>,
    pub order_dir: Option<String>,
    pub limit: Option<Value>,
    pub offset: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct GetRow {
    pub table: String,
    pub filter: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct InsertRow {
    pub table: String,
    pub row: Value,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PatchRow {
    pub table: String,
    pub id: String,
    pub partial: Value,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct DeleteRow {
    pub table: String,
    pub id: String,
}

/// The scopes of key-value storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueScope {
    /// Of the extension, whoever installed it.
    Global,
    Install,
    /// Of one viewer in one install.
    User,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ValueAt {
    pub scope: ValueScope,
    pub key: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SetValue {
    pub scope: ValueScope,
    pub key: String,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ListValues {
    pub scope: ValueScope,
    pub prefix: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CacheKey {
    pub key: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CacheSet {
    pub key: String,
    pub value: Value,
    pub ttl_secs: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CacheIncrement {
    pub key: String,
    pub by: Option<Value>,
    pub ttl_secs: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Push {
    pub topic: String,
    pub payload: Value,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RunAction {
    pub action: String,
    pub payload: Value,
}
