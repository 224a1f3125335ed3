//! Spotify (D §6). Nobody signs in with it and it has no chat.

mod oauth;

use serde::Deserialize;
use serde_json::Value;

use super::{
    Platform, PlatformClient, PlatformConfig, Result,
    http::{Http, authorization},
};
use crate::secret::Secret;

/// Default base of the OAuth addresses.
pub const AUTH_URL: &str = "https://accounts.spotify.com";
/// Default base of the API addresses.
pub const API_URL: &str = "https://api.spotify.com";

/// Calls Spotify.
#[derive(Debug, Clone)]
pub struct SpotifyClient {
    config: PlatformConfig,
    http: Http,
}

/// The owner of a token.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SpotifyUser {
    pub id: String,
    pub display_name: Option<String>,
    /// Pictures of the user, largest first; often none.
    #[serde(default)]
    pub images: Vec<SpotifyImage>,
}

/// A picture of a user.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SpotifyImage {
    pub url: String,
}

impl SpotifyClient {
    pub(super) fn new(config: PlatformConfig, client: reqwest::Client) -> Self {
        Self { config, http: Http::new(Platform::Spotify, client) }
    }

    /// Who a token belongs to: also the only way to learn whether it is still good (D §6).
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

impl PlatformClient for SpotifyClient {
    fn platform(&self) -> Platform {
        Platform::Spotify
    }
}

fn message(body: &Value) -> Option<&str> {
    body["error"]["message"].as_str()
}
