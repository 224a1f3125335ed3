//! What every answer has: words and headers. The derives leave an empty description out, which OpenAPI requires, and
//! know nothing of headers that layers write.

use serde_json::{Map, Value, json};

use super::{Operation, errors};

/// Headers of every answer.
const ALWAYS: &[&str] = &["X-Request-Id"];
/// Headers of answers to requests that are counted.
const COUNTED: &[&str] = &["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/// Headers that answers carry.
pub fn headers() -> Value {
    let whole = json!({ "type": "integer", "minimum": 0 });
    let header = |description: &str, schema: Value| json!({ "description": description, "schema": schema });
    json!({
        "X-Request-Id": header("The id of the request: the caller's own, or a new one. It stands in the log.", json!({ "type": "string" })),
        "X-RateLimit-Limit": header("Requests that the caller has in a minute.", whole.clone()),
        "X-RateLimit-Remaining": header("Requests that are left of them.", whole.clone()),
        "X-RateLimit-Reset": header("When the minute ends, in Unix seconds.", whole.clone()),
        "Retry-After": header("Seconds to wait before the next try.", whole),
        "ETag": header("The version of the body, for `If-None-Match`.", json!({ "type": "string" })),
        "Location": header("Where to go on.", json!({ "type": "string", "format": "uri-reference" })),
        "Set-Cookie": header("`service-popout-token`: the session, for 15 minutes.", json!({ "type": "string" })),
    })
}

/// References to the headers of an answer.
pub fn headers_of(status: &str, is_counted: bool) -> Map<String, Value> {
    let counted = if is_counted { COUNTED } else { &[] };
    let further: &[&str] = match status {
        "429" => &["Retry-After"],
        "302" | "303" => &["Location"],
        _ => &[],
    };
    ALWAYS.iter().chain(counted).chain(further).map(|name| ((*name).to_owned(), reference(name))).collect()
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{name}") })
}

/// Adds words and headers to every answer of an operation that is not shared with others.
pub fn complete(method: &str, operation: &mut Operation, is_counted: bool) {
    let summary = operation.get("summary").and_then(Value::as_str).unwrap_or_default().to_owned();
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    // Whoever may be answered that nothing has changed was given a tag.
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
        let mut headers = headers_of(status, is_counted);
        if is_tagged && matches!(status.as_str(), "200" | "304") {
            headers.insert("ETag".into(), reference("ETag"));
        }
        let own = response.remove("headers");
        for (name, header) in own.as_ref().and_then(Value::as_object).into_iter().flatten() {
            let known = super::responses::headers().get(name).is_some();
            headers.insert(name.clone(), if known { reference(name) } else { header.clone() });
        }
        response.insert("headers".into(), headers.into());
    }
}

/// What an answer says by its status.
fn description(status: &str, method: &str, summary: &str) -> String {
    let text = match (status, method) {
        ("200", "get") if !summary.is_empty() => return summary.to_owned(),
        ("201", _) => "Made: the body is what was made.",
        ("202", _) => "Accepted: the work follows.",
        ("204", _) => "Done; the answer has no body.",
        ("302" | "303", _) => "Goes on at another address.",
        ("304", _) => "The caller has the present version.",
        ("default", _) => "Any other error.",
        _ if status.starts_with(['4', '5']) => errors::description(status),
        _ => "Done: the body says what came of it.",
    };
    text.to_owned()
}
