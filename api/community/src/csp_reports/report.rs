//! Parser of the reports of browsers, which have two shapes and many spellings. No part of them can be
//! trusted.

use std::sync::LazyLock;

use api_core::{ApiError, Result};
use regex::Regex;
use serde_json::{Map, Value};
use url::Url;

/// Largest number of violations in one body. The Reporting API sends several at once.
const MAX_VIOLATIONS: usize = 20;
const MAX_ADDRESS_LENGTH: usize = 1000;
const MAX_WORD_LENGTH: usize = 100;

/// Pattern of signed and opaque tokens of the service (reference/credentials.md#opaque-credentials), also as
/// an address may spell them.
#[expect(clippy::expect_used, reason = "a constant expression")]
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let signed = r"(?:(?i:lm(?:_|%5f)))?eyJ[\w%-]*(?:(?:\.|%2[eE])[\w%-]*){1,2}";
    let opaque = r"(?i:lm(?:_|%5f)[a-z]+(?:_|%5f)[\w%-]*)";
    Regex::new(&format!("{signed}|{opaque}")).expect("an expression")
});

/// One violation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Address of the page.
    pub document_uri: String,
    /// Blocked resource: an address or a word.
    pub blocked_uri: String,
    /// Directive that was violated.
    pub violated_directive: String,
    /// `enforce` or `report`.
    pub disposition: Option<String>,
    /// Address of the script or style.
    pub source_file: Option<String>,
    /// Line in the source file.
    pub line_number: Option<i32>,
    /// Column in the source file.
    pub column_number: Option<i32>,
    /// HTTP status of the page.
    pub status_code: Option<i32>,
}

impl Report {
    /// Parses a body: `{ "csp-report": { … } }`, or a list of `{ "type": "csp-violation", "body": { … } }`.
    /// Entries of other types are left out.
    ///
    /// # Errors
    /// 400 for any other body.
    pub fn parse(body: &[u8]) -> Result<Vec<Self>> {
        let body: Value = api_core::http::parse(body)?;
        if let Some(report) = body.get("csp-report") {
            return Ok(vec![Self::of(report)?]);
        }
        let entries = body.as_array().ok_or_else(|| unreadable("csp-report is missing"))?;
        if entries.len() > MAX_VIOLATIONS {
            return Err(unreadable("at most 20 reports are taken at once"));
        }
        let violations = entries.iter().filter(|entry| entry["type"] == "csp-violation");
        violations.map(|entry| Self::of(&entry["body"])).collect()
    }

    fn of(report: &Value) -> Result<Self> {
        let report = report.as_object().ok_or_else(|| unreadable("it is not an object"))?;
        let required = |names: &[&str]| {
            text(report, names).ok_or_else(|| unreadable(&format!("{} is missing", names[0])))
        };
        Ok(Self {
            document_uri: address(required(&["document-uri", "documentURL"])?),
            blocked_uri: address(text(report, &["blocked-uri", "blockedURL"]).unwrap_or_default()),
            violated_directive: clipped(
                required(&["violated-directive", "effective-directive", "effectiveDirective"])?,
                MAX_WORD_LENGTH,
            ),
            disposition: text(report, &["disposition"]).map(|word| clipped(word, MAX_WORD_LENGTH)),
            source_file: text(report, &["source-file", "sourceFile"]).map(address),
            line_number: number(report, &["line-number", "lineNumber"]),
            column_number: number(report, &["column-number", "columnNumber"]),
            status_code: number(report, &["status-code", "statusCode"]),
        })
    }
}

fn unreadable(why: &str) -> ApiError {
    ApiError::invalid(format!("Invalid CSP report: {why}"))
}

fn text<'a>(report: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| report.get(*name)).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn number(report: &Map<String, Value>, names: &[&str]) -> Option<i32> {
    let number = names.iter().find_map(|name| report.get(*name)).and_then(Value::as_i64)?;
    i32::try_from(number).ok().filter(|number| *number >= 0)
}

