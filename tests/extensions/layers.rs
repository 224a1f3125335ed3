//! Layers of built-in widgets in a browser (reference/extensions.md#built-in-extensions).

use extension_model::system::{WIDGETS, put_files};
use lumio_tests::{SocketRequest, TestApp, browser::Browser};
use serde_json::{Map, Value, json};

use super::system::address;

/// Mounts a layer with its defaults and these settings. In the page, `publish_script(type, data)` then sends it an
/// event, `unmount()` unmounts it, and `heard` counts its listeners. Returns the event types that it
/// subscribes to.
async fn mount(app: &TestApp, browser: &mut Browser, name: &str, settings: Value) -> String {
    let widget = WIDGETS.iter().find(|widget| widget.name == name).expect("a widget");
    let mut config = settings.as_object().cloned().unwrap_or_default();
    let defaults = widget.manifest().unwrap().config_schema.with_defaults(Map::new());
    for (key, value) in defaults {
        config.entry(key).or_insert(value);
    }
    let script = format!(
        "(async () => {{
            const layer = await import({url});
            const listeners = {{}};
            const lumio = {{ config: {config}, on: (type, listener) => {{
                (listeners[type] ??= new Set()).add(listener);
                return () => listeners[type].delete(listener);
            }} }};
            const root = document.createElement('div');
            document.body.replaceChildren(root);
            window.tell = (type, data) => {{ (listeners[type] ?? new Set()).forEach((listener) => listener(data)); }};
            window.unmount = layer.mount(root, lumio);
            window.heard = () => Object.values(listeners).reduce((sum, these) => sum + these.size, 0);
            return [...layer.events].sort().join() === Object.keys(listeners).sort().join() ? 'as it says' : 'other';
        }})()",
        url = json!(format!("{}{}", app.url(), address(app, widget, "layer.js").await)),
        config = Value::Object(config),
    );
    browser.value(&script).await.as_str().unwrap_or_default().to_owned()
}

/// Browser at a page of the server, so that imports are of the same origin.
async fn page(app: &TestApp) -> Option<Browser> {
    let mut browser = Browser::start().await?;
    put_files(&app.state.storage).await.unwrap();
    browser.open(&format!("{}/v1/health", app.url())).await;
    Some(browser)
}

