//! Calls to a platform within the budget, and the consequences of their outcomes for all copies
//! (reference/public-stats.md#budgets).

use std::time::Duration;

use connection_model::quota::{self, QuotaRequest, Reserved};
use platform_daemons::PlatformContext;
use platforms::PlatformError;
use shared::{Error, Result, platform::Platform};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    budget::{Budget, Priority},
    credentials::{Access, Credentials},
    hidden::{self, NamedBy},
    metrics::CrawlerMetrics,
    scope::{Scope, scope_of},
};

/// Pause after a refusal without a stated time.
const RATE_LIMIT_PAUSE: Duration = Duration::from_secs(30);
/// Interval between checks for an application that the deployment lacks.
const UNCONFIGURED_PAUSE: Duration = Duration::from_secs(30);
/// Percentage of YouTube's daily quota that the crawler may spend.
const YOUTUBE_SHARE_PERCENT: i64 = 30;
/// Units of each call to YouTube.
const YOUTUBE_UNITS: i64 = 1;

/// Longest wait for a token of the budget within a call. A longer one is left to the caller.
const fn max_wait(priority: Priority) -> Duration {
    match priority {
        Priority::Samples => Duration::from_secs(3),
        Priority::Background => Duration::from_secs(10),
    }
}

/// Reason why a call has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoAnswer {
    /// No call is possible before this time has passed.
    #[error("the next call is possible in {} ms", .0.as_millis())]
    Later(Duration),
    /// The platform refused this call.
    #[error("{0}")]
    Refused(String),
    /// A failure of a database or Redis.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Calls to one platform.
pub(super) struct Calls {
    context: PlatformContext,
    platform: Platform,
    budget: Budget,
    credentials: Credentials,
    metrics: CrawlerMetrics,
    scope: watch::Receiver<Option<Scope>>,
    shutdown: CancellationToken,
}

/// Right to make one call.
struct Admitted {
    access: Access,
    /// The last call of any copy failed.
    follows_failure: bool,
}

impl Calls {
    /// Calls to a platform with its own budget and credentials. None is made while the platform is not within
    /// the scope, or after the shutdown.
    pub fn new(
        context: &PlatformContext,
        platform: Platform,
        metrics: &CrawlerMetrics,
        scope: &watch::Receiver<Option<Scope>>,
        shutdown: &CancellationToken,
    ) -> Self {
        Self {
            scope: scope.clone(),
            context: context.clone(),
            platform,
            budget: Budget::new(&context.redis, platform),
            credentials: Credentials::new(platform),
            metrics: metrics.clone(),
            shutdown: shutdown.clone(),
        }
    }

