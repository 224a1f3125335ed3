//! Every published time is a [`api_core::Timestamp`], which prints milliseconds and `Z`
//! (reference/conventions.md#timestamps). Neither juniper nor utoipa knows the clock's own type, so it cannot be
//! published in another form by mistake; what remains is a time that was declared as a text.

use serde_json::Value;

use super::published::{introspection, openapi};

/// The one name of a time.
const NAME: &str = "Timestamp";

/// True when a field of this name holds a time.
fn is_time(name: &str) -> bool {
    name.ends_with("_at") || name.ends_with("At")
}

/// Calls `visit` with every property of every schema of the document: owner, name, property.
fn properties(value: &Value, owner: &str, visit: &mut impl FnMut(&str, &str, &Value)) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                for (name, property) in properties {
                    visit(owner, name, property);
                }
            }
            for (name, field) in fields {
                let owner = if owner == "components" || owner == "schemas" { name } else { owner };
                properties(field, if owner.is_empty() { name } else { owner }, visit);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| properties(item, owner, visit)),
        _ => {}
    }
}

/// The innermost named type.
fn innermost(kind: &Value) -> &str {
    match kind["ofType"] {
        Value::Null => kind["name"].as_str().expect("a named type"),
        _ => innermost(&kind["ofType"]),
    }
}

/// True when schemas of this name are only received: there a time may be a text that the operation parses itself
/// (reference/conventions.md#timestamps).
fn is_input(name: &str) -> bool {
    name.ends_with("Input") || name.ends_with("Body")
}

#[test]
fn timestamps_have_one_schema_in_the_openapi_document() {
    let document = openapi();
    let schema = &document["components"]["schemas"][NAME];
    assert_eq!((schema["type"].as_str(), schema["format"].as_str()), (Some("string"), Some("date-time")));
    assert_eq!(
        document.to_string().matches(r#""format":"date-time""#).count(),
        1,
        "a time is described beside the schema `{NAME}`"
    );
    let (mut checked, mut wrong) = (0, Vec::new());
    properties(&document["components"], "components", &mut |owner, name, property| {
        if is_time(name) && !is_input(owner) {
            checked += 1;
            if !property.to_string().contains("#/components/schemas/Timestamp") {
                wrong.push(format!("{owner}.{name}"));
            }
        }
    });
    assert!(checked > 30, "only {checked} times were found");
    assert!(wrong.is_empty(), "these are answered as something else than `{NAME}`: {wrong:?}");
}

#[test]
fn timestamps_have_one_scalar_in_the_graphql_schema() {
    let types = introspection()["__schema"]["types"].as_array().expect("types");
    let named = |name: &str| types.iter().any(|kind| kind["name"] == name);
    assert!(named(NAME));
    for other in ["DateTime", "LocalDateTime", "NaiveDateTime"] {
        assert!(!named(other), "`{other}` is published beside `{NAME}`");
    }
    let (mut checked, mut wrong) = (0, Vec::new());
    for kind in types {
        for field in kind["fields"].as_array().into_iter().flatten() {
            let name = field["name"].as_str().expect("a name");
            if is_time(name) {
                checked += 1;
                if innermost(&field["type"]) != NAME {
                    wrong.push(format!("{}.{name}: {}", kind["name"], innermost(&field["type"])));
                }
            }
        }
    }
    assert!(checked > 30, "only {checked} times were found");
    assert!(wrong.is_empty(), "these are answered as something else than `{NAME}`: {wrong:?}");
}
