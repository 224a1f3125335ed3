//! `ctx`, from the operations of the sandbox.

use std::collections::BTreeMap;

use sandbox::{ContextMember, FunctionKind, context_members};

use super::doc;

/// Kinds with the names of their contexts.
const CONTEXTS: [(FunctionKind, &str, &str); 3] = [
    (FunctionKind::Query, "QueryContext", "`ctx` of a query: it reads."),
    (
        FunctionKind::Mutation,
        "MutationContext",
        "`ctx` of a mutation: it reads and writes, in one transaction.",
    ),
    (
        FunctionKind::Action,
        "ActionContext",
        "`ctx` of an action, of handlers of bot modules and of automation nodes: it reaches everything.",
    ),
];

/// Returns the context of each kind of function.
pub(super) fn text() -> String {
    let members = context_members();
    let mut text = String::new();
    for (kind, name, description) in CONTEXTS {
        text.push_str(&doc("  ", description));
        text.push_str(&format!("  interface {name} {{\n"));
        text.push_str(&doc("    ", "Caller."));
        text.push_str("    readonly auth: Auth;\n");
        text.push_str(&doc("    ", "Settings of the install, with defaults."));
        text.push_str("    readonly config: Config;\n");
        if kind == FunctionKind::Action {
            text.push_str(&doc("    ", "Chatter behind a chat message or an event; absent without one."));
            text.push_str("    readonly user?: Chatter;\n");
        }
        text.push_str(&of_kind(members.iter().filter(|member| member.kinds.contains(&kind))));
        text.push_str("  }\n\n");
    }
    text.push_str(&doc("  ", "`ctx` of handlers of chat messages."));
    text.push_str("  interface ChatContext extends ActionContext {\n    readonly user: Chatter;\n  }\n");
    text
}

/// Members, those of one object together.
fn of_kind<'a>(members: impl Iterator<Item = &'a ContextMember>) -> String {
    let (mut own, mut objects) = (String::new(), BTreeMap::<&str, String>::new());
    for member in members {
        let documented = |indent, name| {
            format!("{}{indent}{name}{};\n", doc(indent, member.description), member.signature)
        };
        match member.name.split_once('.') {
            Some((object, name)) => {
                objects.entry(object).or_default().push_str(&documented("      ", name));
            }
            None => own.push_str(&documented("    ", member.name)),
        }
    }
    for (name, members) in objects {
        own.push_str(&format!("    readonly {name}: {{\n{members}    }};\n"));
    }
    own
}
