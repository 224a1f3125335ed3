//! Descriptions of path parameters, which have no comment in the code.

use serde_json::Value;

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
