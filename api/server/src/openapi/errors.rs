//! Errors of an operation, derived from its rule, its place and its description
//! (reference/errors.md#published-errors).

use api_core::access::{Needs, Rule, Who, descriptions};
use serde_json::{Map, Value, json};

use super::{Operation, headers};

/// One error response. Operations refer to it by its name among the components.
#[derive(Debug, Clone, Copy)]
struct Failure {
    name: &'static str,
    status: &'static str,
    code: &'static str,
    /// Example of the message.
    message: &'static str,
}

const fn failure(
    name: &'static str,
    status: &'static str,
    code: &'static str,
    message: &'static str,
) -> Failure {
    Failure { name, status, code, message }
}

const BAD_REQUEST: Failure = failure("BadRequest", "400", "VALIDATION_ERROR", "label must not be empty");
const UNAUTHORIZED: Failure = failure("Unauthorized", "401", "UNAUTHORIZED", "Authentication required");
const FORBIDDEN: Failure = failure("Forbidden", "403", "FORBIDDEN", "First-party session required");
const MISSING_PERMISSION: Failure =
    failure("MissingPermission", "403", "FORBIDDEN", "Missing permission: apikeys:read");
const FEATURE_DISABLED: Failure =
    failure("FeatureDisabled", "403", "FEATURE_DISABLED", "Feature is disabled: feature:apikeys");
const NOT_FOUND: Failure = failure("NotFound", "404", "NOT_FOUND", "Not found");
const TOO_SLOW: Failure = failure("RequestTimeout", "408", "BAD_REQUEST", "Request body took too long");
const UNSUPPORTED: Failure =
    failure("UnsupportedMediaType", "415", "BAD_REQUEST", "Content-Type must be application/json");
const UNPROCESSABLE: Failure =
    failure("Unprocessable", "422", "VALIDATION_ERROR", "Channel identity is not known");
