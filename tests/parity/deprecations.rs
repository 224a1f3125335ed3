//! Deprecated operations: one table for the headers and both documents (reference/conventions.md#deprecated-operations).

use std::collections::BTreeSet;

use api_core::deprecations::DEPRECATED;
use lumio_tests::TestApp;
use serde_json::json;
use uuid::Uuid;

use super::published::{openapi, type_named};

#[test]
fn deprecations_of_both_documents_are_those_of_the_table() {
    let table: BTreeSet<&str> = DEPRECATED.iter().map(|deprecation| deprecation.operation).collect();
    let document = openapi();
    let items = document["paths"].as_object().expect("paths").values();
    let operations = items.filter_map(|item| item.as_object()).flat_map(|item| item.values());
    let over_rest = operations.filter(|operation| operation["deprecated"] == true);
    let over_rest: BTreeSet<&str> =
        over_rest.filter_map(|operation| operation["operationId"].as_str()).collect();
    let mut over_graphql = BTreeSet::new();
    for root in ["Query", "Mutation"] {
        for field in type_named(root)["fields"].as_array().into_iter().flatten() {
            if field["isDeprecated"] == true {
                let name = field["name"].as_str().expect("a name");
                let known = DEPRECATED.iter().find(|deprecation| deprecation.operation == name);
                assert_eq!(field["deprecationReason"].as_str(), known.map(|known| known.reason), "{name}");
                over_graphql.insert(name);
            }
        }
    }
    let both: BTreeSet<&str> = over_rest.union(&over_graphql).copied().collect();
    assert_eq!(both, table, "the documents (left) and the table (right)");
}

#[tokio::test]
async fn deprecations_are_announced_in_every_answer_of_their_operation() {
    let app = TestApp::builder().with("LUMIO_DOCS", "true").start().await;
    let owner = app.owner().await;
    let (path, body) = (format!("/v1/extension-installs/{}/storage", Uuid::now_v7()), json!({ "value": {} }));
    let bundle = format!("/v1/extension-bundles/{}/1.0.0/bundle.js", Uuid::now_v7());
    for answer in [
        owner.post(&path, body.clone()).await,
        app.anonymous().post(&path, body.clone()).await,
        owner.get(&bundle).await,
    ] {
        let since = answer.header("deprecation");
        let seconds = since.strip_prefix('@').and_then(|seconds| seconds.parse::<i64>().ok());
        assert!(seconds.is_some_and(|seconds| seconds > 0), "{since}: {}", answer.text);
        assert_eq!(answer.header("sunset"), "", "no removal is planned");
        assert!(answer.header("link").contains("rel=\"deprecation\""), "{}", answer.header("link"));
    }
    for answer in [owner.put(&path, body).await, owner.get(&path).await] {
        assert_eq!(answer.header("deprecation"), "", "{}", answer.text);
    }
    app.stop().await;
}
