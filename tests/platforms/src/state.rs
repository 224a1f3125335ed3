//! State of the stand-in, in memory.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    Failure, OnAir, Platform, clock, failure::PlannedFailure, identifier, kick, oauth, trovo_chat, twitch,
    youtube_live,
};

/// Number of records of each kind beyond which the oldest are dropped.
const MAX_RECORDS: usize = 10_000;

/// An application registered with a platform.
#[derive(Debug, Clone)]
pub struct App {
    pub platform: Platform,
    pub client_id: String,
    pub client_secret: String,
}

/// A user of one platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct User {
    pub platform: Platform,
    pub id: String,
    /// The name in addresses; `display_name` is shown.
    pub login: String,
    pub display_name: String,
    pub email: String,
    pub avatar_url: String,
    pub created_at: DateTime<Utc>,
}

/// A user to create. Absent fields get generated values.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewUser {
    pub id: Option<String>,
    pub login: Option<String>,
    pub display_name: Option<String>,
    pub email: Option<String>,
    /// Scopes granted to the default application; absent means everything.
    pub scopes: Option<Vec<String>>,
}

/// A created user, with a grant to the default application.
#[derive(Debug, Clone, Serialize)]
pub struct CreatedUser {
    pub user: User,
    pub access_token: String,
    pub refresh_token: String,
}

/// A token to issue outside the OAuth flow.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    pub platform: Platform,
    /// Absent for a token of the application itself.
    #[serde(default)]
    pub user_id: Option<String>,
    /// Absent means the default application; any other text is a foreign one.
    #[serde(default)]
    pub client_id: Option<String>,
    #[serde(default)]
    pub scopes: Option<Vec<String>>,
    /// Absent means the platform's usual lifetime; zero or less gives an expired token.
    #[serde(default)]
    pub expires_in_secs: Option<i64>,
}

/// A chat message that a platform accepted for sending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SentMessage {
    pub platform: Platform,
    pub message_id: String,
    pub channel_id: String,
    /// The sending user; absent when only the application is known.
    pub sender_id: Option<String>,
    /// Sent in the name of a bot: with an application's token, or as type `bot` on Kick.
    pub is_bot: bool,
    pub text: String,
    pub reply_to: Option<String>,
    pub client_id: String,
    pub sent_at: DateTime<Utc>,
}

/// A moderation call that a platform carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModerationAction {
    pub platform: Platform,
    /// `ban`, `timeout`, `unban` or `delete`.
    pub action: &'static str,
    pub channel_id: String,
    /// The user, or the message of a `delete`.
    pub target_id: String,
    pub duration_secs: Option<u64>,
    pub reason: Option<String>,
    pub at: DateTime<Utc>,
}

/// A call to a token endpoint, with or without success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TokenCall {
    pub platform: Platform,
    /// Value of the request: `authorization_code`, `refresh_token` or `client_credentials`.
    pub grant_type: String,
    pub client_id: String,
    pub is_granted: bool,
    pub at: DateTime<Utc>,
}

/// A raid, poll, prediction or reward call, or a command to a player, that a platform carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngagementCall {
    pub platform: Platform,
    /// `raid`, `unraid`, `poll`, `end_poll`, `prediction`, `end_prediction`, `reward`, `update_reward`, `delete_reward`,
    /// `end_redemption`, `title` or `clip`; of a player the last part of the path, and `transfer`.
    pub action: &'static str,
    /// Message that was sent.
    pub body: serde_json::Value,
}

/// Behind every handler.
#[derive(Debug)]
pub struct State {
    inner: Mutex<Inner>,
    /// Signs Kick's webhooks.
    pub kick_key: kick::SigningKey,
}

/// State behind the lock.
#[derive(Debug, Default)]
pub struct Inner {
    pub apps: Vec<App>,
    pub users: Vec<User>,
    pub oauth: oauth::Store,
    /// User of the browser that opens the next authorization page.
    pub signed_in: HashMap<Platform, String>,
    pub sent: VecDeque<SentMessage>,
    pub moderation: VecDeque<ModerationAction>,
    pub token_calls: VecDeque<TokenCall>,
    pub engagement: VecDeque<EngagementCall>,
    /// Raids on Twitch that wait for their departure: from and to.
    pub raids: HashMap<String, String>,
    /// Polls and predictions as Twitch shows them.
    pub polls: Vec<serde_json::Value>,
    pub predictions: Vec<serde_json::Value>,
    /// Rewards of channel points on Twitch, and their redemptions.
    pub rewards: Vec<twitch::Reward>,
    pub redemptions: Vec<twitch::Redemption>,
    /// Moderators on YouTube: the owner's user id and the moderator's channel.
    pub moderators: HashSet<(String, String)>,
    /// The Discord server that the user picks for the bot: id and name.
    pub discord_guild: Option<(String, String)>,
    /// Channels of Discord servers that the bot sees, each with its server.
    pub discord_channels: HashMap<String, String>,
    pub relations: crate::people::Relations,
    pub failures: Vec<PlannedFailure>,
    /// Reasons for which the next messages are taken but not delivered.
    pub drops: HashMap<Platform, VecDeque<String>>,
    pub eventsub: Vec<twitch::Subscription>,
    pub kick_subscriptions: Vec<kick::Subscription>,
    pub kick_webhook_url: Option<String>,
    pub eventsub_sessions: twitch::Sessions,
    pub trovo_chats: trovo_chat::Chats,
    pub live_chats: youtube_live::LiveChats,
    pub on_air: Vec<OnAir>,
    /// Channels of the public directories.
    pub directory: crate::directory::World,
    pub stream_elements: crate::stream_elements::Gateway,
    pub players: crate::spotify::player::Players,
    pub playlists: crate::spotify::playlists::Playlists,
}