fn errors(browser: &Browser) -> Vec<&String> {
    // The browser requests the favicon by itself.
    browser.errors().iter().filter(|error| !error.contains("favicon")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_alert_box_shows_events_in_sequence_as_text() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    let owner = app.owner().await;
    let mut recorded = Vec::new();
    for (event_type, data) in [
        (
            "twitch:cheer",
            json!({ "user_name": "<img src=x onerror=alert(1)>", "bits": 12345, "message": "<b>hi</b>" }),
        ),
        ("twitch:stream_update", json!({ "title": "No alert" })),
        ("streamelements:tip", json!({ "user_name": "Ada", "amount": 550, "currency": "EUR" })),
        ("kick:follower", json!({ "user_name": "Bob" })),
    ] {
        let emitted = owner.post("/v1/events", json!({ "event_type": event_type, "data": data })).await;
        recorded.push(emitted.expect(201)["data"].clone());
    }
    let listens =
        mount(&app, &mut browser, "alert_box", json!({ "duration_secs": 1, "follow_text": "" })).await;
    assert_eq!(listens, "as it says");
    let script = format!("{}.forEach((event) => tell('event:new', event)); true", Value::Array(recorded));
    assert_eq!(browser.value(&script).await, true);
    let headline = "document.querySelector('.alert .headline')?.textContent";
    assert_eq!(browser.value(headline).await, "<img src=x onerror=alert(1)> cheered 12345");
    assert_eq!(browser.value("document.querySelector('.alert .message').textContent").await, "<b>hi</b>");
    assert_eq!(browser.value("document.querySelectorAll('img, b').length").await, 0);
    browser.until("document.styleSheets.length === 1").await;
    browser.until(&format!("{headline}?.startsWith('Ada tipped') === true")).await;
    let tip = browser.value(headline).await;
    assert!(tip.as_str().unwrap().contains("5.50"), "{tip}");
    // The follow has no text of its own, so it shows no alert.
    browser.until("document.querySelector('.alert') === null").await;

    let many = "for (let n = 0; n < 500; n++) tell('event:new', { event_type: 'twitch:raid', display_name: `r${n}`, amount: n }); true";
    assert_eq!(browser.value(many).await, true);
    assert_eq!(browser.value(headline).await, "r0 raids with 0 viewers");
    assert_eq!(
        browser.value("unmount(); heard() + document.body.firstElementChild.childElementCount").await,
        0
    );
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

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
    for (name, row) in [("alert_box", ".alert"), ("event_list", ".event")] {
        assert_eq!(mount(&app, &mut browser, name, json!({})).await, "as it says");
        let mut drawn = Vec::new();
        for event in &received {
            // The event is the one received over the socket.
            let script = format!("tell({}, {}); true", event["event_type"], event["data"]);
            assert_eq!(browser.value(&script).await, true);
            let script = format!(
                "(() => {{ const row = document.querySelector('{row}');
                           const drawn = [row.textContent, row.dataset.test ?? null];
                           unmount(); return drawn; }})()"
            );
            drawn.push(browser.value(&script).await);
            mount(&app, &mut browser, name, json!({})).await;
        }
        assert_eq!(drawn[0][0], drawn[1][0], "{name}");
        assert!(drawn[0][0].as_str().unwrap().contains("Ada"), "{name}: {drawn:?}");
        assert_eq!((&drawn[0][1], &drawn[1][1]), (&json!("true"), &Value::Null), "{name}");
    }
    assert_eq!([&received[0]["event_type"], &received[1]["event_type"]], ["event:test", "event:new"]);
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_chat_box_shows_lines_as_text_and_removes_deleted_ones() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    let settings = json!({ "max_messages": 3, "hidden_users": ["ABot"] });
    assert_eq!(mount(&app, &mut browser, "chat_box", settings).await, "as it says");
    let say = |id: &str, user: &str, text: &str| {
        let message = json!({
            "platform": "twitch", "platform_message_id": id, "platform_user_id": user, "username": user,
            "display_name": user, "color": "red;background:url(x)", "badges": [{ "id": "vip", "version": "1" }],
            "text": text, "fragments": [{ "type": "text", "text": text }], "is_action": false, "is_deleted": false,
        });
        format!("tell('chat:message', {message}); true")
    };
    let lines = "[...document.querySelectorAll('.line')].map((line) => line.querySelector('.text').textContent).join('|')";
    for (id, user, text) in [
        ("1", "ada", "first"),
        ("2", "ada", "<script>window.hit = 1</script>"),
        ("3", "abot", "from a bot"),
        ("4", "bob", "!command"),
        ("5", "bob", "third"),
        ("6", "ada", "fourth"),
    ] {
        assert_eq!(browser.value(&say(id, user, text)).await, true);
    }
    assert_eq!(browser.value(lines).await, "<script>window.hit = 1</script>|third|fourth");
    assert_eq!(
        browser.value("document.querySelectorAll('script, a, iframe').length + (window.hit ?? 0)").await,
        0
    );
    assert_eq!(browser.value("document.querySelector('.name').getAttribute('style')").await, Value::Null);
    let delete = "tell('chat:delete_message', { platform: 'twitch', message_id: '5' }); true";
    assert_eq!(browser.value(delete).await, true);
    assert_eq!(browser.value(lines).await, "<script>window.hit = 1</script>|fourth");
    let clear = "tell('chat:clear_user', { platform: 'kick', platform_user_id: 'ada' });
        tell('chat:clear_user', { platform: 'twitch', platform_user_id: 'ada' }); true";
    assert_eq!(browser.value(clear).await, true);
    assert_eq!(browser.value(lines).await, "");
    assert_eq!(browser.value("unmount(); heard()").await, 0);
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_of_other_widgets_show_their_content() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    let place = "document.body.firstElementChild.lastElementChild";
    let text = format!("{place}.textContent");

    assert_eq!(
        mount(&app, &mut browser, "event_list", json!({ "max_events": 2, "show_raids": false })).await,
        "as it says"
    );
    let publish_script = "[['twitch:follower', 'a'], ['twitch:raid', 'b'], ['kick:subscribe', 'c'], ['youtube:member', '<i>d</i>']]
        .forEach(([event_type, display_name]) => tell('event:new', { event_type, display_name })); true";
    assert_eq!(browser.value(publish_script).await, true);
    assert_eq!(browser.value(&text).await, "<i>d</i>subscriptioncsubscription");

    let shown = json!({ "text": "a\n<b>b</b>", "align": "center", "scroll": true });
    assert_eq!(mount(&app, &mut browser, "text", shown).await, "as it says");
    assert_eq!(browser.value(&text).await, "a\n<b>b</b>");

    assert_eq!(
        mount(&app, &mut browser, "timer", json!({ "mode": "down", "seconds": 3700 })).await,
        "as it says"
    );
    let left = browser.value(&text).await;
    assert!(left == "1:01:40" || left == "1:01:39", "{left}");
    let past = json!({ "mode": "until", "until": "2020-01-01T00:00:00Z", "finished_text": "Now" });
    assert_eq!(mount(&app, &mut browser, "timer", past).await, "as it says");
    assert_eq!(browser.value(&text).await, "Now");

    assert_eq!(
        mount(&app, &mut browser, "now_playing", json!({ "template": "{title}/{artist}/{nobody}" })).await,
        "as it says"
    );
    assert_eq!(browser.value("tell('spotify:track', { title: '<u>T</u>', artist: 'A' }); true").await, true);
    assert_eq!(browser.value(&text).await, "<u>T</u>/A/{nobody}");
    assert_eq!(browser.value(&format!("tell('spotify:track', {{}}); {text}")).await, "");

    for (image, shown) in [("javascript:alert(1)", 0), ("data:text/html,x", 0), ("", 0), ("/v1/health", 1)] {
        assert_eq!(mount(&app, &mut browser, "image", json!({ "image": image })).await, "as it says");
        assert_eq!(browser.value("document.querySelectorAll('img').length").await, shown, "{image}");
    }
    for (url, shown) in [("javascript:alert(1)", 0), ("http://example.com", 0), ("/v1/health", 0), ("", 0)] {
        assert_eq!(
            mount(&app, &mut browser, "obs_browser_source", json!({ "url": url })).await,
            "as it says"
        );
        assert_eq!(browser.value("document.querySelectorAll('iframe').length").await, shown, "{url}");
    }
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    let url = json!({ "url": "https://127.0.0.1:1/" });
    assert_eq!(mount(&app, &mut browser, "obs_browser_source", url).await, "as it says");
    assert_eq!(
        browser.value("document.querySelector('iframe').getAttribute('sandbox')").await,
        "allow-scripts"
    );
    assert_eq!(browser.value("unmount(); document.querySelectorAll('iframe').length").await, 0);
    app.stop().await;
}
