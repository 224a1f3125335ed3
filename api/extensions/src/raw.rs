//! Responses with stored bytes (reference/extensions.md#bundle-files).

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    body::SizedStream,
    http::{StatusCode, header},
};
use api_core::{ApiError, Cx, Result};

/// Sandbox of documents that could run code, by a content security policy. Neither kind has an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// Files of bundles: pages of extensions run scripts.
    WithScripts,
    /// Images: they load nothing.
    Closed,
}

const UNKNOWN_TYPE: &str = "application/octet-stream";

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
    /// True when every caller may read and cache the file. Other files are private to the credential and
    /// never cached.
    pub is_public: bool,
}

/// Returns the bytes, or 304 when the caller has them already.
///
/// # Errors
/// 500 when the object store fails.
pub(crate) async fn serve(
    cx: &Cx,
    request: &HttpRequest,
    file: StoredFile,
    sandbox: Sandbox,
) -> Result<HttpResponse> {
    let tag = format!("\"{}\"", file.content_hash);
    let mut response = headed(&file, &tag);
    if sandbox == Sandbox::WithScripts && file.is_public {
        open_to_all(&mut response);
    }
    if is_known(request, &tag) {
        return Ok(response.status(StatusCode::NOT_MODIFIED).finish());
    }
    let content = cx.state().storage.stream(&file.storage_key).await?;
    let content = content
        .ok_or_else(|| ApiError::internal(format_args!("the object {} is missing", file.storage_key)))?;
    response.content_type(file.content_type.as_str());
    if is_document(&file.content_type) {
        response.insert_header((header::CONTENT_SECURITY_POLICY, sandbox.policy()));
    }
    if file.content_type == UNKNOWN_TYPE {
        response.insert_header((header::CONTENT_DISPOSITION, "attachment"));
    }
    Ok(response.body(SizedStream::new(file.size_bytes, content)))
}

/// Allows pages of every origin to load a published file, without credentials: the origins of extension pages
/// cannot be listed. [`is_open_to_all`] recognises such responses.
pub(crate) fn open_to_all(response: &mut HttpResponseBuilder) {
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

fn headed(file: &StoredFile, tag: &str) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(StatusCode::OK);
    response.insert_header((header::ETAG, tag)).insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
    if file.is_public {
        response.insert_header((header::CACHE_CONTROL, "public, max-age=86400, immutable"));
    } else {
        response
            .insert_header((header::CACHE_CONTROL, "private, no-store"))
            .insert_header((header::VARY, "Authorization, Cookie"));
    }
    response
}

fn is_known(request: &HttpRequest, tag: &str) -> bool {
    let known = request.headers().get_all(header::IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    known
        .flat_map(|value| value.split(','))
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == tag || known == "*")
}

/// True when a browser would open the content as a document that can hold code.
fn is_document(content_type: &str) -> bool {
    content_type.starts_with("image/svg") || content_type.starts_with("text/html")
}
