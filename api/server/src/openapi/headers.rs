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
        "Idempotency-Replayed": header("`true` on the stored answer of an earlier request with the same `Idempotency-Key`.", json!({ "type": "string", "enum": ["true"] })),
        "ETag": header("The version of the body, for `If-None-Match`.", json!({ "type": "string" })),
        "Link": header("Addresses of the other parts of the list, as far as they are known (RFC 8288).", json!({ "type": "string" })),
        "Deprecation": header("The time since which the operation is deprecated (RFC 9745).", json!({ "type": "string" })),
        "Sunset": header("The time from which on the operation may be gone (RFC 8594).", json!({ "type": "string" })),
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
        // While another request with the same key runs it states when to retry.
        "409" => &["Idempotency-Replayed", "Retry-After"],
        "404" => &["Idempotency-Replayed"],
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
