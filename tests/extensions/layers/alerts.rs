//! Alert box.

use lumio_tests::TestApp;
use serde_json::{Value, json};

use super::{MANUAL_PICTURES, MANUAL_TIMERS, errors, event, mount, mount_with, page, styled};

const HEADLINE: &str = "document.querySelector('.alert .headline')?.textContent";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_alert_box_shows_events_in_sequence_as_text() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    let owner = app.owner().await;
    let mut recorded = Vec::new();
    for (event_type, data) in [
        (
            "twitch:cheer",
            json!({ "user_name": "<img src=x onerror=alert(1)>", "bits": 123, "message": "<b>hi</b>" }),
        ),
        ("twitch:stream_update", json!({ "title": "No alert" })),
        ("streamelements:tip", json!({ "user_name": "Ada", "amount": 550, "currency": "EUR" })),
        ("kick:follower", json!({ "user_name": "Bob" })),
    ] {
        let emitted = owner.post("/v1/events", json!({ "event_type": event_type, "data": data })).await;
        recorded.push(emitted.expect(201)["data"].clone());
    }
    let settings = json!({ "duration_secs": 1, "gap_secs": 0, "follow_text": "" });
    mount(&app, &mut browser, "alert_box", settings).await;
    let script = format!("{}.forEach((event) => publish('event:new', event)); true", Value::Array(recorded));
    assert_eq!(browser.value(&script).await, true);
    assert_eq!(browser.value(HEADLINE).await, "<img src=x onerror=alert(1)> cheered 123");
    assert_eq!(browser.value("document.querySelector('.alert .message').textContent").await, "<b>hi</b>");
    assert_eq!(browser.value("document.querySelectorAll('img, b').length").await, 0);
    styled(&mut browser).await;
    browser.until(&format!("{HEADLINE}?.startsWith('Ada tipped') === true")).await;
    let tip = browser.value(HEADLINE).await;
    assert!(tip.as_str().unwrap().contains("5.50"), "{tip}");
    // The follow has no text of its own, so it shows no alert.
    browser.until("document.querySelector('.alert') === null").await;
    assert_eq!(
        browser.value("unmount(); heard() + document.body.firstElementChild.childElementCount").await,
        0
    );
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_alert_box_keeps_at_most_a_hundred_alerts_waiting() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    mount(&app, &mut browser, "alert_box", json!({})).await;
    let storm = "for (let n = 0; n < 500; n++) publish('event:new', { event_type: 'twitch:raid', display_name: `r${n}`, amount: n });
        let shown = [];
        while (waiting() > 0) {
            const name = document.querySelector('.alert .user')?.textContent;
            if (name && shown.at(-1) !== name) shown.push(name);
            step();
        }
        [shown.length, shown[0], shown.at(-1)].join()";
    assert_eq!(browser.value(storm).await, "101,r0,r100");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_alert_box_animates_each_type_in_its_own_way() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    mount(&app, &mut browser, "alert_box", json!({ "reward_on": true })).await;
    styled(&mut browser).await;
    for (event_type, kind, animation) in [
        ("twitch:follower", "follow", "bounce"),
        ("kick:subscribe", "subscription", "pop"),
        ("twitch:resub", "resub", "flip"),
        ("youtube:member", "member", "pop"),
        ("trovo:gift_sub", "gift", "drop"),
        ("twitch:cheer", "cheer", "zoom"),
        ("twitch:raid", "raid", "rush"),
        ("streamelements:tip", "tip", "slide"),
        ("youtube:superchat", "superchat", "flip"),
        ("shopify:order", "order", "slide"),
        ("twitch:reward", "reward", "fade"),
    ] {
        let script = format!(
            "publish('event:new', {});
             (() => {{
                const alert = document.querySelector('.alert');
                const drawn = [alert.dataset.kind, alert.classList.contains('in-{animation}'), getComputedStyle(alert).animationName];
                while (waiting() > 0) step();
                return drawn.join();
             }})()",
            event(event_type, json!({ "amount": 5 }))
        );
        let expected = format!("{kind},true,lumio-alert-{animation}");
        assert_eq!(browser.value(&script).await, expected.as_str(), "{event_type}");
    }
    for animation in ["slide", "pop", "fade", "bounce", "zoom", "flip", "rush", "drop"] {
        mount(&app, &mut browser, "alert_box", json!({ "raid_animation": animation })).await;
        styled(&mut browser).await;
        let script = format!(
            "publish('event:new', {}); getComputedStyle(document.querySelector('.alert')).animationName",
            event("twitch:raid", json!({}))
        );
        assert_eq!(browser.value(&script).await, format!("lumio-alert-{animation}").as_str());
        assert_eq!(browser.value("unmount(); true").await, true);
    }
    app.stop().await;
}

