//! The escalation walk: every operation whose rule grants something, as callers that hold its permission and nothing
//! else, over both protocols. Whatever the response, no rights in the database grow, and none are reduced by a caller
//! who holds less (reference/permissions.md#grants).
//!
//! An operation that grants something needs an attempt in `attempts`. The walk prints the attempts.

mod actors;
mod attempts;
pub(crate) mod requests;
mod rights;
mod stage;

use std::collections::BTreeMap;

use api_core::access::{Grants, Rule};
use lumio_api::operations;
use lumio_tests::{Answer, TestApp};

use super::published::{Field, Route, every_route, fields};
use actors::Actor;
use attempts::Attempt;
use stage::Stage;

#[tokio::test]
async fn escalation_to_account_permissions_is_refused() {
    walk(Grants::AccountPermissions).await;
}

#[tokio::test]
async fn escalation_to_team_permissions_is_refused() {
    walk(Grants::TeamPermissions).await;
}

#[tokio::test]
async fn escalation_to_admin_permissions_is_refused() {
    walk(Grants::AdminPermissions).await;
}

#[tokio::test]
async fn escalation_to_user_permissions_is_refused() {
    walk(Grants::UserPermissions).await;
}

#[tokio::test]
async fn escalation_to_credentials_is_refused() {
    walk(Grants::Credentials).await;
}

#[tokio::test]
async fn escalation_to_signing_in_as_another_is_refused() {
    walk(Grants::SignIn).await;
}

#[tokio::test]
async fn escalation_to_logins_of_others_is_refused() {
    walk(Grants::PlatformLogins).await;
}

#[tokio::test]
async fn escalation_over_people_who_hold_more_is_refused() {
    walk(Grants::People).await;
}

#[tokio::test]
async fn escalation_to_extensions_of_others_is_refused() {
    walk(Grants::Extensions).await;
}

/// An attempt and its result.
struct Row {
    operation: &'static str,
    actor: &'static str,
    tried: &'static str,
    answers: Vec<String>,
}

/// Walks every operation that grants this.
async fn walk(grants: Grants) {
    let limits =
        ["LUMIO_RATE_SESSION", "LUMIO_RATE_API_KEY", "LUMIO_RATE_SERVICE_KEY", "LUMIO_RATE_ANONYMOUS"];
    let app = limits.iter().fold(TestApp::builder(), |app, limit| app.with(limit, 100_000)).start().await;
    let stage = Stage::set(&app).await;
    let (routes, fields) = (every_route(), fields());
    let (mut rows, mut breaches) = (Vec::new(), Vec::new());
    for rule in operations::rules().filter(|rule| rule.grants == grants) {
        let routes: Vec<_> = routes.iter().filter(|route| route.operation_id == rule.name).collect();
        let places = Places { route: routes.first().copied(), field: fields.get(rule.name) };
        for kind in actors::kinds(rule).iter().filter(|kind| kind.exists_for(rule)) {
            let tried = attempt(&stage, rule, *kind, &places, &mut breaches).await;
            assert!(
                !tried.is_empty(),
                "`{}` grants {} and the walk has no attempt for it",
                rule.name,
                grants.text()
            );
            rows.extend(tried);
        }
    }
    print(grants, &rows);
    assert!(!rows.is_empty(), "no operation grants {}", grants.text());
    assert!(breaches.is_empty(), "{} breaches:\n{}", breaches.len(), breaches.join("\n"));
}

/// Protocol over which an operation is called.
struct Places<'a> {
    route: Option<&'a Route>,
    field: Option<&'a Field>,
}

/// Every attempt of one kind of caller, over both protocols. Each has a new caller and new objects.
async fn attempt(
    stage: &Stage<'_>,
    rule: &'static Rule,
    kind: actors::Kind,
    places: &Places<'_>,
    breaches: &mut Vec<String>,
) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let count = attempts::of(stage, &Actor::new(stage, rule, kind).await, rule.name).await.len();
    for place in 0..count {
        for over_graphql in [false, true] {
            let actor = Actor::new(stage, rule, kind).await;
            let attempt = attempts::of(stage, &actor, rule.name).await.swap_remove(place);
            let before = rights::all(stage.app).await;
            let Some(answer) = sent(places, &actor, &attempt, over_graphql).await else { continue };
            let after = rights::all(stage.app).await;
            let protocol = if over_graphql { "GraphQL" } else { "REST" };
            let (code, message) = answer.error();
            assert!(!is_malformed(&code, &message), "`{}`: {}: {}", rule.name, attempt.tried, answer.text);
            for breach in rights::breaches(&before, &after, &actor, stage) {
                breaches.push(format!(
                    "{} over {protocol} as {}: {}: {breach} ({} {})",
                    rule.name,
                    kind.text(),
                    attempt.tried,
                    answer.status,
                    answer.text
                ));
            }
            let answered = if code.is_empty() {
                format!("{protocol} {}", answer.status)
            } else {
                format!("{protocol} {code}")
            };
            match rows.get_mut(place) {
                Some(row) => row.answers.push(answered),
                None => rows.push(Row {
                    operation: rule.name,
                    actor: kind.text(),
                    tried: attempt.tried,
                    answers: vec![answered],
                }),
            }
        }
    }
    rows
}

async fn sent(places: &Places<'_>, actor: &Actor, attempt: &Attempt, over_graphql: bool) -> Option<Answer> {
    match (over_graphql, places.route, places.field) {
        (false, Some(route), _) => Some(requests::rest(&actor.caller, route, attempt).await),
        (true, _, Some(field)) => Some(requests::graphql(&actor.caller, field, attempt).await),
        _ => None,
    }
}

/// True when the operation does not understand the attempt, which would then prove nothing.
fn is_malformed(code: &str, message: &str) -> bool {
    code.starts_with("GRAPHQL")
        || ["Invalid body", "Invalid UUID", "Invalid query"].iter().any(|m| message.starts_with(m))
}

fn print(grants: Grants, rows: &[Row]) {
    let mut operations: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        operations.entry(row.operation).or_default().push(row);
    }
    println!("{}: {} operations", grants.text(), operations.len());
    for (operation, rows) in operations {
        println!("  {operation}");
        for row in rows {
            println!("    {} | {} | {}", row.actor, row.tried, row.answers.join(", "));
        }
    }
}
