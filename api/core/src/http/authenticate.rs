//! Before any handler: who asks, and whether it asks too often.

use std::net::IpAddr;

use actix_web::{
    Error, FromRequest, HttpMessage, HttpRequest,
    body::MessageBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    http::header,
    middleware::Next,
    web::Data,
};
use shared::secret::Secret;

use super::{RequestId, rate_limit::Tier};
use crate::{
    ApiError, State,
    access::{Cx, Presented, Principal, RequestInfo, Transport, resolve},
};

/// The cookie of an exchanged popout session (A §4.2).
pub const POPOUT_COOKIE: &str = "service-popout-token";

/// Resolves the credential, counts the request against its tier and puts a [`Cx`] into the request.
///
/// # Errors
/// 429 over the limit; 500 when the credential cannot be looked up.
pub async fn authenticate(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let state = request
        .app_data::<Data<State>>()
        .map(|state| state.as_ref().clone())
        .ok_or_else(|| ApiError::internal("the application has no state"))?;
    let credential = presented(request.request(), false);
    let principal = resolve(&state, credential.as_ref()).await?;
    let info = request_info(request.request(), &state);
    let verdict = match Tier::of(&principal) {
        Some(tier) => Some(state.limiter.check(tier, &key_of(&principal, info.ip), tier.limit(&state.config.rate_limits)).await),
        None => None,
    };
    if let Some(refusal) = verdict.as_ref().and_then(super::Verdict::refusal) {
        let mut response = actix_web::ResponseError::error_response(&refusal);
        if let Some(verdict) = &verdict {
            verdict.write(response.headers_mut());
        }
        return Ok(request.into_response(response.map_into_boxed_body()).map_into_boxed_body());
    }
    request.extensions_mut().insert(Cx::new(state, principal, info));
    let mut response = next.call(request).await?.map_into_boxed_body();
    if let Some(verdict) = verdict {
        verdict.write(response.headers_mut());
    }
    Ok(response)
}

/// What a tier counts by (C §2.4).
fn key_of(principal: &Principal, ip: Option<IpAddr>) -> String {
    match (principal.credential_id(), principal.user()) {
        (Some(id), _) => id.to_string(),
        (None, Some(user)) => user.to_string(),
        (None, None) => ip.map_or_else(|| "unknown".to_owned(), |ip| ip.to_string()),
    }
}

fn request_info(request: &HttpRequest, state: &State) -> RequestInfo {
    RequestInfo {
        request_id: request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default(),
        ip: client_ip(request, state.config.http.trusted_proxy_hops),
        user_agent: request
            .headers()
            .get(header::USER_AGENT)
            .and_then(|value| value.to_str().ok())
            .map(|agent| agent.chars().take(255).collect()),
    }
}

/// The credential of a request: header first, then `token` in the query, then the popout cookie.
#[must_use]
pub fn presented(request: &HttpRequest, socket: bool) -> Option<Presented> {
    let (in_header, in_query) = if socket {
        (Transport::SocketHeader, Transport::SocketQuery)
    } else {
        (Transport::Header, Transport::Query)
    };
    if let Some(value) = request.headers().get(header::AUTHORIZATION) {
        // A header that is not a bearer token is a credential that is not valid, not an absent one.
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

/// The client's address: the peer, or what the configured number of proxies in front wrote (C §2.4).
#[must_use]
pub fn client_ip(request: &HttpRequest, trusted_hops: usize) -> Option<IpAddr> {
    let peer = request.peer_addr().map(|address| address.ip());
    if trusted_hops == 0 {
        return peer;
    }
    let forwarded = request.headers().get_all("x-forwarded-for").filter_map(|value| value.to_str().ok());
    let chain: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    // Each trusted proxy appended the address that it saw, so the client's stands that many from the end.
    let index = chain.len().checked_sub(trusted_hops);
    index.and_then(|index| chain[index].parse().ok()).or(peer)
}

impl FromRequest for Cx {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let cx = request.extensions().get::<Self>().cloned();
        std::future::ready(cx.ok_or_else(|| ApiError::internal("a route without authentication asked for its caller")))
    }
}
