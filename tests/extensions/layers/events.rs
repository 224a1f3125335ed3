//! Event list, and simulated events in every layer.

use lumio_tests::{SocketRequest, TestApp};
use serde_json::{Value, json};

use super::{MANUAL_TIMERS, errors, event, mount, mount_with, page};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_mark_simulated_events_and_draw_them_like_real_ones() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    let owner = app.owner().await;
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("events:{}", owner.account_id)).await;
    let cheer = json!({ "user_name": "Ada", "bits": 100, "message": "hi" });
    let mut received = Vec::new();
    for is_test in [true, false] {
        let body = json!({ "event_type": "twitch:cheer", "data": cheer, "is_test": is_test });
        owner.post("/v1/events", body).await.expect(201);
        received.push(socket.frame().await);
    }
    assert_eq!([&received[0]["event_type"], &received[1]["event_type"]], ["event:test", "event:new"]);
    // Overlays receive it under the name of the real event.
    received.push(json!({ "event_type": "event:new", "data": received[0]["data"] }));
    for (name, row) in [("alert_box", ".alert"), ("event_list", ".event")] {
        let mut drawn = Vec::new();
        for event in &received {
            mount(&app, &mut browser, name, json!({})).await;
            let script = format!("publish({}, {})", event["event_type"], event["data"]);
            assert_eq!(browser.value(&script).await, true);
            let script = format!(
                "(() => {{ const row = document.querySelector('{row}');
                           const drawn = [row.textContent, row.dataset.test ?? null];
                           unmount(); return drawn; }})()"
            );
            drawn.push(browser.value(&script).await);
        }
        assert_eq!(drawn[0][0], drawn[1][0], "{name}");
        assert!(drawn[0][0].as_str().unwrap().contains("Ada"), "{name}: {drawn:?}");
        let marks: Vec<&Value> = drawn.iter().map(|drawn| &drawn[1]).collect();
        assert_eq!(marks, [&json!("true"), &Value::Null, &json!("true")], "{name}");
    }
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_event_list_shows_the_newest_events_on_top() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let follow = event("twitch:follower", json!({ "display_name": "early" }));
    let again = follow.clone();
    let members = format!(
        "{{ recent: [{}, {follow}], serverTime: () => '2026-01-01T01:00:00Z' }}",
        event("twitch:raid", json!({ "display_name": "earlier", "occurred_at": "2026-01-01T00:00:00Z" })),
    );
    let settings = json!({ "max_events": 3, "show_cheers": false, "show_messages": true });
    mount_with(&app, &mut browser, "event_list", settings, &members).await;
    let rows = "[...document.querySelectorAll('.event')].map((row) => row.querySelector('.what').textContent).join('|')";
    assert_eq!(browser.value(rows).await, "earlyfollowed|earlierraided");
    assert_eq!(browser.value("document.querySelector('.time').textContent").await, "1h");
    for event in [
        again,
        event("twitch:cheer", json!({ "amount": 100 })),
        event("twitch:reward", json!({})),
        event("twitch:poll", json!({})),
        event("kick:subscribe", json!({ "message": "<u>x</u>" })),
        event("youtube:member_gift", json!({ "data": { "count": 5 } })),
        event("youtube:superchat", json!({ "display_name": "<i>d</i>", "amount": 500, "currency": "EUR" })),
    ] {
        assert_eq!(browser.value(&format!("publish('event:new', {event})")).await, true);
    }
    assert_eq!(
        browser.value(rows).await,
        "<i>d</i>sent a Super Chat|Adagifted 5 subscriptions|Adasubscribed"
    );
    assert_eq!(browser.value("document.querySelector('.event .message').textContent").await, "<u>x</u>");
    let amount = browser.value("document.querySelector('.event .amount').textContent").await;
    assert!(amount.as_str().unwrap().contains("5.00"), "{amount}");
    assert_eq!(browser.value("document.querySelectorAll('i, u, img').length").await, 0);
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}
