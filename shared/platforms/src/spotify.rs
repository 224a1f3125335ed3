//! Spotify (reference/platforms.md#spotify). It is no login provider and has no chat.

pub mod address;
mod oauth;
mod objects;
pub mod player;
pub mod playlist;
mod wire;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;

use super::{
    PlatformClient, Result, TokenInspection,
    http::{Http, authorization},
};
use shared::secret::Secret;
use shared::{config::platforms::PlatformConfig, platform::Platform};

/// Client of Spotify.
#[derive(Debug, Clone)]
pub struct SpotifyClient {
    config: PlatformConfig,
    http: Http,
}

/// Owner of a token.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SpotifyUser {
    /// Id of the user.
    pub id: String,
    /// Displayed name.
    pub display_name: Option<String>,
    /// Pictures of the user, largest first. Often empty.
    #[serde(default)]
    pub images: Vec<SpotifyImage>,
}

/// Picture of a user.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SpotifyImage {
    /// Address of the picture.
    pub url: String,
}

impl SpotifyClient {
    pub(super) fn new(config: PlatformConfig, client: reqwest::Client) -> Self {
        Self { config, http: Http::new(Platform::Spotify, client) }
    }

    /// Owner of a token. The call is also the only check of a token's validity
    /// (reference/platforms.md#spotify).
    ///
    /// # Errors
    /// `Unauthorized` for a dead token, else any [`super::PlatformError`].
    pub async fn current_user(&self, access_token: &Secret) -> Result<SpotifyUser> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["v1", "me"]))
            .header("Authorization", authorization("Bearer", access_token)?);
        self.http.send("me", request).await?.success(message)?.json()
    }
}

#[async_trait]
impl PlatformClient for SpotifyClient {
    fn platform(&self) -> Platform {
        Platform::Spotify
    }

    /// Spotify describes no token; the call shows that it works.
    async fn inspect_token(
        &self,
        _client_id: Option<&str>,
        access_token: &Secret,
    ) -> Result<TokenInspection> {
        self.current_user(access_token).await.map(|_user| TokenInspection::default())
    }
}

fn message(body: &Value) -> Option<&str> {
    body["error"]["message"].as_str()
}
