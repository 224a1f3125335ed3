//! The origin of published files. Code of strangers runs beside nothing of ours (specification E, 20).

use actix_web::{HttpRequest, HttpResponse, http::header};
use api_core::Cx;

use super::StoredFile;
use crate::raw;

/// The way to a published file where such files have an origin of their own and were not asked for there. What is not
/// published is shown to a credential, which is sent to the API only.
pub(super) fn redirect(cx: &Cx, request: &HttpRequest, file: &StoredFile) -> Option<HttpResponse> {
    let http = &cx.state().config.http;
    let bundle_url = http.bundle_url.as_ref().filter(|_| file.is_public)?;
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if host.is_some_and(|host| http.is_bundle_host(host)) {
        return None;
    }
    let mut address = bundle_url.clone();
    address.set_path(request.uri().path());
    let mut response = HttpResponse::TemporaryRedirect();
    raw::open_to_all(&mut response);
    response.insert_header((header::LOCATION, address.as_str()));
    response.insert_header((header::CACHE_CONTROL, "public, max-age=300"));
    Some(response.finish())
}
