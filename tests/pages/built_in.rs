//! Each built-in layer on the page.

use base64::{Engine, engine::general_purpose::STANDARD};
use foundation::events::{Channel, Event};
use lumio_tests::Caller;
use serde_json::{Value, json};

use super::{Stage, layer_with, pictures, text, widget};

/// Size of a layer, eight of which fill the stage.
const SIZE: (u32, u32) = (480, 540);
const PNG: (&str, &[u8]) = ("pixel.png", include_bytes!("../fixtures/media/pixel.png"));
/// A second of ten equal pictures: the left half is orange, the right half is blue.
const CLIP: (&str, &[u8]) = ("clip.webm", include_bytes!("../fixtures/media/clip.webm"));
/// A page that is teal unless it reaches the page around it.
const FOREIGN_PAGE: &str =
    "<!doctype html><style>html, body { margin: 0; height: 100%; }</style><body><script>
    let color = 'teal';
    try { if (parent.document.title !== null) color = 'red'; } catch {}
    try { if (localStorage.length >= 0) color = 'red'; } catch {}
    document.body.style.background = color;
</script>";

/// The whole window: the page of a widget is scaled to it.
const WINDOW: pictures::Place = (0, 0, 1920, 1080);

/// Uploads a file; returns its id.
async fn upload(caller: &Caller, (name, content): (&str, &[u8])) -> String {
    const BOUNDARY: &str = "lumio-test-boundary";
    let part =
        |head: &str| format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n").into_bytes();
    let mut body = part("name=\"purpose\"");
    body.extend(b"overlay_asset\r\n");
    body.extend(part(&format!("name=\"file\"; filename=\"{name}\"")));
    body.extend(content);
    body.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    let answer = caller.post_raw("/v1/uploads", &content_type, body).await;
    text(&answer.expect(201)["data"]["id"]).to_owned()
}

/// Types and settings, from left to right and from top to bottom.
fn settings(upload: &str) -> [(&'static str, Value); 8] {
    [
        ("alert_box", json!({ "duration_secs": 60, "font_size": 60 })),
        ("chat_box", json!({ "font_size": 60 })),
        ("event_list", json!({ "font_size": 60 })),
        ("text", json!({ "text": "LUMIO", "font_size": 90, "bold": true })),
        ("image", json!({ "image": upload, "fit": "fill" })),
        (
            "timer",
            json!({ "mode": "until", "until": "2020-01-01T00:00:00Z", "finished_text": "SOON", "font_size": 90 }),
        ),
        ("music", json!({ "font_size": 60 })),
        (
            "custom_html",
            json!({ "html": "<p>HTML</p>", "css": "p { margin: 0; height: 100%; background: teal; }" }),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_draws_each_built_in_layer_like_its_picture() {
    let Some(mut stage) = Stage::start().await else { return };
    let upload = upload(&stage.owner, PNG).await;
    let (width, height) = SIZE;
    let place = |at: u32| (at % 4 * width, at / 4 * height);
    let mut layers = Vec::new();
    let mut parts = Vec::new();
    for (at, (layer_type, config)) in (0..).zip(settings(&upload)) {
        let (x, y) = place(at);
        let size = json!({ "width": width, "height": height });
        layers.push(layer_with(layer_type, (x.cast_signed(), y.cast_signed()), &config, &size));
        parts.push((layer_type, (x, y, width, height)));
    }
    stage.set_layers(&Value::Array(layers)).await;
    stage.open(8).await;
    publish(&stage).await;
    for (layer_type, drawn) in
        [("alert_box", "Ada"), ("chat_box", "Hello"), ("event_list", "Ada"), ("music", "A song")]
    {
        let shown =
            format!("document.querySelector('[data-type={layer_type}]').textContent.includes('{drawn}')");
        stage.browser.until(&shown).await;
    }
    pictures::compare(&mut stage.browser, "built_in", &parts).await;
    stage.stop().await;
}

/// Publishes a follow, a line of chat and a song.
async fn publish(stage: &Stage) {
    stage.emit("twitch:follower", json!({ "user_name": "Ada" })).await;
    let account = stage.owner.account_id;
    let line = json!({
        "platform": "twitch", "platform_message_id": "1", "platform_user_id": "1", "username": "ada",
        "display_name": "Ada", "color": "#ff8080", "badges": [], "text": "Hello there", "is_action": false,
        "fragments": [{ "type": "text", "text": "Hello there" }], "is_deleted": false,
    });
    let song = json!({ "title": "A song", "artist": "A band", "is_playing": true });
    for (channel, event_type, data) in
        [(Channel::Chat(account), "chat:message", line), (Channel::Spotify(account), "spotify:track", song)]
    {
        let event = Event::new(channel, event_type, data, stage.app.clock.now());
        stage.app.state.events.append(&event).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn widget_page_draws_each_system_widget() {
    let Some(mut stage) = Stage::start().await else { return };
    stage.browser.answer_with("https://page.example/*", STANDARD.encode(FOREIGN_PAGE)).await;
    let upload = upload(&stage.owner, PNG).await;
    let settings = settings(&upload);
    let config_of = |layer_type: &str| {
        let found = settings.iter().find(|(of_type, _)| *of_type == layer_type);
        found.expect("settings of the type").1.clone()
    };
    for (widget_type, config) in [
        ("alert_box", config_of("alert_box")),
        ("chat_box", config_of("chat_box")),
        ("event_list", config_of("event_list")),
        ("text", config_of("text")),
        ("image", config_of("image")),
        ("timer", config_of("timer")),
        ("spotify_now_playing", config_of("music")),
        ("obs_browser_source", json!({ "url": "https://page.example/of-mine" })),
    ] {
        let made = widget(&stage.owner, widget_type, &config).await;
        let (id, token) = (text(&made["id"]), text(&made["access_token"]));
        stage.browser.open("about:blank").await;
        stage.browser.open(&format!("{}/v1/widgets/{id}/page#token={token}", stage.app.url())).await;
        stage.shows(1).await;
        publish(&stage).await;
        lumio_tests::eventually(widget_type, async || {
            pictures::coverage(&mut stage.browser, WINDOW).await >= 0.005
        })
        .await;
    }
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_draws_videos_and_pages_like_their_picture() {
    let Some(mut stage) = Stage::start().await else { return };
    stage.browser.answer_with("https://page.example/*", STANDARD.encode(FOREIGN_PAGE)).await;
    let clip = upload(&stage.owner, CLIP).await;
    let size = json!({ "width": 900, "height": 600 });
    let (video, page) = ((0, 0, 900, 600), (960, 300, 900, 600));
    stage
        .set_layers(&json!([
            layer_with("video", (0, 0), &json!({ "video": clip, "fit": "fill" }), &size),
            layer_with("browser", (960, 300), &json!({ "url": "https://page.example/of-mine" }), &size),
        ]))
        .await;
    stage.open(2).await;
    let watch =
        "document.querySelector('video').addEventListener('seeked', () => (window.hasBegunAgain = true))";
    stage.browser.value(watch).await;
    stage.browser.until("window.hasBegunAgain === true").await;
    pictures::until_covered(&mut stage.browser, video, 0.99).await;
    pictures::until_covered(&mut stage.browser, page, 0.99).await;
    pictures::compare(&mut stage.browser, "embedded", &[("video", video), ("browser", page)]).await;
    stage.stop().await;
}