const CONFLICT: Failure = failure("Conflict", "409", "CONFLICT", "Already exists");
const TOO_MANY: Failure = failure("TooManyRequests", "429", "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
const SERVER: Failure = failure("ServerError", "500", "INTERNAL_SERVER_ERROR", "Internal server error");

const FAILURES: [Failure; 12] = [
    BAD_REQUEST,
    UNAUTHORIZED,
    FORBIDDEN,
    MISSING_PERMISSION,
    FEATURE_DISABLED,
    NOT_FOUND,
    TOO_SLOW,
    UNSUPPORTED,
    UNPROCESSABLE,
    CONFLICT,
    TOO_MANY,
    SERVER,
];

/// Prefix of the response names of the developer API.
const DEVELOPER: &str = "Developer";

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

/// Error responses that operations share.
pub fn responses() -> Value {
    let plain = FAILURES.iter().map(|failure| (failure.name.to_owned(), plain(failure)));
    let developer =
        FAILURES.iter().map(|failure| (format!("{DEVELOPER}{}", failure.name), developer(failure)));
    plain.chain(developer).collect::<Map<_, _>>().into()
}

/// Adds every error that the operation itself does not declare, and the body to those that are declared
/// without one. `is_layered` is false for routes outside of the layers of authentication: probes, pages and deliveries.
pub fn add(path: &str, method: &str, operation: &mut Operation, rule: Option<&Rule>, is_layered: bool) {
    let failures = failures(path, method, operation, rule, is_layered);
    let is_developer = path.starts_with("/developer/");
    let responses = operation.entry("responses").or_insert_with(|| json!({}));
    let Some(responses) = responses.as_object_mut() else { return };
    for (status, response) in responses.iter_mut().filter(|(_, response)| response.get("content").is_none()) {
        if let Some(declared) = FAILURES.iter().find(|failure| failure.status == status.as_str()) {
            *response = reference(declared, is_developer);
        }
    }
    for failure in failures {
        let status = if is_developer { developer_error(failure.status).0 } else { failure.status };
        responses.entry(status).or_insert_with(|| reference(&failure, is_developer));
    }
}

fn reference(failure: &Failure, is_developer: bool) -> Value {
    let prefix = if is_developer { DEVELOPER } else { "" };
    json!({ "$ref": format!("#/components/responses/{prefix}{}", failure.name) })
}

fn failures(
    path: &str,
    method: &str,
    operation: &Operation,
    rule: Option<&Rule>,
    is_layered: bool,
) -> Vec<Failure> {
    let has_path_parameter = path.contains('{');
    let takes_input =
        has_path_parameter || operation.contains_key("requestBody") || operation.contains_key("parameters");
    let mut failures = Vec::new();
    if takes_input {
        failures.push(BAD_REQUEST);
    }
    if operation.contains_key("requestBody") {
        failures.push(TOO_SLOW);
    }
    let Some(rule) = rule else {
        // Probes and pages are not counted. The only failure of a probe is its own response.
        if is_layered {
            failures.extend([TOO_MANY, SERVER]);
        }
        return failures;
    };
    // Deliveries with a signature are read as they are.
    if is_layered && takes_json(operation) {
        failures.push(UNSUPPORTED);
    }
    let is_open = matches!(rule.who, Who::Everybody | Who::AnyCredential);
    if !is_open || rule.needs != Needs::Nothing {
        failures.extend([UNAUTHORIZED, forbidden(rule)]);
    }
    if has_path_parameter {
        failures.push(NOT_FOUND);
    }
    if method != "get" {
        failures.push(CONFLICT);
    }
    // Requests with a system key are not counted; those with an unknown key are.
    failures.extend([TOO_MANY, SERVER]);
    failures.extend(described(rule));
    failures
}

fn takes_json(operation: &Operation) -> bool {
    let content = operation.get("requestBody").and_then(|body| body.get("content"));
    content.is_some_and(|content| content.get("application/json").is_some())
}

/// Failures that only the description of the operation names, such as the 404 of a person in the body.
fn described(rule: &Rule) -> impl Iterator<Item = Failure> {
    let statuses =
        descriptions::of_operation(rule.name).into_iter().flat_map(|published| published.statuses());
    statuses.filter_map(|status| FAILURES.into_iter().find(|failure| failure.status == status))
}

const fn forbidden(rule: &Rule) -> Failure {
    match (rule.feature, rule.needs) {
        (Some(_), _) => FEATURE_DISABLED,
        (None, Needs::Nothing) => FORBIDDEN,
        (None, _) => MISSING_PERMISSION,
    }
}

fn plain(failure: &Failure) -> Value {
    let content = json!({
        "schema": { "$ref": "#/components/schemas/Error" },
        "example": { "error": failure.code, "message": failure.message },
    });
    response(failure.status, &content)
}

/// Error body of the developer API (reference/errors.md#developer-error-body).
fn developer(failure: &Failure) -> Value {
    let (status, code) = developer_error(failure.status);
    let number: u16 = status.parse().unwrap_or_default();
    let content = json!({
        "schema": { "$ref": "#/components/schemas/DeveloperErrorBody" },
        "example": { "error": { "code": code, "message": failure.message, "status": number } },
    });
    response(status, &content)
}

fn developer_error(status: &str) -> (&'static str, &'static str) {
    match status {
        "400" | "422" => ("422", "validation_error"),
        "401" => ("401", "unauthorized"),
        "403" => ("403", "forbidden"),
        "404" => ("404", "extension_not_found"),
        "408" => ("408", "validation_error"),
        "409" => ("409", "conflict"),
        "415" => ("415", "validation_error"),
        "429" => ("429", "rate_limited"),
        _ => ("500", "internal_error"),
    }
}

fn response(status: &str, content: &Value) -> Value {
    json!({
        "description": description(status),
        "headers": headers::of(status, true),
        "content": { "application/json": content },
    })
}

/// Description of an error response by its status.
pub fn description(status: &str) -> &'static str {
    match status {
        "400" | "422" => "The input cannot be used; the message names the field and what is allowed.",
        "401" => "No credential, or one that is not valid.",
        "403" => "The kind of credential, a permission, a feature or the plan forbids it.",
        "404" => "Missing, or not visible to the caller.",
        "408" => "The body took longer than 30 seconds and one for each 64 KiB; the connection is closed.",
        "409" => "The current state does not allow it.",
        "415" => "The body is declared as something else than JSON.",
        "429" => "Too many requests; `Retry-After` holds the seconds to wait.",
        _ => "A failure of the server; the message is one of three generic texts.",
    }
}
