//! OAuth 2.1: PKCE and state are mandatory (reference/platforms.md#kick).

use async_trait::async_trait;
use url::Url;

use super::KickClient;
use crate::{
    Authorization, CodeExchange, OAuthClient, PlatformError, Result, TokenGrant, TokenOwner,
    oauth::{
        authorize_url, code_fields, granted, oauth_success, refresh_fields, with_app_in_body, with_challenge,
    },
};
use shared::connection::OAuthApp;
use shared::secret::Secret;

impl KickClient {
    async fn grant(
        &self,
        call: &'static str,
        app: &OAuthApp,
        fields: Vec<(&'static str, &str)>,
    ) -> Result<TokenGrant> {
        let request = self.http.post(self.config.auth_url.endpoint(&["oauth", "token"]));
        granted(self.http.send(call, with_app_in_body(request, app, fields)).await?)
    }

    /// Kick takes the token in the query, and the hint under another name than RFC 7009.
    async fn revoke_one(&self, token: &Secret, hint: &str) -> Result<()> {
        let request = self
            .http
            .post(self.config.auth_url.endpoint(&["oauth", "revoke"]))
            .query(&[("token", token.expose()), ("token_hint_type", hint)]);
        let answer = self.http.send("revoke", request).await?;
        let was_dead = answer.status.as_u16() == 400 && answer.error_body()["error"] == "Invalid request";
        if was_dead { Ok(()) } else { oauth_success(answer).map(drop) }
    }
}

#[async_trait]
impl OAuthClient for KickClient {
    fn authorize_url(&self, request: &Authorization<'_>) -> Result<Url> {
        if request.verifier.is_none() {
            return Err(PlatformError::rejected("kick demands a PKCE challenge"));
        }
        let url = authorize_url(&self.config.authorize_url, &["oauth", "authorize"], request);
        Ok(with_challenge(url, request))
    }

    async fn exchange_code(&self, app: &OAuthApp, request: &CodeExchange<'_>) -> Result<TokenGrant> {
        self.grant("exchange_code", app, code_fields(request)).await
    }

    async fn refresh(&self, app: &OAuthApp, refresh_token: &Secret) -> Result<TokenGrant> {
        self.grant("refresh", app, refresh_fields(refresh_token)).await
    }

    /// Revokes both tokens: revoking one leaves the other valid.
    async fn revoke(
        &self,
        _app: &OAuthApp,
        access_token: &Secret,
        refresh_token: Option<&Secret>,
    ) -> Result<()> {
        if let Some(refresh_token) = refresh_token {
            self.revoke_one(refresh_token, "refresh_token").await?;
        }
        self.revoke_one(access_token, "access_token").await
    }

    async fn token_owner(&self, _client_id: &str, access_token: &Secret) -> Result<TokenOwner> {
        let user = self.token_user(access_token).await?;
        Ok(TokenOwner {
            id: user.user_id.to_string(),
            channel_id: user.user_id.to_string(),
            username: user.name.clone(),
            display_name: user.name,
            avatar_url: user.profile_picture.filter(|url| !url.is_empty()),
        })
    }
}
