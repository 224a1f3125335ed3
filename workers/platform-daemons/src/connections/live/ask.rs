//! Queries for live channels, in the form of each platform.

use connection_model::{
    applications,
    quota::{self, QuotaRequest, Reserved},
};
use platform_credentials::tokens::{Holder, Unavailable};
use platforms::{LiveStream, PlatformError, kick, twitch, youtube};
use shared::connection::OAuthApp;
use shared::{Error, Result, connection::AppKind, platform::Platform, secret::Secret};

use super::{super::directory, Channel};
use crate::PlatformContext;

/// Number of channels whose answers are recorded together, on platforms that need a call for each.
const SINGLE_CALL_BATCH_SIZE: usize = 10;

/// Query of one platform.
pub(super) struct LiveQuery<'a> {
    context: &'a PlatformContext,
    platform: Platform,
    /// Application of the query; YouTube is queried with tokens of the channels.
    application: Option<OAuthApp>,
    /// Token of the application.
    token: Option<Secret>,
}

impl<'a> LiveQuery<'a> {
    /// Prepares a query; `None` when the deployment has no application for it.
    pub async fn of(context: &'a PlatformContext, platform: Platform) -> Result<Option<Self>> {
        if platform == Platform::Youtube {
            return Ok(Some(Self { context, platform, application: None, token: None }));
        }
        let Some(application) = application(context, platform).await? else { return Ok(None) };
        let token = match token(context, platform, &application).await {
            Ok(token) => token,
            Err(error) => return Err(Error::Internal(format!("no token of the application: {error}"))),
        };
        Ok(Some(Self { context, platform, application: Some(application), token }))
    }

    /// Returns the number of channels of one call.
    pub const fn channels_per_call(&self) -> usize {
        match self.platform {
            Platform::Twitch => twitch::MAX_STREAMS,
            Platform::Kick => kick::MAX_STREAMS,
            Platform::Youtube => youtube::MAX_VIDEOS,
            _ => SINGLE_CALL_BATCH_SIZE,
        }
    }

    /// Returns the streams of those channels that are on air.
    pub async fn about(&self, channels: &[Channel]) -> Result<Vec<LiveStream>, PlatformError> {
        let ids: Vec<&str> = channels.iter().map(|channel| channel.id.as_str()).collect();
        let platforms = &self.context.platforms;
        match (self.platform, &self.application, &self.token) {
            (Platform::Twitch, Some(application), Some(token)) => {
                let answer = platforms.twitch().live_streams(&application.client_id, token, &ids).await;
                self.forget_refused(answer, token).await
            }
            (Platform::Kick, _, Some(token)) => {
                self.forget_refused(platforms.kick().live_streams(token, &ids).await, token).await
            }
            (Platform::Trovo, Some(application), _) => {
                let mut streams = Vec::new();
                for id in ids {
                    streams.extend(platforms.trovo().live_stream(&application.client_id, id).await?);
                }
                Ok(streams)
            }
            _ => self.broadcasts(channels).await,
        }
    }

    async fn forget_refused(
        &self,
        answer: Result<Vec<LiveStream>, PlatformError>,
        token: &Secret,
    ) -> Result<Vec<LiveStream>, PlatformError> {
        if answer == Err(PlatformError::Unauthorized) {
            self.context.platforms.forget_app_token(self.platform, token).await;
        }
        answer
    }

    /// Queries broadcasts with one call for each application: its quota pays for the channels that were
    /// connected with it.
    async fn broadcasts(&self, channels: &[Channel]) -> Result<Vec<LiveStream>, PlatformError> {
        let mut streams = Vec::new();
        for of_one in channels.chunk_by(|one, other| one.client_id == other.client_id) {
            streams.extend(self.of_one_application(of_one).await?);
        }
        Ok(streams)
    }

    async fn of_one_application(&self, channels: &[Channel]) -> Result<Vec<LiveStream>, PlatformError> {
        let Some(first) = channels.first() else { return Ok(Vec::new()) };
        if !self.may_spend(first.client_id.as_deref()).await? {
            return Ok(Vec::new());
        }
        let ids: Vec<&str> = channels.iter().map(|channel| channel.id.as_str()).collect();
        let (client, ids) = (self.context.platforms.youtube(), &ids);
        let answer = self
            .context
            .tokens
            .call(Holder::Channel(first.connection_id), |access| async move {
                client.live_videos(&access.token, ids).await
            })
            .await;
        match answer {
            Ok(streams) => Ok(streams),
            Err(Unavailable::Platform(error)) => Err(error),
            Err(error) => Err(PlatformError::Transient { detail: error.to_string() }),
        }
    }

    async fn may_spend(&self, client_id: Option<&str>) -> Result<bool, PlatformError> {
        let Some(client_id) = client_id else { return Ok(true) };
        let context = self.context;
        let request = QuotaRequest {
            platform: Platform::Youtube,
            client_id,
            units: quota::youtube::LIST_VIDEOS,
            budget: i64::from(context.config.ingest.youtube_quota_per_day),
            share: None,
        };
        let spend = async {
            let mut connection = context.databases.postgres.get().await?;
            quota::reserve(&mut connection, &request, context.clock.now()).await
        };
        match spend.await {
            Ok(reserved) => Ok(matches!(reserved, Reserved::Granted { .. })),
            Err(error) => Err(PlatformError::Transient { detail: error.to_string() }),
        }
    }
}

async fn application(context: &PlatformContext, platform: Platform) -> Result<Option<OAuthApp>> {
    let mut connection = context.databases.postgres.get().await?;
    let directory = directory(context);
    let entered = applications::system(&mut connection, directory, platform, AppKind::Channel).await?;
    Ok(entered.and_then(|found| found.usable()))
}

/// Returns a token of the application. That of the configured one is cached. Trovo needs none.
async fn token(
    context: &PlatformContext,
    platform: Platform,
    application: &OAuthApp,
) -> Result<Option<Secret>, PlatformError> {
    let platforms = &context.platforms;
    let configured = context.config.platforms.get(platform).client_id.as_deref();
    if platform == Platform::Trovo {
        return Ok(None);
    }
    if configured == Some(application.client_id.as_str()) {
        return Ok(Some(platforms.app_token(platform).await?));
    }
    let token = match platform {
        Platform::Twitch => platforms.twitch().app_token_of(application).await?,
        _ => platforms.kick().app_token_of(application).await?,
    };
    Ok(Some(token.access_token))
}
