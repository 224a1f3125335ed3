//! A stand-in and the clients that call it.

use std::collections::HashMap;

use platforms::{
    ChatCredentials, ChatMessage, PlatformClient, PlatformError, Platforms, SendAs, VerifiedIdentity,
};
use platforms_stand_in as stand_in;
use shared::connection::OAuthApp;
use shared::{config::platforms::PlatformsConfig, platform::Platform, secret::Secret};
use stand_in::{NewToken, StandIn, User};

/// Platforms that people sign in with (reference/credentials.md#provider-proof).
pub const LOGIN_PLATFORMS: [Platform; 5] =
    [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo, Platform::Discord];

pub struct World {
    pub stand_in: StandIn,
    pub platforms: Platforms,
}

impl World {
    pub async fn start() -> Self {
        Self::start_without(|_variable| false).await
    }

    /// The environment lacks the variables that `is_absent` names.
    pub async fn start_without(is_absent: impl Fn(&str) -> bool) -> Self {
        let stand_in = StandIn::start().await;
        let variables: HashMap<String, String> = stand_in.environment().into_iter().collect();
        let config =
            PlatformsConfig::from_lookup(|name| variables.get(name).filter(|_| !is_absent(name)).cloned());
        let platforms = Platforms::new(&config.unwrap(), &foundation::http::client().unwrap());
        Self { stand_in, platforms }
    }

    pub fn client(&self, platform: Platform) -> &dyn PlatformClient {
        self.platforms.client(platform)
    }

    /// A new user and a token for the default application.
    pub fn user(&self, platform: Platform, login: &str) -> (User, Secret) {
        let (user, token) = self.stand_in.create_user(other(platform), login);
        (user, Secret::new(token))
    }

    /// Signs a user in with the default application.
    pub async fn verify_login(
        &self,
        platform: Platform,
        user_id: &str,
        token: &Secret,
    ) -> Result<VerifiedIdentity, PlatformError> {
        let app = self.stand_in.app(other(platform));
        self.client(platform).verify_login(&app.client_id, user_id, token).await
    }

    pub fn as_user(&self, token: &Secret) -> ChatCredentials {
        ChatCredentials { send_as: SendAs::User, access_token: token.clone(), client_id: None }
    }

    /// A token of our Twitch application.
    pub async fn twitch_app(&self) -> ChatCredentials {
        let token = self.platforms.twitch().app_token().await.unwrap();
        ChatCredentials { send_as: SendAs::Bot, access_token: token.access_token, client_id: None }
    }
}

/// Default application of the stand-in's users.
pub fn app(world: &World, platform: Platform) -> OAuthApp {
    let app = world.stand_in.app(other(platform));
    OAuthApp { client_id: app.client_id, client_secret: Secret::new(app.client_secret) }
}

/// Platform in the stand-in's own type.
pub fn other(platform: Platform) -> stand_in::Platform {
    platform.slug().parse().unwrap()
}

/// An ordinary token, to be changed by the test.
pub fn token_for(platform: Platform, user_id: Option<&str>) -> NewToken {
    NewToken {
        platform: other(platform),
        user_id: user_id.map(str::to_owned),
        client_id: None,
        scopes: None,
        expires_in_secs: None,
    }
}

pub fn message(channel_id: &str, sender_id: &str, text: &str) -> ChatMessage {
    ChatMessage {
        channel_id: channel_id.into(),
        sender_id: sender_id.into(),
        text: text.into(),
        reply_to: None,
    }
}
