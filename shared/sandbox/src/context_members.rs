//! Members of `ctx` that reach the host, for declarations of handler code (reference/handlers.md#ctx).

use crate::function_kind::FunctionKind;
use crate::host_operations::OPERATIONS;
use crate::operations::Operation;

/// Member of `ctx`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextMember {
    /// Name in `ctx`, such as `db.query`. Overloads of one member have the same name.
    pub name: &'static str,
    /// TypeScript after the name: parameters and result of a function, or `: ` and a type.
    pub signature: &'static str,
    /// One or two sentences.
    pub description: &'static str,
    /// Kinds of function that may call it. The others lack it, or get a `PermissionError`.
    pub kinds: Vec<FunctionKind>,
}

const KINDS: [FunctionKind; 3] = [FunctionKind::Query, FunctionKind::Mutation, FunctionKind::Action];

/// Returns the members, from the operations that the sandbox accepts.
#[must_use]
pub fn context_members() -> Vec<ContextMember> {
    let own = [Operation::Log, Operation::SecretsGet, Operation::Fetch, Operation::Reply];
    own.into_iter().chain(OPERATIONS.iter().map(Operation::Host)).filter_map(member).collect()
}

fn member(operation: Operation) -> Option<ContextMember> {
    let (signature, description) = match operation {
        Operation::Log => (": Log", "Writes lines to the log of the install."),
        Operation::SecretsGet => {
            ("(name: string): string | null", "Returns a secret of the extension, or null.")
        }
        Operation::Fetch => (
            "(url: string, init?: FetchInit): Promise<FetchResponse>",
            "Sends a request to a host of `egress.allowHosts`.",
        ),
        Operation::Reply => (
            "(callback: () => unknown): void",
            "Runs a function after the result has reached the caller; at most 16.",
        ),
        Operation::Host(operation) => (operation.signature, operation.description),
        // A timer is a global function.
        Operation::Sleep => return None,
    };
    let kinds = KINDS.into_iter().filter(|kind| operation.is_open_to(*kind));
    let name = operation.name().strip_prefix("ctx.")?;
    Some(ContextMember { name, signature, description, kinds: kinds.collect() })
}
