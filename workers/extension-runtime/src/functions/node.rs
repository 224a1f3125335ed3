//! Action and logic nodes of automations: input and result of their handlers
//! (reference/automations.md#nodes-of-extensions).

use automation_model::graph::fits_output;
use extension_model::{
    AutomationNode,
    calls::{FunctionCall, NodeCall},
    feeds::NodeType,
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

/// Run of a node with the rendered settings and the payload of the trigger as its input.
pub(crate) fn run_of(
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
            "config": call.args["config"],
            "input": call.args["input"],
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

/// Reads a result as `{ output, branch }`. That of an action is its output; that of logic is `{ branch?, output? }`.
///
/// # Errors
/// `InvalidResult` for another shape, and for an output that is too large; `OUTPUT_SCHEMA_MISMATCH` for an
/// output that does not fit the schema of the node.
pub(crate) fn read(value: Value, declared: &AutomationNode) -> Result<Value, Failure> {
    let fields = match value {
        Value::Null => None,
        Value::Object(fields) => Some(fields),
        _ => return Err(invalid("a node answers an object or null")),
    };
    if declared.node_type != NodeType::Logic {
        let output = checked(fields.map_or(Value::Null, Value::Object), declared)?;
        return Ok(json!({ "output": output, "branch": null }));
    }
    let mut fields = fields.unwrap_or_default();
    let output = checked(fields.remove("output").unwrap_or_default(), declared)?;
    let branch = match fields.remove("branch").unwrap_or_default() {
        Value::Null => None,
        Value::String(name) if is_branch(&name) => Some(name),
        _ => return Err(invalid("branch must be a text of 1 to 64 characters")),
    };
    Ok(json!({ "output": output, "branch": branch }))
}

/// Checks the size and the schema of an output. A node of logic may have none.
fn checked(output: Value, declared: &AutomationNode) -> Result<Value, Failure> {
    if output.to_string().len() > MAX_OUTPUT_BYTES {
        return Err(invalid("output must have at most 65536 bytes as JSON"));
    }
    if output.is_null() && declared.node_type == NodeType::Logic {
        return Ok(output);
    }
    fits_output(&declared.output_schema, &output)
        .map_err(|misfit| failed(FailureCode::HandlerError, "OUTPUT_SCHEMA_MISMATCH", &misfit))?;
    Ok(output)
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

    fn node(node_type: &str, output_schema: Value) -> AutomationNode {
        let declared = json!({
            "node_type": node_type, "name": "Node", "handler": "act", "output_schema": output_schema,
        });
        serde_json::from_value(declared).unwrap()
    }

    #[test]
    fn read_takes_the_output_of_an_action_as_it_is() {
        let declared = node("action", Value::Null);
        let read = |value: Value| read(value, &declared);
        assert_eq!(read(Value::Null).unwrap(), json!({ "output": null, "branch": null }));
        let output = json!({ "branch": "left" });
        assert_eq!(read(output.clone()).unwrap(), json!({ "output": output, "branch": null }));
        for wrong in [json!(1), json!({ "a": "x".repeat(65_536) })] {
            assert_eq!(read(wrong).unwrap_err().name, "InvalidResult");
        }
    }

    #[test]
    fn read_takes_output_and_branch_of_logic_only() {
        let declared = node("logic", Value::Null);
        let read = |value: Value| read(value, &declared);
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

    #[test]
    fn read_checks_the_output_against_the_schema_of_the_node() {
        let schema = json!({ "type": "object", "required": ["total"], "properties": { "total": { "type": "number" } } });
        let (action, logic) = (node("action", schema.clone()), node("logic", schema));
        assert!(read(json!({ "total": 1, "other": true }), &action).is_ok());
        assert!(read(json!({ "branch": "left" }), &logic).is_ok());
        for (result, declared) in [
            (json!({ "total": "1" }), &action),
            (json!({ "output": {} }), &logic),
            (json!({}), &action),
            (Value::Null, &action),
        ] {
            let failure = read(result.clone(), declared).unwrap_err();
            assert_eq!(failure.name, "OUTPUT_SCHEMA_MISMATCH", "{result}");
        }
    }
}
