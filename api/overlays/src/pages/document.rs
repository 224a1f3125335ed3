//! The document of the pages, with its content security policy (reference/overlays.md#pages).

use std::sync::LazyLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};
use shared::config::HttpConfig;

/// Skeleton of the document.
const HTML: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// Script of the inner frame of a layer with code of third parties.
const FRAME_SCRIPT: &str = include_str!("frame.js");
/// Parts of the script of the page, in the order in which they run.
const SCRIPTS: [&str; 14] = [
    include_str!("script/address.js"),
    include_str!("script/messages.js"),
    include_str!("script/work.js"),
    include_str!("script/clock.js"),
    include_str!("script/assets.js"),
    include_str!("script/sounds.js"),
    include_str!("script/events.js"),
    include_str!("script/layer.js"),
    include_str!("script/layers.js"),
    include_str!("script/video.js"),
    include_str!("script/cage.js"),
    include_str!("script/frames.js"),
    include_str!("script/socket.js"),
    include_str!("script/main.js"),
];

static ASSEMBLED: LazyLock<Assembled> = LazyLock::new(Assembled::new);

/// The document before and after the origin of bundles, which the configuration decides.
struct Assembled {
    before: String,
    after: String,
    script_hash: String,
    frame_hash: String,
}

impl Assembled {
    fn new() -> Self {
        let frame_hash = source_hash(FRAME_SCRIPT);
        // A text of JSON is one of JavaScript. Without `<` it cannot end the element that it is in.
        let frame_script = serde_json::Value::from(FRAME_SCRIPT).to_string().replace('<', "\\u003c");
        let head = format!("const FRAME_SCRIPT = {frame_script};\nconst FRAME_HASH = '{frame_hash}';\n");
        let script = [head.as_str()].into_iter().chain(SCRIPTS).collect::<Vec<_>>().join("\n");
        let script_hash = source_hash(&script);
        let html = HTML.replace("PAGE_STYLE", STYLE).replace("PAGE_SCRIPT", &script);
        let (before, after) = html.split_once("BUNDLE_ORIGIN").unwrap_or((&html, ""));
        Self { before: before.to_owned(), after: after.to_owned(), script_hash, frame_hash }
    }
}

/// The document for one deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// HTML.
    pub body: String,
    /// Content security policy.
    pub policy: String,
    /// Value of `ETag`.
    pub tag: String,
}

impl Page {
    pub(super) fn of(config: &HttpConfig) -> Self {
        let bundles = config.bundle_url.as_ref().map(|url| url.origin().ascii_serialization());
        let Assembled { before, after, script_hash, frame_hash } = &*ASSEMBLED;
        let origin = bundles.as_deref().unwrap_or_default();
        let body = format!("{before}{origin}{after}");
        let tag = format!("\"{}\"", hex::encode(&Sha256::digest(&body)[..16]));
        // The frames of layers inherit this policy: `blob:` is for their code, which the frame makes itself.
        let policy = format!(
            "default-src 'none'; script-src '{script_hash}' '{frame_hash}' 'self' blob: {origin}; \
             style-src 'unsafe-inline' 'self' {origin}; img-src * data: blob:; media-src * data: blob:; \
             font-src * data:; connect-src 'self'; frame-src *; worker-src 'none'; base-uri 'none'; \
             form-action 'none'; frame-ancestors *"
        );
        Self { body, policy, tag }
    }
}

/// Hash of an inline script, as policies name it.
fn source_hash(script: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(script)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_holds_one_script_whose_hash_is_in_the_policy() {
        let text = format!("{}{}", ASSEMBLED.before, ASSEMBLED.after);
        let (_, rest) = text.split_once("<script type=\"module\">").unwrap();
        let (script, rest) = rest.split_once("</script").unwrap();
        assert_eq!(source_hash(script), ASSEMBLED.script_hash);
        assert!(!rest.contains("<script") && rest.contains("</html>"), "{rest}");
        for placeholder in ["PAGE_STYLE", "PAGE_SCRIPT"] {
            assert!(!text.contains(placeholder), "{placeholder}");
        }
    }

    #[test]
    fn document_scripts_make_no_code_of_texts() {
        for script in SCRIPTS.iter().chain([&FRAME_SCRIPT]) {
            for unsafe_word in ["outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
            {
                assert!(!script.contains(unsafe_word), "{unsafe_word}");
            }
        }
        assert!(SCRIPTS.iter().all(|script| !script.contains("innerHTML")));
    }
}
