//! Responses with stored bytes (reference/conventions.md#files).

use std::{ops::Range, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    body::SizedStream,
    http::{
        StatusCode,
        header::{self, Header},
    },
};

use super::conditional::holds;
use crate::{ApiError, Cx, Result};

/// Sandbox of documents that could run code, by a content security policy. Neither kind has an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sandbox {
    /// Files of bundles: pages of extensions run scripts.
    WithScripts,
    /// Images: they load nothing.
    Closed,
}

/// Caches that may keep a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caching {
    /// Every cache: every caller may read the file, and its content never changes.
    Public,
    /// The browser of the caller, for a time.
    Browser(Duration),
    /// None: the file is for the credential.
    Nothing,
}

const UNKNOWN_TYPE: &str = "application/octet-stream";
const PDF: &str = "application/pdf";

/// A stored file with its metadata.
#[derive(Debug, Clone)]
pub struct StoredFile {
    /// Content type of the response.
    pub content_type: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256 of the content.
    pub content_hash: String,
    /// Key in the object store.
    pub storage_key: String,
    /// Caches that may keep the file.
    pub caching: Caching,
}

/// Part of a file that a response has.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Whole,
    Range(Range<u64>),
    /// A range outside of the file.
    Unsatisfiable,
}

impl StoredFile {
    /// Returns the bytes, the requested range of them, or 304 when the caller has them already.
    ///
    /// # Errors
    /// 500 when the object store fails.
    pub async fn respond(self, cx: &Cx, request: &HttpRequest, sandbox: Sandbox) -> Result<HttpResponse> {
        let tag = format!("\"{}\"", self.content_hash);
        let mut response = self.headed(&tag);
        if sandbox == Sandbox::WithScripts && self.caching == Caching::Public {
            open_to_all(&mut response);
        }
        self.respond_with(cx, request, sandbox, response).await
    }

    /// Like [`StoredFile::respond`], for a file that pages of every origin may load.
    ///
    /// # Errors
    /// 500 when the object store fails.
    pub async fn respond_to_all(self, cx: &Cx, request: &HttpRequest) -> Result<HttpResponse> {
        let tag = format!("\"{}\"", self.content_hash);
        let mut response = self.headed(&tag);
        open_to_all(&mut response);
        self.respond_with(cx, request, Sandbox::Closed, response).await
    }

    async fn respond_with(
        self,
        cx: &Cx,
        request: &HttpRequest,
        sandbox: Sandbox,
        mut response: HttpResponseBuilder,
    ) -> Result<HttpResponse> {
        let tag = format!("\"{}\"", self.content_hash);
        if holds(request.headers(), &tag) {
            return Ok(response.status(StatusCode::NOT_MODIFIED).finish());
        }
        let (range, storage) = (requested(request, &tag, self.size_bytes), &cx.state().storage);
        let (content, length) = match range {
            Part::Unsatisfiable => {
                let all = format!("bytes */{}", self.size_bytes);
                response
                    .status(StatusCode::RANGE_NOT_SATISFIABLE)
                    .insert_header((header::CONTENT_RANGE, all));
                return Ok(response.finish());
            }
            Part::Whole => (storage.stream(&self.storage_key).await?, self.size_bytes),
            Part::Range(range) => {
                let place = format!("bytes {}-{}/{}", range.start, range.end - 1, self.size_bytes);
                response.status(StatusCode::PARTIAL_CONTENT).insert_header((header::CONTENT_RANGE, place));
                let length = range.end - range.start;
                (storage.stream_range(&self.storage_key, range).await?, length)
            }
        };
        let content = content
            .ok_or_else(|| ApiError::internal(format_args!("the object {} is missing", self.storage_key)))?;
        response.content_type(self.content_type.as_str());
        if length < self.size_bytes || !is_text(&self.content_type) {
            // A part cannot be compressed, and media is compressed already.
            response.insert_header(header::ContentEncoding::Identity);
        }
        if is_document(&self.content_type) {
            response.insert_header((header::CONTENT_SECURITY_POLICY, sandbox.policy()));
        }
        if [UNKNOWN_TYPE, PDF].contains(&self.content_type.as_str()) {
            response.insert_header((header::CONTENT_DISPOSITION, "attachment"));
        }
        Ok(response.body(SizedStream::new(length, content)))
    }

