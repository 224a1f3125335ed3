//! Sessions of streams (reference/history.md#sessions).
//!
//! A session opens with the first broadcast of an account and closes some time after the last one. It is made from
//! the journal of [`crate::transitions`], one account at a time.

mod broadcast;
mod db;
mod deletion;
mod figures;
mod recount;
mod session;
#[cfg(test)]
mod tests;
mod timeline;

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

use crate::{
    minutes::{self, MINUTE},
    transitions,
};
pub use broadcast::{Broadcast, Span};
pub use deletion::{delete, delete_samples};
pub use figures::{SessionWindow, refresh_figures, set_report_due, windows};
pub use recount::{Recount, mark_minutes, recounts};
pub use session::{Change, Floor, MAX_SESSION, Session};
pub use timeline::Timeline;

/// Time after the end of a session within which late rows are counted. Afterwards its report stays as it is.
pub const MAX_LATENESS: TimeDelta = TimeDelta::hours(24);

/// Effect of [`apply`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Transitions that were applied.
    pub transitions: usize,
    /// True when further transitions wait.
    pub has_more: bool,
    /// Sessions that were opened.
    pub opened: usize,
    /// Sessions that were closed.
    pub closed: usize,
    /// Platforms and channels that are no longer on air.
    pub ended_channels: Vec<(String, String)>,
}

#[derive(QueryableByName)]
struct Account {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

const DUE: &str = "
    SELECT account_id FROM (
        (SELECT account_id, last_off_at AS since FROM stream_sessions
            WHERE ended_at IS NULL AND last_off_at <= $1 ORDER BY last_off_at LIMIT $3)
        UNION ALL
        (SELECT account_id, started_at FROM stream_sessions
            WHERE ended_at IS NULL AND started_at <= $2 ORDER BY started_at LIMIT $3)
    ) due GROUP BY account_id ORDER BY min(since) LIMIT $3";

/// Applies the transitions of an account, and closes its session when that is due, in one transaction. `None` when
/// another process does so now.
///
/// # Errors
/// A failure of the database. Then nothing has changed.
pub async fn apply(
    postgres: &mut AsyncPgConnection,
    account: Uuid,
    close_after: TimeDelta,
    now: DateTime<Utc>,
) -> Result<Option<Applied>> {
    postgres
        .transaction(async |postgres| {
            if !db::lock(postgres, account).await? {
                return Ok(None);
            }
            let waiting = transitions::load(postgres, account).await?;
            let open = db::open(postgres, account).await?;
            let before = open.clone();
            let mut timeline = Timeline::new(close_after, db::floor(postgres, account).await?, open);
            for transition in &waiting {
                timeline.apply(transition);
            }
            let has_more =
                i64::try_from(waiting.len()).is_ok_and(|waiting| waiting == transitions::BATCH_SIZE);
            if !has_more {
                timeline.advance(now);
            }
            let sessions = timeline.into_sessions();
            for session in sessions.iter().filter(|session| before.as_ref() != Some(*session)) {
                db::save(postgres, account, session, now).await?;
                if let (Some(_ended), Some(minutes_to)) = (session.ended_at, session.minutes_to) {
                    let to = minutes::begin(now) + MINUTE;
                    deletion::delete_late_samples(postgres, account, session.id, minutes_to, to).await?;
                }
            }
            transitions::delete(postgres, &waiting).await?;
            let is_new = |session: &&Session| before.as_ref().is_none_or(|before| before.id != session.id);
            let opened = sessions.iter().filter(is_new).count();
            let closed = sessions.iter().filter(|session| session.ended_at.is_some()).count();
            let ended_channels = ended_channels(before.as_ref(), &sessions);
            Ok(Some(Applied { transitions: waiting.len(), has_more, opened, closed, ended_channels }))
        })
        .await
}

/// Channels that were on air before and are not any more.
fn ended_channels(before: Option<&Session>, sessions: &[Session]) -> Vec<(String, String)> {
    let channel = |broadcast: &Broadcast| (broadcast.platform.clone(), broadcast.platform_channel_id.clone());
    let is_on_air = |broadcast: &&Broadcast| broadcast.ended_at.is_none();
    let after: BTreeSet<_> =
        sessions.iter().flat_map(|session| &session.broadcasts).filter(is_on_air).map(channel).collect();
    let was_on_air = before.into_iter().flat_map(|session| &session.broadcasts).filter(is_on_air);
    let ended: BTreeSet<_> = was_on_air.map(channel).filter(|channel| !after.contains(channel)).collect();
    ended.into_iter().collect()
}

/// Accounts whose session is to be closed or divided, at most `limit`.
///
/// # Errors
/// A failure of the database.
pub async fn due_accounts(
    postgres: &mut AsyncPgConnection,
    close_after: TimeDelta,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Uuid>> {
    let rows: Vec<Account> = sql_query(DUE)
        .bind::<Timestamptz, _>(now - close_after)
        // Sessions end at a whole minute.
        .bind::<Timestamptz, _>(now - MAX_SESSION + MINUTE)
        .bind::<BigInt, _>(limit)
        .prepared()
        .load(postgres)
        .await?;
    Ok(rows.into_iter().map(|row| row.account_id).collect())
}
