//! Themes: text can be read on bright and on dark pictures.

use lumio_tests::TestApp;
use serde_json::json;

use super::{MANUAL_TIMERS, event, mount, page, styled};

/// Lowest contrast of text (WCAG 2.2, level AA).
const MIN_CONTRAST: f64 = 4.5;

/// Lowest contrast of the elements of a selector over white and over black. Text with a dark outline of at least two
/// shadows counts with the outline.
const CONTRAST: &str = "(selector) => {
    const parse = (color) => color.match(/[\\d.]+/g).map(Number);
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const found = [...document.querySelectorAll(selector)];
    return Math.min(...found.flatMap((element) => {
        const text = luminance(parse(getComputedStyle(element).color));
        const style = getComputedStyle(element.closest('.panel, .outlined'));
        const shadows = style.textShadow.match(/rgba?\\([^)]*\\)/g) ?? [];
        if (shadows.length >= 4) return shadows.map((shadow) => contrast(text, luminance(parse(shadow))));
        const [r, g, b, alpha = 1] = parse(style.backgroundColor);
        return [0, 255].map((behind) => {
            const mixed = [r, g, b].map((value) => value * alpha + behind * (1 - alpha));
            return contrast(text, luminance(mixed));
        });
    }));
}";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_have_themes_that_can_be_read_on_bright_and_dark() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let lines: Vec<String> = ["#0000ff", "#000000", "#ffffff", "#00ff00", "#8a2be2", "none"]
        .iter()
        .enumerate()
        .map(|(id, color)| {
            let line = json!({
                "platform": "twitch", "platform_message_id": id.to_string(), "platform_user_id": id.to_string(),
                "username": "ada", "color": color, "text": "hi",
            });
            format!("publish('chat:message', {line})")
        })
        .collect();
    let chat = lines.join(";");
    let alert =
        format!("publish('event:new', {})", event("twitch:cheer", json!({ "amount": 5, "message": "hi" })));
    let song = "publish('spotify:track', { title: 'T', artist: 'A', album: 'B', is_playing: true })";
    for theme in ["glass", "solid", "minimal"] {
        for (name, publish, selector) in [
            ("alert_box", alert.as_str(), ".headline, .value, .message"),
            ("chat_box", chat.as_str(), ".name, .text"),
            ("event_list", alert.as_str(), ".user, .kind, .amount"),
            ("now_playing", song, ".song, .album"),
            ("timer", "true", ".time"),
        ] {
            let settings = json!({ "theme": theme, "show_album": true });
            mount(&app, &mut browser, name, settings).await;
            styled(&mut browser).await;
            assert_eq!(browser.value(publish).await, true);
            let least = browser.value(&format!("({CONTRAST})('{selector}')")).await;
            let least = least.as_f64().unwrap_or_else(|| panic!("{name} {theme} draws {selector}: {least}"));
            assert!(least >= MIN_CONTRAST, "{name}, {theme}: {least}");
            assert_eq!(browser.value("unmount(); true").await, true);
        }
    }
    // Dark text has a light outline.
    mount(&app, &mut browser, "text", json!({ "text_color": "#101010" })).await;
    styled(&mut browser).await;
    let least = browser.value(&format!("({CONTRAST})('.text')")).await.as_f64().unwrap();
    assert!(least >= MIN_CONTRAST, "{least}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_keep_within_their_box() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let raid = event("twitch:raid", json!({ "display_name": "a".repeat(60), "amount": 5 }));
    for (width, height) in [(600, 400), (240, 120), (160, 300)] {
        mount(&app, &mut browser, "alert_box", json!({ "font_size": 160 })).await;
        styled(&mut browser).await;
        let script = format!(
            "document.body.firstElementChild.style.cssText = 'width: {width}px; height: {height}px';
             publish('event:new', {raid});
             (() => {{
                const alert = document.querySelector('.alert');
                return alert.offsetWidth <= {width} && alert.offsetHeight <= {height} && alert.offsetHeight > 20;
             }})()"
        );
        assert_eq!(browser.value(&script).await, true, "{width} x {height}");
    }
    app.stop().await;
}
