//! `GET /docs/`: the handbook, as `scripts/handbook` has built it (reference/conventions.md#handbook). It is served
//! only when it is enabled.

use std::path::{Path as FilePath, PathBuf};

use actix_files::{NamedFile, PathBufWrap};
use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, HeaderValue},
    web::{self, Data, Path, ServiceConfig},
};
use api_core::{ApiError, State};
use serde_json::json;

/// Content security policy: only files of the handbook are loaded and run. The build moves scripts out of the pages;
/// styles stay in them, because the alignment of a table's cells is one.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
/// For files whose name changes with their content.
const KEPT: &str = "public, max-age=31536000, immutable";
const CHECKED: &str = "public, no-cache";

/// Page of a folder.
const INDEX: &str = "index.html";
/// Digits of the hash in the name of a file: `book-a0b12cfe.js`.
const HASH_DIGITS: usize = 8;

/// Registers the pages.
pub fn routes(config: &mut ServiceConfig) {
    config.service(web::redirect("/docs", "/docs/"));
    config.route("/docs/{file:.*}", web::get().to(file));
}

async fn file(
    request: HttpRequest,
    name: Path<String>,
    state: Data<State>,
) -> Result<HttpResponse, ApiError> {
    let folder = FilePath::new(&state.config.explorers.docs_dir);
    if !is_file(&folder.join(INDEX)).await {
        let body = json!({ "error": "SERVICE_UNAVAILABLE", "message": "The handbook is not built: run scripts/handbook" });
        return Ok(HttpResponse::ServiceUnavailable().json(body));
    }
    // Each file has one address.
    if name.contains("//") || name.starts_with('/') {
        return Err(missing());
    }
    // A path that leads out of the folder, or to a hidden file, is none.
    let within: PathBufWrap = name.parse().map_err(|_no_path| missing())?;
    let path = folder.join(within);
    match tokio::fs::metadata(&path).await {
        Ok(found) if found.is_dir() && !request.path().ends_with('/') => {
            let folder = format!("{}/", request.path());
            Ok(HttpResponse::TemporaryRedirect().insert_header((header::LOCATION, folder)).finish())
        }
        Ok(found) if found.is_dir() => respond(&request, path.join(INDEX)),
        Ok(_) if !request.path().ends_with('/') => respond(&request, path),
        Ok(_) | Err(_) => Err(missing()),
    }
}

fn respond(request: &HttpRequest, path: PathBuf) -> Result<HttpResponse, ApiError> {
    let caching = if is_hashed(&path) { KEPT } else { CHECKED };
    let file = NamedFile::open(path).map_err(|_absent| missing())?;
    let mut response = file.disable_content_disposition().into_response(request);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    Ok(response)
}

fn missing() -> ApiError {
    ApiError::not_found("There is no such file")
}

async fn is_file(path: &FilePath) -> bool {
    tokio::fs::metadata(path).await.is_ok_and(|found| found.is_file())
}

/// True when the name ends in the hash of the content, before its type.
fn is_hashed(path: &FilePath) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem.rsplit_once('-').is_some_and(|(_, hash)| {
        hash.len() == HASH_DIGITS && hash.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_hashed_knows_names_of_the_build() {
        for (name, expected) in [
            ("book-a0b12cfe.js", true),
            ("css/general-2459343d.css", true),
            ("searchindex-256e957a.js", true),
            ("index.html", false),
            ("public-stats.html", false),
            ("developer-limits.html", false),
            ("book-A0B12CFE.js", false),
        ] {
            assert_eq!(is_hashed(FilePath::new(name)), expected, "{name}");
        }
    }
}
