//! Introspection (reference/graphql.md#introspection).

use lumio_tests::{Person, TestApp};
use serde_json::{Value, json};

use super::{refused, through_juniper_actix};

#[tokio::test]
async fn graphql_introspection_follows_the_explorer() {
    let query = "{ __schema { queryType { name } } }";
    let open = TestApp::start().await;
    assert_eq!(
        open.anonymous().graphql(query, json!({})).await.data()["__schema"]["queryType"]["name"],
        "Query"
    );
    let closed = TestApp::builder().with("LUMIO_GRAPHIQL", "false").start().await;
    refused(&closed.anonymous().graphql(query, json!({})).await, 400, "GRAPHQL_VALIDATION_FAILED");
    refused(
        &closed.anonymous().graphql("{ __type(name: \"Query\") { name } }", json!({})).await,
        400,
        "GRAPHQL_VALIDATION_FAILED",
    );
    assert_eq!(closed.anonymous().graphql("{ __typename }", json!({})).await.data()["__typename"], "Query");
}

/// Question of an explorer.
const EXPLORER: &str = "
    query Explorer {
        __schema {
            queryType { name } mutationType { name } subscriptionType { name }
            types { ...Type }
            directives { name description locations args { ...Input } }
        }
    }
    fragment Type on __Type {
        kind name description
        fields(includeDeprecated: true) {
            name description args { ...Input } type { ...Reference } isDeprecated deprecationReason
        }
        inputFields { ...Input }
        interfaces { ...Reference }
        enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
        possibleTypes { ...Reference }
    }
    fragment Input on __InputValue { name description type { ...Reference } defaultValue }
    fragment Reference on __Type {
        kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }
    }";

async fn agrees_with_the_library(app: &TestApp, person: &Person, query: &str) -> Value {
    let ours = person.graphql(query, json!({})).await;
    let theirs = through_juniper_actix(app, person, &json!({ "query": query })).await;
    assert_eq!(ours.data(), &theirs["data"], "{query}");
    theirs["data"].clone()
}

#[tokio::test]
async fn graphql_introspection_agrees_with_the_library() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let types = [
        "Query",
        "Mutation",
        "CurrentUser",
        "ApiKeyKind",
        "CreateApiKeyInput",
        "UUID",
        "String",
        "__Type",
        "Nothing",
        "",
    ];
    for name in types {
        let kind = format!("__type(name: \"{name}\") {{ kind name specifiedByURL isOneOf }}");
        agrees_with_the_library(&app, &owner, &format!("{{ {kind} }}")).await;
    }
    for query in [
        EXPLORER,
        "{ __typename a: __typename __schema { __typename types { __typename } directives { __typename } } }",
        "{ __schema { types { name enumValues { name __typename } } } }",
        "{ __schema { types { fields(includeDeprecated: false) { name } all: fields(includeDeprecated: true) { name } } } }",
        // The same field several times, in fragments of both kinds: their selections are merged.
        "{ ...root __schema { queryType { name } } ... on Query { __schema { queryType { kind } } } }
         fragment root on Query { __schema { queryType { ... { fields { name } } fields { type { name } } } } }",
        // Through a reference to the whole type, and back.
        "{ __type(name: \"Query\") { fields { type { ofType { name fields { name type { kind fields { name } } } } } } } }",
        "{ __schema { types { ofType { name } possibleTypes { name } interfaces { name } } } }",
        "query A { __schema { description } }",
    ] {
        agrees_with_the_library(&app, &owner, query).await;
    }
    app.stop().await;
}

#[tokio::test]
async fn graphql_introspection_has_every_field_of_the_library() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let places = [
        ("__Schema", "__schema { SELECTED }"),
        ("__Type", "__schema { types { SELECTED } }"),
        ("__Field", "__schema { types { fields(includeDeprecated: true) { SELECTED } } }"),
        ("__InputValue", "__schema { types { inputFields { SELECTED } fields { args { SELECTED } } } }"),
        ("__EnumValue", "__schema { types { enumValues(includeDeprecated: true) { SELECTED } } }"),
        ("__Directive", "__schema { directives { SELECTED } }"),
    ];
    for (meta, place) in places {
        let fields = "fields(includeDeprecated: true) { name type { kind ofType { kind ofType { kind ofType { kind } } } } }";
        let question = format!("{{ __type(name: \"{meta}\") {{ {fields} }} }}");
        let answer = agrees_with_the_library(&app, &owner, &question).await;
        let fields = answer["__type"]["fields"].as_array().expect("fields");
        assert!(fields.len() > 3, "{meta}");
        for field in fields {
            let is_object = field["type"].to_string().contains("OBJECT");
            let selected =
                format!("{}{}", field["name"].as_str().unwrap(), if is_object { " { name }" } else { "" });
            agrees_with_the_library(&app, &owner, &format!("{{ {} }}", place.replace("SELECTED", &selected)))
                .await;
        }
    }
    app.stop().await;
}

#[tokio::test]
async fn graphql_introspection_beside_anything_else_is_bounded_lower() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let alone = "{ __schema { types { name fields { name type { name } } } } }";
    owner.graphql(alone, json!({})).await.data();
    for mixed in [
        alone.replace("{ __schema", "{ me { id } __schema"),
        alone.replace("__schema", "__schema @include(if: true)"),
        alone.replace("name fields", "name @skip(if: false) fields"),
        format!(
            "query($deprecated: Boolean) {}",
            alone.replace("fields", "fields(includeDeprecated: $deprecated)")
        ),
        format!("query @unknown {alone}"),
    ] {
        let details = refused(&owner.graphql(&mixed, json!({})).await, 400, "QUERY_TOO_COMPLEX");
        assert_eq!(details["limit"], "mixed_introspection", "{mixed}");
        assert_eq!(details["allowed"], 5_000);
    }
    // A little of it is answered beside other fields.
    let little = "query($name: String!) { me { id } __type(name: $name) { name fields { name } } }";
    let answer = owner.graphql(little, json!({ "name": "CurrentUser" })).await;
    assert_eq!(answer.data()["__type"]["name"], "CurrentUser");
    let nested = "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }";
    let details = refused(&owner.graphql(nested, json!({})).await, 400, "QUERY_TOO_COMPLEX");
    assert_eq!(details["limit"], "introspection");
    app.stop().await;
}