    /// Makes a call that names no channel when the budget allows it.
    pub async fn call<T, F>(
        &self,
        priority: Priority,
        // Not an async closure: its future cannot be declared `Send`.
        make: impl FnOnce(Access) -> F,
    ) -> Result<T, NoAnswer>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        let admitted = self.begin(priority).await?;
        let answer = make(admitted.access.clone());
        self.finish(admitted, answer).await
    }

    /// Makes a call about one channel; `None` when the channel was opted out.
    pub async fn about<T, F>(
        &self,
        priority: Priority,
        named_by: NamedBy,
        channel: &str,
        make: impl FnOnce(Access) -> F,
    ) -> Result<Option<T>, NoAnswer>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        self.about_all(priority, named_by, &[channel], |access, _shown| make(access)).await
    }

    /// Makes a call about those of several channels that are not opted out; `None` when all of them are. That
    /// is checked at last, because the call may have waited for the budget.
    pub(super) async fn about_all<'a, T, F>(
        &self,
        priority: Priority,
        named_by: NamedBy,
        channels: &[&'a str],
        make: impl FnOnce(Access, Vec<&'a str>) -> F,
    ) -> Result<Option<T>, NoAnswer>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        let admitted = self.begin(priority).await?;
        let mut connection = self.context.databases.postgres.get().await?;
        let shown = hidden::shown(&mut connection, self.platform, named_by, channels).await?;
        drop(connection);
        if shown.is_empty() {
            return Ok(None);
        }
        let answer = make(admitted.access.clone(), shown);
        self.finish(admitted, answer).await.map(Some)
    }

    /// Waits until a call may be made.
    async fn begin(&self, priority: Priority) -> Result<Admitted, NoAnswer> {
        let access = match self.credentials.access(&self.context).await {
            Ok(Some(access)) => access,
            Ok(None) => return Err(NoAnswer::Later(UNCONFIGURED_PAUSE)),
            Err(error) => return Err(self.failed(&error).await?),
        };
        let follows_failure = self.admit(&access.client_id, priority).await?;
        if scope_of(&self.scope, self.platform).is_none() {
            return Err(closed());
        }
        Ok(Admitted { access, follows_failure })
    }

    /// Waits for the answer of a call.
    async fn finish<T>(
        &self,
        Admitted { access, follows_failure }: Admitted,
        answer: impl Future<Output = Result<T, PlatformError>>,
    ) -> Result<T, NoAnswer> {
        let answer = self.shutdown.run_until_cancelled(answer).await;
        let Some(answer) = answer else { return Err(closed()) };
        match answer {
            Ok(answer) => {
                self.metrics.call(self.platform, "answered");
                if follows_failure {
                    self.budget.recover().await?;
                }
                Ok(answer)
            }
            Err(error) => {
                if error == PlatformError::Unauthorized {
                    self.credentials.forget(&self.context, &access).await;
                }
                Err(self.failed(&error).await?)
            }
        }
    }

    /// Waits for a token of the budget. Returns true when the last call of any copy failed.
    async fn admit(&self, client_id: &str, priority: Priority) -> Result<bool, NoAnswer> {
        let mut waited = Duration::ZERO;
        loop {
            let taken = self.budget.take(client_id, priority).await?;
            if taken.wait.is_zero() {
                self.spend_units(client_id).await?;
                return Ok(taken.follows_failure);
            }
            if waited + taken.wait > max_wait(priority) {
                return Err(NoAnswer::Later(taken.wait));
            }
            waited += taken.wait;
            let slept = self.shutdown.run_until_cancelled(tokio::time::sleep(taken.wait)).await;
            slept.ok_or_else(closed)?;
        }
    }

    /// Spends units of YouTube's daily quota: of the share of the crawler, and of the whole.
    async fn spend_units(&self, client_id: &str) -> Result<(), NoAnswer> {
        if self.platform != Platform::Youtube {
            return Ok(());
        }
        let whole = i64::from(self.context.config.ingest.youtube_quota_per_day);
        let own = format!("crawler:{client_id}");
        let now = self.context.clock.now();
        let mut connection = self.context.databases.postgres.get().await?;
        for (client_id, budget) in [(own.as_str(), whole * YOUTUBE_SHARE_PERCENT / 100), (client_id, whole)] {
            let request = QuotaRequest {
                platform: Platform::Youtube,
                client_id,
                units: YOUTUBE_UNITS,
                budget,
                share: None,
            };
            match quota::reserve(&mut connection, &request, now).await? {
                Reserved::Granted { .. } => {}
                Reserved::Exhausted { until } | Reserved::ShareExhausted { until } => {
                    self.metrics.call(self.platform, "unspent");
                    return Err(NoAnswer::Later((until - now).to_std().unwrap_or_default()));
                }
            }
        }
        Ok(())
    }

    /// Counts a failure. One that concerns the platform as a whole pauses every copy.
    async fn failed(&self, error: &PlatformError) -> Result<NoAnswer> {
        let (outcome, pause) = match error {
            PlatformError::RateLimited { retry_after } => {
                let pause = retry_after.unwrap_or(RATE_LIMIT_PAUSE);
                self.budget.pause(pause).await?;
                ("limited", pause)
            }
            PlatformError::Transient { .. }
            | PlatformError::InvalidResponse { .. }
            | PlatformError::Unauthorized
            // Every call of the application is refused, whatever it names.
            | PlatformError::Forbidden { .. }
            | PlatformError::InvalidClient { .. } => ("failed", self.budget.fail().await?),
            PlatformError::NotConfigured { .. } => ("failed", UNCONFIGURED_PAUSE),
            refused => {
                self.metrics.call(self.platform, "refused");
                return Ok(NoAnswer::Refused(refused.to_string()));
            }
        };
        self.metrics.call(self.platform, outcome);
        tracing::info!(platform = %self.platform, %error, pause_ms = pause.as_millis(), "a platform is paused");
        Ok(NoAnswer::Later(pause))
    }
}

fn closed() -> NoAnswer {
    NoAnswer::Later(Duration::ZERO)
}