/// Publishes an event and returns headline, animation, played sounds and whether it is a variation; then ends the
/// alert.
fn announced(event: &Value, meta: &Value) -> String {
    format!(
        "(() => {{
            window.played = [];
            publish('event:new', {event}, {meta});
            const alert = document.querySelector('.alert');
            const drawn = alert === null ? null : {{
                text: alert.querySelector('.headline').textContent,
                animation: [...alert.classList].find((name) => name.startsWith('in-')),
                varied: alert.dataset.varied === 'true',
                played: window.played,
            }};
            while (waiting() > 0) step();
            return drawn;
        }})()"
    )
}

const PLAYER: &str =
    "{ play: (url, volume) => { window.played.push(`${url} ${volume}`); return { stop() {} }; },
    asset: (id) => (id === '0196b1a0-7c00-7000-8000-000000000001' ? 'blob:x/1' : null) }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_alert_box_varies_by_amount_and_takes_templates_and_sounds() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let settings = json!({
        "sound": "https://media.example/all.mp3",
        "volume": 50,
        "min_amount": 10,
        "cheer_sound": "0196b1a0-7c00-7000-8000-000000000001",
        "cheer_variations": [
            "1000: BIG {user} {nothing} | https://media.example/big.mp3 | animation=drop | | what=ever",
            "no variation",
            "100: {user} gave {amount} | animation=none | | ",
            "5000 {user}",
        ],
        "tip_variations": ["5: Five or more"],
        "subscription_text": "S {user}",
        "resub_variations": ["12: A year, {user}"],
    });
    mount_with(&app, &mut browser, "alert_box", settings, PLAYER).await;
    let now = json!({ "age_ms": 100 });
    for (event, expected) in [
        (event("twitch:cheer", json!({ "amount": 9 })), Value::Null),
        (
            event("twitch:cheer", json!({ "amount": 99 })),
            json!(["Ada cheered 99", "in-zoom", false, ["blob:x/1 0.5"]]),
        ),
        (
            event("twitch:cheer", json!({ "amount": 100 })),
            json!(["Ada gave 100", "in-none", true, ["blob:x/1 0.5"]]),
        ),
        (
            event("twitch:cheer", json!({ "amount": 1000 })),
            json!(["BIG Ada {nothing}", "in-drop", true, ["https://media.example/big.mp3 0.5"]]),
        ),
        (
            event("streamelements:tip", json!({ "amount": 500, "currency": "EUR" })),
            json!(["Five or more", "in-slide", true, ["https://media.example/all.mp3 0.5"]]),
        ),
        (
            event("twitch:resub", json!({ "data": { "months": 3 } })),
            json!(["S Ada", "in-flip", false, ["https://media.example/all.mp3 0.5"]]),
        ),
        (
            event("twitch:resub", json!({ "data": { "months": 12 } })),
            json!(["A year, Ada", "in-flip", true, ["https://media.example/all.mp3 0.5"]]),
        ),
    ] {
        let drawn = browser.value(&announced(&event, &now)).await;
        let drawn = match drawn {
            Value::Null => Value::Null,
            drawn => json!([drawn["text"], drawn["animation"], drawn["varied"], drawn["played"]]),
        };
        assert_eq!(drawn, expected, "{event}");
    }
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_alert_box_shows_amounts_with_the_minor_units_of_their_currency() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let settings = json!({ "tip_text": "{amount}", "tip_variations": ["1000: Large {amount}"] });
    mount(&app, &mut browser, "alert_box", settings).await;
    // Browsers show no decimal places of HUF, IDR and IQD by themselves.
    for (amount, currency, shown, is_large) in [
        (99_999, "HUF", "999.99", false),
        (100_000, "HUF", "1,000.00", true),
        (100_000, "IDR", "1,000.00", true),
        (999_999, "IQD", "999.999", false),
        (1_000_000, "IQD", "1,000.000", true),
        (1500, "KWD", "1.500", false),
        (999, "JPY", "999", false),
        (1000, "JPY", "1,000", true),
        (12_345, "CLF", "1.2345", false),
        (550, "EUR", "5.50", false),
    ] {
        let tip = event("streamelements:tip", json!({ "amount": amount, "currency": currency }));
        let drawn = browser.value(&announced(&tip, &json!({ "age_ms": 0 }))).await;
        let text = drawn["text"].as_str().unwrap();
        // The sign of the currency stands before the amount.
        let number = text.trim_start_matches(|sign: char| !sign.is_ascii_digit());
        assert_eq!(
            (number, drawn["varied"].as_bool()),
            (shown, Some(is_large)),
            "{amount} {currency}: {text}"
        );
    }
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

