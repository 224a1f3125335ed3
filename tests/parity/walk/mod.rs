//! The walk: every operation, as every caller, over both protocols. The expected response follows from the declared
//! rule and from the catalogue's roles alone (reference/permissions.md#check-order).

mod callers;

use std::time::Instant;

use api_core::access::{Needs, Rule, Who};
use futures::{StreamExt, stream};
use lumio_api::operations;
use lumio_tests::{Caller, TestApp};
use shared::catalogue::AccountPermission;

use super::{
    access::{AUTHENTICATION_REQUIRED, call_graphql, call_rest, is_refusal_of_rights},
    names::excepted,
    published::{Field, Route, every_route, fields},
};
use callers::{Kind, Stage, Walker};

/// Permissions that depend on a value of the input, of operations that need none for another: operation, value as REST
/// writes it, permission.
const GATES: &[(&str, &str, AccountPermission)] = &[
    ("enabledProviders", "channel", AccountPermission::ConnectionsRead),
    ("enabledProviders", "bot", AccountPermission::ConnectionsRead),
];

/// Number of tests that divide the operations among them, each with a server of its own.
const SHARES: usize = 3;
const _: () = assert!(SHARES == 3, "there is a test for each share");

#[tokio::test]
async fn walk_of_every_caller_gets_the_answer_of_the_rule_in_the_first_share() {
    walk(0).await;
}

#[tokio::test]
async fn walk_of_every_caller_gets_the_answer_of_the_rule_in_the_second_share() {
    walk(1).await;
}

#[tokio::test]
async fn walk_of_every_caller_gets_the_answer_of_the_rule_in_the_third_share() {
    walk(2).await;
}

#[test]
fn walk_has_every_rule_in_one_of_the_shares() {
    let mut all: Vec<&str> = (0..SHARES).flat_map(rules_of).map(|rule| rule.name).collect();
    let mut expected: Vec<&str> = operations::rules().map(|rule| rule.name).collect();
    all.sort_unstable();
    expected.sort_unstable();
    assert_eq!(all, expected);
    for (operation, ..) in GATES {
        assert!(expected.contains(operation), "`{operation}` of the gates is no operation");
    }
}

/// Rules of a share: neighbours, which belong to one domain, are in different ones.
fn rules_of(share: usize) -> impl Iterator<Item = &'static Rule> {
    operations::rules().skip(share).step_by(SHARES)
}

/// Makes all calls of one share.
async fn walk(share: usize) {
    // One popout and one token of each surface make all calls.
    let limits = ["LUMIO_RATE_POPOUT", "LUMIO_RATE_OVERLAY", "LUMIO_RATE_SURFACE"];
    let app = TestApp::builder().with("LUMIO_HTTP_THREADS", 2);
    let app = limits.iter().fold(app, |app, limit| app.with(limit, 100_000)).start().await;
    let stage = Stage::set(&app).await;
    let routes: Vec<Route> = every_route().iter().flat_map(Route::with_each_value).collect();
    let fields: Vec<Field> = fields().values().flat_map(Field::with_each_value).collect();
    let (graphql_only, rest_twins) = (excepted("graphql-only"), excepted("rest-twin"));
    let began = Instant::now();
    let mut asked = 0;
    let mut gates = 0;
    let mut surprises = Vec::new();
    for rule in rules_of(share) {
        let calls = stage.calls(&app, rule, &routes, &fields).await;
        let is_over_rest = !graphql_only.contains(rule.name);
        let is_over_graphql = !rule.rest_only && !rest_twins.contains(rule.name);
        let over_rest = calls.iter().filter(|call| call.place.is_rest()).count();
        for (protocol, is_on, met) in
            [("REST", is_over_rest, over_rest), ("GraphQL", is_over_graphql, calls.len() - over_rest)]
        {
            let least = if is_on { Walker::ALL.len() } else { 0 };
            assert!(met >= least, "`{}`: {met} calls over {protocol}, not {least}", rule.name);
        }
        asked += calls.len();
        gates += calls.iter().filter(|call| call.gate.is_some()).count();
        surprises.extend(made(rule, calls).await);
    }
    let rate = f64::from(u32::try_from(asked).expect("a count")) / began.elapsed().as_secs_f64();
    println!("access walk: {asked} calls of {} operations, {rate:.0} a second", rules_of(share).count());
    assert!(surprises.is_empty(), "{} surprises:\n{}", surprises.len(), surprises.join("\n"));
    let is_in_share = |operation: &str| rules_of(share).any(|rule| rule.name == operation);
    let expected = GATES.iter().filter(|(operation, ..)| is_in_share(operation)).count();
    assert_eq!(gates, 2 * expected * Walker::ALL.len(), "a gate is not where the list says");
}

/// One request of the walk.
struct Call<'a> {
    walker: Walker,
    caller: Caller,
    place: Place<'a>,
    gate: Option<AccountPermission>,
}

