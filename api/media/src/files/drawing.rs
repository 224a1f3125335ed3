//! SVG without code and without addresses of other hosts (reference/media.md#drawings).

use std::io;

use api_core::{ApiError, Result};
use svg_hush::{Filter, data_url_filter::allow_standard_images};

/// Maximum size of an SVG, as it is sent (reference/media.md#drawings).
pub(crate) const MAX_DRAWING_BYTES: u64 = 1024 * 1024;
/// Maximum size of an SVG after it was cleaned; indentation makes deep ones longer.
const MAX_CLEANED_BYTES: usize = 4 * 1024 * 1024;

/// True for bytes that may begin an SVG. [`cleaned`] decides.
pub(super) fn may_be(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with("<svg")
        || ((text.starts_with("<?xml") || text.starts_with("<!")) && text.contains("<svg"))
}

/// Returns the SVG without everything that could run code or load something: only known elements and
/// attributes stay.
///
/// # Errors
/// 400 for a text that is not well-formed XML in UTF-8 with an `svg` element, that declares entities, or that
/// is too deep.
pub(crate) fn cleaned(content: &[u8]) -> Result<Vec<u8>> {
    let refused = || ApiError::invalid("file must be a well-formed SVG in UTF-8 without entities");
    let text = std::str::from_utf8(content).map_err(|_malformed| refused())?;
    // Entities could make a short text very long.
    if text.contains("<!ENTITY") {
        return Err(refused());
    }
    let mut filter = Filter::new();
    filter.set_data_url_filter(allow_standard_images);
    let mut cleaned = Bounded(Vec::new());
    filter.filter(content, &mut cleaned).map_err(|_malformed| refused())?;
    let has_drawing = String::from_utf8_lossy(&cleaned.0).contains("<svg");
    if has_drawing { Ok(cleaned.0) } else { Err(refused()) }
}

/// Bytes up to a maximum. More are an error.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_CLEANED_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">";

    #[test]
    fn cleaned_drawing_has_no_code_and_no_foreign_address() {
        let hostile = format!(
            "{START}<script>alert(1)</script><circle r=\"5\" onclick=\"alert(2)\" fill=\"red\"/>\
             <a xlink:href=\"javascript:alert(3)\"><text>x</text></a>\
             <image href=\"https://evil.example/pixel.png\"/><use href=\"//evil.example/#a\"/>\
             <foreignObject><iframe src=\"https://evil.example\"/></foreignObject>\
             <style>@import url(https://evil.example/a.css); circle {{ fill: url(https://evil.example/b) }}</style>\
             <animate attributeName=\"href\" values=\"javascript:alert(4)\"/></svg>"
        );
        let cleaned = String::from_utf8(cleaned(hostile.as_bytes()).unwrap()).unwrap();
        for refused in [
            "<script",
            "onclick",
            "foreignObject",
            "iframe",
            "attributeName",
            "href=\"http",
            "href=\"java",
            "@import",
        ] {
            assert!(!cleaned.contains(refused), "{refused} in {cleaned}");
        }
        // What is left of an address is no longer one.
        assert!(!cleaned.contains("url(http") && !cleaned.contains("//evil.example/#"), "{cleaned}");
        assert!(cleaned.contains("circle") && cleaned.contains("red"), "{cleaned}");
    }

    #[test]
    fn cleaned_refuses_what_is_no_plain_drawing() {
        let entities = format!("<!DOCTYPE svg [<!ENTITY a \"aaaa\">]>{START}<text>&a;</text></svg>");
        let deep = format!("{START}{}{}</svg>", "<g>".repeat(50_000), "</g>".repeat(50_000));
        let utf16: Vec<u8> = START.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for content in [
            entities.as_bytes(),
            deep.as_bytes(),
            &utf16,
            b"<svg",
            b"<svg xmlns=\"http://www.w3.org/2000/svg\">",
            b"<html><svg/></html>",
            b"text",
            b"",
        ] {
            let error = cleaned(content).unwrap_err();
            assert_eq!(error.message, "file must be a well-formed SVG in UTF-8 without entities");
        }
    }
}
