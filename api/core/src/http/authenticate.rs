//! Authentication and request limits, before any handler.

use std::{net::IpAddr, sync::Arc};

use actix_web::{
    Error, FromRequest, HttpMessage, HttpRequest, ResponseError,
    body::MessageBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    http::header,
    middleware::Next,
    web::Data,
};
use shared::secret::Secret;

use super::{
    RequestId, browser,
    client_ip::client_ip,
    media_type::declares_json,
    metering, origin,
    rate_key::{rate_key, rate_key_of},
    rate_limit::Tier,
    routes::route_of,
    verdict::Verdict,
};
use crate::{
    ApiError, State,
    access::{Cx, Presented, Principal, RequestInfo, Resolved, Transport, resolve},
};

/// Cookie of an exchanged popout session (reference/credentials.md#popout-cookie).
pub const POPOUT_COOKIE: &str = "service-popout-token";

/// Resolves the credential, counts the request against its tier, puts a [`Cx`] into the request and demands a credential
/// where the route is guarded.
///
/// # Errors
/// 429 over the limit; 401 without a credential; 500 when the credential cannot be looked up.
pub async fn authenticate(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let state = request
        .app_data::<Data<State>>()
        .map(|state| state.as_ref().clone())
        .ok_or_else(|| ApiError::internal("the application has no state"))?;
    let credential = presented(request.request(), false);
    let info = request_info(request.request(), &state);
    let Resolved { principal, is_unknown } = resolve(&state, credential.as_ref()).await?;
    let verdict = match Tier::of(&principal) {
        Some(tier) => Some(
            state
                .limiter
                .check(tier, &rate_key_of(&principal, info.ip), tier.limit(&state.config.rate_limits))
                .await,
        ),
        None => None,
    };
    if let Some(verdict) = verdict.filter(|verdict| verdict.retry_after.is_some()) {
        return Ok(refused(request, &verdict));
    }
    if let Err(refusal) = check_cookie(&request, &state, credential.as_ref(), &principal) {
        return Ok(request.into_response(refusal.error_response()));
    }
    let counted = match metering::count(&state, &principal) {
        Ok(counted) => counted,
        Err(refusal) => return Ok(request.into_response(refusal.error_response())),
    };
    let guesses = if is_unknown { Box::pin(count_guess(&state, info.ip)).await } else { None };
    let cx = Cx::new(state, principal, info);
    cx.session_count().open();
    if let Some(guesses) = guesses {
        cx.count_guess(guesses);
    }
    request.extensions_mut().insert(cx.clone());
    let answered = match unauthorized(&request, &cx) {
        Some(refusal) => Ok(request.into_response(refusal.error_response())),
        None => {
            let connections = Arc::clone(cx.connections());
            connections.run(next.call(request)).await.map(ServiceResponse::map_into_boxed_body)
        }
    };
    counted.stored().await;
    cx.session_count().close().stored().await;
    let mut response = answered?;
    for cookie in cx.take_cookies() {
        response.response_mut().add_cookie(&cookie).map_err(ApiError::internal)?;
    }
    if let Some(verdict) = cx.reported_limit().or(verdict) {
        verdict.write(response.headers_mut());
    }
    Ok(response)
}

/// Refusal of a request to a guarded route that carries no credential. The body is not read before, so that an anonymous
/// caller learns nothing about the shape of the input (reference/permissions.md#check-order).
fn unauthorized(request: &ServiceRequest, cx: &Cx) -> Option<ApiError> {
    let is_demanded =
        cx.principal().is_anonymous() && route_of(request.request())?.guarded.contains(request.method());
    is_demanded.then(|| cx.unauthorized())
}

/// Counts an unknown credential of an address. Returns the verdict when there were too many. Only the 401 of
/// unknown credentials becomes 429 by it: valid credentials are not affected
/// (reference/limits.md#unknown-credentials).
pub async fn count_guess(state: &State, ip: Option<IpAddr>) -> Option<Verdict> {
    let tier = Tier::UnknownCredential;
    let verdict = state.limiter.check(tier, &rate_key(ip), tier.limit(&state.config.rate_limits)).await;
    verdict.retry_after.map(|_| verdict)
}

/// Checks a request that is authenticated by cookie. Browsers send the cookie with requests of foreign pages,
/// so a request that changes something must be one that such a page cannot send without a preflight
/// (reference/credentials.md#popout-cookie).
fn check_cookie(
    request: &ServiceRequest,
    state: &State,
    credential: Option<&Presented>,
    principal: &Principal,
) -> Result<(), ApiError> {
    let is_by_cookie = credential.is_some_and(|credential| credential.transport == Transport::Cookie);
    if !is_by_cookie || principal.is_anonymous() || request.method().is_safe() {
        return Ok(());
    }
    let headers = request.headers();
    if headers.get(header::ORIGIN).is_some_and(|origin| !origin::is_listed(&state.config, origin)) {
        return Err(ApiError::forbidden("Origin is not allowed"));
    }
    if !declares_json(headers) {
        return Err(ApiError::bad_request("Content-Type must be application/json"));
    }
    Ok(())
}

fn refused(request: ServiceRequest, verdict: &Verdict) -> ServiceResponse {
    let refusal = verdict.refusal().unwrap_or_else(|| ApiError::internal("a verdict without a refusal"));
    let mut response = refusal.error_response();
    verdict.write(response.headers_mut());
    request.into_response(response)
}

fn request_info(request: &HttpRequest, state: &State) -> RequestInfo {
    // Reading cookies writes to the extensions, which must not be held meanwhile.
    let browser = browser::presented(request, state.config.environment);
    RequestInfo {
        request_id: request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default(),
        ip: client_ip(request, state.config.http.trusted_proxy_hops),
        user_agent: request
            .headers()
            .get(header::USER_AGENT)
            .and_then(|value| value.to_str().ok())
            .map(|agent| agent.chars().take(255).collect()),
        browser,
    }
}

/// Credential of a request: the header first, then `token` in the query, then the popout cookie.
#[must_use]
pub fn presented(request: &HttpRequest, socket: bool) -> Option<Presented> {
    let (in_header, in_query) = if socket {
        (Transport::SocketHeader, Transport::SocketQuery)
    } else {
        (Transport::Header, Transport::Query)
    };
    if let Some(value) = request.headers().get(header::AUTHORIZATION) {
        // A header that is not a bearer token is an invalid credential, not an absent one.
        let text = value.to_str().ok().and_then(bearer).unwrap_or_default();
        return Some(Presented { text: Secret::new(text), transport: in_header });
    }
    let query = url::form_urlencoded::parse(request.query_string().as_bytes());
    if let Some((_, token)) = query.into_iter().find(|(name, _)| name == "token") {
        return Some(Presented { text: Secret::new(token), transport: in_query });
    }
    let cookie = request.cookie(POPOUT_COOKIE)?;
    Some(Presented { text: Secret::new(cookie.value()), transport: Transport::Cookie })
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

impl FromRequest for Cx {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let cx = request.extensions().get::<Self>().cloned();
        std::future::ready(
            cx.ok_or_else(|| ApiError::internal("a route without authentication asked for its caller")),
        )
    }
}
