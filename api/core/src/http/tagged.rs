//! Bodies that callers poll.

use actix_web::{HttpRequest, HttpResponse, http::header};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{conditional::holds, part_links::Linked};
use crate::Result;

/// Callers may keep the body, but revalidate it each time.
const REVALIDATE: (header::HeaderName, &str) = (header::CACHE_CONTROL, "private, no-cache");

/// 200 with a raw body and its `ETag`; 304 when the caller has this body already.
///
/// # Errors
/// 500 when the body has no JSON form.
pub fn tagged(request: &HttpRequest, body: &impl Serialize) -> Result<HttpResponse> {
    let body = serde_json::to_vec(body)?;
    let tag = format!("\"{}\"", hex::encode(&Sha256::digest(&body)[..16]));
    if holds(request.headers(), &tag) {
        return Ok(HttpResponse::NotModified()
            .insert_header((header::ETAG, tag))
            .insert_header(REVALIDATE)
            .finish());
    }
    Ok(HttpResponse::Ok()
        .insert_header((header::ETAG, tag))
        .insert_header(REVALIDATE)
        .content_type("application/json")
        .body(body))
}

/// As [`tagged`], for a part of a list, with its `Link`.
///
/// # Errors
/// As [`tagged`].
pub fn tagged_part<T: Serialize>(request: &HttpRequest, part: &Linked<T>) -> Result<HttpResponse> {
    let mut response = tagged(request, &part.body)?;
    part.links.write(response.headers_mut());
    Ok(response)
}
