//! Durations by class on a fixed logarithmic scale, so that counts of several workers and minutes can be
//! summed (reference/telemetry.md#statistics).

use serde::{Deserialize, Serialize};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ArrayBuilder, KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, Type},
};

/// Classes of a histogram. Class 0 ends at [`FIRST_MS`]. Each further class ends at 2^(1/3) times the end of
/// the one before. The last begins at about 166 s and is open.
const CLASSES: usize = 64;
const FIRST_MS: f64 = 0.1;
const CLASSES_PER_DOUBLING: f64 = 3.0;

/// Number of invocations in each class of durations. A percentile is exact to about an eighth.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DurationHistogram {
    /// Trailing empty classes may be left out.
    counts: Vec<u32>,
}

impl ToSchema for DurationHistogram {}

impl PartialSchema for DurationHistogram {
    fn schema() -> RefOr<Schema> {
        let count = ObjectBuilder::new().schema_type(Type::Integer);
        let count = count.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)));
        let counts = ArrayBuilder::new().items(count.minimum(Some(0)).maximum(Some(u32::MAX)));
        let description =
            "How many invocations lasted how long, by class. Trailing empty classes may be left out.";
        counts.max_items(Some(CLASSES)).description(Some(description)).into()
    }
}

impl DurationHistogram {
    /// Counts one duration, in milliseconds.
    pub fn record(&mut self, duration_ms: f64) {
        let class = class_of(duration_ms);
        if self.counts.len() <= class {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] = self.counts[class].saturating_add(1);
    }

    /// True when the classes fit this scale.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.counts.len() <= CLASSES
    }

    /// Number of counted durations.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().copied().map(u64::from).sum()
    }

    /// Counts of every class, for storage.
    #[must_use]
    pub fn classes(&self) -> Vec<i64> {
        self.counts.iter().copied().map(i64::from).collect()
    }

    /// Duration in milliseconds that a share of the counted ones does not exceed (0.99 for p99). `classes`
    /// are the summed counts of any number of histograms. 0 when nothing was counted.
    #[must_use]
    pub fn percentile(classes: &[i64], share: f64) -> f64 {
        let total: i64 = classes.iter().sum();
        let wanted = (total as f64 * share).ceil().max(1.0);
        let mut seen = 0_i64;
        for (class, count) in classes.iter().enumerate() {
            seen += count;
            if seen > 0 && seen as f64 >= wanted {
                return middle_of(class);
            }
        }
        0.0
    }
}

/// Class of a duration. Negative durations and NaN count as the shortest.
fn class_of(duration_ms: f64) -> usize {
    let steps = ((duration_ms / FIRST_MS).log2() * CLASSES_PER_DOUBLING).ceil();
    (steps.max(0.0) as usize).min(CLASSES - 1)
}

/// Geometric middle of a class.
fn middle_of(class: usize) -> f64 {
    FIRST_MS * ((class as f64 - 0.5) / CLASSES_PER_DOUBLING).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(durations: impl IntoIterator<Item = f64>) -> DurationHistogram {
        let mut histogram = DurationHistogram::default();
        durations.into_iter().for_each(|duration| histogram.record(duration));
        histogram
    }

    #[test]
    fn percentile_is_exact_to_an_eighth_over_the_whole_range() {
        for exponent in 0..60 {
            let duration = 0.11 * 1.26_f64.powi(exponent);
            let found = DurationHistogram::percentile(&of([duration]).classes(), 0.99);
            if duration < 160_000.0 {
                assert!((found / duration - 1.0).abs() < 0.13, "{duration} ms was read as {found} ms");
            }
        }
    }

    #[test]
    fn percentile_counts_from_below() {
        let histogram = of((0..98).map(|_| 1.0).chain([500.0, 500.0]));
        assert!(DurationHistogram::percentile(&histogram.classes(), 0.98) < 2.0);
        assert!(DurationHistogram::percentile(&histogram.classes(), 0.99) > 400.0);
        assert_eq!(histogram.total(), 100);
    }

    #[test]
    fn histogram_classifies_odd_durations_and_may_be_empty() {
        let histogram = of([0.0, -1.0, f64::NAN, f64::INFINITY, 1e12]);
        assert_eq!(histogram.total(), 5);
        assert!(histogram.is_sound());
        assert!(DurationHistogram::percentile(&[], 0.99).abs() < f64::EPSILON);
    }
}
