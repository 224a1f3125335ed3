//! Result of a trigger's handler: `{ fired, output, state? }` or null
//! (reference/automations.md#trigger-result).

use sandbox::{Failure, FailureCode};
use serde_json::Value;

use crate::executor::failed;

/// Valid result of a trigger.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct TriggerAnswer {
    /// Output that the trigger fires with; `None` when it does not fire.
    pub output: Option<Value>,
    /// State for the next call; `None` to keep the present one.
    pub state: Option<Value>,
}

/// Reads a result.
///
/// # Errors
/// `InvalidResult` for another shape, or for firing without an output.
pub fn read(value: Value) -> Result<TriggerAnswer, Failure> {
    let mut fields = match value {
        Value::Null => return Ok(TriggerAnswer::default()),
        Value::Object(fields) => fields,
        _ => return Err(invalid("a trigger answers an object or null")),
    };
    let state = fields.remove("state");
    match fields.get("fired") {
        Some(Value::Bool(false)) => Ok(TriggerAnswer { output: None, state }),
        Some(Value::Bool(true)) => {
            let output = fields.remove("output").filter(|output| !output.is_null());
            let output = output.ok_or_else(|| invalid("output is required when fired is true"))?;
            Ok(TriggerAnswer { output: Some(output), state })
        }
        _ => Err(invalid("fired must be true or false")),
    }
}

fn invalid(problem: &str) -> Failure {
    failed(FailureCode::HandlerError, "InvalidResult", problem)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn trigger_answer_fires_with_an_output_or_not() {
        assert_eq!(read(Value::Null).unwrap(), TriggerAnswer::default());
        let quiet = read(json!({ "fired": false, "output": 1, "state": { "a": 1 } })).unwrap();
        assert_eq!(quiet, TriggerAnswer { output: None, state: Some(json!({ "a": 1 })) });
        let fired = read(json!({ "fired": true, "output": { "total": 1 } })).unwrap();
        assert_eq!(fired, TriggerAnswer { output: Some(json!({ "total": 1 })), state: None });
        let reset = read(json!({ "fired": false, "state": null })).unwrap();
        assert_eq!(reset.state, Some(Value::Null), "null is a state as well");
        for wrong in [
            json!(1),
            json!([]),
            json!({}),
            json!({ "fired": 1 }),
            json!({ "fired": true }),
            json!({ "fired": true, "output": null }),
        ] {
            assert_eq!(read(wrong.clone()).unwrap_err().name, "InvalidResult", "{wrong}");
        }
    }
}
