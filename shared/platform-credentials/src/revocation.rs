//! Calls to the platform: first the deliveries are stopped, then the tokens are revoked.

use chrono::{DateTime, Utc};

use connection_model::revocations::{Ended, RETRY_WINDOW, Waiting};
use platforms::{PlatformError, Platforms, Result};
use shared::connection::OAuthApp;
use shared::platform::Platform;

/// Result of a revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The platform no longer accepts the tokens.
    Revoked,
    /// The revocation is impossible, and another attempt does not help. The text is the reason.
    GivenUp(&'static str),
    /// Another attempt may succeed.
    Postponed(PlatformError),
}

/// Carries a revocation out at the platform.
pub async fn execute(platforms: &Platforms, waiting: &Waiting, now: DateTime<Utc>) -> Outcome {
    let (application, ended, since) = match waiting {
        Waiting::Ready { application, ended, since } => (application, ended, *since),
        Waiting::Unconfigured { since } => {
            let error = PlatformError::Transient { detail: "the application is not configured".into() };
            return later(error, *since, now);
        }
        Waiting::Hopeless(reason) => return Outcome::GivenUp(reason),
    };
    if let Err(error) = stop_deliveries(platforms, application, ended).await
        && error.is_transient()
    {
        return later(error, since, now);
    }
    match revoke(platforms, application, ended).await {
        Ok(outcome) => outcome,
        Err(error) if error.is_transient() => later(error, since, now),
        Err(PlatformError::Unsupported { .. }) => Outcome::GivenUp("the platform revokes no tokens"),
        Err(error) => {
            tracing::info!(platform = %ended.platform, %error, "a platform did not revoke tokens");
            Outcome::GivenUp("the platform refused")
        }
    }
}

/// A refusal of the platform is no reason to keep the tokens.
async fn stop_deliveries(platforms: &Platforms, application: &OAuthApp, ended: &Ended) -> Result<()> {
    if ended.subscriptions.is_empty() {
        return Ok(());
    }
    let stopped = match ended.platform {
        Platform::Twitch => stop_at_twitch(platforms, application, &ended.subscriptions).await,
        Platform::Kick => stop_at_kick(platforms, application, &ended.subscriptions).await,
        _ => Ok(()),
    };
    if let Err(error) = &stopped {
        tracing::info!(platform = %ended.platform, %error, "a platform did not stop deliveries");
    }
    stopped
}

async fn stop_at_twitch(platforms: &Platforms, application: &OAuthApp, ids: &[String]) -> Result<()> {
    let twitch = platforms.twitch();
    let token = twitch.app_token_of(application).await?.access_token;
    for id in ids {
        match twitch.delete_eventsub_subscription(&application.client_id, &token, id).await {
            // Twitch has ended it already.
            Ok(()) | Err(PlatformError::Rejected { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn stop_at_kick(platforms: &Platforms, application: &OAuthApp, ids: &[String]) -> Result<()> {
    let kick = platforms.kick();
    let token = kick.app_token_of(application).await?.access_token;
    kick.delete_event_subscriptions(&token, ids).await
}

async fn revoke(platforms: &Platforms, application: &OAuthApp, ended: &Ended) -> Result<Outcome> {
    if ended.is_shared {
        return Ok(Outcome::GivenUp("another connection lives by the same grant"));
    }
    let Some(access_token) = &ended.access_token else {
        return Ok(Outcome::GivenUp("there is no token that can be decrypted"));
    };
    let client = platforms.client(ended.platform);
    client.revoke(application, access_token, ended.refresh_token.as_ref()).await?;
    Ok(Outcome::Revoked)
}

fn later(error: PlatformError, since: DateTime<Utc>, now: DateTime<Utc>) -> Outcome {
    if now - since <= RETRY_WINDOW {
        Outcome::Postponed(error)
    } else {
        Outcome::GivenUp("the platform could not be told for a day")
    }
}
