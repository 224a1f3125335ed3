//! The page that shows a live channel, in a browser.

use std::net::TcpListener;

use chrono::TimeDelta;
use foundation::events::{Channel, Event};
use lumio_tests::{TestApp, browser::Browser};
use platforms_stand_in::obs::ObsStandIn;
use reqwest::Method;
use serde_json::{Value, json};
use shared::clock::rfc3339;
use uuid::Uuid;

/// A server whose public address is its own, so that its own page may connect.
async fn app() -> TestApp {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    TestApp::builder()
        .with("LUMIO_HTTP_BIND", address)
        .with("LUMIO_PUBLIC_URL", format!("http://{address}"))
        .start()
        .await
}

/// A server whose public address is another name of its address, as `scripts/run` starts it.
async fn app_by_name(public: &str) -> (TestApp, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let app = TestApp::builder()
        .with("LUMIO_HTTP_BIND", address)
        .with("LUMIO_PUBLIC_URL", format!("http://{public}:{}", address.port()))
        .start()
        .await;
    (app, address.port())
}

/// Fills in the form and sends it.
async fn listen(browser: &mut Browser, token: &str, channel: &str) {
    let fill = format!(
        "document.getElementById('token').value = {}; document.getElementById('channel').value = {};
         document.getElementById('connect').requestSubmit(); true",
        json!(token),
        json!(channel)
    );
    assert_eq!(browser.value(&fill).await, true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_shows_the_events_of_a_channel() {
    let Some(mut browser) = Browser::start().await else { return };
    let app = app().await;
    let owner = app.owner().await;
    let channel = format!("events:{}", owner.account_id);
    browser.open(&format!("{}/v1/live", app.url())).await;
    assert_eq!(browser.value("document.title").await, "Lumio live");
    listen(&mut browser, owner.token(), &channel).await;
    browser.until("document.getElementById('state').dataset.state === 'open'").await;
    let state = browser.value("document.getElementById('state').textContent").await;
    assert_eq!(state, format!("Listening to {channel}"));

    // Data is shown as text, whatever it contains.
    let data = json!({ "user_name": "<img src=x onerror=alert(1)>", "bits": 12345 });
    owner.post("/v1/events", json!({ "event_type": "twitch:cheer", "data": data })).await.expect(201);
    browser
        .until("document.querySelector('#frames li[data-type=event] strong')?.textContent === 'event:test'")
        .await;
    let shown = browser.value("document.querySelector('#frames li[data-type=event] pre').textContent").await;
    let shown: serde_json::Value = serde_json::from_str(shown.as_str().unwrap()).unwrap();
    assert_eq!((&shown["event_type"], &shown["amount"]), (&json!("twitch:cheer"), &json!(12345)));
    assert_eq!(shown["display_name"], "<img src=x onerror=alert(1)>");
    assert_eq!(browser.value("document.querySelectorAll('img').length").await, 0);

    // The page shows that the token may not subscribe to the channel.
    let stranger = app.owner().await;
    listen(&mut browser, owner.token(), &format!("chat:{}", stranger.account_id)).await;
    browser.until("document.getElementById('state').textContent.startsWith('UNAUTHORIZED')").await;
    assert!(browser.errors().is_empty(), "the policy allows what the page does: {:#?}", browser.errors());
    app.stop().await;
}

/// Lets the page execute commands in an OBS of its machine.
async fn attach(browser: &mut Browser, obs: &ObsStandIn, password: &str) {
    let fill = format!(
        "document.getElementById('obs-port').value = {};
         document.getElementById('obs-password').value = {};
         document.getElementById('obs').requestSubmit(); true",
        obs.address().port(),
        json!(password)
    );
    assert_eq!(browser.value(&fill).await, true);
}

/// Waits until the page reports this of OBS.
async fn reports(browser: &mut Browser, text: &str) {
    browser.until(&format!("document.getElementById('obs-state').textContent === {}", json!(text))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_executes_commands_in_the_obs_of_its_machine() {
    const PATH: &str = "/v1/integrations/obs";
    let Some(mut browser) = Browser::start().await else { return };
    let obs = ObsStandIn::start(Some("secret")).await;
    let app = app().await;
    let owner = app.owner().await;
    for feature in ["feature:obs_remote", "integration:obs_websocket"] {
        app.override_feature(owner.account_id, feature, true).await;
    }
    owner.put(PATH, json!({})).await.expect(200);
    browser.open(&format!("{}/v1/live", app.url())).await;
    listen(&mut browser, owner.token(), &format!("obs:{}", owner.account_id)).await;
    browser.until("document.getElementById('state').dataset.state === 'open'").await;
    attach(&mut browser, &obs, "wrong").await;
    reports(&mut browser, "Authentication failed.").await;
    attach(&mut browser, &obs, "secret").await;
    reports(&mut browser, "Connected to OBS").await;

    let call = async |path: &str| owner.send(owner.request(Method::POST, &format!("{PATH}/{path}"))).await;
    let relayed = json!({ "success": true, "relayed": true });
    assert_eq!(*call("stream/start").await.expect(200), relayed);
    reports(&mut browser, "start_stream: done").await;
    assert!(obs.is_streaming());
    owner.post(&format!("{PATH}/scene"), json!({ "scene": "Break" })).await.expect(200);
    reports(&mut browser, "set_scene: done").await;
    assert_eq!(obs.current_scene(), "Break");
    owner.post(&format!("{PATH}/scene"), json!({ "scene": "None" })).await.expect(200);
    reports(&mut browser, "set_scene: No source was found by the name of `None`.").await;
    let source = json!({ "scene": "Game", "source": "Camera", "visible": false });
    owner.post(&format!("{PATH}/source"), source).await.expect(200);
    reports(&mut browser, "set_source: done").await;
    assert_eq!(obs.is_visible("Game", "Camera"), Some(false));
    call("record/stop").await.expect(200);
    reports(&mut browser, "stop_record: OBS refuses it with status 501").await;

    // A command runs once, and none that is old.
    let publish = async |id: Uuid, command: &str, age: TimeDelta| {
        let data = json!({ "command_id": id, "command": command, "scene": Value::Null, "source": Value::Null,
            "visible": Value::Null, "issued_at": rfc3339(app.clock.now() - age) });
        let event = Event::new(Channel::Obs(owner.account_id), "obs:command", data, app.clock.now());
        app.state.events.append(&event).await.unwrap();
    };
    let id = Uuid::now_v7();
    publish(id, "start_record", TimeDelta::zero()).await;
    publish(id, "start_record", TimeDelta::zero()).await;
    publish(Uuid::now_v7(), "stop_record", TimeDelta::seconds(6)).await;
    reports(&mut browser, "stop_record: too old").await;
    assert!(obs.is_recording());
    let connections = obs.connections();
    call("test").await.expect(200);
    reports(&mut browser, "test: done").await;
    assert_eq!(obs.connections(), connections + 1);
    assert_eq!(obs.requests().iter().filter(|request| *request == "StartRecord").count(), 1);

    obs.cut_all();
    reports(&mut browser, "Connected to OBS").await;
    browser.value("document.getElementById('obs-detach').click(); true").await;
    reports(&mut browser, "Not attached to OBS").await;
    // OBS is attached for one channel, and not before the page listens to it.
    attach(&mut browser, &obs, "secret").await;
    reports(&mut browser, "Connected to OBS").await;
    listen(&mut browser, owner.token(), &format!("events:{}", owner.account_id)).await;
    reports(&mut browser, "Not attached to OBS").await;
    attach(&mut browser, &obs, "secret").await;
    reports(&mut browser, "Listen to a channel obs:{account_id} first").await;
    assert_eq!(obs.violations(), ["4009: Authentication failed."], "no other rule of the protocol is broken");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_connects_at_every_loopback_name_in_development() {
    let Some(mut browser) = Browser::start().await else { return };
    let (app, port) = app_by_name("localhost").await;
    let owner = app.owner().await;
    for name in ["127.0.0.1", "localhost"] {
        browser.open(&format!("http://{name}:{port}/v1/live")).await;
        listen(&mut browser, owner.token(), &format!("events:{}", owner.account_id)).await;
        browser.until("document.getElementById('state').dataset.state === 'open'").await;
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_shows_why_a_connection_is_refused() {
    let Some(mut browser) = Browser::start().await else { return };
    let (app, port) = app_by_name("lumio.example").await;
    let owner = app.owner().await;
    let channel = format!("events:{}", owner.account_id);
    browser.open(&format!("http://127.0.0.1:{port}/v1/live")).await;
    let state = "document.getElementById('state').textContent";
    listen(&mut browser, owner.token(), &channel).await;
    browser.until(&format!("{state}.startsWith('FORBIDDEN')")).await;
    let shown = browser.value(state).await;
    let why = format!(
        "FORBIDDEN: Origin is not allowed (http://127.0.0.1:{port}); open the page at LUMIO_PUBLIC_URL"
    );
    assert_eq!(shown, why);
    listen(&mut browser, "lm_usr_forged", &channel).await;
    browser.until(&format!("{state} === 'UNAUTHORIZED: Invalid or expired token'")).await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_runs_only_its_own_script() {
    let Some(mut browser) = Browser::start().await else { return };
    let app = app().await;
    browser.open(&format!("{}/v1/live", app.url())).await;
    let inject = "(() => { const script = document.createElement('script');
        try { script.textContent = 'window.injected = 1'; document.head.append(script); } catch { return 'refused' }
        return window.injected ?? 'refused' })()";
    assert_eq!(browser.value(inject).await, "refused");
    let elsewhere = "fetch('http://127.0.0.1:1/').then(() => 'sent', () => 'refused')";
    assert_eq!(browser.value(elsewhere).await, "refused");
    browser.until("true").await;
    assert!(!browser.errors().is_empty(), "the browser says what its policy refused");
    app.stop().await;
}

#[tokio::test]
async fn live_page_is_self_contained_and_served_only_when_enabled() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    for (path, kind) in [
        ("/v1/live", "text/html; charset=utf-8"),
        ("/v1/live/live.js", "text/javascript; charset=utf-8"),
        ("/v1/live/obs.js", "text/javascript; charset=utf-8"),
        ("/v1/live/live.css", "text/css; charset=utf-8"),
    ] {
        let answer = anonymous.get(path).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, kind), "{path}");
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{path}: {policy}");
        assert!(!answer.text.contains("://"), "{path} names no other place");
        for inline in ["<script>", " style=", " onclick=", "innerHTML", "eval("] {
            assert!(!answer.text.contains(inline), "{path}: {inline}");
        }
    }
    let off = TestApp::builder().with("LUMIO_LIVE", "false").start().await;
    for path in ["/v1/live", "/v1/live/live.js", "/v1/live/obs.js", "/v1/live/live.css"] {
        off.anonymous().get(path).await.refused("NOT_FOUND", "There is no such route");
    }
}