/// Returns an address without user, query and fragment, which can contain tokens, and a word such as `inline`
/// unchanged.
fn address(text: &str) -> String {
    let Ok(url) = Url::parse(text) else {
        return clipped(text.split(['?', '#']).next().unwrap_or_default(), MAX_ADDRESS_LENGTH);
    };
    // An address without an origin (`data:`, an extension's scheme) can be content itself.
    let origin = url.origin();
    if !origin.is_tuple() {
        return clipped(url.scheme(), MAX_ADDRESS_LENGTH);
    }
    let path = if url.scheme() == "blob" { "" } else { url.path() };
    clipped(&format!("{}{path}", origin.ascii_serialization()), MAX_ADDRESS_LENGTH)
}

/// Makes a text safe for storage: on one line, at most `max` characters, and without tokens, which
/// addresses of our pages can contain.
pub(super) fn clipped(text: &str, max: usize) -> String {
    let line: String = text.chars().filter(|character| !character.is_control()).collect();
    TOKEN.replace_all(&line, "***").chars().take(max).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_is_read_from_both_formats() {
        let older = br#"{"csp-report":{"document-uri":"https://a.example/p?token=lm_pop_1#x","blocked-uri":"inline",
            "violated-directive":"script-src 'self'","line-number":3,"status-code":200,"disposition":"enforce"}}"#;
        let reports = Report::parse(older).unwrap();
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].document_uri, "https://a.example/p");
        assert_eq!((reports[0].blocked_uri.as_str(), reports[0].line_number), ("inline", Some(3)));
        let newer = br#"[{"type":"deprecation","body":{}},{"type":"csp-violation","body":{
            "documentURL":"https://u:p@a.example/","blockedURL":"data:text/html,secret",
            "effectiveDirective":"img-src","sourceFile":"https://b.example/s.js?v=1"}}]"#;
        let reports = Report::parse(newer).unwrap();
        assert_eq!(reports[0].document_uri, "https://a.example/");
        assert_eq!(reports[0].blocked_uri, "data");
        assert_eq!(reports[0].source_file.as_deref(), Some("https://b.example/s.js"));
    }

    #[test]
    fn report_stores_no_token() {
        let opaque = format!("lm_overlay_{}", "0f".repeat(32));
        let signed = "lm_eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl-_x";
        for token in [opaque.as_str(), signed, &signed[3..], &opaque.replace('_', "%5F"), &opaque[..20]] {
            let body = serde_json::json!({ "csp-report": {
                "document-uri": format!("https://a.example/overlay/{token}/x"),
                "blocked-uri": token,
                "violated-directive": format!("script-src {token}"),
                "source-file": format!("https://b.example/{token}"),
                "disposition": format!("a\u{1}{token}"),
            } });
            let reports = Report::parse(body.to_string().as_bytes()).unwrap();
            let stored = format!("{reports:?}");
            let secret = &token[token.len() - 8..];
            assert!(!stored.contains(secret), "{token}: {stored}");
            assert_eq!(reports[0].document_uri, "https://a.example/overlay/***/x");
            assert_eq!(
                (reports[0].blocked_uri.as_str(), reports[0].disposition.as_deref()),
                ("***", Some("a***"))
            );
        }
        let split = clipped("lm_over\u{0}lay_0f0f", 100);
        assert_eq!(split, "***");
        for harmless in ["https://eyewear.example/film_a", "inline", "Mozilla/5.0 (X11; Linux x86_64)"] {
            assert_eq!(clipped(harmless, 100), harmless);
        }
    }

    #[test]
    fn report_refuses_invalid_bodies_with_a_reason() {
        let many = serde_json::to_vec(&vec![Value::Null; 21]).unwrap();
        for (body, why) in [
            (&b"{}"[..], "csp-report is missing"),
            (br#"{"csp-report":1}"#, "it is not an object"),
            (br#"{"csp-report":{"violated-directive":"x"}}"#, "document-uri is missing"),
            (br#"{"csp-report":{"document-uri":"https://a/"}}"#, "violated-directive is missing"),
            (&many, "at most 20 reports are taken at once"),
        ] {
            assert_eq!(Report::parse(body), Err(unreadable(why)));
        }
        assert!(Report::parse(b"nothing").is_err());
    }
}
