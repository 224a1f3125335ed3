//! Id of the application in a header, everything else in a JSON body (reference/platforms.md#oauth).

use async_trait::async_trait;
use serde_json::{Map, Value};
use url::Url;

use super::{TrovoClient, checked};
use crate::{
    Authorization, CodeExchange, OAuthClient, PlatformError, Result, TokenGrant, TokenOwner,
    http::clip,
    oauth::{authorize_url, code_fields, refresh_fields, tokens},
};
use shared::connection::OAuthApp;
use shared::secret::Secret;

/// Codes for a dead authorization code, and for a refresh token that is unknown or has expired.
const DEAD_GRANT_CODES: [i64; 3] = [11703, 11712, 11713];
/// Code for an unknown application.
const WRONG_CLIENT_CODE: i64 = 11701;

impl TrovoClient {
    async fn grant(
        &self,
        call: &'static str,
        path: &str,
        app: &OAuthApp,
        fields: Vec<(&'static str, &str)>,
    ) -> Result<TokenGrant> {
        let mut body: Map<String, Value> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        body.insert("client_secret".to_owned(), app.client_secret.expose().into());
        let request = self
            .http
            .post(self.config.auth_url.endpoint(&["openplatform", path]))
            .header("Client-ID", &app.client_id)
            .header("Accept", "application/json")
            .json(&body);
        let answer = self.http.send(call, request).await?;
        let refused = answer.error_body();
        let message = || clip(super::message(&refused).unwrap_or("refused"));
        match refused["status"].as_i64() {
            Some(code) if DEAD_GRANT_CODES.contains(&code) => {
                return Err(PlatformError::InvalidGrant { message: message() });
            }
            Some(WRONG_CLIENT_CODE) => return Err(PlatformError::InvalidClient { message: message() }),
            _ => {}
        }
        match checked(answer) {
            Ok(answer) => tokens(&answer),
            // The request has no access token, so the refusal concerns the application.
            Err(PlatformError::Unauthorized) => Err(PlatformError::InvalidClient { message: message() }),
            Err(error) => Err(error),
        }
    }
}

#[async_trait]
impl OAuthClient for TrovoClient {
    fn authorize_url(&self, request: &Authorization<'_>) -> Result<Url> {
        Ok(authorize_url(&self.config.authorize_url, &["page", "login.html"], request))
    }

    async fn exchange_code(&self, app: &OAuthApp, request: &CodeExchange<'_>) -> Result<TokenGrant> {
        // Trovo does not know a field for a verifier.
        let request = CodeExchange { verifier: None, ..*request };
        self.grant("exchange_code", "exchangetoken", app, code_fields(&request)).await
    }

    async fn refresh(&self, app: &OAuthApp, refresh_token: &Secret) -> Result<TokenGrant> {
        self.grant("refresh", "refreshtoken", app, refresh_fields(refresh_token)).await
    }

    async fn revoke(
        &self,
        app: &OAuthApp,
        access_token: &Secret,
        _refresh_token: Option<&Secret>,
    ) -> Result<()> {
        let body = serde_json::json!({ "access_token": access_token.expose() });
        let request = self
            .http
            .post(self.config.auth_url.endpoint(&["openplatform", "revoke"]))
            .header("Client-ID", &app.client_id)
            .header("Accept", "application/json")
            .json(&body);
        match checked(self.http.send("revoke", request).await?) {
            // The token was dead before.
            Ok(_) | Err(PlatformError::Unauthorized) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn token_owner(&self, client_id: &str, access_token: &Secret) -> Result<TokenOwner> {
        let user = self.user_info(client_id, access_token).await?;
        let username = user.user_name.unwrap_or_else(|| user.user_id.clone());
        Ok(TokenOwner {
            channel_id: user.channel_id.unwrap_or_else(|| user.user_id.clone()),
            id: user.user_id,
            display_name: user.nick_name.unwrap_or_else(|| username.clone()),
            username,
            avatar_url: user.profile_pic.filter(|url| !url.is_empty()),
        })
    }
}
