//! Clients of the six platforms: one for each, behind one trait, every base URL from the configuration.
//!
//! Facts about the platforms are in specification D. A client makes one call and reports what came of it; when to
//! refresh a token, to retry or to flag a connection is the caller's decision (specification D §1).

mod app_tokens;
mod base_url;
mod client;
mod config;
mod engagement;
mod error;
mod http;
mod live;
mod oauth;
mod platform;
mod profile;

pub mod discord;
pub mod emotes;
pub mod kick;
pub mod spotify;
pub mod trovo;
pub mod twitch;
pub mod youtube;

use std::sync::Arc;

use app_tokens::KeptAppToken;

pub use base_url::{BaseUrl, InvalidBaseUrl};
pub use client::{
    AppToken, Ban, Banned, ChatCredentials, ChatMessage, ModeratedChannel, PlatformClient, SendAs,
    SentMessage, VerifiedIdentity,
};
pub use config::{InvalidSetting, PlatformConfig, PlatformsConfig};
pub use engagement::{
    NamedChannel, NewPoll, NewPrediction, PlatformPoll, PlatformPrediction, PollChoice, PollEnd, PollStatus,
    PredictionChange, PredictionOutcome, PredictionStatus,
};
pub use error::{PlatformError, Result};
pub use live::LiveStream;
pub use oauth::{
    Authorization, CodeExchange, DiscordGuild, OAuthApp, OAuthClient, PkceVerifier, TokenGrant, TokenOwner,
};
pub use platform::{Platform, UnknownLoginProvider, UnknownPlatform};
pub use profile::{ProfileAccess, ProfileQuery, UserProfile};

use crate::secret::Secret;

/// All six clients. Cheap to clone; the clones share one connection pool.
#[derive(Debug, Clone)]
pub struct Platforms {
    clients: Arc<Clients>,
}

#[derive(Debug)]
struct Clients {
    twitch: twitch::TwitchClient,
    youtube: youtube::YoutubeClient,
    kick: kick::KickClient,
    trovo: trovo::TrovoClient,
    spotify: spotify::SpotifyClient,
    discord: discord::DiscordClient,
    twitch_app: KeptAppToken,
    kick_app: KeptAppToken,
    emotes: emotes::EmoteClient,
}

impl Platforms {
    /// Clients that call the configured addresses through `http` (see [`crate::http::client`], which sets the
    /// connect timeout and refuses redirects).
    #[must_use]
    pub fn new(config: &PlatformsConfig, http: &reqwest::Client) -> Self {
        let clients = Clients {
            twitch: twitch::TwitchClient::new(config.twitch.clone(), http.clone()),
            youtube: youtube::YoutubeClient::new(config.youtube.clone(), http.clone()),
            kick: kick::KickClient::new(config.kick.clone(), http.clone()),
            trovo: trovo::TrovoClient::new(config.trovo.clone(), http.clone()),
            spotify: spotify::SpotifyClient::new(config.spotify.clone(), http.clone()),
            discord: discord::DiscordClient::new(config.discord.clone(), http.clone()),
            twitch_app: KeptAppToken::default(),
            kick_app: KeptAppToken::default(),
            emotes: emotes::EmoteClient::new(config.emotes.clone(), http.clone()),
        };
        Self { clients: Arc::new(clients) }
    }

    /// The client of a platform, for what all of them share.
    #[must_use]
    pub fn client(&self, platform: Platform) -> &dyn PlatformClient {
        match platform {
            Platform::Twitch => &self.clients.twitch,
            Platform::Youtube => &self.clients.youtube,
            Platform::Kick => &self.clients.kick,
            Platform::Trovo => &self.clients.trovo,
            Platform::Spotify => &self.clients.spotify,
            Platform::Discord => &self.clients.discord,
        }
    }

    /// A token of our application, asked for once while it lives.
    ///
    /// # Errors
    /// `NotConfigured` without an application, `Unsupported` on platforms where an application sends no chat.
    pub async fn app_token(&self, platform: Platform) -> Result<Secret> {
        match platform {
            Platform::Twitch => self.clients.twitch_app.get(self.clients.twitch.app_token()).await,
            Platform::Kick => self.clients.kick_app.get(self.clients.kick.app_token()).await,
            _ => Err(PlatformError::Unsupported { platform, action: "app token" }),
        }
    }

    /// Forgets an application's token that the platform did not take, so that the next call asks for another.
    pub async fn forget_app_token(&self, platform: Platform, token: &Secret) {
        match platform {
            Platform::Twitch => self.clients.twitch_app.forget(token).await,
            Platform::Kick => self.clients.kick_app.forget(token).await,
            _ => {}
        }
    }

    /// Twitch: app tokens and EventSub subscriptions.
    #[must_use]
    pub fn twitch(&self) -> &twitch::TwitchClient {
        &self.clients.twitch
    }

    /// Kick: app tokens, event subscriptions and the webhook key.
    #[must_use]
    pub fn kick(&self) -> &kick::KickClient {
        &self.clients.kick
    }

    /// YouTube: broadcasts and their chats.
    #[must_use]
    pub fn youtube(&self) -> &youtube::YoutubeClient {
        &self.clients.youtube
    }

    /// Trovo: tokens of the chat socket.
    #[must_use]
    pub fn trovo(&self) -> &trovo::TrovoClient {
        &self.clients.trovo
    }

    /// Emotes of those who need no credential.
    #[must_use]
    pub fn emotes(&self) -> &emotes::EmoteClient {
        &self.clients.emotes
    }

    /// Discord: whom a bot token belongs to.
    #[must_use]
    pub fn discord(&self) -> &discord::DiscordClient {
        &self.clients.discord
    }

    /// Spotify: who a token belongs to.
    #[must_use]
    pub fn spotify(&self) -> &spotify::SpotifyClient {
        &self.clients.spotify
    }
}
