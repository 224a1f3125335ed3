//! Work that the roll-ups have before them.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Double},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;

/// Marks that wait.
#[derive(Debug, Clone, Copy, PartialEq, QueryableByName)]
pub struct Backlog {
    /// Number of channel-days, counted up to 100,000.
    #[diesel(sql_type = BigInt)]
    pub channel_days: i64,
    /// Number of slots that have ended, counted up to 100,000.
    #[diesel(sql_type = BigInt)]
    pub slots: i64,
    /// Age of the oldest mark of a channel-day in seconds; 0 when there is none.
    #[diesel(sql_type = Double)]
    pub oldest_secs: f64,
}

/// Counts the marks of samples.
///
/// # Errors
/// A failure of the database.
pub async fn backlog(timeseries: &mut AsyncPgConnection) -> Result<Backlog> {
    Ok(sql_query(BACKLOG).prepared().get_result(timeseries).await?)
}

const BACKLOG: &str = "
    SELECT (SELECT count(*) FROM (SELECT 1 FROM channel_marks LIMIT 100000) AS marks) AS channel_days,
        (SELECT count(*) FROM (SELECT 1 FROM slot_marks WHERE slot <= now() - interval '330 seconds' LIMIT 100000)
            AS marks) AS slots,
        greatest(extract(epoch FROM now() - (SELECT min(marked_at) FROM channel_marks)), 0)::double precision
            AS oldest_secs";
