//! Time at which a text is drawn on the page of a browser.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::browser::Browser;

/// Keeps a promise of the time at which an element has all of the texts, and of the second frame after it: the
/// first one draws them.
const WATCH: &str = "(selector, wanted, timeout) => {
    const now = () => performance.timeOrigin + performance.now();
    const textOf = () => document.querySelector(selector)?.textContent.trim() ?? '';
    window.lumioDrawn = new Promise((resolve) => {
        const check = () => {
            const text = textOf();
            if (!wanted.every((part) => text.includes(part))) return;
            observer.disconnect();
            clearTimeout(timer);
            const textAt = now();
            const end = () => resolve({ text, text_at: textAt, frame_at: now() });
            requestAnimationFrame(() => requestAnimationFrame(end));
        };
        const observer = new MutationObserver(check);
        observer.observe(document, { childList: true, characterData: true, subtree: true });
        const timer = setTimeout(() => {
            observer.disconnect();
            resolve({ shown: textOf() });
        }, timeout);
        check();
    });
    return true;
}";
/// Time after which a text counts as missing.
const TIMEOUT_MILLIS: u32 = 20_000;

/// A text on a page. Times are Unix milliseconds.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Text of the element.
    pub text: String,
    /// Time at which the document had it.
    pub text_at: f64,
    /// Time of the frame after the one that drew it.
    pub frame_at: f64,
}

/// Begins to wait until the first element of a selector has all of the texts.
pub async fn watch(browser: &mut Browser, selector: &str, wanted: &[&str]) {
    browser.value(&format!("({WATCH})({}, {}, {TIMEOUT_MILLIS})", json!(selector), json!(wanted))).await;
}

/// Waits for the texts of the last [`watch`].
///
/// # Errors
/// An error when they do not come in time.
pub async fn drawn(browser: &mut Browser) -> Result<Drawn> {
    let seen = browser.value("window.lumioDrawn").await;
    if let Some(shown) = seen["shown"].as_str() {
        bail!(
            "the page did not draw it within {TIMEOUT_MILLIS} ms; it shows `{shown}`; errors: {:?}",
            browser.errors()
        );
    }
    let time = |key: &str| seen[key].as_f64().with_context(|| format!("no {key} in {seen}"));
    let text = seen["text"].as_str().map(str::to_owned).unwrap_or_default();
    Ok(Drawn { text, text_at: time("text_at")?, frame_at: time("frame_at")? })
}

/// Present time of the same clock.
pub fn unix_millis() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1000.0)
}