impl State {
    /// An empty state in which each platform has one application.
    pub fn new() -> Self {
        Self {
            inner: Mutex::new(Inner { apps: default_apps(), ..Inner::default() }),
            kick_key: kick::SigningKey::default(),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops everything but the applications of the start and the Kick key.
    pub fn reset(&self) {
        *self.lock() = Inner { apps: default_apps(), ..Inner::default() };
    }

    /// Takes the first failure planned for this call.
    pub fn take_failure(&self, platform: Platform, path: &str) -> Option<Failure> {
        let mut inner = self.lock();
        let fits = |planned: &PlannedFailure| {
            planned.platform == platform && planned.path.as_deref().is_none_or(|part| path.contains(part))
        };
        let position = inner.failures.iter().position(fits)?;
        Some(inner.failures.remove(position).failure)
    }
}

impl Inner {
    /// Default application of the users' grants.
    pub fn default_app(&self, platform: Platform) -> App {
        self.apps
            .iter()
            .find(|app| app.platform == platform)
            .cloned()
            .unwrap_or_else(|| default_app(platform))
    }

    pub fn user(&self, platform: Platform, id: &str) -> Option<&User> {
        self.users.iter().find(|user| user.platform == platform && user.id == id)
    }

    pub fn user_by_login(&self, platform: Platform, login: &str) -> Option<&User> {
        self.users.iter().find(|user| user.platform == platform && user.login == login)
    }

    /// Creates a user and grants the default application the scopes of `new`.
    ///
    /// Returns the reason when the id or the login is taken.
    pub fn create_user(&mut self, platform: Platform, new: NewUser) -> Result<CreatedUser, String> {
        let id = new.id.unwrap_or_else(|| identifier::user_id(platform));
        let login = new.login.unwrap_or_else(|| format!("user{}", identifier::token(8)));
        if self.user(platform, &id).is_some() {
            return Err(format!("id `{id}` is taken on {platform}"));
        }
        if self.user_by_login(platform, &login).is_some() {
            return Err(format!("login `{login}` is taken on {platform}"));
        }
        let user = User {
            platform,
            display_name: new.display_name.unwrap_or_else(|| login.clone()),
            email: new.email.unwrap_or_else(|| format!("{login}@example.com")),
            avatar_url: format!("https://example.com/{platform}/{id}.png"),
            created_at: clock::now() - Duration::days(400),
            id,
            login,
        };
        self.users.push(user.clone());
        let app = self.default_app(platform);
        let scopes = new.scopes.unwrap_or_else(|| platform.default_scopes());
        let grant = self.oauth.issue_to_user(platform, &app.client_id, &user.id, scopes, false);
        Ok(CreatedUser {
            user,
            access_token: grant.access_token,
            refresh_token: grant.refresh_token.unwrap_or_default(),
        })
    }

    pub fn record_sent(&mut self, message: SentMessage) {
        tracing::info!(platform = %message.platform, channel = message.channel_id, "chat message sent");
        push_bounded(&mut self.sent, message);
    }

    pub fn record_moderation(&mut self, action: ModerationAction) {
        push_bounded(&mut self.moderation, action);
    }

    pub fn record_engagement(&mut self, call: EngagementCall) {
        push_bounded(&mut self.engagement, call);
    }

    pub fn record_token_call(&mut self, call: TokenCall) {
        push_bounded(&mut self.token_calls, call);
    }

    /// Registers another application, or changes the secret of a known one.
    pub fn register_app(&mut self, platform: Platform, client_id: &str, client_secret: &str) {
        self.apps.retain(|app| (app.platform, app.client_id.as_str()) != (platform, client_id));
        let (client_id, client_secret) = (client_id.to_owned(), client_secret.to_owned());
        self.apps.push(App { platform, client_id, client_secret });
    }

    /// The reason for which the next message is dropped, once for each that was planned.
    pub fn take_drop(&mut self, platform: Platform) -> Option<String> {
        self.drops.get_mut(&platform)?.pop_front()
    }
}

fn default_apps() -> Vec<App> {
    Platform::ALL.into_iter().map(default_app).collect()
}

fn default_app(platform: Platform) -> App {
    App {
        platform,
        client_id: format!("stand-in-{platform}-client"),
        client_secret: format!("stand-in-{platform}-secret"),
    }
}

fn push_bounded<T>(records: &mut VecDeque<T>, record: T) {
    if records.len() == MAX_RECORDS {
        records.pop_front();
    }
    records.push_back(record);
}
