//! Layers with code of third parties (reference/overlays.md#sandbox).

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use lumio_tests::browser::Browser;
use serde_json::json;
use tokio::{io::AsyncReadExt, net::TcpListener};

use super::{Stage, cost::drawn, extension_layers::installed, layer, layer_with, random_name};

/// Attempts of the hostile layer.
const HOSTILE: &str = include_str!("hostile.js");

/// A server of somebody else, which counts requests.
struct Elsewhere {
    address: String,
    visits: Arc<AtomicUsize>,
}

impl Elsewhere {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let visits = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&visits);
        tokio::spawn(async move {
            while let Ok((mut visitor, _)) = listener.accept().await {
                let count = Arc::clone(&count);
                // Browsers open connections ahead and send nothing.
                tokio::spawn(async move {
                    if visitor.read(&mut [0; 1024]).await.is_ok_and(|length| length > 0) {
                        count.fetch_add(1, Relaxed);
                    }
                });
            }
        });
        Self { address, visits }
    }

    /// The hostile code, with what runs it.
    fn hostile(&self, own: &str, start: &str) -> String {
        let code = HOSTILE.replace("OWN_ADDRESS", own).replace("ELSEWHERE_ADDRESS", &self.address);
        format!("{code}\n{start}")
    }
}

/// Reports of hostile layers, as the page has them.
fn reports(browser: &Browser) -> Vec<&String> {
    browser.console().iter().filter(|line| line.contains("REPORT")).collect()
}

/// Emits events until this number of layers has reported; the list beside them draws each.
async fn reported(stage: &mut Stage, count: usize) {
    for _ in 0..60 {
        let name = random_name();
        stage.emit("twitch:follower", json!({ "user_name": name })).await;
        let drawn =
            format!("document.querySelector('[data-type=event_list]').textContent.includes('{name}')");
        stage.browser.until(&drawn).await;
        if reports(&stage.browser).len() >= count {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
    panic!("no reports: {:?}", stage.browser.console());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_gives_hostile_layers_nothing() {
    let Some(mut stage) = Stage::start().await else { return };
    let elsewhere = Elsewhere::start().await;
    let own = stage.app.url();
    let module = elsewhere.hostile(
        &own,
        "let lumio; let root; export function mount(...given) { [root, lumio] = given; run(); }",
    );
    let install = installed(&stage, &module, &["events:read"]).await;
    let classic = elsewhere.hostile(&own, "const root = document.getElementById('root'); run();");
    let html = format!(
        "<img src=\"{0}/html\"><iframe src=\"{0}/html\"></iframe><p onclick=\"1\">x</p>",
        elsewhere.address
    );
    let css = format!("@import url({0}/css); p {{ background: url({0}/background); }}", elsewhere.address);
    stage
        .set_layers(&json!([
            layer("event_list", (0, 0), &json!({})),
            layer("custom_html", (0, 300), &json!({ "html": html, "css": css, "js": classic })),
            layer_with("extension", (0, 600), &json!({}), &json!({ "install_id": install })),
        ]))
        .await;
    stage.open(3).await;
    reported(&mut stage, 2).await;
    for report in reports(&stage.browser) {
        assert!(report.contains("attempts, got []"), "{report}");
    }
    assert_eq!(elsewhere.visits.load(Relaxed), 0, "nothing was requested");
    let page = format!("{own}/v1/overlays/{}/page", super::text(&stage.overlay["key"]));
    assert_eq!(stage.browser.value("location.href").await, page);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_removes_layers_that_flood_it_or_navigate() {
    let Some(mut stage) = Stage::start().await else { return };
    let elsewhere = Elsewhere::start().await;
    let flood = "const flood = () => {
            for (let n = 0; n < 500; n += 1) parent.parent.postMessage('x', '*');
            setTimeout(flood, 1);
        };
        lumio.on('event:new', flood);";
    let navigate = format!("lumio.on('event:new', () => {{ location = '{}/itself'; }});", elsewhere.address);
    let custom = |js: &str, y: i32| layer("custom_html", (0, y), &json!({ "html": "<p>x</p>", "js": js }));
    stage
        .set_layers(&json!([
            layer("event_list", (0, 0), &json!({})),
            custom(flood, 300),
            custom(&navigate, 600)
        ]))
        .await;
    stage.open(3).await;
    for _ in 0..3 {
        let name = random_name();
        stage.emit("twitch:follower", json!({ "user_name": name })).await;
        stage
            .browser
            .until(&format!(
                "document.querySelector('[data-type=event_list]').textContent.includes('{name}')"
            ))
            .await;
    }
    stage
        .browser
        .until("document.querySelector('.layer .note')?.textContent.includes('too many messages') === true")
        .await;
    assert_eq!(stage.browser.value("document.querySelectorAll('.layer').length").await, 3);
    assert_eq!(elsewhere.visits.load(Relaxed), 0, "a frame navigates nowhere");
    stage.stop().await;
}

/// Memory of the scripts of a process: enough for the page, and used up soon by a layer that fills it.
const MEMORY_MEGABYTES: u32 = 128;

/// Asserts that the page and its own layers draw on beside a layer that does this at the first event. `ends` states
/// that it ends the process of its frame.
async fn draws_on_beside(code: &str, ends: bool) {
    let Some(browser) = Browser::start_as_obs_with_memory(MEMORY_MEGABYTES).await else { return };
    let mut stage = Stage::start_in(browser).await;
    // The report leaves the frame before its code begins.
    let js = format!(
        "lumio.on('event:new', () => {{ setTimeout(() => {{ {code} }}); throw new Error('REPORT heard'); }});"
    );
    stage
        .set_layers(&json!([
            layer("event_list", (0, 0), &json!({})),
            layer("custom_html", (0, 300), &json!({ "html": "<p>x</p>", "js": js })),
        ]))
        .await;
    stage.open(2).await;
    reported(&mut stage, 1).await;
    let heard = reports(&stage.browser).len();
    if ends {
        stage.browser.until_crashed().await;
    }
    for _ in 0..5 {
        let name = random_name();
        stage.emit("twitch:follower", json!({ "user_name": name })).await;
        drawn(&mut stage, "event_list", &name).await;
    }
    assert_eq!(reports(&stage.browser).len(), heard, "the layer hears nothing any more");
    // It is removed, and others are mounted.
    let text = json!({ "text": "beside", "font_size": 60 });
    let layers = json!([layer("event_list", (0, 300), &json!({})), layer("text", (0, 0), &text)]);
    stage.set_layers(&layers).await;
    stage
        .browser
        .until("document.querySelector('[data-type=text]')?.textContent.includes('beside') === true")
        .await;
    stage.shows(2).await;
    super::pictures::until_covered(&mut stage.browser, (0, 0, 600, 200), 0.01).await;
    assert_eq!(stage.browser.crashes() > 0, ends);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_draws_on_beside_a_layer_that_computes_without_end() {
    draws_on_beside("for (;;);", false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_draws_on_beside_a_layer_that_fills_its_memory() {
    draws_on_beside("const all = []; for (;;) all.push(new Array(100_000).fill(all.length));", true).await;
}
