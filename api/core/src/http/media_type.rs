//! Media types that a request declares and accepts (reference/conventions.md#media-types).

use std::cmp::Reverse;

use actix_web::http::header::{ACCEPT, CONTENT_TYPE, HeaderMap};

const JSON: &str = "application/json";

/// True when a message declares its body as `application/json`, with any parameters.
#[must_use]
pub fn declares_json(headers: &HeaderMap) -> bool {
    declared(headers).as_deref() == Some(JSON)
}

/// True when a body is declared as something else than JSON. Without a declaration it counts as JSON.
pub(super) fn is_foreign(headers: &HeaderMap) -> bool {
    declared(headers).is_none_or(|media_type| !is_json_or_none(&media_type))
}

/// Declared media type in lower case, without parameters: empty without a declaration, `None` for an unreadable one.
fn declared(headers: &HeaderMap) -> Option<String> {
    let Some(declared) = headers.get(CONTENT_TYPE) else { return Some(String::new()) };
    let media_type = declared.to_str().ok()?.split(';').next()?;
    Some(media_type.trim().to_ascii_lowercase())
}

/// True for `application/json`, types with the suffix `+json`, and an empty text.
fn is_json_or_none(media_type: &str) -> bool {
    let of_application = media_type.strip_prefix("application/");
    media_type.is_empty()
        || of_application.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

/// True when the client prefers a media type to `application/json`: it has the higher `q`, or is named before it with the
/// same. A range counts for `application/json` only, where that is not named.
#[must_use]
pub fn prefers(headers: &HeaderMap, media_type: &str) -> bool {
    let accepted = accepted(headers);
    let Some(rank) = rank_of(&accepted, media_type).filter(|(quality, _)| *quality > 0.0) else {
        return false;
    };
    let of_json = [JSON, "application/*", "*/*"].into_iter().find_map(|name| rank_of(&accepted, name));
    of_json.is_none_or(|of_json| rank > of_json)
}

/// Quality and place of a media type: the higher rank is preferred.
type Rank = (f32, Reverse<usize>);

/// Media types that the client accepts, in lower case, with their ranks. One with an invalid `q` is not accepted.
fn accepted(headers: &HeaderMap) -> Vec<(String, Rank)> {
    let given = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    let items = given.flat_map(|value| value.split(',')).enumerate();
    items
        .filter_map(|(place, item)| {
            let mut parts = item.split(';').map(str::trim);
            let media_type = parts.next()?.to_ascii_lowercase();
            Some((media_type, (quality(parts)?, Reverse(place))))
        })
        .collect()
}

/// Value of `q` among parameters: 1 when it is absent, `None` when it is invalid.
fn quality<'a>(mut parameters: impl Iterator<Item = &'a str>) -> Option<f32> {
    let given = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.eq_ignore_ascii_case("q").then_some(value)
    });
    let Some(given) = given else { return Some(1.0) };
    given.parse::<f32>().ok().filter(|quality| (0.0..=1.0).contains(quality))
}

/// Highest rank of a media type that is named.
fn rank_of(accepted: &[(String, Rank)], media_type: &str) -> Option<Rank> {
    let ranks = accepted.iter().filter(|(name, _)| name == media_type).map(|(_, rank)| *rank);
    ranks.reduce(|best, rank| if rank > best { rank } else { best })
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
        assert!(!declares_json(&bytes) && !declares_json(&HeaderMap::new()));
    }

    #[test]
    fn media_type_of_a_body_is_declared_as_json_in_any_case() {
        let declared = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            declares_json(&headers)
        };
        for value in
            ["application/json", "Application/JSON;charset=utf-8", "application/json ; charset=utf-8"]
        {
            assert!(declared(value), "{value}");
        }
        for value in ["", "application/merge-patch+json", "application/jsonp", "text/json", "text/plain"] {
            assert!(!declared(value), "{value}");
        }
    }

    const OTHER: &str = "application/problem+json";

    fn prefers_other(accept: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(ACCEPT, HeaderValue::from_static(value));
        }
        prefers(&headers, OTHER)
    }

    #[test]
    fn media_type_is_preferred_by_quality_and_then_by_place() {
        for accept in [
            "application/problem+json",
            "Application/Problem+JSON",
            "application/problem+json, application/json",
            "APPLICATION/JSON;q=0.9, application/problem+json",
            "application/json ; Q=0.9 , application/problem+json;q=1.0",
            "application/problem+json;q=0.2, application/json;q=0",
        ] {
            assert!(prefers_other(&[accept]), "{accept}");
        }
        for accept in [
            "",
            "application/json",
            "application/json, application/problem+json",
            "application/problem+json;q=0.5, Application/JSON",
            "application/problem+json;q=0",
            "application/problem+json;q=0, application/json;q=0",
        ] {
            assert!(!prefers_other(&[accept]), "{accept}");
        }
        assert!(prefers_other(&["application/json;q=0.5", "application/problem+json"]));
        assert!(!prefers_other(&["application/json", "application/problem+json"]));
        assert!(!prefers_other(&[]));
    }

    #[test]
    fn media_type_that_is_named_has_its_own_quality_beside_a_range() {
        for accept in [
            "application/json;q=0.5, application/problem+json;q=0.8, */*",
            "*/*, application/problem+json;q=0.8, application/json;q=0.5",
            "application/*, application/json;q=0.5, application/problem+json;q=0.8",
            "*/*, application/*;q=0.5, application/problem+json;q=0.8",
            "application/problem+json, */*;q=0.1",
        ] {
            assert!(prefers_other(&[accept]), "{accept}");
        }
        for accept in [
            "*/*",
            "application/*",
            "application/json;q=0.5, */*",
            "application/problem+json;q=0.5, */*",
            "application/problem+json;q=0.5, application/*;q=0.8, */*;q=0.1",
            "application/problem+json;q=0.5, application/json;q=0.8, */*;q=0.1",
        ] {
            assert!(!prefers_other(&[accept]), "{accept}");
        }
    }

    #[test]
    fn media_type_with_an_invalid_quality_is_not_accepted() {
        for quality in ["9", "1.001", "-1", "inf", "NaN", "high", ""] {
            let accept = format!("application/json;q=0.1, application/problem+json;q={quality}");
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_str(&accept).unwrap());
            assert!(!prefers(&headers, OTHER), "{accept}");
        }
        assert!(prefers_other(&["application/json;q=9, application/problem+json;q=0.1"]));
    }
}
