//! Trovo (reference/platforms.md#trovo).

mod directory;
mod emotes;
mod live;
mod moderation;
mod oauth;
mod profile;

use async_trait::async_trait;
use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::{Value, json};

pub(crate) use directory::read_streams;
pub use directory::{ChannelDetails, MAX_NAMES};

use super::{
    Ban, Banned, ChatCredentials, ChatMessage, ModeratedChannel, PlatformClient, PlatformError, Result,
    SentMessage, TokenInspection, VerifiedIdentity,
    http::{Answer, Http, authorization, client_id},
};
use shared::secret::Secret;
use shared::{config::platforms::PlatformConfig, platform::Platform};

/// Codes of Trovo: authentication failed, bad token, expired token.
const TOKEN_CODES: [i64; 3] = [10703, 11704, 11714];
/// Code for too many calls.
const RATE_LIMIT_CODE: i64 = 11706;
/// Codes for failures of Trovo itself.
const TRANSIENT_CODES: [i64; 2] = [-1000, -1201];

/// Client of Trovo.
#[derive(Debug, Clone)]
pub struct TrovoClient {
    config: PlatformConfig,
    http: Http,
}

#[derive(Deserialize)]
struct Validation {
    /// Missing in some versions of the documentation, so it is checked only where it is stated.
    client_id: Option<String>,
    #[serde(default)]
    scopes: Vec<String>,
}

#[derive(Deserialize)]
struct ChatToken {
    token: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UserInfo {
    user_id: String,
    user_name: Option<String>,
    nick_name: Option<String>,
    profile_pic: Option<String>,
    channel_id: Option<String>,
}

impl TrovoClient {
    pub(super) fn new(config: PlatformConfig, client: reqwest::Client) -> Self {
        Self { config, http: Http::new(Platform::Trovo, client) }
    }

    /// Adds the application in a header beside the token.
    fn authorized(
        &self,
        request: RequestBuilder,
        token: &Secret,
        app: Option<&str>,
    ) -> Result<RequestBuilder> {
        let app = match app {
            Some(app) => app,
            None => client_id(Platform::Trovo, &self.config)?,
        };
        Ok(request
            .header("Client-ID", app)
            .header("Authorization", authorization("OAuth", token)?)
            .header("Accept", "application/json"))
    }

    /// Token of the chat socket of a channel. It opens one connection, within 20 s
    /// (reference/platforms.md#trovo-chat-socket).
    ///
    /// # Errors
    /// `NotConfigured` without an application, `Rejected` for a channel that Trovo does not know.
    pub async fn chat_token(&self, app: Option<&str>, channel_id: &str) -> Result<Secret> {
        let app = match app {
            Some(app) => app,
            None => client_id(Platform::Trovo, &self.config)?,
        };
        let url = self.config.api_url.endpoint(&["openplatform", "chat", "channel-token", channel_id]);
        let request = self.http.get(url).header("Client-ID", app).header("Accept", "application/json");
        let answer = checked(self.http.send("chat_token", request).await?)?;
        Ok(Secret::new(answer.json::<ChatToken>()?.token))
    }

    async fn validate(&self, client_id: Option<&str>, access_token: &Secret) -> Result<Validation> {
        let request = self.http.get(self.config.auth_url.endpoint(&["openplatform", "validate"]));
        let request = self.authorized(request, access_token, client_id)?;
        checked(self.http.send("validate", request).await?)?.json()
    }

    async fn user_info(&self, client_id: &str, access_token: &Secret) -> Result<UserInfo> {
        let request = self.http.get(self.config.api_url.endpoint(&["openplatform", "getuserinfo"]));
        let request = self.authorized(request, access_token, Some(client_id))?;
        checked(self.http.send("getuserinfo", request).await?)?.json()
    }
}

#[async_trait]
impl PlatformClient for TrovoClient {
    fn platform(&self) -> Platform {
        Platform::Trovo
    }

    async fn user_profile(
        &self,
        access: &super::ProfileAccess<'_>,
        query: &super::ProfileQuery<'_>,
    ) -> Result<Option<super::UserProfile>> {
        self.profile(access, query).await
    }

    async fn verify_login(
        &self,
        client_id: &str,
        provider_user_id: &str,
        access_token: &Secret,
    ) -> Result<VerifiedIdentity> {
        let token = self.validate(Some(client_id), access_token).await?;
        if token.client_id.is_some_and(|issued_to| issued_to != client_id) {
            return Err(PlatformError::foreign_audience());
        }
        let user = self.user_info(client_id, access_token).await?;
        if user.user_id != provider_user_id {
            return Err(PlatformError::foreign_subject());
        }
        Ok(VerifiedIdentity {
            username: user.user_name,
            display_name: user.nick_name,
            avatar_url: user.profile_pic.filter(|url| !url.is_empty()),
            scopes: token.scopes,
            ..VerifiedIdentity::new(Platform::Trovo, user.user_id)
        })
    }

    async fn inspect_token(&self, client_id: Option<&str>, access_token: &Secret) -> Result<TokenInspection> {
        let token = self.validate(client_id, access_token).await?;
        // Some versions of the documentation have no scopes in the response.
        let scopes = Some(token.scopes).filter(|scopes| !scopes.is_empty());
        Ok(TokenInspection { scopes, expires_in: None })
    }

    async fn send_chat(&self, credentials: &ChatCredentials, message: &ChatMessage) -> Result<SentMessage> {
        let body = json!({ "content": message.text, "channel_id": message.channel_id });
        let request =
            self.http.post(self.config.api_url.endpoint(&["openplatform", "chat", "send"])).json(&body);
        let request =
            self.authorized(request, &credentials.access_token, credentials.client_id.as_deref())?;
        checked(self.http.send("send_chat", request).await?)?;
        Ok(SentMessage { message_id: None })
    }

    async fn ban_user(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        ban: &Ban,
    ) -> Result<Banned> {
        if ban.duration.is_some() {
            return Err(PlatformError::Unsupported { platform: Platform::Trovo, action: "timeout" });
        }
        self.ban_by_name(credentials, channel, ban).await
    }

    async fn set_title(&self, credentials: &ChatCredentials, channel_id: &str, title: &str) -> Result<()> {
        self.change_title(credentials, channel_id, title).await
    }
}

/// Trovo states its own code in the body, whatever the HTTP status is.
fn checked(answer: Answer) -> Result<Answer> {
    let code = answer.error_body()["status"].as_i64().unwrap_or(0);
    if TOKEN_CODES.contains(&code) {
        return Err(PlatformError::Unauthorized);
    }
    if code == RATE_LIMIT_CODE {
        return Err(answer.rate_limited());
    }
    if TRANSIENT_CODES.contains(&code) {
        return Err(PlatformError::Transient { detail: format!("code {code}") });
    }
    if answer.status.is_success() && code != 0 {
        let body = answer.error_body();
        return Err(PlatformError::rejected(super::http::clip(message(&body).unwrap_or("refused"))));
    }
    answer.success(message)
}

fn message(body: &Value) -> Option<&str> {
    body["message"].as_str().or_else(|| body["error"].as_str())
}
