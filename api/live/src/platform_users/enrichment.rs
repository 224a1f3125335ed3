//! What a platform tells of a user, asked once a day (specification C B13): kept, cached for as long as the last attempt
//! deserves, and not asked while the platform does not answer.

use api_core::{Cx, Result};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    platforms::{PlatformError, ProfileAccess, ProfileQuery, UserProfile},
    tokens::{Access, Holder, Unavailable},
};

use super::{
    breaker::Breaker,
    db::{self, ChannelConnection, Known},
    profile::Subject,
};

/// What a platform told is good for this long.
const GOOD_FOR: Duration = Duration::hours(24);
/// How long an outcome is cached.
const AFTER_SUCCESS: Duration = Duration::hours(4);
const AFTER_FAILURE: Duration = Duration::minutes(30);
const WHILE_OPEN: Duration = Duration::minutes(15);

/// How new it is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Not older than a day, if it can be had.
    Fresh,
    /// Asked now.
    New,
}

/// What the platform told last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Enriched {
    pub profile: Option<UserProfile>,
    pub enriched_at: Option<DateTime<Utc>>,
}

/// As it is cached.
#[derive(Debug, Serialize, Deserialize)]
struct Cached {
    #[serde(flatten)]
    enriched: Enriched,
    until: DateTime<Utc>,
}

/// What came of asking.
enum Outcome {
    /// The platform knows nobody of that id: what was known before stays.
    Told(Option<Box<UserProfile>>),
    /// There is no connection that may ask.
    NoCredentials,
    Failed,
    /// The platform has not answered lately.
    Open,
}

/// What the platform tells, new or as it was told before.
pub(super) async fn of(cx: &Cx, subject: &Subject, known: &Known, wish: Wish) -> Result<Enriched> {
    let now = cx.state().clock.now();
    let before = before(known)?;
    if wish == Wish::Fresh {
        if let Some(cached) = cached(cx, subject, now).await {
            return Ok(cached);
        }
        if let Some(good_until) = before.enriched_at.map(|at| at + GOOD_FOR).filter(|until| *until > now) {
            cache(cx, subject, &before, good_until.min(now + AFTER_SUCCESS)).await;
            return Ok(before);
        }
    }
    let (enriched, lifetime) = match ask(cx, subject, known).await? {
        Outcome::Told(Some(profile)) => {
            keep(cx, subject, &profile, now).await?;
            (Enriched { profile: Some(*profile), enriched_at: Some(now) }, AFTER_SUCCESS)
        }
        Outcome::Told(None) => (before, AFTER_SUCCESS),
        Outcome::NoCredentials | Outcome::Failed => (before, AFTER_FAILURE),
        Outcome::Open => (before, WHILE_OPEN),
    };
    cache(cx, subject, &enriched, now + lifetime).await;
    Ok(enriched)
}

fn before(known: &Known) -> Result<Enriched> {
    let profile = known.profile.clone().map(serde_json::from_value).transpose()?;
    Ok(Enriched { profile, enriched_at: known.enriched_at })
}

async fn ask(cx: &Cx, subject: &Subject, known: &Known) -> Result<Outcome> {
    let mut connection = cx.state().databases.postgres.get().await?;
    let channel = db::channel(&mut connection, subject).await?;
    drop(connection);
    let Some(channel) = channel.filter(|channel| channel.has_token && !channel.reconnect_required) else {
        return Ok(Outcome::NoCredentials);
    };
    let breaker = Breaker::of(cx.state(), subject);
    if !breaker.lets_through().await {
        return Ok(Outcome::Open);
    }
    match call(cx, subject, known, &channel).await {
        Ok(profile) => {
            breaker.succeeded().await;
            Ok(Outcome::Told(profile.map(Box::new)))
        }
        Err(Unavailable::Missing | Unavailable::ReconnectRequired) => Ok(Outcome::NoCredentials),
        Err(Unavailable::Failed(error)) => Err(error.into()),
        Err(error) => {
            tracing::info!(account_id = %subject.account, platform = %subject.platform, %error, "a profile was not told");
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
    known: &Known,
    channel: &ChannelConnection,
) -> Result<Option<UserProfile>, Unavailable> {
    let client = cx.state().platforms.client(subject.platform);
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
    cx.state().tokens.call(Holder::Channel(channel.id), ask).await
}

/// Whether it says that the platform does not answer, rather than that it said no.
fn counts(error: &Unavailable) -> bool {
    match error {
        Unavailable::Postponed => true,
        Unavailable::Platform(error) => {
            error.is_transient() || matches!(error, PlatformError::InvalidResponse { .. })
        }
        _ => false,
    }
}

async fn keep(cx: &Cx, subject: &Subject, profile: &UserProfile, now: DateTime<Utc>) -> Result<()> {
    let databases = &cx.state().databases;
    if db::keeps_profiles(&mut *databases.postgres.get().await?, subject).await? {
        db::keep(&mut *databases.timescaledb.get().await?, subject, profile, now).await?;
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
