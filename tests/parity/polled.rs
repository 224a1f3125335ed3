//! Conditional reads of the operations that clients poll (reference/conventions.md#conditional-reads).

use std::collections::{BTreeMap, BTreeSet};

use api_core::access::{Needs, Rule};
use lumio_tests::{Answer, Caller, Person, Rows, TestApp};
use reqwest::Method;

use super::published::{Route, openapi, routes};

/// Polled operations that are not read here, each with what its path names.
const ELSEWHERE: [(&str, &str); 8] = [
    ("channelEmotes", "a channel of a platform"),
    ("developerExtension", "an extension of the developer"),
    ("extensionErrors", "an extension of the developer"),
    ("extensionMetrics", "an extension of the developer"),
    ("extensionReviews", "an extension of the store"),
    ("idea", "an idea"),
    ("ideaComments", "an idea"),
    ("storeExtension", "an extension of the store"),
];

/// Operations that refuse the scene, each with the status and the reason.
const REFUSED: &[(&str, u16, &str)] = &[
    ("spotifyState", 404, "the account is not connected to Spotify"),
    ("youtubeActiveStreams", 409, "the account is not connected to YouTube"),
];

async fn read(caller: &Caller, method: Method, path: &str, held: &str) -> Answer {
    caller.send(caller.request(method, path).header("if-none-match", held)).await
}

/// Rules of polled operations with their routes.
fn polled() -> Vec<(&'static Rule, Route)> {
    let rules = lumio_api::operations::rules().filter(|rule| rule.is_polled);
    let routes = routes();
    let route_of = |rule: &Rule| {
        let mut of_rule =
            routes.iter().filter(|route| route.operation_id == rule.name && route.method == "GET");
        of_rule.next().unwrap_or_else(|| panic!("`{}` is polled and has no GET", rule.name)).clone()
    };
    rules.map(|rule| (rule, route_of(rule))).collect()
}

/// Path of a route with the ids of the account; `None` where it needs something else.
fn path(route: &Route, owner: &Person, rows: &Rows) -> Option<String> {
    let mut path = route.path.clone();
    for (kind, table) in [
        ("/v1/automations/", "automations"),
        ("/v1/automation/runs/", "automation_runs"),
        ("/v1/bot-commands/", "bot_commands"),
        ("/v1/events/", "events"),
        ("/v1/extension-installs/", "extension_installs"),
        ("/v1/history/reports/", "stream_sessions"),
        ("/v1/webhook-endpoints/", "webhook_endpoints"),
    ] {
        if let Some(rest) = path.strip_prefix(kind).filter(|rest| rest.starts_with('{')) {
            let (_, rest) = rest.split_once('}').expect("a parameter");
            path = format!("{kind}{}{rest}", rows[table]);
        }
    }
    let path = path.replace("/v1/accounts/{id}", &format!("/v1/accounts/{}", owner.account_id));
    let query: Vec<String> =
        route.required_query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    (!path.contains('{')).then(|| format!("{path}?{}", query.join("&")))
}

#[tokio::test]
async fn polled_operations_answer_304_to_the_caller_who_holds_the_body() {
    let app = TestApp::start().await;
    let owner = app.system_admin().await;
    app.override_every_feature(owner.account_id, true).await;
    let rows = app.one_of_everything(&owner).await;
    let other = app.member_as(owner.account_id, "administrator").await;
    let (mut elsewhere, mut refused) = (BTreeSet::new(), BTreeMap::new());
    for (rule, route) in polled() {
        let Some(path) = path(&route, &owner, &rows) else {
            elsewhere.insert(rule.name);
            continue;
        };
        let first = owner.get(&path).await;
        if first.status != 200 {
            refused.insert(rule.name, first.status);
            continue;
        }
        let name = rule.name;
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with("W/\"") && tag.len() == 36, "{name}: {tag}");
        let is_of_account = matches!(rule.needs, Needs::Account(_) | Needs::AnyAccount(_));
        let caching = if is_of_account { "private, no-cache" } else { "private, no-store" };
        assert_eq!(first.header("cache-control"), caching, "{name}");
        for held in
            [tag.clone(), tag.trim_start_matches("W/").to_owned(), format!("\"a\", {tag}"), "*".to_owned()]
        {
            let again = read(&owner, Method::GET, &path, &held).await;
            assert_eq!((again.status, again.text.as_str()), (304, ""), "{name} {held}");
            assert_eq!(
                (again.header("etag"), again.header("cache-control")),
                (tag.as_str(), caching),
                "{name}"
            );
            let vary = again.header("vary").to_lowercase();
            for header in ["authorization", "cookie", "accept-encoding"] {
                assert!(vary.contains(header), "{name}: {vary}");
            }
            assert!(!again.headers.contains_key("content-type"), "{name}");
            assert!(again.headers.contains_key("x-request-id"), "{name}");
        }
        let changed = read(&owner, Method::GET, &path, "W/\"other\"").await;
        assert_eq!((changed.status, &changed.text), (200, &first.text), "{name}");
        assert_eq!(read(&owner, Method::HEAD, &path, &tag).await.status, 304, "{name}");
        // The tag of one person is none of another, even where both may read the same.
        assert_ne!(read(&other, Method::GET, &path, &tag).await.status, 304, "{name}");
        assert_ne!(read(&app.anonymous(), Method::GET, &path, &tag).await.status, 304, "{name}");
    }
    let expected: BTreeSet<&str> = ELSEWHERE.iter().map(|(name, _of)| *name).collect();
    assert_eq!(elsewhere, expected, "polled operations that were not read");
    let expected: BTreeMap<&str, u16> = REFUSED.iter().map(|(name, status, _why)| (*name, *status)).collect();
    assert_eq!(refused, expected, "polled operations that refuse the scene");
    app.stop().await;
}

#[tokio::test]
async fn polled_operations_have_another_tag_after_a_change_and_others_have_none() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let listed = owner.get("/v1/automations").await;
    let tag = listed.header("etag").to_owned();
    owner.post("/v1/automations", serde_json::json!({ "name": "Polled" })).await.expect(201);
    let changed = read(&owner, Method::GET, "/v1/automations", &tag).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), tag);
    for path in ["/v1/users/me", "/v1/api-keys", "/v1/tokens/me", "/v1/limits"] {
        let answer = read(&owner, Method::GET, path, "*").await;
        assert_eq!((answer.status, answer.header("etag")), (200, ""), "{path}");
        assert_eq!(answer.header("cache-control"), "private, no-store", "{path}");
    }
    // Refusals are not conditional.
    let key = app.service_key(owner.account_id, &["chat:read"]).await;
    let refused = read(&key, Method::GET, "/v1/automations", "*").await;
    refused.refused("FORBIDDEN", "Missing permission: automations:read");
    app.stop().await;
}

#[test]
fn polled_operations_are_those_that_the_document_describes() {
    let document = openapi();
    let polled: BTreeSet<&str> = polled().into_iter().map(|(rule, _)| rule.name).collect();
    let mut described = BTreeSet::new();
    for item in document["paths"].as_object().expect("paths").values() {
        let operation = &item["get"];
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let takes_tags = parameters.filter(|parameter| parameter["name"] == "If-None-Match").count() == 1;
        if takes_tags {
            assert!(operation["responses"]["304"]["headers"]["ETag"].is_object(), "{operation}");
            let name = operation["operationId"].as_str().expect("a name");
            // A second address of one operation.
            described.insert(if name == "accountFeatureStatuses" { "accountFeatures" } else { name });
        }
    }
    assert_eq!(described, polled);
}
