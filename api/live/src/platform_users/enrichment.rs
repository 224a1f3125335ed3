//! Profiles from the platform, requested once a day (reference/chat.md#profiles). They are stored, cached for
//! a time that depends on the last attempt, and not requested while the platform does not respond.

use api_core::{Cx, Result, access::SystemReason};
use chrono::{DateTime, Duration, Utc};
use platform_access::PlatformAccess as _;
use platform_credentials::tokens::{Access, Holder, Unavailable};
use platforms::{PlatformError, ProfileAccess, ProfileQuery, UserProfile};
use serde::{Deserialize, Serialize};

use super::{
    breaker::Breaker,
    db::{self, ChannelConnection, KnownUser},
    subject::Subject,
};

/// Validity of a profile.
const PROFILE_TTL: Duration = Duration::hours(24);
/// Cache time of an outcome.
const SUCCESS_TTL: Duration = Duration::hours(4);
const FAILURE_TTL: Duration = Duration::minutes(30);
const BREAKER_OPEN_TTL: Duration = Duration::minutes(15);

/// Required age of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshness {
    /// Not older than a day, when possible.
    Fresh,
    /// Requested now.
    New,
}

/// Last profile of the platform.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Enriched {
    /// The profile; `None` when there is none.
    pub profile: Option<UserProfile>,
    /// Time of the profile.
    pub enriched_at: Option<DateTime<Utc>>,
}

/// Cached profile.
#[derive(Debug, Serialize, Deserialize)]
struct Cached {
    #[serde(flatten)]
    enriched: Enriched,
    until: DateTime<Utc>,
}

/// Outcome of a request.
enum Outcome {
    /// The response of the platform. `None` when it knows no such user: an older profile stays then.
    Answered(Option<Box<UserProfile>>),
    /// No connection has the required rights.
    NoCredentials,
    Failed,
    /// The breaker is open.
    Open,
}

/// Profile of the platform, new or stored.
pub(super) async fn of(
    cx: &Cx,
    subject: &Subject,
    known: &KnownUser,
    freshness: Freshness,
) -> Result<Enriched> {
    let now = cx.state().clock.now();
    let before = before(known)?;
    if freshness == Freshness::Fresh {
        if let Some(cached) = cached(cx, subject, now).await {
            return Ok(cached);
        }
        if let Some(good_until) = before.enriched_at.map(|at| at + PROFILE_TTL).filter(|until| *until > now) {
            cache(cx, subject, &before, good_until.min(now + SUCCESS_TTL)).await;
            return Ok(before);
        }
    }
    let (enriched, lifetime) = match ask(cx, subject, known).await? {
        Outcome::Answered(Some(profile)) => {
            store(cx, subject, &profile, now).await?;
            (Enriched { profile: Some(*profile), enriched_at: Some(now) }, SUCCESS_TTL)
        }
        Outcome::Answered(None) => (before, SUCCESS_TTL),
        Outcome::NoCredentials | Outcome::Failed => (before, FAILURE_TTL),
        Outcome::Open => (before, BREAKER_OPEN_TTL),
    };
    cache(cx, subject, &enriched, now + lifetime).await;
    Ok(enriched)
}

fn before(known: &KnownUser) -> Result<Enriched> {
    let profile = known.profile.clone().map(serde_json::from_value).transpose()?;
    Ok(Enriched { profile, enriched_at: known.enriched_at })
}

async fn ask(cx: &Cx, subject: &Subject, known: &KnownUser) -> Result<Outcome> {
    let mut connection = cx.state().system(SystemReason::Enrichment).db().await?;
    let channel = db::channel(&mut connection, subject).await?;
    drop(connection);
    let Some(channel) = channel.filter(|channel| channel.has_token && !channel.reconnect_required) else {
        return Ok(Outcome::NoCredentials);
    };
    let breaker = Breaker::of(cx.state(), subject);
    if !breaker.allows_call().await {
        return Ok(Outcome::Open);
    }
    match call(cx, subject, known, &channel).await {
        Ok(profile) => {
            breaker.succeeded().await;
            Ok(Outcome::Answered(profile.map(Box::new)))
        }
        Err(Unavailable::Missing | Unavailable::ReconnectRequired) => Ok(Outcome::NoCredentials),
        Err(Unavailable::Failed(error)) => Err(error.into()),
        Err(error) => {
            tracing::info!(account_id = %subject.account, platform = %subject.platform, %error, "a platform did not return a profile");
            if counts(&error) {
                breaker.failed().await;
            }
            Ok(Outcome::Failed)
        }
    }
}

async fn call(
    cx: &Cx,
    subject: &Subject,
    known: &KnownUser,
    channel: &ChannelConnection,
) -> Result<Option<UserProfile>, Unavailable> {
    let client = cx.state().platforms().client(subject.platform);
    let query = ProfileQuery { user_id: &subject.user_id, username: known.username.as_deref() };
    let ask = |access: Access| async move {
        let access = ProfileAccess {
            access_token: &access.token,
            client_id: access.client_id.as_deref(),
            scopes: &channel.scopes,
            channel_id: &channel.platform_channel_id,
        };
        client.user_profile(&access, &query).await
    };
    cx.state().tokens().call(Holder::Channel(channel.id), ask).await
}

/// True when the error means that the platform did not respond, rather than that it refused.
fn counts(error: &Unavailable) -> bool {
    match error {
        Unavailable::Postponed => true,
        Unavailable::Platform(error) => {
            error.is_transient() || matches!(error, PlatformError::InvalidResponse { .. })
        }
        _ => false,
    }
}

async fn store(cx: &Cx, subject: &Subject, profile: &UserProfile, now: DateTime<Utc>) -> Result<()> {
    let system = cx.state().system(SystemReason::Enrichment);
    if db::keeps_profiles(&mut *system.db().await?, subject).await? {
        db::upsert_profile(&mut *system.timeseries().await?, subject, profile, now).await?;
    }
    Ok(())
}

/// Without Redis nothing is cached.
async fn cached(cx: &Cx, subject: &Subject, now: DateTime<Utc>) -> Option<Enriched> {
    match read(cx, subject).await {
        Ok(cached) => cached.filter(|cached| cached.until > now).map(|cached| cached.enriched),
        Err(error) => {
            tracing::warn!(%error, "a cached profile cannot be read");
            None
        }
    }
}

async fn cache(cx: &Cx, subject: &Subject, enriched: &Enriched, until: DateTime<Utc>) {
    let cached = Cached { enriched: enriched.clone(), until };
    if let Err(error) = write(cx, subject, &cached).await {
        tracing::warn!(%error, "a profile cannot be cached");
    }
}

async fn read(cx: &Cx, subject: &Subject) -> shared::Result<Option<Cached>> {
    let mut redis = cx.state().redis.get().await?;
    let text: Option<String> = redis::cmd("GET").arg(key(cx, subject)).query_async(&mut *redis).await?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

async fn write(cx: &Cx, subject: &Subject, cached: &Cached) -> shared::Result<()> {
    let lifetime = (cached.until - cx.state().clock.now()).num_seconds().max(1);
    let mut redis = cx.state().redis.get().await?;
    let mut set = redis::cmd("SET");
    set.arg(key(cx, subject)).arg(serde_json::to_string(cached)?).arg("EX").arg(lifetime);
    set.query_async::<()>(&mut *redis).await?;
    Ok(())
}

fn key(cx: &Cx, subject: &Subject) -> String {
    let Subject { account, platform, user_id } = subject;
    cx.state().redis.key(format_args!("profile:{account}:{platform}:{user_id}"))
}
