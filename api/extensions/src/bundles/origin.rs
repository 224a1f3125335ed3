//! Origin of published files, separate from the API's, because extensions are code of third parties
//! (reference/extensions.md#bundle-origin).

use actix_web::{HttpRequest, HttpResponse, http::header};
use api_core::{
    Cx,
    http::{Caching, StoredFile, open_to_all},
};

/// Redirect to a published file at the bundle origin; `None` when there is no such origin or the request is
/// for it already. Files that are not published stay at the API, because credentials are sent to it only.
pub(super) fn redirect(cx: &Cx, request: &HttpRequest, file: &StoredFile) -> Option<HttpResponse> {
    let http = &cx.state().config.http;
    let bundle_url = http.bundle_url.as_ref().filter(|_| file.caching == Caching::Public)?;
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if host.is_some_and(|host| http.is_bundle_host(host)) {
        return None;
    }
    let mut address = bundle_url.clone();
    address.set_path(request.uri().path());
    let mut response = HttpResponse::TemporaryRedirect();
    open_to_all(&mut response);
    response.insert_header((header::LOCATION, address.as_str()));
    response.insert_header((header::CACHE_CONTROL, "public, max-age=300"));
    Some(response.finish())
}
