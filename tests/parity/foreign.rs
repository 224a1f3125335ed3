//! What belongs to another account does not exist: every route with every id of a stranger is 404, and no row of the
//! stranger's changes (specification C §1).

use api_core::access::{Needs, Who};
use futures::{StreamExt, stream};
use lumio_tests::{Answer, Caller, Rows, TestApp};
use reqwest::Method;
use serde_json::{Value, json};
use shared::catalogue::{AccountPermission, Permission};
use uuid::Uuid;

use super::published::{Route, openapi, resolved, routes};

/// Operations for which a stranger's id is no secret, each with the reason.
const NOT_A_SECRET: &[(&str, &str)] = &[
    ("userNotes", "a platform's id of a user, whom every account may have notes about"),
    ("createUserNote", "a platform's id of a user, whom every account may have notes about"),
    ("refreshPlatformUserProfile", "a platform's id of a user, whom every account may ask about"),
    ("channelEmotes", "a platform's id of a channel, whose emotes everybody may see"),
];

#[tokio::test]
async fn nobody_reaches_into_another_account() {
    let app = TestApp::builder().with("LUMIO_HTTP_THREADS", 2).start().await;
    let (victim, stranger) = (app.owner().await, app.owner().await);
    app.override_every_feature(stranger.account_id, true).await;
    let rows = app.one_of_everything(&victim).await;
    let before = app.belongings(victim.account_id).await;
    let everything: Vec<&str> = AccountPermission::ALL.iter().map(|permission| permission.text()).collect();
    let key = app.service_key(stranger.account_id, &everything).await;

    let mut surprises = Vec::new();
    let mut asked = 0;
    for route in reachable_routes() {
        let ids = candidates(&route, &rows, victim.account_id);
        for caller in [&app.session(stranger.user_id, stranger.account_id).await.caller, &key] {
            let calls = stream::iter(&ids).map(|id| reach(caller, &route, *id));
            let answers: Vec<Answer> = calls.buffer_unordered(8).collect().await;
            asked += answers.len();
            let reached = answers.into_iter().find(|answer| !is_hidden(&route, answer));
            surprises.extend(
                reached.map(|answer| {
                    format!("{} {}: {} {}", route.method, route.path, answer.status, answer.text)
                }),
            );
        }
        let after = app.belongings(victim.account_id).await;
        for (table, was) in &before {
            if &after[table] != was {
                surprises
                    .push(format!("{} {} changed `{table}` of the other account", route.method, route.path));
            }
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
    assert!(asked > 200, "only {asked} calls were made: the routes are not reached");
}

/// Routes that name something by an id and are open to an account's people.
fn reachable_routes() -> Vec<Route> {
    let rules: Vec<_> = lumio_api::operations::rules().collect();
    let mut found = routes();
    found.retain(|route| {
        let Some(rule) = rules.iter().find(|rule| rule.name == route.operation_id) else { return false };
        let is_ours = !matches!(rule.needs, Needs::Admin(_) | Needs::AnyAdmin(_))
            && matches!(rule.who, Who::Anyone | Who::FirstParty | Who::Session);
        is_ours
            && names_an_id(&route.path)
            && !NOT_A_SECRET.iter().any(|(name, _why)| *name == route.operation_id)
    });
    found
}

fn names_an_id(path: &str) -> bool {
    path.split('/').any(|segment| segment == "{id}" || segment.ends_with("id}"))
}

/// The stranger's ids that may stand in the path; an account's path takes the account's.
fn candidates(route: &Route, rows: &Rows, account: Uuid) -> Vec<Uuid> {
    if route.path.starts_with("/v1/accounts/{id}") {
        return vec![account];
    }
    rows.values().copied().collect()
}

async fn reach(caller: &Caller, route: &Route, id: Uuid) -> Answer {
    let segments = route.path.split('/').map(|segment| match segment {
        "{platform}" | "{provider}" => "twitch".to_owned(),
        name if name.ends_with("id}") => id.to_string(),
        name if name.starts_with('{') => "x".to_owned(),
        literal => literal.to_owned(),
    });
    let path = segments.collect::<Vec<_>>().join("/");
    let method = Method::from_bytes(route.method.as_bytes()).expect("a method");
    let mut request = caller.request(method, &path).query(&route.required_query);
    if route.takes_body {
        request = request.json(&example(route));
    }
    caller.send(request).await
}

/// The body that the document gives as an example.
fn example(route: &Route) -> Value {
    let document = openapi();
    let operation = &document["paths"][&route.path][route.method.to_lowercase()];
    let content = &operation["requestBody"]["content"]["application/json"];
    let schema = resolved(&document, &content["schema"]);
    let given = [&content["example"], &schema["example"], &schema["examples"][0]];
    given.into_iter().find(|example| !example.is_null()).cloned().unwrap_or_else(|| json!({}))
}

/// Whether the answer tells nothing: not found, or refused before anything was looked for.
fn is_hidden(route: &Route, answer: &Answer) -> bool {
    let (code, message) = answer.error();
    match answer.status {
        404 => true,
        // A body that the example does not satisfy is refused first (C §1, check order).
        400 => route.takes_body,
        403 => message == "First-party session required" && code == "FORBIDDEN",
        _ => false,
    }
}
