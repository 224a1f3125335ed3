use serde::de::DeserializeOwned;

use crate::function_kind::FunctionKind;
use crate::request::HostRequest;

/// Operation that the host performs on data, under its name in `engine/runtime.js`.
#[derive(Debug)]
pub(crate) struct HostOperation {
    pub(crate) name: &'static str,
    /// Name in handler code, for messages.
    pub(crate) shown: &'static str,
    /// Parameters and result in TypeScript, for declarations.
    pub(crate) signature: &'static str,
    /// Text for declarations.
    pub(crate) description: &'static str,
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

/// Every operation. Among those of one name in handler code, the one that TypeScript must try first goes first.
pub(crate) static OPERATIONS: [HostOperation; 15] = [
    HostOperation {
        name: "db.query",
        shown: "ctx.db.query",
        signature: "<Columns extends object = Values>(table: string, options?: QueryOptions): Promise<Row<Columns>[]>",
        description: "Returns rows of a table, in the order of `created_at` unless `orderBy` is given.",
        open_to: Everything,
        parse: |json| read(json, HostRequest::QueryRows),
    },
    HostOperation {
        name: "db.value.get",
        shown: "ctx.db.get",
        signature: "<Value = any>(scope: Scope, ...key: [Key, ...Key[]]): Promise<Value | null>",
        description: "Returns a value, or null.",
        open_to: Everything,
        parse: |json| read(json, HostRequest::GetValue),
    },
    HostOperation {
        name: "db.get",
        shown: "ctx.db.get",
        signature: "<Columns extends object = Values>(table: string, options?: { filter?: Filter }): Promise<Row<Columns> | null>",
        description: "Returns the oldest row that matches, or null.",
        open_to: Everything,
        parse: |json| read(json, HostRequest::GetRow),
    },
    HostOperation {
        name: "db.insert",
        shown: "ctx.db.insert",
        signature: "<Columns extends object = Values>(table: string, row: Columns): Promise<Row<Columns>>",
        description: "Inserts a row and returns it.",
        open_to: Writers,
        parse: |json| read(json, HostRequest::InsertRow),
    },
    HostOperation {
        name: "db.patch",
        shown: "ctx.db.patch",
        signature: "<Columns extends object = Values>(table: string, id: string, partial: Partial<Columns>): Promise<Row<Columns> | null>",
        description: "Changes columns of a row and returns it; null without such a row.",
        open_to: Writers,
        parse: |json| read(json, HostRequest::PatchRow),
    },
    HostOperation {
        name: "db.value.set",
        shown: "ctx.db.set",
        signature: "(scope: Scope, ...keyAndValue: [Key, ...Key[], unknown]): Promise<null>",
        description: "Stores a value. Several keys are joined with `:`.",
        open_to: Writers,
        parse: |json| read(json, HostRequest::SetValue),
    },
    HostOperation {
        name: "db.value.delete",
        shown: "ctx.db.delete",
        signature: "(scope: Scope, ...key: [Key, ...Key[]]): Promise<boolean>",
        description: "Deletes a value; false when there was none.",
        open_to: Writers,
        parse: |json| read(json, HostRequest::DeleteValue),
    },
    HostOperation {
        name: "db.delete",
        shown: "ctx.db.delete",
        signature: "(table: string, id: string): Promise<Row | null>",
        description: "Deletes a row and returns it; null without such a row.",
        open_to: Writers,
        parse: |json| read(json, HostRequest::DeleteRow),
    },
    HostOperation {
        name: "db.value.list",
        shown: "ctx.db.list",
        signature: "<Value = any>(scope: Scope, prefix?: string): Promise<{ key: string; value: Value }[]>",
        description: "Returns the values of a scope by key, at most 1,000.",
        open_to: Everything,
        parse: |json| read(json, HostRequest::ListValues),
    },
    HostOperation {
        name: "cache.get",
        shown: "ctx.cache.get",
        signature: "<Value = any>(key: Key): Promise<Value | null>",
        description: "Returns a cached value, or null.",
        open_to: Everything,
        parse: |json| read(json, HostRequest::CacheGet),
    },
    HostOperation {
        name: "cache.set",
        shown: "ctx.cache.set",
        signature: "(key: Key, value: unknown, ttlSecs?: number): Promise<null>",
        description: "Caches a value, for a day unless `ttlSecs` is given.",
        open_to: Writers,
        parse: |json| read(json, HostRequest::CacheSet),
    },
    HostOperation {
        name: "cache.delete",
        shown: "ctx.cache.delete",
        signature: "(key: Key): Promise<boolean>",
        description: "Deletes a cached value; false when there was none.",
        open_to: Writers,
        parse: |json| read(json, HostRequest::CacheDelete),
    },
    HostOperation {
        name: "cache.incr",
        shown: "ctx.cache.incr",
        signature: "(key: Key, by?: number, ttlSecs?: number): Promise<number>",
        description: "Adds to a cached number and returns the sum. `ttlSecs` applies when the key is created.",
        open_to: Writers,
        parse: |json| read(json, HostRequest::CacheIncrement),
    },
    HostOperation {
        name: "push",
        shown: "ctx.push",
        signature: "(topic: string, payload: unknown): Promise<null>",
        description: "Sends a message to the pages of the install, as `ext:push`.",
        open_to: Writers,
        parse: |json| read(json, HostRequest::Push),
    },
    HostOperation {
        name: "actions.run",
        shown: "ctx.actions.run",
        signature: "<Name extends keyof Actions>(action: Name, payload: Actions[Name][\"payload\"]): Promise<Actions[Name][\"result\"]>",
        description: "Executes a host action in the name of the account's bot.",
        open_to: Actions,
        parse: |json| read(json, HostRequest::RunAction),
    },
];

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
