//! Authorization code grant with the application in a Basic header (reference/platforms.md#oauth). With PKCE
//! each refresh token works once.

use async_trait::async_trait;
use url::Url;

use super::SpotifyClient;
use crate::{
    Authorization, CodeExchange, OAuthClient, PlatformError, Result, TokenGrant, TokenOwner,
    oauth::{authorize_url, code_fields, granted, refresh_fields, with_app_in_header, with_challenge},
};
use shared::connection::OAuthApp;
use shared::{platform::Platform, secret::Secret};

impl SpotifyClient {
    async fn grant(
        &self,
        call: &'static str,
        app: &OAuthApp,
        fields: &[(&'static str, &str)],
    ) -> Result<TokenGrant> {
        let request = self.http.post(self.config.auth_url.endpoint(&["api", "token"]));
        granted(self.http.send(call, with_app_in_header(request, app, fields)).await?)
    }
}

#[async_trait]
impl OAuthClient for SpotifyClient {
    fn authorize_url(&self, request: &Authorization<'_>) -> Result<Url> {
        let url = authorize_url(&self.config.authorize_url, &["authorize"], request);
        let mut url = with_challenge(url, request);
        if request.force_consent {
            url.query_pairs_mut().append_pair("show_dialog", "true");
        }
        Ok(url)
    }

    async fn exchange_code(&self, app: &OAuthApp, request: &CodeExchange<'_>) -> Result<TokenGrant> {
        self.grant("exchange_code", app, &code_fields(request)).await
    }

    async fn refresh(&self, app: &OAuthApp, refresh_token: &Secret) -> Result<TokenGrant> {
        self.grant("refresh", app, &refresh_fields(refresh_token)).await
    }

    /// Only the user can do it, on the account page.
    async fn revoke(&self, _: &OAuthApp, _: &Secret, _: Option<&Secret>) -> Result<()> {
        Err(PlatformError::Unsupported { platform: Platform::Spotify, action: "revoke" })
    }

    async fn token_owner(&self, _client_id: &str, access_token: &Secret) -> Result<TokenOwner> {
        let user = self.current_user(access_token).await?;
        Ok(TokenOwner {
            display_name: user.display_name.unwrap_or_else(|| user.id.clone()),
            username: user.id.clone(),
            avatar_url: user.images.into_iter().next().map(|image| image.url),
            channel_id: user.id.clone(),
            id: user.id,
        })
    }
}
