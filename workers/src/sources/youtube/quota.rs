//! Units of YouTube's quota (D §3): what is left is stretched over the day, and when the day's budget is spent, the
//! reading waits for the next day.

use std::time::Duration;

use shared::{
    connections::quota::{Reserved, Share, Wish, reserve},
    platforms::Platform,
};

use super::super::{Interruption, Reader};

/// How far pauses are stretched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thrift {
    factor: u32,
}

impl Default for Thrift {
    fn default() -> Self {
        Self { factor: 1 }
    }
}

impl Thrift {
    /// Half of what may be spent goes at the pace that YouTube names, what is left ever more slowly. `gone`: in percent.
    fn after(gone: i64) -> Self {
        let factor = match gone {
            ..50 => 1,
            50..75 => 2,
            75..90 => 4,
            _ => 8,
        };
        Self { factor }
    }

    pub fn stretch(self, pause: Duration) -> Duration {
        pause.saturating_mul(self.factor)
    }
}

/// Spends units for a call that is about to be made.
pub(super) async fn spend(reader: &Reader, units: i64) -> Result<Thrift, Interruption> {
    let (context, now) = (&reader.context, reader.context.clock.now());
    let configured = context.config.platforms.youtube.client_id.as_deref();
    let client_id = reader.channel.client_id.as_deref().or(configured).unwrap_or("unknown");
    let percent = context.config.ingest.youtube_share_percent;
    let wish = Wish {
        platform: Platform::Youtube,
        client_id,
        units,
        budget: i64::from(context.config.ingest.youtube_quota_per_day),
        share: (!reader.channel.has_own_app).then_some(Share { account: reader.channel.account_id, percent }),
    };
    let reserved = reserve(&mut *context.databases.postgres.get().await?, &wish, now).await?;
    let count = |outcome: &str| {
        reader.metrics.quota.with_label_values(&[outcome]).inc_by(units.unsigned_abs());
    };
    let (until, why) = match reserved {
        Reserved::Granted { gone } => {
            count("spent");
            return Ok(Thrift::after(gone));
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
    fn pauses_are_stretched_as_the_budget_goes() {
        let factors = [0, 49, 50, 75, 90, 100].map(|gone| Thrift::after(gone).factor);
        assert_eq!(factors, [1, 1, 2, 4, 8, 8]);
        assert_eq!(Thrift::after(i64::MAX).stretch(Duration::from_secs(5)), Duration::from_secs(40));
    }
}
