//! Authorization code grant. Twitch documents no PKCE for it (reference/platforms.md#oauth).

use async_trait::async_trait;
use reqwest::StatusCode;
use serde::Deserialize;
use url::Url;

use super::{TwitchClient, message};
use crate::{
    Authorization, CodeExchange, OAuthClient, PlatformError, Result, TokenGrant, TokenOwner,
    http::{Answer, clip},
    oauth::{authorize_url, code_fields, refresh_fields, token_refusal, tokens, with_app_in_body},
};
use shared::connection::OAuthApp;
use shared::secret::Secret;

/// Messages of Twitch for a dead code and for a dead refresh token.
const DEAD_GRANTS: [&str; 2] = ["invalid authorization code", "invalid refresh token"];
/// Messages of Twitch for a refused application.
const WRONG_CLIENTS: [&str; 3] = ["invalid client", "invalid client secret", "client does not exist"];

#[derive(Deserialize)]
struct Users {
    data: Vec<User>,
}

#[derive(Deserialize)]
struct User {
    id: String,
    login: String,
    display_name: String,
    profile_image_url: Option<String>,
}

impl TwitchClient {
    async fn grant(
        &self,
        call: &'static str,
        app: &OAuthApp,
        fields: Vec<(&'static str, &str)>,
    ) -> Result<TokenGrant> {
        let request = self.http.post(self.config.auth_url.endpoint(&["oauth2", "token"]));
        let answer = self.http.send(call, with_app_in_body(request, app, fields)).await?;
        if answer.status.is_success() { tokens(&answer) } else { Err(refusal(&answer)) }
    }
}

#[async_trait]
impl OAuthClient for TwitchClient {
    fn authorize_url(&self, request: &Authorization<'_>) -> Result<Url> {
        let mut url = authorize_url(&self.config.authorize_url, &["oauth2", "authorize"], request);
        if request.force_consent {
            url.query_pairs_mut().append_pair("force_verify", "true");
        }
        Ok(url)
    }

    async fn exchange_code(&self, app: &OAuthApp, request: &CodeExchange<'_>) -> Result<TokenGrant> {
        // Twitch does not know a field for a verifier.
        let request = CodeExchange { verifier: None, ..*request };
        self.grant("exchange_code", app, code_fields(&request)).await
    }

    async fn refresh(&self, app: &OAuthApp, refresh_token: &Secret) -> Result<TokenGrant> {
        self.grant("refresh", app, refresh_fields(refresh_token)).await
    }

    /// Revokes the access token. Twitch documents no revocation of refresh tokens.
    async fn revoke(
        &self,
        app: &OAuthApp,
        access_token: &Secret,
        _refresh_token: Option<&Secret>,
    ) -> Result<()> {
        let form = [("client_id", app.client_id.as_str()), ("token", access_token.expose())];
        let request = self.http.post(self.config.auth_url.endpoint(&["oauth2", "revoke"])).form(&form);
        let answer = self.http.send("revoke", request).await?;
        // 400 means that the token was dead before.
        if answer.status.is_success() || answer.status == StatusCode::BAD_REQUEST {
            return Ok(());
        }
        Err(refusal(&answer))
    }

    async fn token_owner(&self, client_id: &str, access_token: &Secret) -> Result<TokenOwner> {
        let request = self.http.get(self.config.api_url.endpoint(&["helix", "users"]));
        let request = self.helix(request, access_token, client_id)?;
        let answer = self.http.send("users", request).await?.success(message)?;
        let user = answer.json::<Users>()?.data.into_iter().next();
        let user = user.ok_or_else(|| PlatformError::invalid("no user for the token"))?;
        Ok(TokenOwner {
            channel_id: user.id.clone(),
            id: user.id,
            username: user.login,
            display_name: user.display_name,
            avatar_url: user.profile_image_url.filter(|url| !url.is_empty()),
        })
    }
}

/// Twitch has no error codes of RFC 6749, only texts. A 401 means that the user has withdrawn the consent.
fn refusal(answer: &Answer) -> PlatformError {
    let body = answer.error_body();
    let words = clip(message(&body).unwrap_or_default());
    let lower = words.to_lowercase();
    if DEAD_GRANTS.contains(&lower.as_str()) || answer.status == StatusCode::UNAUTHORIZED {
        return PlatformError::InvalidGrant { message: words };
    }
    if WRONG_CLIENTS.contains(&lower.as_str()) {
        return PlatformError::InvalidClient { message: words };
    }
    token_refusal(answer, message)
}
