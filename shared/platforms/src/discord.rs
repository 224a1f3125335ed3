//! Discord (reference/platforms.md#discord).

mod emotes;
mod guilds;
mod oauth;

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    ChatCredentials, ChatMessage, PlatformClient, PlatformError, Result, SendAs, SentMessage,
    VerifiedIdentity,
    http::{Http, authorization},
};
use shared::secret::Secret;
use shared::{config::platforms::PlatformConfig, platform::Platform};

/// Version of the API. Discord serves an old one without a version in the path.
const API_VERSION: &str = "v10";
/// Host of pictures. It is only written into addresses and never called.
const CDN_URL: &str = "https://cdn.discordapp.com";

/// Client of Discord.
#[derive(Debug, Clone)]
pub struct DiscordClient {
    config: PlatformConfig,
    http: Http,
    user_agent: String,
}

#[derive(Deserialize)]
struct Authorization {
    application: Application,
    #[serde(default)]
    scopes: Vec<String>,
    expires: Option<DateTime<Utc>>,
    /// Present only when `identify` was granted.
    user: Option<User>,
}

#[derive(Deserialize)]
struct Application {
    id: String,
}

#[derive(Deserialize)]
struct User {
    id: String,
    username: String,
    global_name: Option<String>,
    /// Hash of the picture.
    avatar: Option<String>,
}

impl User {
    fn avatar_url(&self) -> Option<String> {
        let (avatar, id) = (self.avatar.as_deref()?, &self.id);
        Some(format!("{CDN_URL}/avatars/{id}/{avatar}.png"))
    }
}

#[derive(Deserialize)]
struct Message {
    id: String,
}

impl DiscordClient {
    pub(super) fn new(config: PlatformConfig, client: reqwest::Client) -> Self {
        let user_agent = user_agent(config.client_id.as_deref());
        Self { config, http: Http::new(Platform::Discord, client), user_agent }
    }
}

#[async_trait]
impl PlatformClient for DiscordClient {
    fn platform(&self) -> Platform {
        Platform::Discord
    }

    async fn verify_login(
        &self,
        client_id: &str,
        provider_user_id: &str,
        access_token: &Secret,
    ) -> Result<VerifiedIdentity> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&[API_VERSION, "oauth2", "@me"]))
            .header("User-Agent", &self.user_agent)
            .header("Authorization", authorization("Bearer", access_token)?);
        let token: Authorization =
            self.http.send("authorization", request).await?.success(message)?.json()?;
        if token.application.id != client_id {
            return Err(PlatformError::foreign_audience());
        }
        let user = token.user.filter(|user| user.id == provider_user_id);
        let user = user.ok_or_else(PlatformError::foreign_subject)?;
        Ok(VerifiedIdentity {
            avatar_url: user.avatar_url(),
            username: Some(user.username),
            display_name: user.global_name,
            scopes: token.scopes,
            expires_in: token.expires.map(until),
            ..VerifiedIdentity::new(Platform::Discord, user.id)
        })
    }

    /// Only a bot can write. The text mentions no user, whatever it contains.
    async fn send_chat(&self, credentials: &ChatCredentials, message: &ChatMessage) -> Result<SentMessage> {
        if credentials.send_as == SendAs::User {
            return Err(PlatformError::Unsupported { platform: Platform::Discord, action: "chat as user" });
        }
        let mut body = json!({ "content": message.text, "allowed_mentions": { "parse": [] } });
        if let Some(reply_to) = &message.reply_to {
            body["message_reference"] = json!({ "message_id": reply_to, "fail_if_not_exists": false });
        }
        let path = [API_VERSION, "channels", &message.channel_id, "messages"];
        let request = self
            .http
            .post(self.config.api_url.endpoint(&path))
            .header("User-Agent", &self.user_agent)
            .header("Authorization", authorization("Bot", &credentials.access_token)?)
            .json(&body);
        let sent: Message = self.http.send("send_chat", request).await?.success(self::message)?.json()?;
        Ok(SentMessage { message_id: Some(sent.id) })
    }
}

/// User agent in the form that Discord requires: an address of the caller, and a version.
fn user_agent(client_id: Option<&str>) -> String {
    let application = client_id.unwrap_or("unknown");
    format!("DiscordBot (https://discord.com/applications/{application}, {})", env!("CARGO_PKG_VERSION"))
}

/// Time from now until `at`; zero when it is past.
fn until(at: DateTime<Utc>) -> Duration {
    let now = DateTime::<Utc>::from(std::time::SystemTime::now());
    (at - now).to_std().unwrap_or(Duration::ZERO)
}

fn message(body: &Value) -> Option<&str> {
    body["message"].as_str()
}
