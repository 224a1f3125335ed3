//! Numbers of viewers. One scan of the session's samples.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

use super::time::Window;

/// Samples that are read: more than those of every platform in the longest session.
const MAX_SAMPLES: i64 = 200_000;

/// Viewers of each minute and platform.
pub const VIEWERS: &str = "
    SELECT platform, at, viewer_count AS viewers FROM stream_samples
    WHERE account_id = $1 AND at >= $2 AND at < $3 AND viewer_count IS NOT NULL LIMIT $4";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
    #[diesel(sql_type = BigInt)]
    viewers: i64,
}

/// Viewers by minute and platform.
#[derive(Debug, Default)]
pub(super) struct Viewers(BTreeMap<DateTime<Utc>, BTreeMap<String, i64>>);

/// Peak and average of numbers of viewers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Figures {
    /// Largest number, `None` without one.
    pub peak: Option<i64>,
    /// Average with two decimals, `None` without a number.
    pub average: Option<f64>,
}

impl Viewers {
    /// Figures of the sums over the platforms, minute by minute. A minute without viewers of any platform is
    /// a gap and counts in no average.
    pub fn of_session(&self) -> Figures {
        Figures::of(self.0.values().map(|platforms| platforms.values().sum()))
    }

    /// Figures of one platform in some minutes.
    pub fn within(&self, platform: &str, window: Window) -> Figures {
        let minutes = self.0.range(window.from..window.to);
        Figures::of(minutes.filter_map(|(_, platforms)| platforms.get(platform).copied()))
    }
}

impl Figures {
    fn of(numbers: impl Iterator<Item = i64>) -> Self {
        let (mut peak, mut sum, mut count) = (None, 0_i64, 0_i64);
        for number in numbers {
            peak = peak.max(Some(number));
            sum = sum.saturating_add(number);
            count += 1;
        }
        #[expect(clippy::cast_precision_loss, reason = "an average with two decimals")]
        let average = (count > 0).then(|| (sum as f64 / count as f64 * 100.0).round() / 100.0);
        Self { peak, average }
    }
}

/// Reads the viewers of a session.
pub(super) async fn read(
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    window: Window,
) -> Result<Viewers> {
    let rows: Vec<Row> = sql_query(VIEWERS)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(window.from)
        .bind::<Timestamptz, _>(window.to)
        .bind::<BigInt, _>(MAX_SAMPLES)
        .prepared()
        .load(timeseries)
        .await?;
    let mut viewers = Viewers::default();
    for Row { platform, at, viewers: number } in rows {
        viewers.0.entry(at).or_default().insert(platform, number);
    }
    Ok(viewers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_two_decimals_and_are_none_without_numbers() {
        assert_eq!(Figures::of([].into_iter()), Figures::default());
        assert_eq!(Figures::of([1, 1, 2].into_iter()), Figures { peak: Some(2), average: Some(1.33) });
        assert_eq!(Figures::of([0].into_iter()), Figures { peak: Some(0), average: Some(0.0) });
    }
}
