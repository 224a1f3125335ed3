//! Authorization code grant of users. The bot has a static token (reference/platforms.md#discord).

use async_trait::async_trait;
use reqwest::header::HeaderValue;
use url::Url;

use super::{API_VERSION, DiscordClient, User, message};
use crate::{
    Authorization, CodeExchange, OAuthClient, Result, TokenGrant, TokenOwner,
    http::authorization,
    oauth::{
        authorize_url, code_fields, granted, oauth_success, refresh_fields, with_app_in_body, with_challenge,
    },
};
use shared::connection::OAuthApp;
use shared::secret::Secret;

impl DiscordClient {
    /// Owner of a static bot token.
    ///
    /// # Errors
    /// `Unauthorized` for a token that Discord does not know, else any [`crate::PlatformError`].
    pub async fn bot_user(&self, bot_token: &Secret) -> Result<TokenOwner> {
        self.user("bot_user", authorization("Bot", bot_token)?).await
    }

    async fn user(&self, call: &'static str, authorization: HeaderValue) -> Result<TokenOwner> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&[API_VERSION, "users", "@me"]))
            .header("User-Agent", &self.user_agent)
            .header("Authorization", authorization);
        let user: User = self.http.send(call, request).await?.success(message)?.json()?;
        Ok(TokenOwner {
            avatar_url: user.avatar_url(),
            display_name: user.global_name.unwrap_or_else(|| user.username.clone()),
            username: user.username,
            channel_id: user.id.clone(),
            id: user.id,
        })
    }

    async fn grant(
        &self,
        call: &'static str,
        app: &OAuthApp,
        fields: Vec<(&'static str, &str)>,
    ) -> Result<TokenGrant> {
        let request = self
            .http
            .post(self.config.auth_url.endpoint(&["api", "oauth2", "token"]))
            .header("User-Agent", &self.user_agent);
        granted(self.http.send(call, with_app_in_body(request, app, fields)).await?)
    }
}

#[async_trait]
impl OAuthClient for DiscordClient {
    fn authorize_url(&self, request: &Authorization<'_>) -> Result<Url> {
        let url = authorize_url(&self.config.authorize_url, &["oauth2", "authorize"], request);
        let mut url = with_challenge(url, request);
        if request.force_consent {
            url.query_pairs_mut().append_pair("prompt", "consent");
        }
        Ok(url)
    }

    async fn exchange_code(&self, app: &OAuthApp, request: &CodeExchange<'_>) -> Result<TokenGrant> {
        self.grant("exchange_code", app, code_fields(request)).await
    }

    async fn refresh(&self, app: &OAuthApp, refresh_token: &Secret) -> Result<TokenGrant> {
        self.grant("refresh", app, refresh_fields(refresh_token)).await
    }

    /// Either token revokes every token of the authorization. An unknown one is no error there.
    async fn revoke(
        &self,
        app: &OAuthApp,
        access_token: &Secret,
        refresh_token: Option<&Secret>,
    ) -> Result<()> {
        let token = refresh_token.unwrap_or(access_token);
        let request = self
            .http
            .post(self.config.auth_url.endpoint(&["api", "oauth2", "token", "revoke"]))
            .header("User-Agent", &self.user_agent);
        let request = with_app_in_body(request, app, vec![("token", token.expose())]);
        oauth_success(self.http.send("revoke", request).await?).map(drop)
    }

    async fn token_owner(&self, _client_id: &str, access_token: &Secret) -> Result<TokenOwner> {
        self.user("me", authorization("Bearer", access_token)?).await
    }
}
