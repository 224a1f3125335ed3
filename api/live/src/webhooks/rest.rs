//! REST routes of deliveries. The handlers pass headers and raw bytes on and hold no rule.

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::header::ContentType,
    post,
    web::{Data, Payload, Query},
};
use api_core::{
    ApiError, Cx, Input, Result, State,
    access::{Principal, RequestInfo},
    http::{ServiceConfig, client_ip},
    webhooks::anonymous_cx,
};
use platforms::youtube::callback::HubCallback;

use super::{HubQuestion, MAX_BODY_BYTES, RawDelivery, Received};

/// Registers the routes, which carry a signature instead of a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(receive_twitch_webhook);
    config.service(receive_kick_webhook);
    config.service(verify_youtube_webhook);
    config.service(receive_youtube_webhook);
    config.service(receive_trovo_webhook);
    config.service(receive_shopify_webhook);
}

#[utoipa::path(tag = "webhooks", operation_id = "receiveTwitchWebhook",
    request_body(content = serde_json::Value, content_type = "application/json"),
    params(
        ("Twitch-Eventsub-Message-Id" = String, Header, description = "Names the delivery; a repeated one has no effect."),
        ("Twitch-Eventsub-Message-Timestamp" = String, Header, description = "RFC 3339, at most ten minutes old."),
        ("Twitch-Eventsub-Message-Signature" = String, Header, description = "`sha256=` and the HMAC in hexadecimal digits."),
        ("Twitch-Eventsub-Message-Type" = String, Header, description = "notification, webhook_callback_verification or revocation."),
    ),
    responses((status = 200, description = "Durable, or the challenge as plain text.", body = String), (status = 401)))]
#[post("/v1/webhooks/twitch")]
async fn receive_twitch_webhook(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse> {
    let delivery = raw(&request, payload).await;
    Ok(answer(super::receive_twitch_webhook(&anonymous_cx(&state), delivery).await?))
}

#[utoipa::path(tag = "webhooks", operation_id = "receiveKickWebhook",
    request_body(content = serde_json::Value, content_type = "application/json"),
    params(
        ("Kick-Event-Message-Id" = String, Header, description = "Names the delivery; a repeated one has no effect."),
        ("Kick-Event-Message-Timestamp" = String, Header, description = "RFC 3339, at most ten minutes old."),
        ("Kick-Event-Signature" = String, Header, description = "RSA PKCS#1 v1.5 with SHA-256, Base64."),
        ("Kick-Event-Type" = String, Header, description = "For example chat.message.sent."),
        ("Kick-Event-Version" = String, Header, description = "1"),
    ),
    responses((status = 200, description = "Durable."), (status = 401)))]
#[post("/v1/webhooks/kick")]
async fn receive_kick_webhook(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse> {
    let delivery = raw(&request, payload).await;
    Ok(answer(super::receive_kick_webhook(&anonymous_cx(&state), delivery).await?))
}

#[utoipa::path(tag = "webhooks", operation_id = "verifyYoutubeWebhook",
    params(
        ("hub.mode" = Option<String>, Query, description = "subscribe or unsubscribe."),
        ("hub.topic" = Option<String>, Query, description = "The feed of a channel's videos."),
        ("hub.challenge" = Option<String>, Query, description = "1 to 1024 characters."),
        ("hub.lease_seconds" = Option<i64>, Query, description = "How long the hub will deliver."),
        ("channel" = String, Query, description = "The channel that the address was given to the hub for."),
        ("t" = String, Query, description = "The deployment's word for that channel: an HMAC in hexadecimal digits."),
    ),
    responses((status = 200, description = "The challenge as plain text.", body = String), (status = 401)))]
#[get("/v1/webhooks/youtube")]
async fn verify_youtube_webhook(state: Data<State>, request: HttpRequest) -> Result<HttpResponse> {
    let question = Query::<HubQuestion>::from_query(request.query_string());
    let question = question.map(Query::into_inner).map_err(|error| ApiError::bad_request(error.to_string()));
    let hops = state.config.http.trusted_proxy_hops;
    let asked_from = RequestInfo { ip: client_ip(&request, hops), ..RequestInfo::default() };
    let cx = Cx::new(state.as_ref().clone(), Principal::Anonymous { refused: false }, asked_from);
    Ok(answer(super::verify_youtube_webhook(&cx, callback(&request), question).await?))
}

#[utoipa::path(tag = "webhooks", operation_id = "receiveYoutubeWebhook",
    request_body(content = String, content_type = "application/atom+xml"),
    params(
        ("X-Hub-Signature" = String, Header, description = "`sha1=` and the HMAC of the body in hexadecimal digits."),
        ("channel" = String, Query, description = "The channel that the address was given to the hub for."),
        ("t" = String, Query, description = "The deployment's word for that channel: an HMAC in hexadecimal digits."),
    ),
    responses((status = 200, description = "Durable."), (status = 401)))]
#[post("/v1/webhooks/youtube")]
async fn receive_youtube_webhook(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse> {
    let delivery = raw(&request, payload).await;
    Ok(answer(super::receive_youtube_webhook(&anonymous_cx(&state), callback(&request), delivery).await?))
}

#[utoipa::path(tag = "webhooks", operation_id = "receiveTrovoWebhook",
    request_body(content = serde_json::Value, content_type = "application/json"),
    params(
        ("X-Trovo-Signature" = String, Header, description = "HMAC-SHA256 of the body in hexadecimal digits."),
    ),
    responses((status = 200, description = "Durable."), (status = 401)))]
#[post("/v1/webhooks/trovo")]
async fn receive_trovo_webhook(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse> {
    let delivery = raw(&request, payload).await;
    Ok(answer(super::receive_trovo_webhook(&anonymous_cx(&state), delivery).await?))
}

#[utoipa::path(tag = "webhooks", operation_id = "receiveShopifyWebhook",
    request_body(content = serde_json::Value, content_type = "application/json"),
    params(
        ("X-Shopify-Hmac-SHA256" = String, Header, description = "HMAC-SHA256 of the body, Base64."),
        ("X-Shopify-Shop-Domain" = String, Header, description = "The shop."),
        ("X-Shopify-Topic" = String, Header, description = "orders/create or orders/paid."),
        ("X-Shopify-Webhook-Id" = String, Header, description = "Names the delivery; a repeated one has no effect."),
        ("X-Shopify-Triggered-At" = Option<String>, Header, description = "RFC 3339, at most ten minutes old."),
    ),
    responses((status = 200, description = "Durable."), (status = 401)))]
#[post("/v1/webhooks/shopify")]
async fn receive_shopify_webhook(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse> {
    let delivery = raw(&request, payload).await;
    Ok(answer(super::receive_shopify_webhook(&anonymous_cx(&state), delivery).await?))
}

/// Signed parts of the address.
fn callback(request: &HttpRequest) -> Input<HubCallback> {
    let callback = Query::<HubCallback>::from_query(request.query_string());
    callback.map(Query::into_inner).map_err(|error| ApiError::bad_request(error.to_string()))
}

async fn raw(request: &HttpRequest, payload: Payload) -> Input<RawDelivery> {
    RawDelivery::read(request, payload, MAX_BODY_BYTES).await
}

fn answer(received: Received) -> HttpResponse {
    match received {
        Received::Accepted => HttpResponse::Ok().finish(),
        Received::Challenge(challenge) => {
            HttpResponse::Ok().content_type(ContentType::plaintext()).body(challenge)
        }
    }
}
