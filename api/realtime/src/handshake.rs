//! `GET /v1/ws`: checks before the upgrade (reference/realtime.md#handshake).

use std::sync::Arc;

use actix_http::ws;
use actix_web::{
    HttpMessage, HttpRequest, HttpResponse, ResponseError,
    body::MessageBody,
    get,
    http::header,
    web::{Data, Payload, ServiceConfig},
};
use api_core::token::TokenKind;
use api_core::{
    ApiError, Code, Cx, State,
    access::{Presented, Principal, RequestInfo, Resolved, Transport, resolve},
    http::{RequestId, Tier, client_ip, count_guess, is_listed_origin, presented, rate_key},
};
use chrono::TimeDelta;

use crate::{
    connection::Wire,
    hub::{Hub, Open},
    places,
    quota::{self, Quota},
    socket::{Inbound, Outgoing, Session, Signal, Socket},
};

/// Longest life of a socket after the upgrade with a signed token, which it may outlive
/// (reference/realtime.md#limits).
const MAX_LIFETIME: TimeDelta = TimeDelta::hours(12);

/// Registers `GET /v1/ws`. Needs a `Data<Hub>` and a `Data<State>`. It is outside the layer that
/// authenticates, because a socket takes credentials in other ways.
pub fn routes(config: &mut ServiceConfig) {
    config.service(connect);
}

#[get("/v1/ws")]
async fn connect(request: HttpRequest, payload: Payload, hub: Data<Hub>, state: Data<State>) -> HttpResponse {
    match upgrade(&request, payload, &hub, &state).await {
        Ok(response) => response,
        Err(refusal) => {
            let response = refusal.error_response();
            hub.metrics.refused(response.status().as_u16());
            response
        }
    }
}

async fn upgrade(
    request: &HttpRequest,
    payload: Payload,
    hub: &Hub,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let mut response =
        ws::handshake(request.head()).map_err(|error| ApiError::bad_request(sentence(error)))?;
    // Read before the rights: a later change causes another check.
    let changes = hub.changes();
    let credential = credential(request);
    let principal = identify(request, state, credential.as_ref()).await?;
    check_origin(request, state, &principal)?;

    let socket = Arc::new(Socket::new(shared::id::new(), Wire::of(request.conn_data()), state.clock.now()));
    let quota = match Quota::of(&principal, client_ip(request, state.config.http.trusted_proxy_hops)) {
        Some(quota) => Some(quota::of_extension(state, &principal, quota).await),
        None => None,
    };
    if let Some(quota) = &quota
        && !places::take(hub, quota, socket.id()).await
    {
        let message = format!("Too many open sockets: at most {}", quota.limit);
        return Err(ApiError::new(Code::RateLimitExceeded, message));
    }
    let is_signed = credential.is_some_and(|credential| TokenKind::of(credential.text.expose()).is_none());
    let ends_at = is_signed.then(|| state.clock.now() + MAX_LIFETIME);
    hub.sockets.add(Open {
        socket: Arc::clone(&socket),
        principal: principal.clone(),
        quota: quota.clone(),
        ends_at,
    });
    if hub.changes() != changes {
        socket.signal(Signal::Credential);
    }
    if hub.is_closing() {
        socket.signal(Signal::Shutdown);
    }

    let cx = Cx::new(state.clone(), principal, request_info(request, state));
    let session =
        Session::new(hub.clone(), cx, Arc::clone(&socket), quota, Inbound::new(payload.into_inner()));
    actix_web::rt::spawn(session.run());
    Ok(response.message_body(Outgoing(socket).boxed()).map_err(ApiError::internal)?.into())
}

/// Checks the credential and the origin of an upgrade without upgrading: browsers do not show a page the
/// response to a refused upgrade.
///
/// # Errors
/// The error that the upgrade would return.
pub async fn check_upgrade(request: &HttpRequest, state: &State) -> Result<(), ApiError> {
    let principal = identify(request, state, credential(request).as_ref()).await?;
    check_origin(request, state, &principal)
}

/// Credential of an upgrade. A popout's cookie is not accepted here, so that a foreign page cannot connect in
/// its name; pages get a token for the socket instead (reference/credentials.md#transports).
fn credential(request: &HttpRequest) -> Option<Presented> {
    presented(request, true).filter(|credential| credential.transport != Transport::Cookie)
}

async fn identify(
    request: &HttpRequest,
    state: &State,
    credential: Option<&Presented>,
) -> Result<Principal, ApiError> {
    let address = client_ip(request, state.config.http.trusted_proxy_hops);
    let Resolved { principal, is_unknown } = resolve(state, credential).await?;
    if principal.is_of_page() {
        return Err(ApiError::forbidden("This token reads files only"));
    }
    let Principal::Anonymous { refused } = principal else { return Ok(principal) };
    // Callers with a credential are limited by their open sockets; others by their address.
    let tier = Tier::Anonymous;
    let verdict = state.limiter.check(tier, &rate_key(address), tier.limit(&state.config.rate_limits)).await;
    if let Some(refusal) = verdict.refusal() {
        return Err(refusal);
    }
    if !refused {
        return Ok(principal);
    }
    let guesses = if is_unknown { count_guess(state, address).await } else { None };
    let too_many = guesses.and_then(|verdict| verdict.refusal());
    Err(too_many.unwrap_or_else(|| ApiError::unauthorized("Invalid or expired token")))
}

/// Refuses pages of foreign origins, except with a token that is made for pages embedded anywhere.
fn check_origin(request: &HttpRequest, state: &State, principal: &Principal) -> Result<(), ApiError> {
    let Some(origin) = request.headers().get(header::ORIGIN) else { return Ok(()) };
    if matches!(principal, Principal::Surface { .. }) {
        return Ok(());
    }
    if is_listed_origin(&state.config, origin) {
        return Ok(());
    }
    Err(ApiError::forbidden("Origin is not allowed"))
}

fn request_info(request: &HttpRequest, state: &State) -> RequestInfo {
    RequestInfo {
        request_id: request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default(),
        ip: client_ip(request, state.config.http.trusted_proxy_hops),
        user_agent: None,
        browser: None,
    }
}

/// Message for an incomplete upgrade request, from the error of the codec.
fn sentence(error: ws::HandshakeError) -> &'static str {
    use ws::HandshakeError as E;
    match error {
        E::GetMethodRequired => "WebSocket upgrade needs GET",
        E::NoWebsocketUpgrade => "Missing header: Upgrade: websocket",
        E::NoConnectionUpgrade => "Missing header: Connection: Upgrade",
        E::NoVersionHeader => "Missing header: Sec-WebSocket-Version",
        E::UnsupportedVersion => "Unsupported Sec-WebSocket-Version: must be 13",
        E::BadWebsocketKey => "Missing or malformed header: Sec-WebSocket-Key",
    }
}
