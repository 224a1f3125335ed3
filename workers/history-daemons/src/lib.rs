//! Daemon that makes sessions, samples and reports of streams (reference/history.md).
//!
//! # From a chat line to statistics
//!
//! 1. The statement that stores a batch of lines (`ChatMessage::insert` of the ingest's writer) also writes a row of
//!    `stream_lines` for each: minute, hash of the line, hash of account and person, no text. It marks the minutes of
//!    new ones in `stream_minute_marks`. Lines of an account that stores no chat are counted only.
//! 2. The statement that stores a channel status (`connection_model::status`) writes changes into
//!    `stream_transitions`. `Recorder::step` makes sessions of them, one account in one transaction.
//! 3. Once a minute `count_marks` takes marks and counts their minutes anew, in one transaction. Minutes of a session
//!    become rows of `stream_samples`. `sample` adds the viewers.
//! 4. `ReportMaker` claims a session that is due and reads its rows (`history_model::report::make`). It writes the
//!    public figures of the broadcasts, then it stores the report.
//! 5. Samples with viewers go to the public statistics (`stats_model::samples::write`), and so do those of the
//!    crawler. The same statement marks the day of the channel and the slots of the game.
//! 6. A round of the daemon `public-stats` makes the marked sums of all their rows, and deletes the marks after the
//!    commit of the sums. A pass that is cut off is repeated with the same result (reference/public-stats.md#passes).

mod deletions;
mod metrics;
pub mod recorder;
pub mod reports;

use tokio_util::sync::CancellationToken;
use worker_core::Context;

/// Runs until `shutdown` is cancelled, then ends after the step in progress.
///
/// # Errors
/// Metrics that cannot be registered, or a queue that cannot be opened.
pub async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    tokio::try_join!(
        recorder::run(&context, &shutdown),
        reports::run(&context, shutdown.clone()),
        deletions::run(context.clone(), shutdown.clone()),
    )?;
    Ok(())
}