    fn headed(&self, tag: &str) -> HttpResponseBuilder {
        let mut response = HttpResponse::build(StatusCode::OK);
        response
            .insert_header((header::ETAG, tag))
            .insert_header((header::ACCEPT_RANGES, "bytes"))
            .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .insert_header((header::CACHE_CONTROL, self.caching.header()));
        if self.caching == Caching::Nothing {
            response.insert_header((header::VARY, "Authorization, Cookie"));
        }
        response
    }
}

impl Caching {
    fn header(self) -> String {
        match self {
            Self::Public => "public, max-age=86400, immutable".to_owned(),
            Self::Browser(time) => format!("private, max-age={}, immutable", time.as_secs()),
            Self::Nothing => "private, no-store".to_owned(),
        }
    }
}

/// Allows pages of every origin to load a file, without credentials: the origins of extension pages cannot be
/// listed. [`is_open_to_all`] recognises such responses.
pub fn open_to_all(response: &mut HttpResponseBuilder) {
    response.insert_header(ANYWHERE).insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"));
}

const ANYWHERE: (&str, &str) = ("cross-origin-resource-policy", "cross-origin");

/// True for the headers of a response that pages of every origin may load.
#[must_use]
pub fn is_open_to_all(headers: &header::HeaderMap) -> bool {
    headers.get(ANYWHERE.0).is_some_and(|policy| policy == ANYWHERE.1)
}

impl Sandbox {
    const fn policy(self) -> &'static str {
        match self {
            Self::WithScripts => "sandbox allow-scripts",
            Self::Closed => "sandbox; default-src 'none'",
        }
    }
}

/// Part that the request asks for. A header that is not one range of bytes is ignored, and so is one for
/// another content (`If-Range`).
fn requested(request: &HttpRequest, tag: &str, size: u64) -> Part {
    let of_other = request.headers().get(header::IF_RANGE).is_some_and(|known| known != tag);
    if of_other || !request.headers().contains_key(header::RANGE) {
        return Part::Whole;
    }
    let Ok(header::Range::Bytes(ranges)) = header::Range::parse(request) else { return Part::Whole };
    let [range] = ranges.as_slice() else { return Part::Whole };
    match range.to_satisfiable_range(size) {
        Some((first, last)) => Part::Range(first..last + 1),
        None => Part::Unsatisfiable,
    }
}

/// True for content that is worth compressing.
fn is_text(content_type: &str) -> bool {
    ["text/", "application/json", "application/javascript", "image/svg"]
        .iter()
        .any(|start| content_type.starts_with(start))
}

/// True when a browser would open the content as a document that can hold code.
fn is_document(content_type: &str) -> bool {
    content_type.starts_with("image/svg") || content_type.starts_with("text/html")
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn requested_part_is_one_range_within_the_file() {
        let part = |range: &str, if_range: Option<&str>| {
            let mut request = TestRequest::get().insert_header((header::RANGE, range));
            if let Some(tag) = if_range {
                request = request.insert_header((header::IF_RANGE, tag));
            }
            requested(&request.to_http_request(), "\"a\"", 10)
        };
        for (range, expected) in [
            ("bytes=0-0", Part::Range(0..1)),
            ("bytes=2-5", Part::Range(2..6)),
            ("bytes=8-", Part::Range(8..10)),
            ("bytes=8-99", Part::Range(8..10)),
            ("bytes=-3", Part::Range(7..10)),
            ("bytes=-99", Part::Range(0..10)),
            ("bytes=10-", Part::Unsatisfiable),
            ("bytes=-0", Part::Unsatisfiable),
            ("bytes=0-1,4-5", Part::Whole),
            ("bytes=5-2", Part::Whole),
            ("bytes=a-b", Part::Whole),
            ("lines=0-1", Part::Whole),
            ("bytes=99999999999999999999-", Part::Whole),
        ] {
            let found = part(range, None);
            // The library may read a reversed range as one that cannot be served; both are allowed.
            let is_reversed = range == "bytes=5-2" && found == Part::Unsatisfiable;
            assert!(found == expected || is_reversed, "{range}: {found:?}");
        }
        assert_eq!(part("bytes=0-1", Some("\"a\"")), Part::Range(0..2));
        assert_eq!(part("bytes=0-1", Some("\"b\"")), Part::Whole);
        assert_eq!(requested(&TestRequest::get().to_http_request(), "\"a\"", 10), Part::Whole);
    }
}
