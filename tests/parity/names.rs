//! Operation = operationId = GraphQL field.

use std::collections::BTreeSet;

use super::published::{UNDOCUMENTED, fields, routes};

/// Names that exist on one protocol only, each with its reason. The list may only shrink.
const EXCEPTIONS: &str = include_str!("exceptions.txt");

/// Kinds of lines: each is compared with the published documents, so that no line outlives its reason.
const KINDS: [&str; 4] = ["transport", "undocumented", "graphql-only", "rest-twin"];

/// The names of a kind.
pub(super) fn excepted(kind: &str) -> BTreeSet<String> {
    assert!(KINDS.contains(&kind), "there is no kind `{kind}`");
    let lines = EXCEPTIONS.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (of, name) = (words.next()?, words.next()?);
            assert!(words.next().is_some(), "tests/parity/exceptions.txt: `{line}` gives no reason");
            assert!(KINDS.contains(&of), "tests/parity/exceptions.txt: `{line}` is of no kind");
            (of == kind).then(|| name.to_owned())
        })
        .collect()
}

#[test]
fn names_of_operations_are_those_of_documented_routes() {
    let declared: BTreeSet<String> =
        lumio_api::operations::rules().map(|rule| rule.name.to_owned()).collect();
    let documented: BTreeSet<String> = routes().into_iter().map(|route| route.operation_id).collect();
    let undocumented = excepted("undocumented");
    let graphql_only = excepted("graphql-only");
    let unruled = excepted("transport");
    for name in &declared {
        assert!(
            documented.contains(name) || undocumented.contains(name) || graphql_only.contains(name),
            "operation `{name}` has no REST route with `operation_id = \"{name}\"`: add it to the resource's rest.rs"
        );
    }
    for name in &documented {
        assert!(
            declared.contains(name) || unruled.contains(name),
            "route `{name}` has no rule of that name: declare it and list it in OPERATIONS of its resource"
        );
    }
    for name in &unruled {
        let is_route = documented.contains(name) && !declared.contains(name);
        assert!(is_route, "exceptions.txt: `{name}` is no documented route without a rule");
    }
}

#[test]
fn names_of_undocumented_routes_are_listed() {
    let declared: BTreeSet<String> =
        lumio_api::operations::rules().map(|rule| rule.name.to_owned()).collect();
    let documented: BTreeSet<String> = routes().into_iter().map(|route| route.operation_id).collect();
    let known: BTreeSet<String> = UNDOCUMENTED.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(known, excepted("undocumented"), "published.rs (left) and exceptions.txt (right) differ");
    for name in known.union(&excepted("graphql-only")) {
        assert!(declared.contains(name), "exceptions.txt: there is no operation `{name}`");
        assert!(!documented.contains(name), "exceptions.txt: `{name}` is in the OpenAPI document");
    }
    let fields = fields();
    for name in excepted("graphql-only") {
        assert!(fields.contains_key(&name), "exceptions.txt: `{name}` is no GraphQL field");
    }
}

#[tokio::test]
async fn names_of_undocumented_routes_are_served() {
    let app = lumio_tests::TestApp::start().await;
    let system = app.system_key().await;
    for (name, method, path, takes_body) in UNDOCUMENTED {
        let segments = path.split('/').map(|segment| {
            if segment.starts_with('{') { uuid::Uuid::now_v7().to_string() } else { segment.to_owned() }
        });
        let path = segments.collect::<Vec<_>>().join("/");
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let request = system.request(method, &path);
        let request = if *takes_body { request.json(&serde_json::json!({})) } else { request };
        let answer = system.send(request).await;
        assert_ne!(answer.status, 405, "{name}: {}", answer.text);
        assert_ne!(answer.error().1, "There is no such route", "{name}");
    }
}

#[test]
fn names_of_operations_are_those_of_graphql_fields() {
    let fields = fields();
    let rest_twins = excepted("rest-twin");
    for rule in lumio_api::operations::rules() {
        let has_field = fields.contains_key(rule.name);
        assert!(
            has_field || rule.rest_only || rest_twins.contains(rule.name),
            "operation `{}` has no GraphQL field: add it to the resource's graphql.rs, or declare it `.rest_only()`",
            rule.name
        );
        assert!(
            !(has_field && rule.rest_only),
            "operation `{}` is declared rest_only but has a GraphQL field",
            rule.name
        );
    }
    let declared: BTreeSet<&str> = lumio_api::operations::rules().map(|rule| rule.name).collect();
    for name in &rest_twins {
        let has_twin = declared.contains(name.as_str()) && !fields.contains_key(name);
        assert!(has_twin, "exceptions.txt: `{name}` is no operation without a field of its name");
    }
    for name in fields.keys() {
        assert!(declared.contains(name.as_str()), "GraphQL field `{name}` belongs to no declared operation");
    }
}

#[test]
fn names_of_operations_are_declared_once() {
    let mut seen = BTreeSet::new();
    for rule in lumio_api::operations::rules() {
        assert!(seen.insert(rule.name), "two operations are called `{}`", rule.name);
    }
}
