//! Conditional reads: `ETag` and `If-None-Match` on what clients poll (reference/conventions.md#conditional-reads).

use actix_web::{
    Error, HttpMessage,
    body::{self, BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method, StatusCode,
        header::{self, HeaderMap, HeaderValue},
    },
    middleware::Next,
    web::Bytes,
};
use sha2::{Digest, Sha256};

use super::route_of;
use crate::{
    Cx,
    access::{Needs, Principal, Rule},
};

/// Bytes of the hash that a tag holds.
const TAG_BYTES: usize = 16;
/// Request headers on which a polled answer depends. The layer of compression adds nothing that CORS would keep.
const VARY: HeaderValue = HeaderValue::from_static("Authorization, Cookie, Accept-Encoding");
/// Answers of an account and of everybody: callers may keep them, but revalidate them each time.
const REVALIDATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Gives successful answers of polled operations an `ETag`, and answers 304 to a caller who holds the present body.
///
/// The operation has run and has checked the caller's rights, and the tag is of the present body and of the caller. So
/// a 304 says no more than the body would, and only to a caller who had it.
///
/// # Errors
/// The error of the inner layers.
pub async fn answer_conditionally(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let rule = polled(&request);
    let response = next.call(request).await?.map_into_boxed_body();
    let is_tagged = response.headers().contains_key(header::ETAG);
    match rule {
        Some(rule) if response.status() == StatusCode::OK && !is_tagged => Ok(tag(response, rule)),
        _ => Ok(response),
    }
}

/// Rule of a polled operation that the request reads.
fn polled(request: &ServiceRequest) -> Option<&'static Rule> {
    // HEAD arrives as GET.
    if request.method() != Method::GET {
        return None;
    }
    let rule = route_of(request.request())?.documented(&Method::GET)?.rule?;
    rule.is_polled.then_some(rule)
}

/// Adds the tag. A body that is made while it is sent, and an answer without a caller, get none.
fn tag(response: ServiceResponse<BoxBody>, rule: &Rule) -> ServiceResponse<BoxBody> {
    let (request, response) = response.into_parts();
    let (mut head, body) = response.into_parts();
    let body = match body.try_into_bytes() {
        Ok(body) => body,
        Err(body) => return ServiceResponse::new(request, head.set_body(body)),
    };
    let tag = request.extensions().get::<Cx>().map(|cx| tag_of(cx.principal(), &body));
    let value = tag.as_deref().and_then(|tag| HeaderValue::from_str(tag).ok());
    let is_held = tag.is_some_and(|tag| holds(request.headers(), &tag));
    let headers = head.headers_mut();
    if let Some(value) = value {
        headers.insert(header::ETAG, value);
        headers.insert(header::VARY, VARY);
        if may_be_kept(rule) && !headers.contains_key(header::CACHE_CONTROL) {
            headers.insert(header::CACHE_CONTROL, REVALIDATE);
        }
    }
    if !is_held {
        return ServiceResponse::new(request, head.set_body(BoxBody::new(body)));
    }
    for of_the_body in [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::LINK] {
        headers.remove(of_the_body);
    }
    *head.status_mut() = StatusCode::NOT_MODIFIED;
    ServiceResponse::new(request, head.set_body(BoxBody::new(body::None::new())))
}

/// True for answers that are neither of a person nor of operator staff: those are never stored
/// (reference/conventions.md#cache-control).
const fn may_be_kept(rule: &Rule) -> bool {
    matches!(rule.needs, Needs::Account(_) | Needs::AnyAccount(_))
}

/// Weak tag of a body for a caller: compression changes the bytes that are sent. Another caller has another tag, so
/// that no tag shows what another one reads.
fn tag_of(principal: &Principal, body: &Bytes) -> String {
    let mut hash = Sha256::new();
    let caller = (principal.user(), principal.account(), principal.credential_id());
    hash.update(format!("{} {caller:?}\n", principal.kind()));
    hash.update(body);
    format!("W/\"{}\"", hex::encode(&hash.finalize()[..TAG_BYTES]))
}

/// True when `If-None-Match` names a tag, by weak comparison (RFC 9110, 8.8.3.2), or any.
#[must_use]
pub fn holds(headers: &HeaderMap, tag: &str) -> bool {
    let held = headers.get_all(header::IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    let mut held = held.flat_map(|value| value.split(',')).map(str::trim);
    held.any(|held| held == "*" || opaque(held) == opaque(tag))
}

/// Tag without its mark of weakness.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use shared::id::UserId;
    use uuid::Uuid;

    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::IF_NONE_MATCH, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn holds_compares_weakly_and_takes_lists_and_any() {
        for held in [&["\"a\""][..], &["W/\"a\""], &["\"b\", W/\"a\""], &["\"b\"", " \"a\" "], &["*"]] {
            assert!(holds(&headers(held), "W/\"a\""), "{held:?}");
            assert!(holds(&headers(held), "\"a\""), "{held:?}");
        }
        for other in [&[][..], &[""], &["a"], &["\"A\""], &["\"b\", \"c\""], &["W/a"]] {
            assert!(!holds(&headers(other), "W/\"a\""), "{other:?}");
        }
    }

    #[test]
    fn tag_of_a_body_is_one_for_each_caller() {
        let session = |user: u128, session: u128| Principal::Session {
            user: UserId(Uuid::from_u128(user)),
            session: Uuid::from_u128(session),
            account: None,
        };
        let (one, two) = (Bytes::from_static(b"{}"), Bytes::from_static(b"[]"));
        let own = tag_of(&session(1, 1), &one);
        assert_eq!(own, tag_of(&session(1, 2), &one), "a new session of the person");
        assert_ne!(own, tag_of(&session(2, 1), &one));
        assert_ne!(own, tag_of(&session(1, 1), &two));
        assert_ne!(own, tag_of(&Principal::Anonymous { refused: false }, &one));
        assert!(own.starts_with("W/\"") && own.len() == 36, "{own}");
    }
}
