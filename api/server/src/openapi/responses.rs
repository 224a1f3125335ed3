//! Parts of every response: description and headers. The derives leave an empty description out, which
//! OpenAPI requires, and do not know the headers that layers write.

use serde_json::Value;

use super::{Operation, errors, headers};

/// Header of repeated answers.
const REPLAYED: &str = "Idempotency-Replayed";

/// Adds description and headers to every response of an operation that is not shared with other operations.
pub fn complete(method: &str, operation: &mut Operation, is_counted: bool, takes_key: bool) {
    let summary = operation.get("summary").and_then(Value::as_str).unwrap_or_default().to_owned();
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    // A 304 means that the operation sends a tag.
    let is_tagged = responses.as_ref().is_some_and(|responses| responses.contains_key("304"));
    for (status, response) in responses.into_iter().flatten() {
        let Some(response) = response.as_object_mut().filter(|response| !response.contains_key("$ref"))
        else {
            continue;
        };
        let is_described =
            response.get("description").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        if !is_described {
            response.insert("description".into(), description(status, method, &summary).into());
        }
        let mut references = headers::of(status, is_counted);
        if is_tagged && matches!(status.as_str(), "200" | "206" | "304" | "416") {
            references.insert("ETag".into(), headers::reference("ETag"));
        }
        if takes_key && status.starts_with('2') {
            references.insert(REPLAYED.into(), headers::reference(REPLAYED));
        }
        let declared = response.remove("headers");
        for (name, header) in declared.as_ref().and_then(Value::as_object).into_iter().flatten() {
            let known = headers::components().get(name).is_some();
            references.insert(name.clone(), if known { headers::reference(name) } else { header.clone() });
        }
        response.insert("headers".into(), references.into());
    }
}

/// Description of a response by its status.
fn description(status: &str, method: &str, summary: &str) -> String {
    let text = match (status, method) {
        ("200", "get") if !summary.is_empty() => return summary.to_owned(),
        ("201", _) => "The created resource.",
        ("202", _) => "The request was accepted; the work is done later.",
        ("204", _) => "Completed; the response has no body.",
        ("206", _) => "The requested range of the bytes.",
        ("302" | "303", _) => "A redirect to another address.",
        ("304", _) => "The caller holds the current version.",
        ("416", _) => "The requested range is outside of the bytes. The response has no body.",
        ("default", _) => "Any other error.",
        _ if status.starts_with(['4', '5']) => errors::description(status),
        _ => "Completed; the body is the result.",
    };
    text.to_owned()
}
