//! Answers with stored bytes (specification B §4.4, C B6).

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    body::SizedStream,
    http::{StatusCode, header},
};
use api_core::{ApiError, Cx, Result};

/// Documents that could run code of their own are shut in: they load nothing and have no origin.
const SANDBOX: &str = "sandbox; default-src 'none'";
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
pub(crate) async fn serve(cx: &Cx, request: &HttpRequest, file: StoredFile) -> Result<HttpResponse> {
    let tag = format!("\"{}\"", file.content_hash);
    if is_known(request, &tag) {
        return Ok(headed(StatusCode::NOT_MODIFIED, &file, tag).finish());
    }
    let content = cx.state().storage.stream(&file.storage_key).await?;
    let content = content
        .ok_or_else(|| ApiError::internal(format_args!("the object {} is missing", file.storage_key)))?;
    let mut response = headed(StatusCode::OK, &file, tag);
    response.content_type(file.content_type.as_str());
    if is_document(&file.content_type) {
        response.insert_header((header::CONTENT_SECURITY_POLICY, SANDBOX));
    }
    if file.content_type == UNKNOWN_TYPE {
        response.insert_header((header::CONTENT_DISPOSITION, "attachment"));
    }
    Ok(response.body(SizedStream::new(file.size_bytes, content)))
}

fn headed(status: StatusCode, file: &StoredFile, tag: String) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
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
