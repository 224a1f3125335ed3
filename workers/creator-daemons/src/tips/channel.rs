//! Channel of a token at StreamElements, which is the room of its tips (reference/tips.md#protocol).

use std::time::Duration;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use platform_daemons::sources::Interruption;
use serde_json::Value;
use shared::secret::Secret;
use worker_core::Context;

use super::tokens::{self, Token};

/// Maximum size of the API's response, in bytes.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;
/// Time after which a token that no key opens is read again (reference/tips.md#sockets).
const UNREADABLE_PAUSE: Duration = Duration::from_secs(600);

/// Room and token of a subscription to the tips of a channel.
pub(super) struct Access {
    /// Content of the token.
    pub token: Secret,
    /// Kind of the token.
    pub token_type: TokenType,
    /// Room of the tips: the channel at StreamElements.
    pub room: String,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenType {
    /// JWT of a channel.
    Jwt,
    /// Overlay token of a channel.
    ApiKey,
}

impl TokenType {
    /// Returns the name in requests of the gateway.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jwt => "jwt",
            Self::ApiKey => "apikey",
        }
    }

    /// Returns the scheme of the header `Authorization` of the API.
    const fn scheme(self) -> &'static str {
        match self {
            Self::Jwt => "Bearer",
            Self::ApiKey => "apikey",
        }
    }
}

/// Reads the content of a stored token, its kind and its channel. A JWT names its channel; the signature is not
/// checked, because the gateway does that. For other tokens the API names it.
///
/// # Errors
/// `Later` for a token that no key opens; `Refused` when StreamElements does not accept it; `Broken` when the
/// database fails, or StreamElements does not respond as published.
pub(super) async fn access(context: &Context, token: &Token) -> Result<Access, Interruption> {
    // No refusal of StreamElements: a key of the deployment is missing, which no owner can repair.
    let unreadable =
        || Interruption::Later { pause: UNREADABLE_PAUSE, why: "the token cannot be read".into() };
    let token = tokens::content(context, token).await?.ok_or_else(unreadable)?;
    let (token_type, room) = channel(context, &token).await?;
    Ok(Access { token, token_type, room })
}

async fn channel(context: &Context, token: &Secret) -> Result<(TokenType, String), Interruption> {
    let claims = claims(token.expose());
    let token_type = if claims.is_some() { TokenType::Jwt } else { TokenType::ApiKey };
    let named = claims.as_ref().and_then(|claims| text(&claims["channel"]));
    match named {
        Some(channel) => Ok((token_type, channel)),
        None => Ok((token_type, ask(context, token, token_type).await?)),
    }
}

/// Returns the claims of a JWT; `None` for another token.
fn claims(token: &str) -> Option<Value> {
    let mut parts = token.split('.');
    let (Some(_header), Some(payload), Some(_signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let payload = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&payload).ok().filter(Value::is_object)
}

async fn ask(context: &Context, token: &Secret, token_type: TokenType) -> Result<String, Interruption> {
    let address = context.config.ingest.streamelements_api_url.endpoint(&["kappa", "v2", "channels", "me"]);
    let authorization = format!("{} {}", token_type.scheme(), token.expose());
    let call = context.http.get(address).header("authorization", authorization).send();
    let mut response = call.await.map_err(|error| Interruption::Broken(error.to_string()))?;
    match response.status().as_u16() {
        200 => {}
        status @ (401 | 403 | 404) => {
            return Err(Interruption::Refused(format!("StreamElements does not accept the token: {status}")));
        }
        status => return Err(Interruption::Broken(format!("StreamElements responds with {status}"))),
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| Interruption::Broken(error.to_string()))? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_RESPONSE_BYTES {
            return Err(Interruption::Broken("a response of StreamElements is too large".to_owned()));
        }
    }
    let channel: Option<Value> = serde_json::from_slice(&body).ok();
    channel
        .and_then(|channel| text(&channel["_id"]))
        .ok_or_else(|| Interruption::Broken("StreamElements names no channel".to_owned()))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn jwt(payload: &str) -> String {
        format!("{}.{}.signature", URL_SAFE_NO_PAD.encode("{}"), URL_SAFE_NO_PAD.encode(payload))
    }

    #[test]
    fn claims_are_those_of_a_jwt() {
        assert_eq!(claims(&jwt(r#"{"channel":"5ad2"}"#)), Some(json!({ "channel": "5ad2" })));
        for other in ["", "KcD1", "a.b", "a.b.c", "a.b.c.d", &jwt("[]"), &jwt("no")] {
            assert_eq!(claims(other), None, "{other}");
        }
    }
}
