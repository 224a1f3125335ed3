//! Texts of people as sanitised HTML (reference/ideas.md#texts).

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap, HashSet},
    sync::LazyLock,
};

use ammonia::{Builder, UrlRelative};
use api_core::{ApiError, Result, validate};
use uuid::Uuid;

/// Maximum number of people that a text mentions (reference/ideas.md#mentions).
pub(crate) const MAX_MENTIONS: usize = 20;
/// Maximum number of elements that the parser may repeat. After a block it opens each format again that is open, so that
/// misnested formats grow with the square of their number.
const MAX_REPEATED: usize = 100_000;
/// Maximum number of times that a text is sanitised until it no longer changes.
const MAX_PASSES: usize = 10;

const ALLOWED: [&str; 14] =
    ["p", "br", "strong", "em", "u", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "span"];
/// Elements whose content is no text for readers.
const REMOVED: [&str; 14] = [
    "script", "style", "svg", "math", "iframe", "object", "template", "title", "textarea", "noscript",
    "noembed", "noframes", "xmp", "select",
];
/// Elements that the parser opens again in the next block.
const FORMATS: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// Elements inside of which the end of an outer format is none.
const SCOPES: [&str; 12] = [
    "applet", "caption", "html", "marquee", "math", "object", "select", "svg", "table", "td", "template",
    "th",
];
const MENTION: &str = "data-mention-id";
/// Beginning of the tag of a mention, as the sanitiser writes it.
const MENTION_TAG: &str = "span data-mention-id=\"";
const LINK_REL: &str = "nofollow noopener";

static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from(ALLOWED))
        .clean_content_tags(HashSet::from(REMOVED))
        .tag_attributes(HashMap::from([("a", HashSet::from(["href"])), ("span", HashSet::from([MENTION]))]))
        .generic_attributes(HashSet::new())
        .url_schemes(HashSet::from(["http", "https"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some(LINK_REL))
        .attribute_filter(kept_value);
    builder
});

/// Sanitised text with the people that it mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Html {
    /// HTML. Sanitising it again changes nothing.
    pub text: String,
    /// People.
    pub mentions: BTreeSet<Uuid>,
}

impl Html {
    /// Sanitises a text. Its length counts as given and as sanitised.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn sanitized(field: &str, given: &str, min: usize, max: usize) -> Result<Self> {
        let given = validate::long_text(field, given, min, max)?;
        let text = settled(&given, max)
            .ok_or_else(|| ApiError::invalid(format!("{field} must be HTML without misnested elements")))?;
        if !has_text(&text) {
            return Err(ApiError::invalid(format!("{field} must not be empty")));
        }
        // Escapes and the attributes of links lengthen a text, and escaped control characters are in it by
        // now.
        let text = validate::long_text(field, &text, min, max)?;
        let mentions = mentions_in(&text);
        if mentions.len() > MAX_MENTIONS {
            return Err(ApiError::invalid(format!("{field} must mention at most {MAX_MENTIONS} users")));
        }
        Ok(Self { text, mentions })
    }
}

/// Value of an attribute that stays. A mention names a UUID. An address has its slashes: browsers take `https:settings` for
/// an address relative to the page.
fn kept_value<'a>(_element: &str, attribute: &str, value: &'a str) -> Option<Cow<'a, str>> {
    if attribute == MENTION {
        return Uuid::try_parse(value).ok().map(|id| Cow::Owned(id.to_string()));
    }
    let lower = value.to_ascii_lowercase();
    let is_kept = attribute != "href" || lower.starts_with("http://") || lower.starts_with("https://");
    is_kept.then_some(Cow::Borrowed(value))
}

/// Text that sanitising no longer changes. Elements that are removed leave a tree which HTML may not
/// express, so that reading it again gives another one. `None`: it does not settle, or grows beyond reason.
fn settled(given: &str, max: usize) -> Option<String> {
    let mut text = given.to_owned();
    for _ in 0..MAX_PASSES {
        if repeated(&text) > MAX_REPEATED {
            return None;
        }
        let next = simplified(&SANITIZER.clean(&text).to_string());
        if next == text {
            return Some(text);
        }
        // A character is at most five as an escape, and a link has a `rel` of its own.
        if next.len() > 10 * max {
            return None;
        }
        next.trim().clone_into(&mut text);
    }
    None
}

/// Upper bound of the elements that the parser repeats: for each tag the formats that are open at it.
fn repeated(html: &str) -> usize {
    let has_scopes = tags(html).any(|(name, _)| is_one_of(name, &SCOPES));
    let (mut open, mut number, mut repeated) = (HashMap::<String, usize>::new(), 0, 0_usize);
    for (name, is_end) in tags(html) {
        repeated = repeated.saturating_add(number);
        if !is_one_of(name, &FORMATS) {
            continue;
        }
        let of_name = open.entry(name.to_ascii_lowercase()).or_default();
        if !is_end {
            *of_name += 1;
            number += 1;
        } else if *of_name > 0 && !has_scopes {
            *of_name -= 1;
            number -= 1;
        }
    }
    repeated
}

