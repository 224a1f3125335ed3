use serde::{Deserialize, Serialize};

/// Kind of function that a handler is called as. It decides the members of `ctx`
/// (reference/handlers.md#kinds).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionKind {
    /// May read.
    Query,
    /// May read and write storage, in one transaction.
    Mutation,
    /// May also reach the network and the host; bot handlers and automation nodes are of this kind.
    #[default]
    Action,
}

impl FunctionKind {
    /// Returns the name as in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Mutation => "mutation",
            Self::Action => "action",
        }
    }
}
