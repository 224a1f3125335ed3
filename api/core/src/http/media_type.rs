//! Media types that a request declares and accepts (reference/conventions.md#media-types).

use actix_web::http::header::{ACCEPT, CONTENT_TYPE, HeaderMap};

/// True when a body is declared as something else than JSON. Without a declaration it counts as JSON.
pub(super) fn is_foreign(headers: &HeaderMap) -> bool {
    let Some(declared) = headers.get(CONTENT_TYPE) else { return false };
    !declared.to_str().is_ok_and(is_json_or_none)
}

/// True for `application/json` and types with the suffix `+json`, with any parameters, and for an empty text.
fn is_json_or_none(declared: &str) -> bool {
    let media_type = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let of_application = media_type.strip_prefix("application/");
    media_type.is_empty()
        || of_application.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

/// Value of the media type that the client prefers, the first one of equals; `default` when it names none with a value.
/// `value_of` returns the value of a media type without its parameters.
pub fn preferred<T>(headers: &HeaderMap, default: T, value_of: impl Fn(&str) -> Option<T>) -> T {
    let accepted = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    let mut best = (default, 0.0);
    for item in accepted.flat_map(|value| value.split(',')) {
        let mut parts = item.split(';').map(str::trim);
        let Some(value) = parts.next().and_then(&value_of) else { continue };
        let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(1.0), str::parse::<f32>);
        if let Ok(quality) = quality
            && quality > best.1
        {
            best = (value, quality);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn media_type_of_a_body_is_json_or_absent() {
        let declared = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            is_foreign(&headers)
        };
        for value in [
            "",
            "application/json",
            "application/json; charset=utf-8",
            "Application/JSON;charset=utf-8",
            "application/merge-patch+json",
            "application/vnd.example.v2+json; profile=x",
        ] {
            assert!(!declared(value), "{value}");
        }
        for value in [
            "text/plain",
            "text/json",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=json",
            "application/jsonp",
            "application/json+xml",
            "image/svg+json",
        ] {
            assert!(declared(value), "{value}");
        }
        assert!(!is_foreign(&HeaderMap::new()));
        let mut bytes = HeaderMap::new();
        bytes.insert(CONTENT_TYPE, HeaderValue::from_bytes(b"application/json\xff").unwrap());
        assert!(is_foreign(&bytes));
    }
}