/// Names of the tags of a text, each with true for an end. A `<` before anything but a letter is text.
fn tags(html: &str) -> impl Iterator<Item = (&str, bool)> {
    html.split('<').skip(1).filter_map(|part| {
        let (part, is_end) = part.strip_prefix('/').map_or((part, false), |end| (end, true));
        let ends = part.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(part.len());
        let name = part.get(..ends)?;
        name.starts_with(|first: char| first.is_ascii_alphabetic()).then_some((name, is_end))
    })
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|one| one.eq_ignore_ascii_case(name))
}

/// State of an `a` or `span` until its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Kept,
    Mention,
    Dropped,
}

/// Drops links without an address, `span` elements that mention no person, and markup inside of mentions.
/// The text is one of the sanitiser, where `<` and `>` are around tags only and each element has its end.
fn simplified(html: &str) -> String {
    let mut kept = String::with_capacity(html.len());
    let mut open = Vec::new();
    let mut rest = html;
    while let Some((text, tagged)) = rest.split_once('<') {
        kept.push_str(text);
        let (tag, after) = tagged.split_once('>').unwrap_or((tagged, ""));
        if is_kept(tag, &mut open) {
            kept.extend(["<", tag, ">"]);
        }
        // The parser drops the first line break of a `pre` each time.
        rest = if tag == "pre" { after.trim_start_matches('\n') } else { after };
    }
    kept + rest
}

fn is_kept(tag: &str, open: &mut Vec<Open>) -> bool {
    let is_in_mention = open.contains(&Open::Mention);
    match tag {
        "/a" | "/span" => open.pop() != Some(Open::Dropped),
        _ if tag.split(' ').next().is_some_and(|name| matches!(name, "a" | "span")) => {
            let begun = match tag {
                _ if is_in_mention => Open::Dropped,
                _ if tag.starts_with(MENTION_TAG) => Open::Mention,
                _ if tag.starts_with("a href=") => Open::Kept,
                _ => Open::Dropped,
            };
            open.push(begun);
            begun != Open::Dropped
        }
        _ => !is_in_mention,
    }
}

/// True when a reader sees anything.
fn has_text(html: &str) -> bool {
    let parts = html.split('<').enumerate();
    // Before the first tag there is text only.
    let mut texts = parts.map(|(at, part)| match part.split_once('>') {
        Some((_tag, text)) if at > 0 => text,
        _ => part,
    });
    texts.any(|text| !text.replace("&nbsp;", " ").trim().is_empty())
}

