//! `GET /v1/ws`: who may connect (specification C §11.1).

use std::sync::Arc;

use actix_http::ws;
use actix_web::{
    HttpMessage, HttpRequest, HttpResponse, ResponseError,
    body::MessageBody,
    get,
    http::header,
    web::{Data, Payload, ServiceConfig},
};
use api_core::{
    ApiError, Code, Cx, State,
    access::{Presented, Principal, RequestInfo, Resolved, Transport, resolve},
    http::{RequestId, Tier, client_ip, count_guess, is_listed_origin, presented, rate_key},
};
use chrono::TimeDelta;
use shared::token::TokenKind;

use crate::{
    connection::Wire,
    hub::{Hub, Open},
    quota::{self, Quota},
    socket::{Inbound, Outgoing, Session, Signal, Socket},
};

/// How long a socket may outlive the signed token that opened it (C §11.4).
const MAX_LIFETIME: TimeDelta = TimeDelta::hours(12);

/// `GET /v1/ws`. Needs a `Data<Hub>` and a `Data<State>`; stands outside the layer that authenticates, because a
/// socket takes credentials in other ways.
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
    // Before rights are read: what changes from here on is looked at again.
    let changes = hub.changes();
    let credential = credential(request);
    let principal = identify(request, state, credential.as_ref()).await?;
    check_origin(request, state, &principal)?;

    let socket = Arc::new(Socket::new(shared::id::new(), Wire::of(request.conn_data()), state.clock.now()));
    let quota = Quota::of(&principal, client_ip(request, state.config.http.trusted_proxy_hops));
    if let Some(quota) = &quota
        && !quota::take(hub, quota, socket.id()).await
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

/// Checks the credential and the origin of an upgrade without upgrading: browsers do not show a page the answer to a
/// refused upgrade.
///
/// # Errors
/// The answer that the upgrade would be given.
pub async fn check_upgrade(request: &HttpRequest, state: &State) -> Result<(), ApiError> {
    let principal = identify(request, state, credential(request).as_ref()).await?;
    check_origin(request, state, &principal)
}

/// A popout's cookie is no credential here: pages get a token for the socket instead (A §4.2), so that a foreign
/// page cannot connect in its name.
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
    let Principal::Anonymous { refused } = principal else { return Ok(principal) };
    // Whoever holds a credential is bounded by the sockets it may open; others by their address.
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

/// Pages of foreign origins may not connect, except with a token that is made for being embedded anywhere.
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

/// The codec's words for what a request lacks, as a message of ours.
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
