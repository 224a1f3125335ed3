//! Roll-ups of samples and their ranges (reference/public-stats.md#roll-ups).
//!
//! What a writer changes is marked in the statement that changes it. A pass locks marks, makes what they name
//! anew from all of its rows, and deletes them. It is repeated with the same result when it was cut off, and
//! any number of copies work at the same time: a copy skips marks that another one has locked, and a writer
//! that meets a locked mark waits and sets it again.
//!
//! Samples become days: [`days()`] and [`games()`] hold locks in both databases and commit the primary one
//! first. Days become ranges: [`ranges`]. A mark that fails by itself is set aside for ten minutes. [`sweeps`] marks
//! what leaves a range when the UTC day changes.

mod backlog;
mod days;
mod games;
mod live_games;
mod marks;
mod parts;
pub mod ranges;
pub mod sweeps;

use diesel::sql_query;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::Result;

pub use backlog::{Backlog, backlog};
pub use days::days;
pub use games::{SLOT_DELAY, games};
pub use live_games::live_games;

/// Number of channel-days of one transaction.
pub const DAY_BATCH_SIZE: i64 = 500;
/// Number of slots of one transaction; each may hold every live channel of a platform.
pub const SLOT_BATCH_SIZE: i64 = 12;
/// Number of channels, games or emotes whose ranges one transaction makes.
pub const RANGE_BATCH_SIZE: i64 = 500;

/// Keeps the server from compiling the statements of a transaction: over some ninety partitions that takes
/// longer than a statement runs.
async fn without_compilation(connection: &mut AsyncPgConnection) -> Result<()> {
    sql_query("SET LOCAL jit = off").execute(connection).await?;
    Ok(())
}
