//! An attempt in the form of each protocol.

use lumio_tests::{Answer, Caller};
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::{Field, Route, attempts::Attempt};
use crate::{
    access::{in_main_terms, least, named, written},
    published::innermost,
};

/// Over REST: names fill the path and the query, the body is sent as it is.
pub async fn rest(caller: &Caller, route: &Route, attempt: &Attempt) -> Answer {
    let segments = route.path.split('/').map(|segment| {
        let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        name.map_or_else(|| segment.to_owned(), |name| text(&attempt.value(name).unwrap_or_default()))
    });
    let path = segments.collect::<Vec<_>>().join("/");
    let method = Method::from_bytes(route.method.as_bytes()).expect("a method");
    let is_chosen = |name: &str| attempt.query.iter().any(|(key, _)| *key == name);
    let required: Vec<_> = route.required_query.iter().filter(|(name, _)| !is_chosen(name)).collect();
    let mut request = caller.request(method, &path).query(&required).query(&attempt.query);
    if route.takes_body {
        request = request.json(&attempt.body);
    }
    in_main_terms(caller.send(request).await)
}

/// Over GraphQL: the same by the names of the schema.
pub async fn graphql(caller: &Caller, field: &Field, attempt: &Attempt) -> Answer {
    let (mut declarations, mut uses, mut variables) = (Vec::new(), Vec::new(), Map::new());
    for argument in &field.arguments {
        let name = argument["name"].as_str().expect("a name");
        let kind = &argument["type"];
        let value = match innermost(kind)["kind"].as_str() {
            Some("INPUT_OBJECT") => Some(shaped(kind, &attempt.everything())),
            _ => attempt.value(&snake(name)).map(|value| shaped(kind, &value)),
        };
        let value = match value {
            Some(value) => value,
            None if kind["kind"] == "NON_NULL" => least(kind),
            None => continue,
        };
        declarations.push(format!("${name}: {}", written(kind)));
        uses.push(format!("{name}: ${name}"));
        variables.insert(name.to_owned(), value);
    }
    let listed =
        |parts: &[String]| if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) };
    let kind = if field.is_mutation { "mutation" } else { "query" };
    let selection = if innermost(&field.returns)["kind"] == "OBJECT" { " { __typename }" } else { "" };
    let document =
        format!("{kind} Q{} {{ {}{}{selection} }}", listed(&declarations), field.name, listed(&uses));
    caller.graphql(&document, Value::Object(variables)).await
}

/// A value in the form of the type.
pub(crate) fn shaped(kind: &Value, value: &Value) -> Value {
    match kind["kind"].as_str() {
        Some("NON_NULL") => shaped(&kind["ofType"], value),
        Some("LIST") => value.as_array().map_or_else(
            || value.clone(),
            |items| items.iter().map(|item| shaped(&kind["ofType"], item)).collect(),
        ),
        Some("ENUM") => value.as_str().map_or_else(|| value.clone(), |text| json!(text.to_uppercase())),
        Some("INPUT_OBJECT") => {
            let fields = named(kind)["inputFields"].as_array().expect("fields");
            let entries = fields.iter().filter_map(|field| {
                let name = field["name"].as_str().expect("a name");
                let given = value.get(snake(name)).filter(|given| !given.is_null());
                match given {
                    Some(given) => Some((name.to_owned(), shaped(&field["type"], given))),
                    None if field["type"]["kind"] == "NON_NULL" => {
                        Some((name.to_owned(), least(&field["type"])))
                    }
                    None => None,
                }
            });
            Value::Object(entries.collect())
        }
        _ => value.clone(),
    }
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
