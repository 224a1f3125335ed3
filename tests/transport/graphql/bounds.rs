//! Bounds of documents, each exceeded, and the cost of operations (reference/graphql.md#bounds).

use lumio_tests::TestApp;
use serde_json::{Value, json};

use super::refused;

#[tokio::test]
async fn graphql_limits_of_a_document_are_enforced() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ask = async |query: String| owner.graphql(&query, json!({})).await;

    let deep = |levels: usize| format!("{{ {} x {} }}", "a { ".repeat(levels - 1), "} ".repeat(levels - 1));
    refused(&ask(deep(12)).await, 400, "GRAPHQL_VALIDATION_FAILED");
    let details = refused(&ask(deep(13)).await, 400, "QUERY_TOO_COMPLEX");
    assert_eq!(details, json!({ "limit": "depth", "allowed": 12, "asked": 13 }));
    // Far beyond the limit of recursion.
    refused(&ask(deep(100_000)).await, 400, "QUERY_TOO_COMPLEX");

    let aliased = |times: usize| {
        format!("{{ {} }}", (0..times).map(|n| format!("a{n}: me {{ id }} ")).collect::<String>())
    };
    let most = ask(aliased(20)).await;
    assert_eq!((most.status, most.body["errors"].is_null()), (200, true), "{}", most.text);
    let details = refused(&ask(aliased(21)).await, 400, "QUERY_TOO_COMPLEX");
    assert_eq!(details["limit"], "aliases");

    let wide = |fields: usize| {
        format!("{{ me {{ {} }} }}", (0..fields).map(|n| format!("f{n}: id ")).collect::<String>())
    };
    assert_eq!(ask(wide(999)).await.status, 200);
    let details = refused(&ask(wide(1000)).await, 400, "QUERY_TOO_COMPLEX");
    assert_eq!(details["limit"], "complexity");

    // A document of a few hundred characters that expands to billions of fields.
    let bomb: String =
        (0..30).map(|n| format!("fragment f{n} on CurrentUser {{ ...f{} ...f{} }} ", n + 1, n + 1)).collect();
    let bomb = format!("{{ me {{ ...f0 }} }} {bomb} fragment f30 on CurrentUser {{ id }}");
    refused(&ask(bomb).await, 400, "QUERY_TOO_COMPLEX");
}

#[tokio::test]
async fn graphql_reports_the_cost_of_an_executed_operation() {
    let app = TestApp::start().await;
    let cost = async |query: &str, variables: Value| {
        app.anonymous().graphql(query, variables).await.body["extensions"]["cost"].clone()
    };
    assert_eq!(cost("{ plans { id name } }", json!({})).await, json!({ "asked": 3, "allowed": 1000 }));
    let store =
        "query($s: String, $n: Int) { storeExtensions(search: $s, limit: $n) { total items { id } } }";
    assert_eq!(cost(store, json!({ "n": 100 })).await["asked"], 31);
    assert_eq!(cost(store, json!({})).await["asked"], 10, "a page of 25");
    let refused = app.anonymous().graphql("{ nothing }", json!({})).await;
    assert!(refused.body.get("extensions").is_none(), "nothing was executed: {}", refused.text);
}

#[tokio::test]
async fn graphql_cost_counts_limits_given_as_variables() {
    let app = TestApp::start().await;
    let twenty = |declared: &str, arguments: &str| {
        let fields: String = (0..20)
            .map(|n| {
                format!("a{n}: storeExtensions({arguments}) {{ items {{ id name a: id b: id c: id }} }} ")
            })
            .collect();
        format!("query{declared} {{ {fields} }}")
    };
    for (declared, arguments) in [
        ("", "limit: 100"),
        ("($s: String)", "search: $s, limit: 100"),
        ("($s: String, $l: Int)", "search: $s, limit: $l"),
        ("($s: String, $l: Int = 100)", "limit: $l, search: $s"),
    ] {
        let mut variables = json!({ "s": "a" });
        if !declared.contains('=') {
            variables["l"] = 100.into();
        }
        let answer = app.anonymous().graphql(&twenty(declared, arguments), variables).await;
        let details = refused(&answer, 400, "QUERY_TOO_COMPLEX");
        assert_eq!(
            (&details["limit"], &details["allowed"]),
            (&json!("complexity"), &json!(1000)),
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn graphql_refuses_expansive_documents_before_validation() {
    let app = TestApp::start().await;
    let ask = async |query: String| app.anonymous().graphql(&query, json!({})).await;
    let fragments = |count: usize| {
        let spreads: String = (0..count).map(|n| format!("...f{n} ")).collect();
        let all: String = (0..count).map(|n| format!("fragment f{n} on CurrentUser {{ id }} ")).collect();
        format!("{{ me {{ {spreads} }} }} {all}")
    };
    assert_eq!(ask(fragments(50)).await.status, 200);
    assert_eq!(refused(&ask(fragments(51)).await, 400, "QUERY_TOO_COMPLEX")["limit"], "fragments");
    let spreads = |count: usize| {
        format!("{{ me {{ id {} }} }} fragment f on CurrentUser {{ id }}", "...f ".repeat(count))
    };
    assert_eq!(ask(spreads(100)).await.status, 200);
    assert_eq!(refused(&ask(spreads(101)).await, 400, "QUERY_TOO_COMPLEX")["limit"], "spreads");
    let inline = format!("{{ me {{ {} }} }}", "... { id } ".repeat(101));
    assert_eq!(refused(&ask(inline).await, 400, "QUERY_TOO_COMPLEX")["limit"], "spreads");
    let tokens = refused(&ask("{ a } ".repeat(5_001)).await, 400, "QUERY_TOO_COMPLEX");
    assert_eq!(tokens, json!({ "limit": "tokens", "allowed": 15_000, "asked": 15_001 }));
    let values =
        json!({ "query": "query($v: [Int]) { plans { id } }", "variables": { "v": vec![1; 10_001] } });
    let values = app.anonymous().post("/v1/gql", values).await;
    assert_eq!(refused(&values, 400, "QUERY_TOO_COMPLEX")["limit"], "values");
}
