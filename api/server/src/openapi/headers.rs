//! Headers of responses.

use serde_json::{Map, Value, json};

/// Headers of every response.
const ALWAYS: &[&str] = &["X-Request-Id"];
/// Headers of responses to counted requests.
const COUNTED: &[&str] = &["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/// Headers that responses refer to.
pub fn components() -> Value {
    let whole = json!({ "type": "integer", "minimum": 0 });
    let header = |description: &str, schema: Value| json!({ "description": description, "schema": schema });
    json!({
        "X-Request-Id": header("The id of the request: the caller's own, or a new one. It stands in the log.", json!({ "type": "string" })),
        "X-RateLimit-Limit": header("Requests that the caller has in a minute.", whole.clone()),
        "X-RateLimit-Remaining": header("Requests that are left of them.", whole.clone()),
        "X-RateLimit-Reset": header("When the minute ends, in Unix seconds.", whole.clone()),
        "Retry-After": header("Seconds to wait before the next try.", whole),
        "ETag": header("The version of the body, for `If-None-Match`.", json!({ "type": "string" })),
        "Content-Range": header("The range of the body and the size of the whole, in bytes.", json!({ "type": "string" })),
        "Location": header("Where to go on.", json!({ "type": "string", "format": "uri-reference" })),
        "Set-Cookie": header("`service-popout-token`: the session, for 15 minutes.", json!({ "type": "string" })),
    })
}

/// References to the headers of a response.
pub fn of(status: &str, is_counted: bool) -> Map<String, Value> {
    let counted = if is_counted { COUNTED } else { &[] };
    let further: &[&str] = match status {
        "429" => &["Retry-After"],
        "302" | "303" => &["Location"],
        "206" | "416" => &["Content-Range"],
        _ => &[],
    };
    ALWAYS.iter().chain(counted).chain(further).map(|name| ((*name).to_owned(), reference(name))).collect()
}

/// Reference to a header of the components.
pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{name}") })
}
