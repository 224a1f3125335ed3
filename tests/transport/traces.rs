//! Traces of requests: W3C Trace Context in and out (reference/conventions.md#traces).

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp};
use reqwest::Method;
use serde_json::json;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

#[derive(QueryableByName)]
struct Job {
    #[diesel(sql_type = Text)]
    traceparent: String,
}

async fn get_with(caller: &Caller, path: &str, parents: &[&str]) -> Answer {
    let request = caller.request(Method::GET, path);
    caller.send(parents.iter().fold(request, |request, parent| request.header("traceparent", *parent))).await
}

/// Id of the trace and of the span that an answer names.
fn place(answer: &Answer) -> (String, String) {
    let parts: Vec<&str> = answer.header("traceparent").split('-').collect();
    let ["00", trace, span, flags] = parts.as_slice() else { panic!("{parts:?}") };
    assert_eq!((trace.len(), span.len(), flags.len()), (32, 16, 2), "{parts:?}");
    ((*trace).to_owned(), (*span).to_owned())
}

#[tokio::test]
async fn traces_of_callers_are_continued_in_every_answer() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let parent = format!("00-{TRACE}-{SPAN}-01");
    for (caller, path, status) in [
        (&app.anonymous(), "/v1", 200),
        (&app.anonymous(), "/v1/plans", 200),
        (&app.anonymous(), "/v1/roles", 401),
        (&app.anonymous(), "/v1/nothing", 404),
        (&owner.caller, "/v1/roles", 200),
        (&owner.caller, "/v1/events?limit=0", 400),
        (&owner.caller, "/developer/v1/extensions", 403),
    ] {
        let answer = get_with(caller, path, &[&parent]).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
        let (trace, span) = place(&answer);
        assert_eq!(trace, TRACE, "{path}");
        assert_ne!(span, SPAN, "{path}: a span of the request");
        assert!(answer.headers.contains_key("x-request-id"), "{path}");
    }
    let request = owner.request(Method::POST, "/v1/gql").header("traceparent", &parent);
    let graphql = owner.send(request.json(&json!({ "query": "{ me { id } }" }))).await;
    assert_eq!(place(&graphql).0, TRACE);
    app.stop().await;
}

#[tokio::test]
async fn traces_begin_anew_without_a_valid_header() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let (parent, upper) = (format!("00-{TRACE}-{SPAN}-01"), format!("00-{}-{SPAN}-01", TRACE.to_uppercase()));
    let (zeros, unknown) = ("0".repeat(32), format!("ff-{TRACE}-{SPAN}-01"));
    let zeros = format!("00-{zeros}-{SPAN}-01");
    let wrong: [&[&str]; 6] = [&[], &["x"], &[&upper], &[&zeros], &[&unknown], &[&parent, &parent]];
    let mut seen = Vec::new();
    for parents in wrong {
        let (trace, _) = place(&get_with(&anonymous, "/v1", parents).await);
        assert_ne!(trace, TRACE, "{parents:?}");
        assert!(!seen.contains(&trace), "{parents:?}: a trace of its own");
        seen.push(trace);
    }
    let request = anonymous.request(Method::GET, "/v1").header("x-request-id", "client-1");
    let both = anonymous.send(request.header("traceparent", &parent)).await;
    assert_eq!((both.header("x-request-id"), place(&both).0.as_str()), ("client-1", TRACE));
    app.stop().await;
}

#[tokio::test]
async fn traces_are_continued_without_a_state_beyond_its_limits() {
    let app = TestApp::start().await;
    let (anonymous, parent) = (app.anonymous(), format!("00-{TRACE}-{SPAN}-01"));
    let (long, value) = (format!("a={0},b={0}", "x".repeat(256)), "x".repeat(257));
    let many = (0..33).map(|number| format!("k{number}=1")).collect::<Vec<_>>().join(",");
    let too_long = format!("a={value}");
    let states: [&[&str]; 7] =
        [&["a=1,b=2"], &["a=1", "b=2"], &["a"], &["A=1"], &[&long], &[&many], &[&too_long]];
    for states in states {
        let request = anonymous.request(Method::GET, "/v1").header("traceparent", &parent);
        let request = states.iter().fold(request, |request, state| request.header("tracestate", *state));
        let answer = anonymous.send(request).await;
        assert_eq!((answer.status, place(&answer).0.as_str()), (200, TRACE), "{states:?}");
        assert!(!answer.headers.contains_key("tracestate"), "it belongs to requests");
    }
    app.stop().await;
}

#[tokio::test]
async fn traces_of_requests_are_stored_with_their_jobs() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let request =
        owner.request(Method::POST, "/v1/events").header("traceparent", format!("00-{TRACE}-{SPAN}-01"));
    let emitted = owner.send(request.json(&json!({ "event_type": "custom:traced", "data": {} }))).await;
    let (trace, span) = place(&emitted);
    assert_eq!((emitted.status, trace.as_str()), (201, TRACE), "{}", emitted.text);
    let stored: Vec<Job> = sql_query("SELECT traceparent FROM outbox WHERE traceparent IS NOT NULL")
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let of_request = format!("00-{TRACE}-{span}-01");
    assert!(stored.iter().any(|job| job.traceparent == of_request), "the span of the request is the parent");
    app.stop().await;
}