#[derive(Clone, Copy)]
enum Place<'a> {
    Rest(&'a Route),
    GraphQl(&'a Field),
}

impl Place<'_> {
    const fn is_rest(self) -> bool {
        matches!(self, Self::Rest(_))
    }

    /// True when one of the chosen values is this.
    fn has(self, value: &str) -> bool {
        match self {
            Self::Rest(route) => route.required_query.iter().any(|(_, chosen)| chosen == value),
            Self::GraphQl(field) => {
                let mut chosen = field.chosen.values().filter_map(serde_json::Value::as_str);
                chosen.any(|chosen| chosen.eq_ignore_ascii_case(value))
            }
        }
    }

    /// The permission that its value needs.
    fn gate(self, rule: &Rule) -> Option<AccountPermission> {
        let mut gates = GATES.iter().filter(|(operation, ..)| *operation == rule.name);
        gates.find(|(_, value, _)| self.has(value)).map(|(.., permission)| *permission)
    }
}

/// Makes the calls and returns those with another response than the rule's.
async fn made(rule: &Rule, calls: Vec<Call<'_>>) -> Vec<String> {
    let answers = stream::iter(calls).map(|call| async move {
        let (answer, place) = match call.place {
            Place::Rest(route) => {
                (call_rest(&call.caller, route).await, format!("{} {}", route.method, route.path))
            }
            Place::GraphQl(field) => {
                (call_graphql(&call.caller, field).await, format!("GraphQL {}", field.name))
            }
        };
        let outcome = answer.error();
        let wanted = match call.gate {
            Some(permission) => {
                expected(&Rule { who: Who::Anyone, needs: Needs::Account(permission), ..*rule }, call.walker)
            }
            None => expected(rule, call.walker),
        };
        let surprise = match &wanted {
            Some(wanted) => outcome != *wanted,
            None => is_refusal_of_rights(rule, &outcome.0, &outcome.1),
        };
        surprise.then(|| {
            format!("{place} as {:?}: {} {outcome:?}, expected {wanted:?}", call.walker, answer.status)
        })
    });
    answers.buffer_unordered(8).filter_map(async |surprise| surprise).collect().await
}

/// The refusal that the rule has for the walker; `None` when it lets the walker pass.
fn expected(rule: &Rule, walker: Walker) -> Option<(String, String)> {
    let refused = |code: &str, message: &str| Some((code.to_owned(), message.to_owned()));
    // Webhooks and reports of browsers are outside of authentication.
    if rule.who == Who::AnyCredential || (rule.who == Who::Everybody && rule.rest_only) {
        return None;
    }
    if walker.kind() == Kind::Anonymous && rule.who != Who::Everybody {
        return refused("UNAUTHORIZED", AUTHENTICATION_REQUIRED);
    }
    if !admits(rule.who, walker) {
        let message = match rule.who {
            Who::FirstParty | Who::Session => "First-party session required",
            Who::PersonalKey => "Personal API key required",
            Who::PopoutSession => "Popout session required",
            Who::ExtensionToken => "Extension token required",
            Who::SystemKey => "System key required",
            Who::Anyone | Who::Everybody | Who::AnyCredential => "This token cannot call the API",
        };
        return refused("FORBIDDEN", message);
    }
    if rule.or_own || has_what_is_needed(rule.needs, walker) {
        return None;
    }
    refused("FORBIDDEN", &format!("Missing permission: {}", rule.needs.text()?))
}

fn has_what_is_needed(needs: Needs, walker: Walker) -> bool {
    match needs {
        // The walk names no existing team: a member of none gets 404.
        Needs::Nothing | Needs::Team(_) | Needs::TeamOwnership => true,
        Needs::Account(_) | Needs::AnyAccount(_) => {
            needs.of_account().iter().any(|permission| walker.holds(*permission))
        }
        Needs::Admin(_) | Needs::AnyAdmin(_) => walker == Walker::Operator,
        // A person without a role in this scope is a Member, who holds all ten (reference/permissions.md#user-roles).
        Needs::User(_) => walker.kind() == Kind::Session || walker == Walker::PersonalKeyWith,
        // Moderation is not among the ten. The operator holds it in the admin scope, and keys never do.
        Needs::UserOrAdmin(any) => {
            let is_of_members = any.iter().any(|permission| !permission.text().contains(":moderate_"));
            let is_member = walker.kind() == Kind::Session || walker == Walker::PersonalKeyWith;
            walker == Walker::Operator || (is_of_members && is_member)
        }
    }
}

fn admits(who: Who, walker: Walker) -> bool {
    let kind = walker.kind();
    match who {
        Who::AnyCredential => true,
        Who::ExtensionToken => walker == Walker::Extension,
        Who::Everybody => !matches!(kind, Kind::Surface | Kind::SystemKey),
        Who::Anyone => !matches!(kind, Kind::Anonymous | Kind::Surface | Kind::SystemKey),
        Who::FirstParty => matches!(kind, Kind::Session | Kind::PersonalKey),
        Who::Session => kind == Kind::Session,
        Who::PersonalKey => kind == Kind::PersonalKey,
        Who::PopoutSession => false,
        Who::SystemKey => kind == Kind::SystemKey,
    }
}
