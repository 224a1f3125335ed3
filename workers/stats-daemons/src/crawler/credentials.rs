//! Credentials of the calls: applications of the deployment, and on YouTube its bot. No token of an account is
//! used (reference/public-stats.md#credentials).

use connection_model::applications::{self, Directory};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::db::Prepare;
use platform_credentials::tokens::{Access as HeldToken, Holder, Unavailable};
use platform_daemons::PlatformContext;
use platforms::{AppToken, PlatformError};
use shared::{
    Error, Result,
    connection::{AppKind, OAuthApp},
    platform::Platform,
    secret::Secret,
};
use std::time::Duration;
use tokio::{sync::Mutex, time::Instant};
use uuid::Uuid;

/// Time for which an application that was read is used.
const APPLICATION_TTL: Duration = Duration::from_secs(60);
/// A token that expires within this time is requested again.
const EXPIRY_MARGIN: Duration = Duration::from_secs(60);

/// Credential of a call.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// Application that pays for the call.
    pub client_id: String,
    /// Its token; empty on Trovo, which needs none.
    pub token: Secret,
    /// Bot that holds the token; on YouTube only.
    bot: Option<(Holder, HeldToken)>,
}

/// Credentials of one platform.
pub(super) struct Credentials {
    platform: Platform,
    cached: Mutex<Cached>,
}

#[derive(Default)]
struct Cached {
    application: Option<(OAuthApp, Instant)>,
    /// Token of an application that is not the configured one, with the client id and the end of its use.
    token: Option<(String, Secret, Instant)>,
}

#[derive(QueryableByName)]
struct Bot {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    client_id: String,
}

const BOT: &str = "
    SELECT id, client_id FROM bot_connections
    WHERE account_id IS NULL AND platform = $1 AND client_id IS NOT NULL AND NOT reconnect_required";

impl Credentials {
    /// Credentials of a platform, none of them read yet.
    pub fn new(platform: Platform) -> Self {
        Self { platform, cached: Mutex::default() }
    }

    /// Returns a credential; `None` when the deployment has none for the platform.
    pub async fn access(&self, context: &PlatformContext) -> Result<Option<Access>, PlatformError> {
        if self.platform == Platform::Youtube {
            return bot_access(context).await;
        }
        let mut cached = self.cached.lock().await;
        let Some(application) = cached.application(context, self.platform).await.map_err(unavailable)? else {
            return Ok(None);
        };
        let token = match self.platform {
            Platform::Trovo => Secret::new(""),
            _ => cached.token(context, self.platform, &application).await?,
        };
        Ok(Some(Access { client_id: application.client_id, token, bot: None }))
    }

    /// Drops a token that the platform refused.
    pub async fn forget(&self, context: &PlatformContext, refused: &Access) {
        if let Some((holder, token)) = &refused.bot {
            if let Err(error) = context.tokens.replace(*holder, token).await {
                tracing::info!(platform = %self.platform, %error, "the token of the bot is not replaced");
            }
            return;
        }
        context.platforms.forget_app_token(self.platform, &refused.token).await;
        *self.cached.lock().await = Cached::default();
    }
}

impl Cached {
    async fn application(
        &mut self,
        context: &PlatformContext,
        platform: Platform,
    ) -> Result<Option<OAuthApp>> {
        if let Some((application, until)) = &self.application
            && Instant::now() < *until
        {
            return Ok(Some(application.clone()));
        }
        let directory = Directory {
            keyring: &context.keyring,
            platforms: &context.config.platforms,
            modes: &context.config.connections.modes,
        };
        let mut connection = context.databases.postgres.get().await?;
        let found = applications::system(&mut connection, directory, platform, AppKind::Channel).await?;
        let application = found.and_then(|found| found.usable()).or_else(|| configured(context, platform));
        self.application = application.clone().map(|found| (found, Instant::now() + APPLICATION_TTL));
        Ok(application)
    }

    async fn token(
        &mut self,
        context: &PlatformContext,
        platform: Platform,
        application: &OAuthApp,
    ) -> Result<Secret, PlatformError> {
        if context.config.platforms.get(platform).client_id.as_deref() == Some(&application.client_id) {
            return context.platforms.app_token(platform).await;
        }
        if let Some((client_id, token, until)) = &self.token
            && *client_id == application.client_id
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        let AppToken { access_token, expires_in } = match platform {
            Platform::Twitch => context.platforms.twitch().app_token_of(application).await?,
            _ => context.platforms.kick().app_token_of(application).await?,
        };
        let until = Instant::now() + expires_in.saturating_sub(EXPIRY_MARGIN);
        self.token = Some((application.client_id.clone(), access_token.clone(), until));
        Ok(access_token)
    }
}

/// Application of sign-ins, which reads public data as well as one for channels.
fn configured(context: &PlatformContext, platform: Platform) -> Option<OAuthApp> {
    let config = context.config.platforms.get(platform);
    Some(OAuthApp { client_id: config.client_id.clone()?, client_secret: config.client_secret.clone()? })
}

async fn bot_access(context: &PlatformContext) -> Result<Option<Access>, PlatformError> {
    let Some(bot) = bot(context).await.map_err(unavailable)? else { return Ok(None) };
    let holder = Holder::Bot(bot.id);
    match context.tokens.access(holder).await {
        Ok(held) => {
            let token = held.token.clone();
            Ok(Some(Access { client_id: bot.client_id, token, bot: Some((holder, held)) }))
        }
        Err(Unavailable::Missing | Unavailable::ReconnectRequired) => Ok(None),
        Err(Unavailable::Platform(error)) => Err(error),
        Err(Unavailable::Postponed) => {
            Err(PlatformError::Transient { detail: "the token of the bot cannot be refreshed now".into() })
        }
        Err(Unavailable::Failed(error)) => Err(unavailable(error)),
    }
}

async fn bot(context: &PlatformContext) -> Result<Option<Bot>> {
    let mut connection = context.databases.postgres.get().await?;
    let bot = sql_query(BOT)
        .bind::<Text, _>(Platform::Youtube.slug())
        .prepared()
        .get_result(&mut *connection)
        .await;
    Ok(bot.optional()?)
}

fn unavailable(error: Error) -> PlatformError {
    PlatformError::Transient { detail: error.to_string() }
}
