//! Limits of requests: the OpenAPI document states them, so that a client can keep them before it calls.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::published::openapi;

const COMPARED: &str = "compared with what the extension asks for";
const OF_THE_PLATFORM: &str = "sent by the bot as the platform told it; the size of the body bounds it";
const OF_THE_BODY: &str = "the size of the body bounds it";

/// Properties without a limit of their own, each with the reason. The list may only shrink.
const EXEMPT: &[(&str, &str)] = &[
    ("AcceptExtensionUpdateInput.accept_permissions[]", COMPARED),
    ("CommandReply.arguments", OF_THE_PLATFORM),
    ("CommandReply.message_id", OF_THE_PLATFORM),
    ("CommandReply.response", "the response of the command, which was checked when it was stored"),
    ("CommandReply.use_count", "a count that grows without end"),
    ("CommandReply.user_id", OF_THE_PLATFORM),
    ("CommandReply.user_name", OF_THE_PLATFORM),
    ("ConfigureExtensionInput.pinned_version", "looked up among the published versions"),
    ("CreateCheckoutInput.coupon_code", "not read while no payment provider is configured"),
    ("EndPredictionInput.winning_outcome_id", "an id of the platform, looked up among the stored outcomes"),
    ("ExchangeOauthInput.state", "looked up by its hash; the size of the body bounds it"),
    ("GraphqlRequest.operationName", OF_THE_BODY),
    ("GraphqlRequest.query", OF_THE_BODY),
    ("InstallExtensionInput.granted_permissions[]", COMPARED),
    ("LogRecord.execution_ms", "a duration that a worker measured; the type bounds it"),
    ("LogoutInput.refresh_token", "accepted and not read"),
    ("RefreshTokenInput.refresh_token", "verified by its signature; the size of the body bounds it"),
    ("receiveYoutubeWebhook", OF_THE_BODY),
];

/// The schemas below request bodies.
struct Walk<'a> {
    document: &'a Value,
    /// Components that were visited.
    seen: BTreeSet<&'a str>,
    /// Texts and numbers without a limit, by schema and property, or by operation where they are the whole body.
    unlimited: BTreeSet<String>,
}

impl<'a> Walk<'a> {
    fn of(document: &'a Value) -> Self {
        let mut walk = Self { document, seen: BTreeSet::new(), unlimited: BTreeSet::new() };
        let paths = document["paths"].as_object().expect("paths");
        for operation in paths.values().filter_map(Value::as_object).flat_map(Map::values) {
            let content = operation["requestBody"]["content"].as_object();
            for body in content.into_iter().flat_map(Map::values) {
                walk.visit(operation["operationId"].as_str().expect("a name"), &body["schema"]);
            }
        }
        walk
    }

    fn visit(&mut self, place: &str, schema: &'a Value) {
        if let Some(name) = component(schema) {
            let document = self.document;
            if self.seen.insert(name) {
                self.visit(name, &document["components"]["schemas"][name]);
            }
            return;
        }
        if !schema.is_object() {
            return;
        }
        if !is_limited(schema) {
            self.unlimited.insert(place.to_owned());
        }
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            self.visit(&format!("{place}.{property}"), schema);
        }
        self.visit(&format!("{place}[]"), &schema["items"]);
        self.visit(&format!("{place}{{}}"), &schema["additionalProperties"]);
        for key in ["oneOf", "anyOf", "allOf"] {
            for part in schema[key].as_array().into_iter().flatten() {
                self.visit(place, part);
            }
        }
    }
}

/// The name of the component that a schema refers to.
fn component(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

/// True when a schema is neither a text nor a number, or states its limit.
fn is_limited(schema: &Value) -> bool {
    let states = |key: &str| schema.get(key).is_some();
    let is = |name: &str| {
        let types = schema["type"].as_array();
        schema["type"] == name || types.is_some_and(|types| types.iter().any(|kind| kind == name))
    };
    let is_choice = states("enum") || states("const");
    let is_short = ["maxLength", "format", "pattern"].into_iter().any(states);
    let is_bounded = states("minimum") && states("maximum");
    is_choice || ((!is("string") || is_short) && (!(is("integer") || is("number")) || is_bounded))
}

#[test]
fn limits_are_stated_for_every_text_and_number_of_a_request() {
    let document = openapi();
    let walk = Walk::of(&document);
    assert!(walk.seen.len() > 100, "only {} schemas were walked", walk.seen.len());
    let is_exempt = |place: &str| EXEMPT.iter().any(|(exempt, _)| *exempt == place);
    let missing: Vec<&String> = walk.unlimited.iter().filter(|place| !is_exempt(place.as_str())).collect();
    assert!(
        missing.is_empty(),
        "these state no limit: give the field `#[schema(extensions((\"maxLength\" = json!(…))))]`, or `minimum` and \
         `maximum`, of the constant that its check uses: {missing:#?}"
    );
    let outlived: Vec<&str> =
        EXEMPT.iter().map(|(place, _)| *place).filter(|place| !walk.unlimited.contains(*place)).collect();
    assert!(outlived.is_empty(), "these are gone or state a limit: take them off `EXEMPT`: {outlived:#?}");
}
