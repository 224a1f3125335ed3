//! Joining of paths. Paths that differ in parameter names only are one path (OpenAPI 3.1, Paths Object):
//! their methods are in one item, under names that fit all of them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{merge, operations_of};

/// Joins the items of paths of one shape.
pub fn join(paths: &mut Map<String, Value>) {
    let mut by_shape: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths.keys() {
        by_shape.entry(shape(path)).or_default().push(path.clone());
    }
    for group in by_shape.into_values().filter(|group| group.len() > 1) {
        let joined = joined_path(&group);
        let mut joined_item = json!({});
        for path in group {
            let Some(mut item) = paths.remove(&path) else { continue };
            rename_parameters(&mut item, &path, &joined);
            merge(&mut joined_item, &item);
        }
        paths.insert(joined, joined_item);
    }
}

/// Path without the names of its parameters.
pub fn shape(path: &str) -> String {
    let segments = path.split('/').map(|segment| if is_parameter(segment) { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{')
}

/// Path with the names of each parameter joined by `_or_`.
fn joined_path(paths: &[String]) -> String {
    let mut columns: Vec<Vec<&str>> = Vec::new();
    for path in paths {
        for (index, segment) in path.split('/').enumerate() {
            if columns.len() == index {
                columns.push(Vec::new());
            }
            if !columns[index].contains(&segment) {
                columns[index].push(segment);
            }
        }
    }
    let segments = columns.into_iter().map(|names| match names.as_slice() {
        [single] => (*single).to_owned(),
        several => {
            let names = several.iter().map(|name| name.trim_matches(['{', '}']));
            format!("{{{}}}", names.collect::<Vec<_>>().join("_or_"))
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn rename_parameters(item: &mut Value, from: &str, to: &str) {
    let name = |segment: &str| segment.trim_matches(['{', '}']).to_owned();
    let renamed: BTreeMap<String, String> = from
        .split('/')
        .zip(to.split('/'))
        .filter(|(segment, _)| is_parameter(segment))
        .map(|(from, to)| (name(from), name(to)))
        .collect();
    for operation in operations_of(item) {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten().filter(|parameter| parameter["in"] == "path") {
            let to = parameter["name"].as_str().and_then(|name| renamed.get(name));
            if let Some(to) = to {
                parameter["name"] = to.as_str().into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_shape_are_one_item_with_neutral_names() {
        let operation = |name: &str| json!({ "parameters": [{ "in": "path", "name": name }] });
        let mut paths = Map::new();
        paths.insert("/v1/invites/{code}".into(), json!({ "get": operation("code") }));
        paths.insert("/v1/invites/{id}".into(), json!({ "delete": operation("id") }));
        paths.insert("/v1/invites/{code}/accept".into(), json!({ "post": operation("code") }));
        join(&mut paths);
        let names: Vec<&String> = paths.keys().collect();
        assert_eq!(names, ["/v1/invites/{code_or_id}", "/v1/invites/{code}/accept"]);
        for method in ["get", "delete"] {
            let parameter = &paths["/v1/invites/{code_or_id}"][method]["parameters"][0];
            assert_eq!(parameter["name"], "code_or_id", "{method}");
        }
    }
}
