//! Traces of deliveries (reference/webhooks.md#traces).

use chrono::TimeDelta;
use foundation::trace::Trace;
use live_model::{AccountEvent, EventRow, RowBuffer};
use lumio_tests::{Caller, eventually, world::workers};
use lumio_worker::Daemon;
use reqwest::{Method, RequestBuilder};
use serde_json::json;

use super::{
    receiver::{Received, Reply},
    stage::{Stage, path},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";
const STATE: &str = "rojo=00f0,congo=t61";

/// A request in a trace of the caller.
fn in_trace(caller: &Caller, path: &str) -> RequestBuilder {
    let request = caller.request(Method::POST, path);
    request.header("traceparent", format!("00-{TRACE}-{SPAN}-01")).header("tracestate", STATE)
}

/// Ids of the trace and of the span in a value of `traceparent`.
#[track_caller]
fn place(traceparent: &str) -> (String, String) {
    let trace = Trace::parse(traceparent, None).unwrap_or_else(|| panic!("{traceparent:?} is not valid"));
    let span = traceparent.split('-').nth(2).expect("a span");
    (trace.trace_id(), span.to_owned())
}

#[track_caller]
fn place_of(request: &Received) -> (String, String) {
    place(request.header("traceparent"))
}

#[tokio::test]
async fn test_webhook_endpoint_and_replay_webhook_delivery_continue_the_trace_of_their_request() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    let test = in_trace(&stage.owner, &format!("{}/test", path(id))).json(&json!({}));
    let tested = stage.owner.send(test).await;
    let delivery = tested.expect(202)["data"]["id"].as_str().expect("an id").to_owned();
    stage.deliver().await;
    let replay = format!("{}/deliveries/{delivery}/replay", path(id));
    let replayed = stage.owner.post(&replay, json!({})).await;
    replayed.expect(202);
    stage.deliver().await;

    let received = stage.receiver.received("/a");
    let [first, second] = received.as_slice() else { panic!("{received:?}") };
    let ((trace, span), of_request) = (place_of(first), place(tested.header("traceparent")));
    assert_eq!((trace.as_str(), &trace), (TRACE, &of_request.0));
    assert!(span != SPAN && span != of_request.1, "a span of its own");
    assert_eq!(first.header("tracestate"), STATE);
    // A replay belongs to the request that asks for it.
    assert_eq!(place_of(second).0, place(replayed.header("traceparent")).0);
    assert_ne!(place_of(second).0, TRACE);
    assert!(!second.headers.contains_key("tracestate"));
    stage.stop().await;
}

#[tokio::test]
async fn emit_event_gives_its_trace_to_every_attempt() {
    let mut stage = Stage::new().await;
    stage.endpoint("/a", &["*"]).await;
    stage.receiver.reply("/a", Reply::Status(500));
    let event = json!({ "event_type": "custom:a", "data": {}, "is_test": false });
    stage.owner.send(in_trace(&stage.owner, "/v1/events").json(&event)).await.expect(201);
    stage.deliver().await;
    stage.receiver.reply("/a", Reply::Status(200));
    stage.advance(TimeDelta::seconds(11)).await;
    stage.deliver().await;
    let received = stage.receiver.received("/a");
    let [first, second] = received.as_slice() else { panic!("{received:?}") };
    let (first_place, second_place) = (place_of(first), place_of(second));
    assert_eq!((first_place.0.as_str(), second_place.0.as_str()), (TRACE, TRACE));
    assert_ne!(first_place.1, second_place.1, "each attempt has a span of its own");
    assert_eq!((first.header("tracestate"), second.header("tracestate")), (STATE, STATE));
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn traces_of_buffered_events_continue_or_begin_with_the_delivery() {
    let stage = Stage::new().await;
    let (app, account) = (&stage.app, stage.owner.account_id);
    stage.endpoint("/a", &["*"]).await;
    let running = workers(app, &[Daemon::Ingest]).await;
    let row = |name: &str| {
        let (id, event_type) = (shared::id::new(), format!("custom:{name}"));
        let event =
            AccountEvent::of_payload(account, id, event_type, None, json!({}), false, app.clock.now());
        EventRow::new(event, name.to_owned())
    };
    let traced = EventRow { traceparent: Some(format!("00-{TRACE}-{SPAN}-01")), ..row("traced") };
    RowBuffer::new(app.state.redis.clone()).push(&[traced, row("alone")]).await.unwrap();
    eventually("both are received", async || {
        stage.deliver().await;
        stage.receiver.received("/a").len() == 2
    })
    .await;
    for request in stage.receiver.received("/a") {
        let (trace, span) = place_of(&request);
        if request.body()["type"] == "custom:traced" {
            assert_eq!(trace, TRACE);
            assert_ne!(span, SPAN);
        } else {
            assert_eq!(trace, request.header("webhook-id").replace('-', ""));
        }
    }
    running.stop().await.unwrap();
    stage.stop().await;
}
