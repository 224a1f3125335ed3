//! The declared protocols.

use api_core::access::{Answer as Form, Idempotency, Needs, Rule, Who};
use serde_json::{Value, json};

use crate::published::{every_route, openapi};

/// Shortest reason.
const MIN_REASON_LENGTH: usize = 10;
/// The address of GraphQL, whose keys are those of its mutation.
const GRAPHQL: &str = "/v1/gql";

fn rule_of(operation: &str) -> Option<&'static Rule> {
    lumio_api::operations::rules().find(|rule| rule.name == operation)
}

fn has_key(rule: &Rule) -> bool {
    rule.idempotency.is_some_and(|protocol| !matches!(protocol, Idempotency::Exempt(_)))
}

#[test]
fn declared_protocols_are_those_of_every_post_and_of_no_other_method() {
    let routes = every_route();
    for rule in lumio_api::operations::rules() {
        let mut of_rule = routes.iter().filter(|route| route.operation_id == rule.name);
        let is_post = of_rule.any(|route| route.method == "POST");
        assert_eq!(
            rule.idempotency.is_some(),
            is_post,
            "`{}` must declare a protocol if it is a POST",
            rule.name
        );
        if !has_key(rule) {
            assert_eq!(rule.answer, Form::Kept, "`{}` stores no answer", rule.name);
        }
        if let Some(reason) = rule.idempotency.and_then(Idempotency::reason) {
            assert!(reason.len() >= MIN_REASON_LENGTH, "`{}` is exempt for no reason: {reason}", rule.name);
        }
        if rule.who == Who::Everybody && matches!(rule.needs, Needs::Nothing) {
            assert!(!has_key(rule), "`{}` has callers without a credential, who share no keys", rule.name);
        }
    }
    for route in routes.iter().filter(|route| route.method == "POST" && route.path != GRAPHQL) {
        let rule = rule_of(&route.operation_id);
        let declares = rule.is_some_and(|rule| rule.idempotency.is_some());
        assert!(declares, "POST {} has no rule that declares a protocol", route.path);
    }
}

#[test]
fn declared_protocols_are_published() {
    let document = openapi();
    let key = json!({ "$ref": "#/components/parameters/IdempotencyKey" });
    assert_eq!(document["components"]["parameters"]["IdempotencyKey"]["name"], "Idempotency-Key");
    for route in every_route() {
        let operation = &document["paths"][&route.path][route.method.to_lowercase()];
        if operation.is_null() {
            continue;
        }
        let rule = rule_of(&route.operation_id);
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        let takes_key = route.path == GRAPHQL || rule.is_some_and(has_key);
        assert_eq!(parameters.any(|parameter| *parameter == key), takes_key, "{}", route.operation_id);
        let Some(rule) = rule else { continue };
        let published = &operation["x-lumio-rule"]["idempotency"];
        let Some(protocol) = rule.idempotency else {
            assert!(published.is_null(), "{}: {published}", rule.name);
            continue;
        };
        let answer = if has_key(rule) { json!(rule.answer.name()) } else { Value::Null };
        let expected = json!({ "kind": protocol.name(), "repeatable": protocol.is_repeatable(), "answer": answer,
            "reason": protocol.reason() });
        assert_eq!(*published, expected, "{}", rule.name);
        if takes_key && has_key(rule) {
            let responses = &operation["responses"];
            let statuses =
                ["400", "409"].map(|status| !(responses[status].is_null() && responses["default"].is_null()));
            assert_eq!(statuses, [true, true], "{} documents its refusals", rule.name);
        }
    }
}
