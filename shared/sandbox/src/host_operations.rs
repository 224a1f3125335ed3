use serde::de::DeserializeOwned;

use crate::function_kind::FunctionKind;
use crate::request::HostRequest;

/// Operation that the host performs on data, under its name in `engine/runtime.js`.
#[derive(Debug)]
pub(crate) struct HostOperation {
    pub(crate) name: &'static str,
    /// Name in handler code, for messages.
    pub(crate) shown: &'static str,
    open_to: OpenTo,
    parse: fn(&[u8]) -> serde_json::Result<HostRequest>,
}

/// Kinds of function that may use an operation (reference/handlers.md#ctx).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenTo {
    Everything,
    /// Kinds that may change data.
    Writers,
    Actions,
}

use OpenTo::{Actions, Everything, Writers};

static OPERATIONS: [HostOperation; 15] = [
    operation("db.query", "ctx.db.query", Everything, |json| read(json, HostRequest::QueryRows)),
    operation("db.get", "ctx.db.get", Everything, |json| read(json, HostRequest::GetRow)),
    operation("db.insert", "ctx.db.insert", Writers, |json| read(json, HostRequest::InsertRow)),
    operation("db.patch", "ctx.db.patch", Writers, |json| read(json, HostRequest::PatchRow)),
    operation("db.delete", "ctx.db.delete", Writers, |json| read(json, HostRequest::DeleteRow)),
    operation("db.value.get", "ctx.db.get", Everything, |json| read(json, HostRequest::GetValue)),
    operation("db.value.set", "ctx.db.set", Writers, |json| read(json, HostRequest::SetValue)),
    operation("db.value.delete", "ctx.db.delete", Writers, |json| read(json, HostRequest::DeleteValue)),
    operation("db.value.list", "ctx.db.list", Everything, |json| read(json, HostRequest::ListValues)),
    operation("cache.get", "ctx.cache.get", Everything, |json| read(json, HostRequest::CacheGet)),
    operation("cache.set", "ctx.cache.set", Writers, |json| read(json, HostRequest::CacheSet)),
    operation("cache.delete", "ctx.cache.delete", Writers, |json| read(json, HostRequest::CacheDelete)),
    operation("cache.incr", "ctx.cache.incr", Writers, |json| read(json, HostRequest::CacheIncrement)),
    operation("push", "ctx.push", Writers, |json| read(json, HostRequest::Push)),
    operation("actions.run", "ctx.actions.run", Actions, |json| read(json, HostRequest::RunAction)),
];

const fn operation(
    name: &'static str,
    shown: &'static str,
    open_to: OpenTo,
    parse: fn(&[u8]) -> serde_json::Result<HostRequest>,
) -> HostOperation {
    HostOperation { name, shown, open_to, parse }
}

fn read<T: DeserializeOwned>(json: &[u8], request: fn(T) -> HostRequest) -> serde_json::Result<HostRequest> {
    serde_json::from_slice(json).map(request)
}

impl HostOperation {
    pub(crate) fn from_name(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    pub(crate) fn is_open_to(&self, kind: FunctionKind) -> bool {
        match self.open_to {
            Everything => true,
            Writers => kind != FunctionKind::Query,
            Actions => kind == FunctionKind::Action,
        }
    }

    pub(crate) fn parse(&self, json: &[u8]) -> serde_json::Result<HostRequest> {
        (self.parse)(json)
    }
}
