//! `Idempotency-Key` on every POST that creates or sends: the first answer is repeated and the effect is not
//! (reference/conventions.md#idempotency). The operations come from the rules and the published documents. What one needs
//! beyond its documented example, so that it succeeds, is in `posts.json`.

mod answers;
mod declared;
mod keys;
mod kills;
mod lifetime;
mod limits;
mod processes;
mod recipes;
mod requests;
mod rights;
mod stage;
mod walk;
mod world;

use api_core::access::{Answer as Form, Idempotency, Rule};
use lumio_tests::{Answer, Caller};
use reqwest::Method;
use serde_json::Value;

use crate::{
    access::in_main_terms,
    published::{Route, every_route},
};

const RUNNING: &str = "A request with this Idempotency-Key is running";
const NOT_REPEATABLE: &str = "Answer not repeatable";
const OTHER_BODY: &str = "Idempotency-Key was used with another body";
const UNKNOWN: &str = "The outcome of the first request is unknown";

/// Operations that refuse every caller here, each with the reason.
const REFUSED: [(&str, &str); 3] = [
    ("cancelSubscription", "there is no payment provider: Billing is not enabled"),
    ("createCheckout", "there is no payment provider: Billing is not enabled"),
    ("createPortal", "there is no payment provider: Billing is not enabled"),
];
/// Number of tests that divide the operations among them, each with a server of its own.
const SHARES: usize = 4;

/// A POST that knows keys.
struct Post {
    route: Route,
    rule: &'static Rule,
}

impl Post {
    const fn name(&self) -> &'static str {
        self.rule.name
    }

    fn is_refused(&self) -> bool {
        REFUSED.iter().any(|(refused, _why)| *refused == self.name())
    }
}

/// Every POST that knows keys, by name.
fn posts() -> Vec<Post> {
    let routes = every_route();
    let mut posts: Vec<Post> = lumio_api::operations::rules()
        .filter(|rule| rule.idempotency.is_some_and(|protocol| !matches!(protocol, Idempotency::Exempt(_))))
        .map(|rule| {
            let of_rule = |route: &&Route| route.operation_id == rule.name && route.method == "POST";
            let route = routes.iter().find(of_rule);
            let route = route.unwrap_or_else(|| panic!("`{}` has a key and no POST", rule.name)).clone();
            Post { route, rule }
        })
        .collect();
    posts.sort_by_key(Post::name);
    posts
}

/// Operations of a share: neighbours are in different ones.
fn posts_of(share: usize) -> impl Iterator<Item = Post> {
    posts().into_iter().enumerate().filter(move |(place, _)| place % SHARES == share).map(|(_, post)| post)
}

/// Sends a body with a key.
async fn post_with_key(caller: &Caller, path: &str, key: &str, body: &Value) -> Answer {
    caller.send(caller.request(Method::POST, path).header("idempotency-key", key).json(body)).await
}

/// Runs a GraphQL document with a key.
async fn graphql_with_key(caller: &Caller, key: &str, document: &str, variables: Value) -> Answer {
    let body = serde_json::json!({ "query": document, "variables": variables });
    post_with_key(caller, "/v1/gql", key, &body).await
}

/// True for the answer of an earlier request.
fn is_replay(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == "true"
}

fn is_success(answer: &Answer) -> bool {
    (200..300).contains(&answer.status) && answer.body["errors"].is_null()
}

/// True for a 409 with this message, also in the form of the developer API.
fn says(answer: &Answer, message: &str) -> bool {
    answer.status == 409 && in_main_terms(answer.clone()).error().1 == message
}

/// True when an answer is the right one to a successful request that is repeated.
fn is_right_repetition(post: &Post, first: &Answer, repeated: &Answer) -> bool {
    if post.rule.answer == Form::Secret {
        return says(repeated, NOT_REPEATABLE);
    }
    let same = |header: &str| repeated.header(header) == first.header(header);
    let is_same = (repeated.status, &repeated.text) == (first.status, &first.text);
    is_replay(repeated) && is_same && same("content-type") && same("location")
}

/// Asserts that an answer is the first one, repeated.
#[track_caller]
fn is_repetition(first: &Answer, repeated: &Answer) {
    assert!(!is_replay(first) && is_replay(repeated), "{}: {}", repeated.status, repeated.text);
    assert_eq!((repeated.status, &repeated.text), (first.status, &first.text));
    for header in ["content-type", "location"] {
        assert_eq!(repeated.header(header), first.header(header), "{header}");
    }
}

/// Asserts that an answer belongs to an execution.
#[track_caller]
fn is_executed(answer: &Answer, status: u16) {
    answer.expect(status);
    assert!(!is_replay(answer), "{}", answer.text);
}

/// Asserts a 409 and its message.
#[track_caller]
fn is_conflict(answer: &Answer, message: &str) {
    answer.expect(409);
    answer.refused("CONFLICT", message);
}
