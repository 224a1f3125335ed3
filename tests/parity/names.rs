//! Operation = operationId = GraphQL field.

use std::collections::BTreeSet;

use super::published::{fields, routes};

/// Names that exist on one protocol only, each with its reason. The list may only shrink.
const EXCEPTIONS: &str = include_str!("exceptions.txt");

fn excepted(kind: &str) -> BTreeSet<String> {
    let lines = EXCEPTIONS.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (of, name) = (words.next()?, words.next()?);
            assert!(words.next().is_some(), "tests/parity/exceptions.txt: `{line}` gives no reason");
            (of == kind).then(|| name.to_owned())
        })
        .collect()
}

#[test]
fn every_operation_has_a_documented_route_of_its_name() {
    let declared: BTreeSet<String> =
        lumio_api::operations::rules().map(|rule| rule.name.to_owned()).collect();
    let documented: BTreeSet<String> = routes().into_iter().map(|route| route.operation_id).collect();
    let undocumented = excepted("undocumented");
    let unruled = excepted("transport");
    for name in &declared {
        assert!(
            documented.contains(name) || undocumented.contains(name),
            "operation `{name}` has no REST route with `operation_id = \"{name}\"`: add it to the resource's rest.rs"
        );
    }
    for name in &documented {
        assert!(
            declared.contains(name) || unruled.contains(name),
            "route `{name}` has no rule of that name: declare it and list it in OPERATIONS of its resource"
        );
    }
}

#[test]
fn every_operation_has_a_graphql_field_of_its_name() {
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
    for name in fields.keys() {
        assert!(declared.contains(name.as_str()), "GraphQL field `{name}` belongs to no declared operation");
    }
}

#[test]
fn no_operation_is_declared_twice() {
    let mut seen = BTreeSet::new();
    for rule in lumio_api::operations::rules() {
        assert!(seen.insert(rule.name), "two operations are called `{}`", rule.name);
    }
}
