//! Pacing of YouTube's quota: the remaining units are stretched over the day, and a spent budget pauses
//! reading until the next day (reference/platforms.md#quota).

use std::time::Duration;

use connection_model::quota::{QuotaRequest, Reserved, Share, reserve};
use shared::platform::Platform;

use super::super::{Interruption, Reader};

/// Factor by which pauses are stretched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QuotaPacing {
    factor: u32,
}

impl Default for QuotaPacing {
    fn default() -> Self {
        Self { factor: 1 }
    }
}

impl QuotaPacing {
    /// Returns the pacing after `gone` percent of the budget: the first half at YouTube's own pace, the rest
    /// ever more slowly.
    fn after(gone: i64) -> Self {
        let factor = match gone {
            ..50 => 1,
            50..75 => 2,
            75..90 => 4,
            _ => 8,
        };
        Self { factor }
    }

    /// Returns the stretched pause.
    pub fn stretch(self, pause: Duration) -> Duration {
        pause.saturating_mul(self.factor)
    }
}

/// Spends units for the next call.
pub(super) async fn spend(reader: &Reader, units: i64) -> Result<QuotaPacing, Interruption> {
    let (context, now) = (&reader.context, reader.context.clock.now());
    let configured = context.config.platforms.youtube.client_id.as_deref();
    let client_id = reader.channel.client_id.as_deref().or(configured).unwrap_or("unknown");
    let percent = context.config.ingest.youtube_share_percent;
    let request = QuotaRequest {
        platform: Platform::Youtube,
        client_id,
        units,
        budget: i64::from(context.config.ingest.youtube_quota_per_day),
        share: (!reader.channel.has_own_app).then_some(Share { account: reader.channel.account_id, percent }),
    };
    let reserved = reserve(&mut *context.databases.postgres.get().await?, &request, now).await?;
    let count = |outcome: &str| {
        reader.metrics.quota.with_label_values(&[outcome]).inc_by(units.unsigned_abs());
    };
    let (until, why) = match reserved {
        Reserved::Granted { gone } => {
            count("spent");
            return Ok(QuotaPacing::after(gone));
        }
        Reserved::Exhausted { until } => (until, "YouTube's quota of the day is spent"),
        Reserved::ShareExhausted { until } => {
            (until, "The account's share of YouTube's quota of the day is spent")
        }
    };
    count("refused");
    Err(Interruption::Later { pause: (until - now).to_std().unwrap_or_default(), why: why.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quota_pacing_stretches_pauses_as_the_budget_shrinks() {
        let factors = [0, 49, 50, 75, 90, 100].map(|gone| QuotaPacing::after(gone).factor);
        assert_eq!(factors, [1, 1, 2, 4, 8, 8]);
        assert_eq!(QuotaPacing::after(i64::MAX).stretch(Duration::from_secs(5)), Duration::from_secs(40));
    }
}
