//! Descriptions of path parameters, which have no comment in the code, and the parameter of idempotency.

use api_core::access::{Idempotency, Rule};
use serde_json::{Value, json};

use super::Operation;

/// Descriptions by parameter name, for every path.
const NAMES: [(&str, &str); 20] = [
    ("account_id", "The id of an account."),
    ("automation_id", "The id of an automation."),
    ("code", "The code of an invite."),
    ("extension_id", "The id of an extension."),
    ("feature_id", "The id of a feature flag."),
    ("filename", "The name of an uploaded file."),
    ("function", "The name of a function that the extension exports."),
    ("install_id", "The id of an install of an extension."),
    ("membership_id", "The id of a membership: one person in one account."),
    ("path", "The rest of the address: a file of the bundle."),
    ("permission", "A permission, `resource:action`."),
    ("platform", "A platform by its name in lower case, such as `twitch`."),
    ("platform_user_id", "The platform's own id of a user."),
    ("provider", "A provider of logins by its name in lower case, such as `twitch`."),
    ("review_id", "The id of a review."),
    ("role_id", "The id of a role."),
    ("type", "A type of notifications."),
    ("user_id", "The id of a person."),
    ("version", "A version: three numbers with dots between them."),
    ("version_id", "The id of a version of an extension."),
];

/// Name of the component with the key of a request.
const KEY: &str = "IdempotencyKey";

/// Parameters that operations refer to.
pub fn components() -> Value {
    json!({
        KEY: {
            "name": "Idempotency-Key",
            "in": "header",
            "description": "A text that the client chooses for one request, such as a UUID. For 24 hours a repetition \
                with the same key has no second effect and gets the first answer.",
            "required": false,
            "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
            "example": "8e03978e-40d5-43dd-bc93-6894a57f9324",
        },
    })
}

/// Adds the key to operations that take one: by their rule, and GraphQL, where the rule is that of the mutation.
pub fn add_key(path: &str, method: &str, operation: &mut Operation, rule: Option<&Rule>) {
    if !takes_key(path, method, rule) {
        return;
    }
    let reference = json!({ "$ref": format!("#/components/parameters/{KEY}") });
    let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
    if let Some(parameters) = parameters.as_array_mut() {
        parameters.push(reference);
    }
}

/// True for operations with an `Idempotency-Key`.
pub fn takes_key(path: &str, method: &str, rule: Option<&Rule>) -> bool {
    let protocol = rule.and_then(|rule| rule.idempotency);
    let is_idempotent = protocol.is_some_and(|protocol| !matches!(protocol, Idempotency::Exempt(_)));
    method == "post" && (is_idempotent || path == "/v1/gql")
}

/// Adds a description to every path parameter without one.
pub fn describe(path: &str, operation: &mut Operation) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        let is_described =
            parameter.get("description").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        if parameter["in"] != "path" || is_described {
            continue;
        }
        let name = parameter["name"].as_str().unwrap_or_default();
        let known = NAMES.iter().find(|(known, _)| *known == name);
        let text = known.map_or_else(|| of_collection(path, name), |(_, text)| (*text).to_owned());
        parameter["description"] = text.into();
    }
}

/// Description by collection: `id` below `/v1/roles` is one of the roles.
fn of_collection(path: &str, name: &str) -> String {
    let parameter = format!("/{{{name}}}");
    let collection = path.split_once(&parameter).map_or(path, |(before, _)| before);
    let resource = collection.rsplit('/').find(|segment| !segment.starts_with('{')).unwrap_or_default();
    format!("The {name} of one of the {}.", resource.replace(['-', '_'], " "))
}
