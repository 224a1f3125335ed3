//! Authorization code grant of Google, with PKCE (reference/platforms.md#oauth).

use async_trait::async_trait;
use serde::Deserialize;
use url::Url;

use super::{YoutubeClient, checked};
use crate::{
    Authorization, CodeExchange, OAuthClient, PlatformError, Result, TokenGrant, TokenOwner,
    http::authorization,
    oauth::{
        authorize_url, code_fields, granted, oauth_success, refresh_fields, with_app_in_body, with_challenge,
    },
};
use shared::connection::OAuthApp;
use shared::secret::Secret;

#[derive(Deserialize)]
struct Channels {
    /// Absent when the account has no channel.
    #[serde(default)]
    items: Vec<Channel>,
}

#[derive(Deserialize)]
struct Channel {
    id: String,
    snippet: Snippet,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snippet {
    title: String,
    /// Handle with its `@`. Some channels have none.
    custom_url: Option<String>,
    #[serde(default)]
    thumbnails: Thumbnails,
}

#[derive(Default, Deserialize)]
struct Thumbnails {
    default: Option<Thumbnail>,
}

#[derive(Deserialize)]
struct Thumbnail {
    url: String,
}

impl YoutubeClient {
    async fn grant(
        &self,
        call: &'static str,
        app: &OAuthApp,
        fields: Vec<(&'static str, &str)>,
    ) -> Result<TokenGrant> {
        let request = self.http.post(self.config.auth_url.endpoint(&["token"]));
        granted(self.http.send(call, with_app_in_body(request, app, fields)).await?)
    }
}

#[async_trait]
impl OAuthClient for YoutubeClient {
    /// Google returns a refresh token only for offline access, and another one only after a new prompt of the
    /// user.
    fn authorize_url(&self, request: &Authorization<'_>) -> Result<Url> {
        let page = ["o", "oauth2", "v2", "auth"];
        let mut url = with_challenge(authorize_url(&self.config.authorize_url, &page, request), request);
        url.query_pairs_mut().append_pair("access_type", "offline").append_pair("prompt", "consent");
        Ok(url)
    }

    async fn exchange_code(&self, app: &OAuthApp, request: &CodeExchange<'_>) -> Result<TokenGrant> {
        self.grant("exchange_code", app, code_fields(request)).await
    }

    async fn refresh(&self, app: &OAuthApp, refresh_token: &Secret) -> Result<TokenGrant> {
        self.grant("refresh", app, refresh_fields(refresh_token)).await
    }

    /// Either token revokes the whole consent.
    async fn revoke(
        &self,
        _app: &OAuthApp,
        access_token: &Secret,
        refresh_token: Option<&Secret>,
    ) -> Result<()> {
        let token = refresh_token.unwrap_or(access_token);
        let url = self.config.auth_url.endpoint(&["revoke"]);
        let request = self.http.post(url).form(&[("token", token.expose())]);
        let answer = self.http.send("revoke", request).await?;
        let was_dead = answer.error_body()["error"] == "invalid_token";
        if was_dead { Ok(()) } else { oauth_success(answer).map(drop) }
    }

    /// Channel of the Google account. Chats and streams belong to it.
    async fn token_owner(&self, _client_id: &str, access_token: &Secret) -> Result<TokenOwner> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["youtube", "v3", "channels"]))
            .query(&[("part", "snippet"), ("mine", "true")])
            .header("Authorization", authorization("Bearer", access_token)?);
        let answer = checked(self.http.send("channels", request).await?)?;
        let channel = answer.json::<Channels>()?.items.into_iter().next();
        let channel =
            channel.ok_or_else(|| PlatformError::rejected("the Google account has no YouTube channel"))?;
        let Snippet { title, custom_url, thumbnails } = channel.snippet;
        let handle = custom_url.map(|handle| handle.trim_start_matches('@').to_owned());
        Ok(TokenOwner {
            channel_id: channel.id.clone(),
            id: channel.id,
            username: handle.unwrap_or_else(|| title.clone()),
            display_name: title,
            avatar_url: thumbnails.default.map(|thumbnail| thumbnail.url),
        })
    }
}
