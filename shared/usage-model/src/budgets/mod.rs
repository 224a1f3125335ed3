//! Budgets of accounts (reference/usage.md#budgets).

mod evaluate;
mod list;
mod notices;
mod pass;
mod row;
mod stops;
mod storage_stop;

pub use evaluate::evaluate;
pub use list::{Budget, list};
pub use pass::{MARK_BATCH_SIZE, pass};
pub use stops::{STOPS_INTERVAL, Stop, Stops};
pub use storage_stop::storage_stop;

/// Smallest maximum of a budget.
pub const MIN_MAXIMUM: i64 = 1;
/// Largest maximum of a budget.
pub const MAX_MAXIMUM: i64 = 1_000_000_000_000_000;

/// Expression for the present use of the row `budget`. The parameters are the begins of the present hour, day and month.
macro_rules! present_use {
    ($hour:literal, $day:literal, $month:literal) => {
        concat!(
            "(CASE WHEN budget.unit = 'stored_bytes' THEN (
                SELECT storage.bytes FROM usage_storage AS storage WHERE storage.account_id = budget.account_id
                    AND storage.subject_kind = budget.subject_kind AND storage.subject_id = budget.subject_id)
            ELSE (
                SELECT greatest(sum(CASE budget.unit WHEN 'requests' THEN hours.requests
                    WHEN 'handler_ms' THEN hours.handler_us WHEN 'fetches' THEN hours.fetches
                    ELSE hours.messages END), 0)::bigint / (CASE budget.unit WHEN 'handler_ms' THEN 1000 ELSE 1 END)
                FROM usage_hours AS hours WHERE hours.account_id = budget.account_id
                    AND hours.subject_kind = budget.subject_kind AND hours.subject_id = budget.subject_id
                    AND hours.hour >= CASE budget.period WHEN 'hour' THEN ",
            $hour,
            " WHEN 'day' THEN ",
            $day,
            " ELSE ",
            $month,
            " END) END)"
        )
    };
}
use present_use;
