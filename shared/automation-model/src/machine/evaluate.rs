//! Evaluation of a node: its templates, and the decisions that need nothing from outside.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::types::{Effect, Outcome, Work};
use crate::{
    conditions::equal,
    config::{Arguments, Plan},
    node_types::MAX_LIST_ITEMS,
    template::{MAX_RENDERED, Scope, ValueTemplate, size_within, text_of},
};

/// Names of a person's id in the user of a run.
const IDS: [&str; 4] = ["id", "platform_user_id", "user_id", "username"];

/// An evaluated node.
#[derive(Debug)]
pub struct Evaluated {
    /// Configuration with its templates filled in.
    pub input: Value,
    /// Work of the step.
    pub work: Work,
    /// Continuation after a success.
    pub after: After,
}

/// Continuation after a success.
#[derive(Debug)]
pub enum After {
    /// The edges of the branch.
    Follow,
    /// A variable is set.
    Set(String, Value),
    /// The items are gone through.
    Loop(Vec<Value>),
}

impl Evaluated {
    /// A node that fails without a try.
    pub fn failed(error: impl Into<String>) -> Self {
        Self::decided(Value::Null, Outcome::failed(error))
    }

    const fn decided(input: Value, outcome: Outcome) -> Self {
        Self { input, work: Work::Decided(outcome), after: After::Follow }
    }

    const fn waiting(input: Value, work: Work) -> Self {
        Self { input, work, after: After::Follow }
    }
}

/// Evaluates a node. A failure of a template is the outcome of the step.
pub fn evaluate(
    node_type: &'static str,
    plan: &Plan,
    install_id: Option<Uuid>,
    scope: &Scope<'_>,
) -> Evaluated {
    try_evaluate(node_type, plan, install_id, scope).unwrap_or_else(Evaluated::failed)
}

fn try_evaluate(
    node_type: &'static str,
    plan: &Plan,
    install_id: Option<Uuid>,
    scope: &Scope<'_>,
) -> Result<Evaluated, String> {
    Ok(match plan {
        Plan::Trigger => Evaluated::failed("A trigger cannot be entered"),
        Plan::Condition(condition) => {
            let result = condition.holds(scope)?;
            let branch = if result { "true" } else { "false" };
            Evaluated::decided(json!({}), Outcome::branched(json!({ "result": result }), branch))
        }
        Plan::Switch { value, cases } => switch(value, cases, scope)?,
        Plan::Delay(arguments) => delay(arguments, scope)?,
        Plan::Random(branches) => {
            let weights: Map<String, Value> =
                branches.iter().map(|(handle, weight)| (handle.clone(), Value::from(*weight))).collect();
            Evaluated::waiting(Value::Object(weights), Work::Random { branches: branches.clone() })
        }
        Plan::Cooldown(arguments) => cooldown(arguments, scope)?,
        Plan::SetVariable { name, value } => {
            let value = value.value(scope)?;
            let input = json!({ "name": name, "value": value });
            let outcome = Outcome::succeeded(json!({ "value": value }));
            Evaluated { after: After::Set(name.clone(), value), ..Evaluated::decided(input, outcome) }
        }
        Plan::Loop(list) => begin_loop(list, scope)?,
        Plan::Action(arguments) => {
            let arguments = arguments.render(scope)?;
            let effect = Effect { r#type: node_type, install_id: None, arguments: arguments.clone() };
            Evaluated::waiting(arguments, Work::Effect(effect))
        }
        Plan::Extension(config) => {
            let config = config.value(scope)?;
            if size_within(&config, MAX_RENDERED).is_none() {
                return Err(format!("the configuration is larger than {MAX_RENDERED} bytes"));
            }
            let arguments = json!({ "config": config, "input": scope.trigger["payload"] });
            let effect = Effect { r#type: node_type, install_id, arguments };
            Evaluated::waiting(config, Work::Effect(effect))
        }
    })
}

fn switch(
    value: &ValueTemplate,
    cases: &[(String, ValueTemplate)],
    scope: &Scope<'_>,
) -> Result<Evaluated, String> {
    let value = value.value(scope)?;
    for (handle, equals) in cases {
        if equal(&value, &equals.value(scope)?) {
            let outcome = Outcome::branched(json!({ "handle": handle }), handle.as_str());
            return Ok(Evaluated::decided(json!({ "value": value }), outcome));
        }
    }
    let outcome = Outcome::branched(json!({ "handle": "default" }), "default");
    Ok(Evaluated::decided(json!({ "value": value }), outcome))
}

fn delay(arguments: &Arguments, scope: &Scope<'_>) -> Result<Evaluated, String> {
    let arguments = arguments.render(scope)?;
    let seconds = seconds(&arguments, "seconds");
    Ok(Evaluated::waiting(arguments, Work::Delay { seconds }))
}

fn cooldown(arguments: &Arguments, scope: &Scope<'_>) -> Result<Evaluated, String> {
    let arguments = arguments.render(scope)?;
    let (global_secs, user_secs) = (seconds(&arguments, "global_secs"), seconds(&arguments, "user_secs"));
    let work = Work::Cooldown { global_secs, user_secs, user: person(scope.user) };
    Ok(Evaluated::waiting(arguments, work))
}

fn seconds(arguments: &Value, key: &str) -> u32 {
    let seconds = arguments.get(key).and_then(Value::as_u64);
    seconds.and_then(|seconds| u32::try_from(seconds).ok()).unwrap_or_default()
}

/// `{platform}:{id}` of the person.
fn person(user: &Value) -> Option<String> {
    let id = IDS.iter().filter_map(|key| user.get(key)).map(text_of).find(|id| !id.is_empty())?;
    let platform = user.get("platform").map(text_of).unwrap_or_default();
    Some(format!("{platform}:{id}"))
}

fn begin_loop(list: &ValueTemplate, scope: &Scope<'_>) -> Result<Evaluated, String> {
    let items = match list.value(scope)? {
        Value::Array(items) => items,
        // A missing value is an empty list.
        Value::Null => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        _ => return Err("list must be a list".to_owned()),
    };
    if items.len() > MAX_LIST_ITEMS {
        return Err(format!("list must have at most {MAX_LIST_ITEMS} items"));
    }
    let outcome = Outcome::succeeded(json!({ "items": items.len() }));
    let input = json!({ "list": items });
    Ok(Evaluated { after: After::Loop(items), ..Evaluated::decided(input, outcome) })
}
