//! Document of the page, with its content security policy (reference/history.md#shared-page).

use std::sync::LazyLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// Skeleton of the document.
const HTML: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// Parts of the script, in the order in which they run.
const SCRIPTS: [&str; 7] = [
    include_str!("script/address.js"),
    include_str!("script/elements.js"),
    include_str!("script/request.js"),
    include_str!("script/series.js"),
    include_str!("script/chart.js"),
    include_str!("script/report.js"),
    include_str!("script/main.js"),
];

static PAGE: LazyLock<Page> = LazyLock::new(Page::assembled);

/// The document.
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
    pub(super) fn get() -> &'static Self {
        &PAGE
    }

    fn assembled() -> Self {
        let script = SCRIPTS.join("\n");
        let body = HTML.replace("PAGE_STYLE", STYLE).replace("PAGE_SCRIPT", &script);
        let policy = format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            source_hash(&script),
            source_hash(STYLE),
        );
        let tag = format!("\"{}\"", hex::encode(&Sha256::digest(&body)[..16]));
        Self { body, policy, tag }
    }
}

/// Hash of an inline script or style, as policies name it.
fn source_hash(source: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(source)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of the only element of a name, with these attributes.
    fn only<'p>(page: &'p Page, name: &str, attributes: &str) -> &'p str {
        let (_, rest) = page.body.split_once(&format!("<{name}{attributes}>")).expect("an element");
        let (text, rest) = rest.split_once(&format!("</{name}>")).expect("its end");
        assert!(!rest.contains(&format!("<{name}")), "one {name}");
        text
    }

    #[test]
    fn page_holds_one_script_and_one_style_whose_hashes_are_in_the_policy() {
        let page = Page::get();
        let (script, style) = (only(page, "script", " type=\"module\""), only(page, "style", ""));
        assert!(page.policy.contains(&format!("script-src '{}';", source_hash(script))));
        assert!(page.policy.contains(&format!("style-src '{}';", source_hash(style))));
        assert!(page.body.trim_end().ends_with("</html>"));
        for placeholder in ["PAGE_STYLE", "PAGE_SCRIPT"] {
            assert!(!page.body.contains(placeholder), "{placeholder}");
        }
    }

    #[test]
    fn page_scripts_make_no_code_of_texts() {
        for script in SCRIPTS {
            for unsafe_word in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
            {
                assert!(!script.contains(unsafe_word), "{unsafe_word}");
            }
        }
    }

    #[test]
    fn page_names_no_other_host() {
        for source in SCRIPTS.iter().chain([&HTML, &STYLE]) {
            let without_namespace = source.replace("http://www.w3.org/2000/svg", "");
            assert!(!without_namespace.contains("http:") && !without_namespace.contains("https:"));
        }
    }
}
