//! `GET /kappa/v2/channels/me`: the channel of a token.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::{refusal::Refusal, state::State};

/// The token is accepted with the scheme of its kind only.
pub async fn me(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    state.lock().stream_elements.calls += 1;
    while state.lock().stream_elements.is_api_silent {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let gateway = &state.lock().stream_elements;
    if !request.query_string().is_empty() {
        return Err(refusal(400, "Bad Request", "unknown query parameter"));
    }
    let header = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    let (scheme, text) = header.and_then(|header| header.split_once(' ')).unwrap_or_default();
    let known = gateway.tokens.iter().find(|known| known.text == text && known.token_type.scheme() == scheme);
    let Some(known) = known else { return Err(refusal(401, "Unauthorized", "invalid token")) };
    let channel = &known.channel;
    Ok(HttpResponse::Ok().json(json!({
        "_id": channel.id,
        "provider": "twitch",
        "providerId": "100",
        "username": channel.name,
        "alias": channel.name,
        "displayName": channel.name,
        "avatar": "https://example.com/a.png",
        "inactive": false,
        "isPartner": false,
    })))
}

fn refusal(status: u16, error: &str, message: &str) -> Refusal {
    Refusal::new(status, json!({ "statusCode": status, "error": error, "message": message }))
}
