//! The stand-in's interface for tests.

mod deliveries;

use std::{
    net::TcpListener,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use actix_web::dev::ServerHandle;
use anyhow::{Context, Result};
use url::Url;

pub(crate) use deliveries::{deliver_kick, deliver_kick_to, deliver_twitch, revoke_eventsub};

use crate::{
    App, CreatedUser, EngagementCall, Failure, ModerationAction, NewToken, NewUser, OnAir, Platform,
    Rotation, SentMessage, TokenCall, User,
    failure::PlannedFailure,
    server::{self, Webhooks},
    state::State,
    trovo_chat, youtube_live,
};

/// Interval at which a waiting test checks again.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The secret of [`StandIn::environment`] for EventSub subscriptions.
const EVENTSUB_SECRET: &str = "stand-in-eventsub-secret";

/// A running stand-in. It stops on drop.
#[derive(Debug)]
pub struct StandIn {
    url: String,
    pub(crate) state: Arc<State>,
    pub(crate) webhooks: Webhooks,
    handle: ServerHandle,
}

impl StandIn {
    /// Starts on a free port of the loopback address.
    ///
    /// # Panics
    /// An error when no port is free.
    pub async fn start() -> Self {
        Self::start_on(0).expect("a stand-in on a free port")
    }

    /// Starts on a port of the loopback address; 0 means a free one. The server has a thread of its own, so it responds
    /// in any runtime of the caller.
    ///
    /// # Errors
    /// An error when the port is taken.
    pub fn start_on(port: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))
            .with_context(|| format!("cannot listen on 127.0.0.1:{port}"))?;
        let url = format!("http://{}", listener.local_addr()?);
        let state = Arc::new(State::new());
        let webhooks = Webhooks::new()?;
        let handle = run_in_thread(listener, Arc::clone(&state), webhooks.clone())?;
        Ok(Self { url, state, webhooks, handle })
    }

    /// The address before the platform's prefix, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Variables that connect Lumio to this stand-in with its default applications.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        environment(&self.url, &self.state)
    }

    /// Default application of the users' grants.
    #[must_use]
    pub fn app(&self, platform: Platform) -> App {
        self.state.lock().default_app(platform)
    }

    /// Creates a user who grants the default application everything.
    ///
    /// # Panics
    /// An error when the login is taken.
    pub fn create_user(&self, platform: Platform, login: &str) -> (User, String) {
        let created =
            self.create_user_with(platform, NewUser { login: Some(login.into()), ..NewUser::default() });
        (created.user, created.access_token)
    }

    /// Creates a user from the input.
    ///
    /// # Panics
    /// An error when id or login are taken.
    pub fn create_user_with(&self, platform: Platform, user: NewUser) -> CreatedUser {
        self.try_create_user(platform, user).expect("a new user")
    }

    /// Creates a user from the input.
    ///
    /// # Errors
    /// An error when id or login are taken.
    pub fn try_create_user(&self, platform: Platform, user: NewUser) -> Result<CreatedUser> {
        self.state.lock().create_user(platform, user).map_err(anyhow::Error::msg)
    }

    /// Issues an access token outside the OAuth flow: for a foreign application, with few scopes, or expired.
    pub fn issue_token(&self, token: NewToken) -> String {
        let mut inner = self.state.lock();
        let client_id = inner.default_app(token.platform).client_id;
        inner.oauth.issue(token, &client_id)
    }

    /// Revokes an access or refresh token. False when the platform does not know it.
    pub fn revoke_token(&self, platform: Platform, token: &str) -> bool {
        self.state.lock().oauth.revoke(platform, token)
    }

    /// Revokes every token of the authorisation of a token, as a user does who removes the application.
    pub fn revoke_authorisation(&self, platform: Platform, token: &str) -> bool {
        self.state.lock().oauth.revoke_authorisation(platform, token)
    }

    /// True when the platform still takes an access or refresh token.
    #[must_use]
    pub fn is_live(&self, platform: Platform, token: &str) -> bool {
        let inner = self.state.lock();
        inner.oauth.access(platform, token).is_some() || inner.oauth.refresh(platform, token).is_some()
    }

    /// Puts a broadcast on air, in the place of one with the same id.
    pub fn go_live(&self, live: OnAir) {
        self.go_off_air(live.platform, &live.id);
        self.state.lock().on_air.push(live);
    }

    /// Takes a broadcast off air.
    pub fn go_off_air(&self, platform: Platform, id: &str) {
        self.state.lock().on_air.retain(|live| (live.platform, live.id.as_str()) != (platform, id));
    }

    /// Registers another application in addition to the default one, or changes its secret.
    pub fn register_app(&self, platform: Platform, client_id: &str, client_secret: &str) {
        self.state.lock().register_app(platform, client_id, client_secret);
    }

    /// Changes the result of a refresh from the documented one to this.
    pub fn set_rotation(&self, platform: Platform, rotation: Rotation) {
        self.state.lock().oauth.change(platform).rotation = Some(rotation);
    }

    /// Sets the lifetime of access tokens, in seconds.
    pub fn set_access_lifetime(&self, platform: Platform, seconds: i64) {
        self.state.lock().oauth.change(platform).access_token_secs = Some(seconds);
    }

    /// Sets the Discord server that the user picks on the next pages with the scope `bot`; the default is a server with
    /// the id [`crate::discord::GUILD_ID`].
    pub fn pick_guild(&self, id: &str, name: &str) {
        self.state.lock().discord_guild = Some((id.into(), name.into()));
    }

    /// Adds a channel that the Discord bot sees to a server.
    pub fn add_discord_channel(&self, channel_id: &str, guild_id: &str) {
        self.state.lock().discord_channels.insert(channel_id.into(), guild_id.into());
    }

    /// Calls to the platform's token endpoint, oldest first.
    #[must_use]
    pub fn token_calls(&self, platform: Platform) -> Vec<TokenCall> {
        self.state.lock().token_calls.iter().filter(|call| call.platform == platform).cloned().collect()
    }

    /// Opens an authorization page as the browser of a user who agrees: returns the address of the redirect, with the
    /// code.
    ///
    /// # Errors
    /// An error when the page shows an error instead.
    pub async fn visit(&self, authorize_url: &str) -> Result<Url> {
        let answer = self.webhooks.client.get(authorize_url).send().await?;
        let status = answer.status();
        let Some(location) = answer.headers().get("location") else {
            anyhow::bail!("the authorization page answers {status}: {}", answer.text().await?);
        };
        Ok(location.to_str()?.parse()?)
    }

    /// Sets the user of the browser for the next authorization pages.
    pub fn sign_in(&self, user: &User) {
        self.state.lock().signed_in.insert(user.platform, user.id.clone());
    }

    /// The chat messages that the platform took, oldest first.
    #[must_use]
    pub fn sent_messages(&self, platform: Platform) -> Vec<SentMessage> {
        self.state.lock().sent.iter().filter(|message| message.platform == platform).cloned().collect()
    }

    /// Waits until the platform has taken at least `count` messages and returns them; fewer at the timeout.
    pub async fn wait_for_sent(
        &self,
        platform: Platform,
        count: usize,
        timeout: Duration,
    ) -> Vec<SentMessage> {
        let deadline = Instant::now() + timeout;
        loop {
            let sent = self.sent_messages(platform);
            if sent.len() >= count || Instant::now() >= deadline {
                return sent;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Moderation calls that the platform executed, oldest first.
    #[must_use]
    pub fn moderation_actions(&self, platform: Platform) -> Vec<ModerationAction> {
        self.state.lock().moderation.iter().filter(|action| action.platform == platform).cloned().collect()
    }

    /// Raid, poll, prediction and reward calls that the platform executed, oldest first.
    #[must_use]
    pub fn engagement_calls(&self, platform: Platform) -> Vec<EngagementCall> {
        self.state.lock().engagement.iter().filter(|call| call.platform == platform).cloned().collect()
    }

    /// Makes a user a moderator of a YouTube channel.
    pub fn make_moderator(&self, owner: &User, moderator: &User) {
        let moderator = crate::youtube::channel_id(moderator);
        self.state.lock().moderators.insert((owner.id.clone(), moderator));
    }

    /// Makes the next call to the platform fail. Several failures apply to the next calls in order.
    pub fn fail_next(&self, platform: Platform, failure: Failure) {
        self.state.lock().failures.push(PlannedFailure { platform, failure, path: None });
    }

    /// Makes the next call whose path contains `path` fail.
    pub fn fail_next_at(&self, platform: Platform, path: &str, failure: Failure) {
        self.state.lock().failures.push(PlannedFailure { platform, failure, path: Some(path.into()) });
    }

    /// Returns true while a planned failure waits for its call.
    pub fn has_planned_failure(&self) -> bool {
        !self.state.lock().failures.is_empty()
    }

    /// Makes the platform take the next chat message and not deliver it.
    pub fn drop_next_message(&self, platform: Platform, reason: &str) {
        self.state.lock().drops.entry(platform).or_default().push_back(reason.into());
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        // The call sends the command; its end need not be awaited.
        drop(self.handle.stop(false));
    }
}

fn run_in_thread(listener: TcpListener, state: Arc<State>, webhooks: Webhooks) -> Result<ServerHandle> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let run = move || {
        actix_web::rt::System::new().block_on(async move {
            let server = match server::server(listener, state, webhooks) {
                Ok(server) => server,
                Err(error) => return sender.send(Err(error)).unwrap_or_default(),
            };
            sender.send(Ok(server.handle())).unwrap_or_default();
            if let Err(error) = server.await {
                tracing::error!(%error, "the stand-in stopped");
            }
        });
    };
    thread::Builder::new().name("platforms-stand-in".into()).spawn(run)?;
    Ok(receiver.recv()??)
}

pub(crate) fn environment(url: &str, state: &State) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    for platform in Platform::ALL {
        let app = state.lock().default_app(platform);
        let upper = platform.slug().to_uppercase();
        variables.extend([
            (format!("LUMIO_{upper}_AUTH_URL"), format!("{url}/{platform}/auth")),
            (format!("LUMIO_{upper}_AUTHORIZE_URL"), format!("{url}/{platform}/auth")),
            (format!("LUMIO_{upper}_API_URL"), format!("{url}/{platform}/api")),
            (format!("LUMIO_{upper}_CLIENT_ID"), app.client_id),
            (format!("LUMIO_{upper}_CLIENT_SECRET"), app.client_secret),
        ]);
    }
    variables.extend(crate::emotes::environment(url));
    variables.extend(crate::stream_elements::environment(url));
    let sockets = url.replacen("http", "ws", 1);
    variables.extend([
        ("LUMIO_TWITCH_EVENTSUB_SECRET".into(), EVENTSUB_SECRET.into()),
        ("LUMIO_TWITCH_EVENTSUB_SOCKET_URL".into(), format!("{sockets}/twitch/eventsub/ws")),
        ("LUMIO_TROVO_CHAT_URL".into(), format!("{sockets}/trovo/chat")),
        ("LUMIO_TROVO_WEBHOOK_SECRET".into(), trovo_chat::WEBHOOK_SECRET.into()),
        ("LUMIO_YOUTUBE_HUB_URL".into(), format!("{url}/youtube/hub")),
        ("LUMIO_YOUTUBE_HUB_SECRET".into(), youtube_live::HUB_SECRET.into()),
    ]);
    variables
}
