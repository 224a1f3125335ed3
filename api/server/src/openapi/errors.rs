//! The errors that an operation may give, as they follow from its rule and its place (A §7, C §1).

use api_core::access::{Needs, Rule, Who};
use serde_json::{Map, Value, json};

use super::Operation;

/// One error answer: status, code, example of the message.
type Failure = (&'static str, &'static str, &'static str);

const BAD_REQUEST: Failure = ("400", "VALIDATION_ERROR", "label must not be empty");
const UNAUTHORIZED: Failure = ("401", "UNAUTHORIZED", "Authentication required");
const FORBIDDEN: Failure = ("403", "FORBIDDEN", "First-party session required");
const NOT_FOUND: Failure = ("404", "NOT_FOUND", "Not found");
const CONFLICT: Failure = ("409", "CONFLICT", "Already exists");
const TOO_MANY: Failure = ("429", "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
const SERVER: Failure = ("500", "INTERNAL_SERVER_ERROR", "Internal server error");

/// The shapes of error bodies.
pub fn schemas() -> Value {
    json!({
        "Error": {
            "type": "object",
            "description": "The body of every error.",
            "required": ["error", "message"],
            "properties": {
                "error": { "type": "string", "description": "The code, for programs." },
                "message": { "type": "string", "description": "What is wrong, for people." },
                "details": { "type": "object", "description": "More, for programs; absent when there is none." },
            },
        },
    })
}

/// Adds every error that is not declared by the operation itself. `is_counted` tells whether its requests are.
pub fn add(path: &str, method: &str, operation: &mut Operation, rule: Option<&Rule>, is_counted: bool) {
    let failures = failures(path, method, operation, rule, is_counted);
    let own_body = path.starts_with("/developer/");
    let responses = operation.entry("responses").or_insert_with(|| json!({}));
    let Some(responses) = responses.as_object_mut() else { return };
    for failure in failures {
        if own_body { add_developer(responses, failure) } else { add_plain(responses, failure) }
    }
}

fn failures(
    path: &str,
    method: &str,
    operation: &Operation,
    rule: Option<&Rule>,
    is_counted: bool,
) -> Vec<Failure> {
    let has_path_parameter = path.contains('{');
    let takes_input =
        has_path_parameter || operation.contains_key("requestBody") || operation.contains_key("parameters");
    let mut failures = Vec::new();
    if takes_input {
        failures.push(BAD_REQUEST);
    }
    let Some(rule) = rule else {
        // Probes are neither counted nor can they fail but by their own answer.
        if is_counted {
            failures.extend([TOO_MANY, SERVER]);
        }
        return failures;
    };
    let is_open = matches!(rule.who, Who::Everybody | Who::AnyCredential);
    if !is_open {
        failures.push(UNAUTHORIZED);
    }
    if !is_open || rule.needs != Needs::Nothing {
        failures.push(forbidden(rule));
    }
    if has_path_parameter {
        failures.push(NOT_FOUND);
    }
    if method != "get" {
        failures.push(CONFLICT);
    }
    if rule.who != Who::SystemKey {
        failures.push(TOO_MANY);
    }
    failures.push(SERVER);
    failures
}

const fn forbidden(rule: &Rule) -> Failure {
    match (rule.feature, rule.needs) {
        (Some(_), _) => ("403", "FEATURE_DISABLED", "Feature is disabled: feature:apikeys"),
        (None, Needs::Nothing) => FORBIDDEN,
        (None, _) => ("403", "FORBIDDEN", "Missing permission: apikeys:read"),
    }
}

fn add_plain(responses: &mut Map<String, Value>, (status, code, message): Failure) {
    let content = json!({
        "schema": { "$ref": "#/components/schemas/Error" },
        "example": { "error": code, "message": message },
    });
    responses.entry(status).or_insert_with(|| {
        json!({
            "description": description(status),
            "content": { "application/json": content },
        })
    });
}

/// The developer API has a body of its own (B §7).
fn add_developer(responses: &mut Map<String, Value>, (status, _, message): Failure) {
    let (status, code) = match status {
        "400" => ("422", "validation_error"),
        "401" => ("401", "unauthorized"),
        "403" => ("403", "forbidden"),
        "404" => ("404", "extension_not_found"),
        "409" => ("409", "conflict"),
        "429" => ("429", "rate_limited"),
        _ => ("500", "internal_error"),
    };
    let number: u16 = status.parse().unwrap_or_default();
    let content = json!({
        "schema": { "$ref": "#/components/schemas/DeveloperErrorBody" },
        "example": { "error": { "code": code, "message": message, "status": number } },
    });
    responses.entry(status).or_insert_with(|| {
        json!({
            "description": description(status),
            "content": { "application/json": content },
        })
    });
}

fn description(status: &str) -> &'static str {
    match status {
        "400" | "422" => "The input cannot be used; the message names the field and what is allowed.",
        "401" => "No credential, or one that is not valid.",
        "403" => "The kind of credential, a permission, a feature or the plan forbids it.",
        "404" => "Missing, or not visible to the caller.",
        "409" => "The present state forbids it.",
        "429" => "Too many requests; `Retry-After` tells the seconds to wait.",
        _ => "A failure of the server; the message is one of three generic texts.",
    }
}
