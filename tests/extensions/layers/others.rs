//! Text, timer, now playing, image and browser source.

use lumio_tests::TestApp;
use serde_json::{Value, json};

use super::{MANUAL_PICTURES, MANUAL_TIMERS, errors, event, mount, mount_with, page};

const TEXT: &str = "place.textContent";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_text_fills_in_what_the_page_knows() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    let shown = json!({ "text": "a\n<b>b</b>{other}", "align": "center", "scroll": true });
    mount(&app, &mut browser, "text", shown).await;
    assert_eq!(browser.value(TEXT).await, "a\n<b>b</b>{other}");

    let members = format!(
        "{{ recent: [{}], now_playing: {{ title: 'T', artist: 'A' }} }}",
        event("kick:follower", json!({ "display_name": "Eve" }))
    );
    let text = "{last_follower}/{last_raid}/{last_tipper}/{followers}/{cheers}/{song} by {artist}";
    mount_with(&app, &mut browser, "text", json!({ "text": text, "empty_text": "?" }), &members).await;
    assert_eq!(browser.value(TEXT).await, "Eve/?/?/0/0/T by A");
    for event in [
        event("twitch:follower", json!({ "display_name": "<i>Bob</i>" })),
        event("twitch:cheer", json!({ "amount": 50 })),
        event("twitch:cheer", json!({ "amount": 1000, "is_test": true })),
        event("twitch:raid", json!({ "amount": 7 })),
        event("youtube:superchat", json!({ "display_name": "Sue", "amount": 500, "currency": "EUR" })),
    ] {
        assert_eq!(browser.value(&format!("publish('event:new', {event})")).await, true);
    }
    assert_eq!(browser.value("publish('spotify:track', null)").await, true);
    assert_eq!(browser.value(TEXT).await, "<i>Bob</i>/Ada (7)/Sue/1/50/ by ");
    assert_eq!(browser.value("document.querySelectorAll('i, b').length").await, 0);
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_timer_counts_in_every_mode_and_format() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let members = "{ serverTime: () => Date.parse('2026-01-01T00:00:00Z') + window.time }";
    for (settings, at_start, later) in [
        (json!({ "mode": "down", "seconds": 3700 }), "1:01:40", "1:01:30"),
        (json!({ "mode": "down", "seconds": 5, "finished_text": "Now" }), "0:05", "Now"),
        (json!({ "mode": "up" }), "0:00", "0:10"),
        (json!({ "mode": "until", "until": "2026-01-01T00:01:00Z" }), "1:00", "0:50"),
        (
            json!({ "mode": "until", "until": "2020-01-01T00:00:00Z", "finished_text": "Past" }),
            "Past",
            "Past",
        ),
        (json!({ "seconds": 3700, "format": "hms" }), "01:01:40", "01:01:30"),
        (json!({ "seconds": 3700, "format": "ms" }), "61:40", "61:30"),
        (json!({ "seconds": 90000, "format": "dhms" }), "1d 1:00:00", "1d 0:59:50"),
        (json!({ "seconds": 3700, "format": "words" }), "1 h 1 min 40 s", "1 h 1 min 30 s"),
    ] {
        assert_eq!(browser.value("time = 0; true").await, true);
        mount_with(&app, &mut browser, "timer", settings.clone(), members).await;
        assert_eq!(browser.value(TEXT).await, at_start, "{settings}");
        assert_eq!(browser.value(&format!("time = 10000; step(); {TEXT}")).await, later, "{settings}");
        assert_eq!(browser.value("unmount(); waiting()").await, 0);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_now_playing_shows_progress_and_hides_a_paused_song() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    assert_eq!(browser.value(MANUAL_PICTURES).await, true);
    let members = "{ serverTime: () => window.time }";
    let settings = json!({ "template": "{title}/{artist}/{other}", "show_times": true });
    mount_with(&app, &mut browser, "now_playing", settings, members).await;
    let track = |title: &str, progress: i64, is_playing: bool| {
        json!({
            "title": title, "artist": "A", "cover_url": "https://i.scdn.co/image/1", "duration_ms": 200_000,
            "progress_ms": progress, "is_playing": is_playing,
        })
    };
    let publish = |track: Value| format!("publish('spotify:track', {track}, {{ age_ms: 0 }})");
    assert_eq!(browser.value(&publish(track("<u>T</u>", 50_000, true))).await, true);
    let song = "document.querySelector('.song').textContent";
    let times = "document.querySelector('.times').textContent";
    assert_eq!(browser.value(song).await, "<u>T</u>/A/{other}");
    assert_eq!(browser.value("pictures.join()").await, "https://i.scdn.co/image/1");
    assert_eq!(browser.value(times).await, "0:50 / 3:20");
    assert_eq!(browser.value(&format!("time = 10000; step(); {times}")).await, "1:00 / 3:20");
    assert_eq!(browser.value("document.querySelector('.done').style.transform").await, "scaleX(0.3)");
    assert_eq!(browser.value(&publish(track("<u>T</u>", 60_000, false))).await, true);
    assert_eq!(browser.value("document.querySelectorAll('.paused.leaving').length").await, 1);
    let state = "publish('spotify:state', { now_playing: null, is_playing: false })";
    assert_eq!(browser.value(state).await, true);
    assert_eq!(browser.value(TEXT).await, "");
    assert_eq!(browser.value("waiting()").await, 0);

    let settings = json!({ "hide_after_secs": 5, "hide_when_paused": false });
    mount_with(&app, &mut browser, "now_playing", settings, members).await;
    assert_eq!(browser.value("time = 0; true").await, true);
    assert_eq!(browser.value(&publish(track("T", 0, false))).await, true);
    assert_eq!(browser.value("document.querySelectorAll('.leaving').length").await, 0);
    assert_eq!(browser.value("time = 6000; step(); waiting()").await, 0);
    assert_eq!(browser.value(TEXT).await, "");
    assert_eq!(browser.value(&format!("publish('spotify:track', {{}}); {TEXT}")).await, "");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_image_shows_pictures_by_address_and_by_id() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_PICTURES).await, true);
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let id = "0196b1a0-7c00-7000-8000-000000000001";
    for (image, shown) in
        [("javascript:alert(1)", 0), ("data:text/html,x", 0), ("", 0), (id, 0), ("/v1/health", 1)]
    {
        mount(&app, &mut browser, "image", json!({ "image": image })).await;
        assert_eq!(browser.value("document.querySelectorAll('img').length").await, shown, "{image}");
    }
    assert_eq!(browser.value("pictures.length = 0; true").await, true);
    let settings = json!({ "image": id, "images": ["https://a.example/2.png", "file:///etc/passwd"] });
    mount_with(
        &app,
        &mut browser,
        "image",
        settings,
        "{ asset: (id) => (id.startsWith('0196') ? 'blob:x/1' : null) }",
    )
    .await;
    assert_eq!(
        browser.value("step(); step(); step(); pictures.join()").await,
        "blob:x/1,https://a.example/2.png,blob:x/1,https://a.example/2.png"
    );
    assert!(browser.value("document.querySelectorAll('img').length").await.as_i64().unwrap() <= 3);
    assert_eq!(browser.value("unmount(); waiting()").await, 0);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_browser_source_shows_a_secure_page_in_a_sandbox() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    for url in ["javascript:alert(1)", "http://example.com", "/v1/health", ""] {
        mount(&app, &mut browser, "obs_browser_source", json!({ "url": url })).await;
        assert_eq!(browser.value("document.querySelectorAll('iframe').length").await, 0, "{url}");
    }
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    let url = json!({ "url": "https://127.0.0.1:1/" });
    mount(&app, &mut browser, "obs_browser_source", url).await;
    assert_eq!(
        browser.value("document.querySelector('iframe').getAttribute('sandbox')").await,
        "allow-scripts"
    );
    assert_eq!(browser.value("unmount(); document.querySelectorAll('iframe').length").await, 0);
    app.stop().await;
}
