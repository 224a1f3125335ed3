//! Clients of the six platforms: one for each, behind one trait, with every base URL from the configuration
//! (reference/platforms.md#common-rules).
//!
//! A client makes one call and reports the outcome. The caller decides about refresh, retry and flag of a
//! connection.

mod app_tokens;
mod client;
mod directory;
mod error;
mod http;
mod inspection;
mod listing;
mod live;
mod oauth;
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

pub use client::{
    AppToken, Ban, Banned, ChatCredentials, ChatMessage, Clip, ModeratedChannel, PlatformClient, SendAs,
    SentMessage, VerifiedIdentity,
};
pub use directory::{DirectoryPage, ListedChannel, ListedGame, ListedStream, is_channel_id};
pub use error::{PlatformError, Result};
pub use inspection::{TokenInspection, with_server_time};
pub use listing::read_streams;
pub use live::LiveStream;
pub use oauth::{
    Authorization, CodeExchange, DiscordGuild, OAuthClient, PkceVerifier, TokenGrant, TokenOwner,
};
pub use profile::{ProfileAccess, ProfileQuery, UserProfile};

use shared::{config::platforms::PlatformsConfig, platform::Platform, secret::Secret};

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
    /// Creates clients that call the configured addresses through `http` (see [`foundation::http::client`],
    /// which sets the connect timeout and refuses redirects).
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

    /// Client of a platform, with the interface that all of them share.
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

    /// Token of our application. It is requested once and kept while it is valid.
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

    /// Drops an application's token that the platform did not accept, so that the next call requests another.
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

    /// Emotes of the providers that need no credential.
    #[must_use]
    pub fn emotes(&self) -> &emotes::EmoteClient {
        &self.clients.emotes
    }

    /// Discord: owners of bot tokens.
    #[must_use]
    pub fn discord(&self) -> &discord::DiscordClient {
        &self.clients.discord
    }

    /// Spotify: owners of tokens, players and playlists.
    #[must_use]
    pub fn spotify(&self) -> &spotify::SpotifyClient {
        &self.clients.spotify
    }
}
