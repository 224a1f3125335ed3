//! Costs of documents, and documents over a bound.

use juniper::{
    EmptyMutation, EmptySubscription, GraphQLInputObject, RootNode, graphql_object,
    parser::parse_document_source,
};
use serde_json::json;

use super::*;
use crate::Code;

const DEPTH: usize = 12;
const ALIASES: usize = 20;

#[derive(GraphQLInputObject)]
struct Page {
    limit: Option<i32>,
    search: Option<String>,
}

#[derive(GraphQLInputObject)]
struct Filter {
    page: Option<Page>,
}

#[derive(GraphQLInputObject)]
struct Other {
    search: Option<String>,
}

struct Query;

#[graphql_object]
impl Query {
    fn ping(_n: Option<i32>) -> bool {
        true
    }
    fn rows(
        _search: Option<String>,
        _limit: Option<i32>,
        _page: Option<Page>,
        _filter: Option<Filter>,
        _other: Option<Other>,
    ) -> bool {
        true
    }
}

/// The measurement needs no schema with every field.
fn measured(source: &str, variables: Value) -> Result<u64> {
    let schema = RootNode::new(Query, EmptyMutation::<()>::new(), EmptySubscription::<()>::new());
    let known = Known { pages: Pages::of(&schema.schema), census: Census::of(&schema.schema) };
    let document = parse_document_source(source, &schema.schema).unwrap();
    let measured = Measured::of(&document, None, &known)?;
    measured.check_cost(&known, &variables.as_object().cloned().unwrap_or_default())
}

fn nested(levels: usize) -> String {
    format!("{{ {} x {} }}", "a { ".repeat(levels - 1), "} ".repeat(levels - 1))
}

#[test]
fn cost_limits_the_depth() {
    assert_eq!(measured(&nested(DEPTH), json!({})), Ok(DEPTH as u64));
    let error = measured(&nested(DEPTH + 1), json!({})).unwrap_err();
    assert_eq!(error.code, Code::QueryTooComplex);
    assert_eq!(error.details, Some(json!({ "limit": "depth", "allowed": 12, "asked": 13 })));
}

#[test]
fn cost_counts_fragments_where_they_are_spread() {
    let source = "{ a { ...f } } fragment f on A { b { c } }";
    assert_eq!(measured(source, json!({})), Ok(3));
    let deep = format!("{{ a {{ ...f }} }} fragment f on A {}", nested(DEPTH));
    assert!(measured(&deep, json!({})).is_err(), "twelve levels below the first");
    let cycle = "{ ...f } fragment f on A { a { ...f } }";
    assert_eq!(measured(cycle, json!({})), Ok(0), "left to validation");
}

#[test]
fn cost_refuses_multiplying_spreads_without_walking_them() {
    let doubled: String =
        (0..55).map(|n| format!("fragment f{n} on Query {{ ...f{0} ...f{0} }} ", n + 1)).collect();
    // The parser counts fields; these spreads end in none.
    let source = format!("{{ ...f0 }} {doubled} fragment f55 on Query {{ ...unknown }}");
    let error = measured(&source, json!({})).unwrap_err();
    assert_eq!(error.details.unwrap()["limit"], "selections");
    let fragments: String = (0..30)
        .map(|n| {
            let others: String = (0..30).map(|other| format!("...f{other} ")).collect();
            format!("fragment f{n} on Query {{ {others} }} ")
        })
        .collect();
    assert!(
        measured(&format!("{{ ...f0 }} {fragments}"), json!({})).is_ok(),
        "cycles are left to validation"
    );
}

#[test]
fn cost_limits_root_fields_to_twenty_aliases_and_forty_in_all() {
    let asked = |times: usize| {
        let fields: String = (0..times).map(|n| format!("a{n}: ping ")).collect();
        measured(&format!("{{ {fields} }}"), json!({}))
    };
    assert_eq!(asked(ALIASES), Ok(20));
    assert_eq!(asked(ALIASES + 1).unwrap_err().details.unwrap()["limit"], "aliases");
    let spread = format!("{{ {} }} fragment f on Query {{ ping }}", "...f ".repeat(ALIASES + 1));
    assert!(measured(&spread, json!({})).is_err(), "fragments hide no alias");
    let fields = |count: usize| (0..count).map(|n| format!("f{n} ")).collect::<String>();
    assert_eq!(measured(&format!("{{ {} }}", fields(40)), json!({})), Ok(40));
    let error = measured(&format!("{{ {} }}", fields(41)), json!({})).unwrap_err();
    assert_eq!(error.details.unwrap()["limit"], "root_fields");
}

