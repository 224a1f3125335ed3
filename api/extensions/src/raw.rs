//! Answers with stored bytes (specification B §4.4, C B6).

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    body::SizedStream,
    http::{StatusCode, header},
};
use api_core::{ApiError, Cx, Result};

/// How documents that could run code of their own are shut in. Neither has an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// Files of bundles: pages of extensions run scripts (specification E, 20).
    WithScripts,
    /// Images: they load nothing.
    Closed,
}

const UNKNOWN_TYPE: &str = "application/octet-stream";

/// Stored bytes and how they are served.
#[derive(Debug, Clone)]
pub struct StoredFile {
    pub content_type: String,
    pub size_bytes: u64,
    /// SHA-256.
    pub content_hash: String,
    pub storage_key: String,
    /// Whether everybody may see and keep it. What is not published is shown to whom the credential allows and kept
    /// by nobody.
    pub is_public: bool,
}

/// The bytes, or 304 when the caller has them already.
///
/// # Errors
/// 500 when the store fails.
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

/// Lets pages of every origin load a published file, without credentials: pages of extensions have an origin that
/// nobody can list. [`is_open_to_all`] tells such answers.
pub(crate) fn open_to_all(response: &mut HttpResponseBuilder) {
    response.insert_header(ANYWHERE).insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"));
}

const ANYWHERE: (&str, &str) = ("cross-origin-resource-policy", "cross-origin");

/// True for the headers of an answer that pages of every origin may load.
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

/// Whether a browser would open it as a document with code in it.
fn is_document(content_type: &str) -> bool {
    content_type.starts_with("image/svg") || content_type.starts_with("text/html")
}