/// Keeps the times of timers, in milliseconds.
const KEPT_TIMES: &str = "(() => {
    const { setTimeout } = window;
    window.times = [];
    window.setTimeout = (run, time) => { window.times.push(time); return setTimeout(run); };
    return true;
})()";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_alert_box_takes_pictures_and_durations_of_types_and_variations() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    for script in [MANUAL_PICTURES, MANUAL_TIMERS, KEPT_TIMES] {
        assert_eq!(browser.value(script).await, true);
    }
    let (all, big) = ("https://media.example/all.png", "https://media.example/big.png");
    let settings = json!({
        "image": all,
        "duration_secs": 6,
        "raid_image": "0196b1a0-7c00-7000-8000-000000000001",
        "raid_secs": 9,
        "cheer_variations": [format!("100: {{user}} | | {big} | secs=12")],
    });
    mount_with(&app, &mut browser, "alert_box", settings, PLAYER).await;
    let own = json!({ "data": { "title": "Title", "message": "Text", "duration_secs": 3 } });
    for (event, picture, seconds) in [
        (event("twitch:follower", json!({})), all, 6),
        (event("twitch:raid", json!({ "amount": 5 })), "blob:x/1", 9),
        (event("twitch:cheer", json!({ "amount": 99 })), all, 6),
        (event("twitch:cheer", json!({ "amount": 100 })), big, 12),
        (event("custom:alert", own), all, 3),
    ] {
        let script = format!(
            "(() => {{
                [pictures.length, times.length] = [0, 0];
                publish('event:new', {event}, {{ age_ms: 0 }});
                const drawn = [pictures.join(), times[0], document.querySelectorAll('.alert img').length];
                while (waiting() > 0) step();
                return drawn;
            }})()"
        );
        assert_eq!(browser.value(&script).await, json!([picture, seconds * 1000, 1]), "{event}");
    }
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_alert_box_keeps_the_meaning_of_former_settings() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let now = json!({ "age_ms": 100 });
    let resub = event("twitch:resub", json!({ "data": { "months": 14 } }));
    let member = event("youtube:member", json!({}));
    let superchat = event("youtube:superchat", json!({ "amount": 500, "currency": "JPY" }));
    for (settings, event, text) in [
        (json!({}), &resub, json!("Ada subscribed for 14 months")),
        (json!({}), &member, json!("Ada became a member")),
        (json!({ "subscription_text": "S {user}" }), &resub, json!("S Ada")),
        (json!({ "subscription_text": "" }), &resub, Value::Null),
        (json!({ "subscription_text": "", "member_text": "M {user}" }), &member, json!("M Ada")),
        (json!({ "member_on": false }), &member, Value::Null),
        (json!({ "tip_text": "T {user}" }), &superchat, json!("T Ada")),
        (json!({ "min_amount": 501 }), &superchat, Value::Null),
    ] {
        mount_with(&app, &mut browser, "alert_box", settings.clone(), PLAYER).await;
        let drawn = browser.value(&announced(event, &now)).await;
        assert_eq!(drawn.get("text").unwrap_or(&Value::Null), &text, "{settings}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_alert_box_announces_nothing_that_is_old() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let follow = event("twitch:follower", json!({}));
    for (age, shown) in [(60_000, true), (60_001, false)] {
        mount_with(&app, &mut browser, "alert_box", json!({}), PLAYER).await;
        let drawn = browser.value(&announced(&follow, &json!({ "age_ms": age }))).await;
        assert_eq!(!drawn.is_null(), shown, "{age}");
    }
    mount_with(&app, &mut browser, "alert_box", json!({}), "{ isOld: () => true, recent: [] }").await;
    assert!(browser.value(&announced(&follow, &json!({ "age_ms": 0 }))).await.is_null());
    app.stop().await;
}