fn mentions_in(html: &str) -> BTreeSet<Uuid> {
    let ids = html.split('<').filter_map(|part| part.strip_prefix(MENTION_TAG)?.split('"').next());
    ids.filter_map(|id| Uuid::try_parse(id).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0197a3c4-0000-7000-8000-000000000001";

    fn sanitized(text: &str) -> Result<String> {
        Html::sanitized("body", text, 1, 5000).map(|html| html.text)
    }

    #[test]
    fn html_keeps_what_is_allowed() {
        let link = r#"<a href="https://lumio.test/?a=1&amp;b=2" rel="nofollow noopener">x</a>"#;
        let mention = format!(r#"<span data-mention-id="{ID}">@Ada</span>"#);
        let list = "<ul><li>1</li></ul><ol><li>2</li></ol>";
        let text = format!(
            "<p>a<br><strong>b</strong><em>c</em><u>d</u><s>e</s></p><pre><code>f &lt; g</code></pre>\
             <blockquote>h</blockquote>{list}{link} {mention}"
        );
        let html = Html::sanitized("body", &text, 1, 5000).unwrap();
        assert_eq!(html.text, text);
        assert_eq!(html.mentions, BTreeSet::from([ID.parse().unwrap()]));
    }

    #[test]
    fn html_of_hostile_kinds_is_harmless_text() {
        for (hostile, expected) in [
            ("a<script>alert(1)</script>", "a"),
            ("a<SCRIPT SRC=//evil.test>b", "a"),
            ("<p onclick=alert(1) class=x style=color:red>a</p>", "<p>a</p>"),
            ("<img src=x onerror=alert(1)>a", "a"),
            ("<a href=javascript:alert(1)>a</a>", "a"),
            ("<a href=\"java\nscript:alert(1)\">a</a>", "a"),
            ("<a href=\"&#106;avascript:alert(1)\">a</a>", "a"),
            ("<a href='data:text/html,<script>1</script>'>a</a>", "a"),
            ("<a href=//evil.test>a</a><a href=/x>b</a><a>c</a>", "abc"),
            ("<a href=https:/settings>a</a><a href=https:x>b</a><a href=' http:?c'>c</a>", "abc"),
            ("<svg><script>1</script><a xlink:href=javascript:1>b</a></svg>a", "a"),
            ("<math><mtext><table><mglyph><style><img src=x onerror=1>", ""),
            ("<style>@import '//evil.test'</style>a", "a"),
            ("<iframe src=//evil.test>b</iframe>a", "a"),
            ("<form action=//evil.test><input name=b><button>a</button></form>", "a"),
            ("<noscript><p title=\"</noscript><img src=x onerror=1>\">", "\"&gt;"),
            ("<template><p>b</p></template>a", "a"),
            ("<strong><em>a", "<strong><em>a</em></strong>"),
            ("<!-- b --><![CDATA[c]]>a<?php d ?>", "a"),
            ("&lt;script&gt;a", "&lt;script&gt;a"),
            ("<<b>script>a", "&lt;script&gt;a"),
            (
                "<span>a</span><span data-mention-id=x>b</span><span data-mention-id='\"><img>'>c</span>",
                "abc",
            ),
            ("<pre>\n\n\na\n</pre>", "<pre>a\n</pre>"),
        ] {
            match sanitized(hostile) {
                Ok(text) => assert_eq!(text, expected, "{hostile}"),
                Err(error) => {
                    assert_eq!(
                        (error.message.as_str(), expected),
                        ("body must not be empty", ""),
                        "{hostile}"
                    );
                }
            }
        }
    }

    #[test]
    fn html_inside_of_a_mention_is_text() {
        let given = format!(
            "<span data-mention-id=\"{{{}}}\"><strong>@A<a href=https://x.test>d</a><br>a</strong><span>!</span></span>b",
            ID.to_uppercase()
        );
        assert_eq!(sanitized(&given).unwrap(), format!("<span data-mention-id=\"{ID}\">@Ada!</span>b"));
        let nested = format!("<span data-mention-id={ID}>a<span data-mention-id={ID}>b</span>c</span>");
        assert_eq!(sanitized(&nested).unwrap(), format!("<span data-mention-id=\"{ID}\">abc</span>"));
    }

    #[test]
    fn html_that_is_sanitised_again_stays_as_it_is() {
        for given in [
            "<p>a<table><tr><td><p>b</p></td></tr></table>c</p>",
            "<p><div>a<p>b</div></p>c</p>",
            "<a href=https://x.test>a<table><td><a href=https://y.test>b</a></table>c</a>",
            "<strong>a<p>b</strong>c</p>d<em>e<p>f",
            "<ul><p>a<ul><li>b</ul><li>c<p>d",
            "<pre>\r\n&#10;\n<code>a</pre></code>\n\n",
            "<s><u><em><strong>a<blockquote>b</s>c</u>d</blockquote>e",
            "a&#13;b&amp;amp;lt;c&nbsp;&copy;\u{a0}\u{feff}d",
            "<span><p><span data-mention-id=0197a3c4-0000-7000-8000-000000000001><p>a</p></span>b</span>",
            "<li><li><br></br></p></li><h1>a</h1><dl><dt>b<dd>c</dl>",
        ] {
            let once = sanitized(given).unwrap();
            assert_eq!(sanitized(&once).unwrap(), once, "{given}");
        }
    }

    #[test]
    fn html_without_text_is_empty() {
        for empty in
            ["<p></p>", "<p>&nbsp; \u{a0}<br></p>", "<!-- a -->", "<script>a</script>", "<img src=x>"]
        {
            assert_eq!(sanitized(empty), Err(ApiError::invalid("body must not be empty")), "{empty}");
        }
    }

    #[test]
    fn html_has_limits_as_given_and_as_sanitised() {
        let refusal = |text: &str, max| Html::sanitized("body", text, 2, max).unwrap_err().message;
        assert_eq!(refusal("a", 10), "body must be between 2 and 10 characters");
        assert_eq!(refusal(&"a".repeat(11), 10), "body must be between 2 and 10 characters");
        assert_eq!(refusal("&&&", 10), "body must be between 2 and 10 characters", "&amp;&amp;&amp;");
        assert_eq!(refusal("<i>a</i>", 10), "body must be between 2 and 10 characters", "a");
        for control in ["a\u{0}b", "a&#1;b"] {
            assert_eq!(refusal(control, 100), "body must not contain control characters");
        }
        let misnested = "body must be HTML without misnested elements";
        for (opened, then) in [("<b><i>", "<p>"), ("<table><td><s x></s></table>", "<p>a")] {
            assert_eq!(refusal(&(opened.repeat(170) + &then.repeat(1000)), 10_000), misnested);
        }
        let formatted = "<p>a<em>b</em></p>".repeat(500);
        for many in ["a < b".repeat(1000), "&lt;".repeat(1000), formatted] {
            Html::sanitized("body", &many, 2, 10_000).unwrap();
        }
        let mention = |n: u128| format!("<span data-mention-id={}>a</span>", Uuid::from_u128(n));
        let many: String = (0..=20).map(mention).collect();
        assert_eq!(refusal(&many, 5000), "body must mention at most 20 users");
        let twice: String = (0..20).chain(0..20).map(mention).collect();
        assert_eq!(Html::sanitized("body", &twice, 2, 5000).unwrap().mentions.len(), 20);
    }
}