fn cost(field: &str, variables: Value) -> Result<u64> {
    let page = "query($s: String, $n: Int, $d: Int = 100, $page: Page, $filter: Filter, $other: Other, \
                $given: Page = { limit: 50 }) { %FIELD% { a b c } }";
    measured(&page.replace("%FIELD%", field), variables)
}

#[test]
fn cost_multiplies_selections_by_the_page_limit() {
    assert_eq!(cost("unpaged", json!({})), Ok(4));
    assert_eq!(cost("rows(limit: 10)", json!({})), Ok(4));
    assert_eq!(cost("rows(limit: 100)", json!({})), Ok(31));
    assert_eq!(cost("rows(limit: $n)", json!({ "n": 11 })), Ok(7));
    assert_eq!(cost("rows(page: { limit: 30 })", json!({})), Ok(10));
    assert_eq!(cost("rows(page: $page)", json!({ "page": { "limit": 30 } })), Ok(10));
    let error = cost("rows(limit: $n)", json!({ "n": 1_000_000 })).unwrap_err();
    assert_eq!(error.details.unwrap()["limit"], "complexity");
    assert!(cost("rows(limit: $n)", json!({ "n": u64::MAX })).is_err(), "no overflow");
    assert_eq!(cost("rows(limit: $n)", json!({ "n": -1 })), Ok(4), "refused by the operation itself");
}

#[test]
fn cost_reads_the_limit_beside_any_other_argument() {
    for (field, variables) in [
        ("rows(search: $s, limit: 100)", json!({})),
        ("rows(search: $s, limit: 100)", json!({ "s": "text" })),
        ("rows(limit: 100, search: $s)", json!({})),
        ("rows(search: $s, limit: $n)", json!({ "n": 100 })),
        ("rows(limit: $n, search: $s)", json!({ "n": 100 })),
        ("rows(other: $other, limit: $n)", json!({ "n": 100, "other": { "limit": 1 } })),
        ("rows(page: { search: $s, limit: $n })", json!({ "n": 100 })),
        ("rows(page: $page, search: $s)", json!({ "page": { "search": "a", "limit": 100 } })),
        ("rows(limit: 10, page: $page)", json!({ "page": { "limit": 100 } })),
        ("rows(page: { limit: 10 }, limit: 100)", json!({})),
        ("rows(filter: { page: { limit: 100 } })", json!({})),
        ("rows(filter: { page: $page })", json!({ "page": { "limit": 100 } })),
        ("rows(search: $s, filter: $filter)", json!({ "filter": { "page": { "limit": 100 } } })),
    ] {
        assert_eq!(cost(field, variables.clone()), Ok(31), "{field} {variables}");
    }
}

#[test]
fn cost_counts_default_limits() {
    for field in ["rows", "rows(limit: $n)", "rows(search: $s)", "rows(page: $page)", "rows(limit: null)"] {
        assert_eq!(cost(field, json!({})), Ok(10), "{field}: a page of 25");
    }
    assert_eq!(cost("rows(limit: $d)", json!({})), Ok(31));
    assert_eq!(cost("rows(limit: $d)", json!({ "d": 10 })), Ok(4));
    let null = cost("rows(limit: $d)", json!({ "d": null }));
    assert_eq!(null, Ok(31), "null asks for a page of 25 and counts as the default, which is more");
    assert_eq!(cost("rows(page: $given)", json!({})), Ok(16));
}

#[test]
fn cost_reads_variables_by_their_declared_type() {
    assert_eq!(cost("rows(limit: 10, other: $other)", json!({ "other": { "limit": 1_000_000 } })), Ok(4));
    assert_eq!(cost("rows(limit: 10, search: $s)", json!({ "s": { "limit": 1_000_000 } })), Ok(4));
}

#[test]
fn cost_of_introspection_is_zero_and_its_nested_lists_are_bounded() {
    let deep = format!("{{ __schema {} ping }}", nested(40));
    assert_eq!(measured(&deep, json!({})), Ok(1));
    let of = |levels: usize| {
        format!("{{ __schema {{ {}name{} }} }}", "types { ".repeat(levels), " }".repeat(levels))
    };
    assert_eq!(measured(&of(1), json!({})), Ok(0));
    let error = measured(&of(8), json!({})).unwrap_err();
    assert_eq!(error.details.unwrap()["limit"], "introspection");
    let fragment = of(8).replace("{ __schema", "{ ...f } fragment f on Query { __schema");
    assert!(measured(&fragment, json!({})).is_err(), "fragments hide no list");
}
