//! Action and logic nodes of automations: input and result of their handlers
//! (reference/automations.md#nodes-of-extensions).

use extension_model::{
    AutomationNode,
    calls::{FunctionCall, NodeCall},
};
use sandbox::{Context, Failure, FailureCode, FunctionKind, Limits};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::InstallOfCall;
use crate::{executor::failed, run::Run};

/// Name in metrics and logs.
const TRIGGER: &str = "automation";
/// Maximum size of the output, in bytes of JSON (reference/automations.md#nodes-of-extensions).
const MAX_OUTPUT_BYTES: usize = 64 * 1024;
/// Maximum length of the name of a branch, in characters.
const MAX_BRANCH_LENGTH: usize = 64;

/// Run of a node with the rendered settings as its input.
pub(super) fn run_of(
    call: &FunctionCall,
    node: NodeCall,
    declared: &AutomationNode,
    install: &InstallOfCall,
) -> Run {
    let auth = json!({
        "surface": "automation",
        "accountId": call.account_id,
        "installId": call.install_id,
        "role": "anonymous",
        "userId": null,
        "platformUserId": null,
        "platformUserName": null,
    });
    Run {
        handler: declared.handler.as_str().into(),
        kind: FunctionKind::Action,
        context: Context { auth, config: install.config.clone(), user: None },
        input: json!({
            "source": "automation",
            "automation_id": node.automation_id,
            "is_test": node.is_test,
            "config": call.args,
        }),
        limits: Limits::default(),
        seed: call.id.as_u64_pair().1,
        invocation_id: format!("automation:{}", call.id.simple()),
        trigger: TRIGGER,
        viewer: None,
        platform: None,
        platform_user_id: None,
        user_id: None,
        is_test: node.is_test,
        delivered: CancellationToken::new(),
    }
}

/// Reads a result: `{ output, branch? }` or null.
///
/// # Errors
/// `InvalidResult` for another shape, and for an output that is too large.
pub(super) fn read(value: Value) -> Result<Value, Failure> {
    let mut fields = match value {
        Value::Null => return Ok(json!({ "output": null, "branch": null })),
        Value::Object(fields) => fields,
        _ => return Err(invalid("a node answers an object or null")),
    };
    let output = fields.remove("output").unwrap_or_default();
    if output.to_string().len() > MAX_OUTPUT_BYTES {
        return Err(invalid("output must have at most 65536 bytes as JSON"));
    }
    let branch = match fields.remove("branch").unwrap_or_default() {
        Value::Null => None,
        Value::String(name) if is_branch(&name) => Some(name),
        _ => return Err(invalid("branch must be a text of 1 to 64 characters")),
    };
    Ok(json!({ "output": output, "branch": branch }))
}

/// True for a name that the database can store.
fn is_branch(name: &str) -> bool {
    (1..=MAX_BRANCH_LENGTH).contains(&name.chars().count()) && !name.contains('\0')
}

fn invalid(problem: &str) -> Failure {
    failed(FailureCode::HandlerError, "InvalidResult", problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_takes_an_output_and_a_branch_only() {
        assert_eq!(read(Value::Null).unwrap(), json!({ "output": null, "branch": null }));
        let both = json!({ "output": { "a": 1 }, "branch": "left" });
        assert_eq!(read(both.clone()).unwrap(), both);
        assert_eq!(read(json!({})).unwrap()["output"], Value::Null);
        for wrong in [
            json!(1),
            json!({ "branch": 1 }),
            json!({ "branch": "" }),
            json!({ "output": "x".repeat(65_536) }),
        ] {
            assert_eq!(read(wrong).unwrap_err().name, "InvalidResult");
        }
    }
}
