//! Deletes chat and events that are older than their account's plan keeps them (specification C §8.1, B12.1, B13),
//! account by account, so that nobody's rows are read but those of the account.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use redis::AsyncCommands;
use shared::{
    Result,
    db::{Database, Databases},
    id::AccountId,
    limits::{ChatRetention, chat_retentions},
};
use uuid::Uuid;

use super::turn::{Progress, Turn};
use crate::Context;

/// Accounts that are looked at together.
const ACCOUNTS: i64 = 500;
/// Rows that one statement deletes, give or take those of one moment.
const BATCH: i64 = 5000;
/// What is left of an account after so many batches waits for the next round, so that one account does not hold up the
/// others.
const MAX_BATCHES: usize = 20;
/// A cursor that nobody goes on from is forgotten.
const CURSOR_TTL_SECS: u64 = 7 * 24 * 3600;
/// Nothing is older. A longer retention keeps everything.
const EPOCH: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// What is kept for as long as the plan says.
pub(super) struct Kept {
    table: &'static str,
    /// The column of its time.
    time: &'static str,
    /// Shortest time, in days, whatever the plan says.
    shortest: i64,
    /// The database that holds it.
    database: fn(&Databases) -> &Database,
}

/// Chat messages (C B13).
pub(super) const CHAT: Kept =
    Kept { table: "chat_messages", time: "sent_at", shortest: 0, database: over_time };
/// Events are kept as long as chat, and 30 days at least (C B12.1).
pub(super) const EVENTS: Kept =
    Kept { table: "events", time: "occurred_at", shortest: 30, database: over_time };
/// What was moderated is kept as long as chat.
pub(super) const MODERATION: Kept =
    Kept { table: "moderation_log", time: "created_at", shortest: 0, database: primary };

fn over_time(databases: &Databases) -> &Database {
    &databases.timescaledb
}

fn primary(databases: &Databases) -> &Database {
    &databases.postgres
}

impl Kept {
    /// The accounts that hold rows from before their moment. The limit in the inner query keeps the planner from
    /// reading other accounts' rows: it has to look up each account by itself.
    fn find_old(&self) -> String {
        let Self { table, time, .. } = self;
        format!(
            "SELECT wanted.account_id, wanted.before FROM unnest($1, $2) AS wanted (account_id, before)
             CROSS JOIN LATERAL (
                SELECT 1 FROM {table}
                WHERE {table}.account_id = wanted.account_id AND {table}.{time} < wanted.before LIMIT 1
             ) AS found ORDER BY wanted.account_id"
        )
    }

    /// The oldest rows of an account, up to the moment of the batch's last.
    fn delete_oldest(&self) -> String {
        let Self { table, time, .. } = self;
        format!(
            "DELETE FROM {table} WHERE account_id = $1 AND {time} < $2 AND {time} <= coalesce(
                (SELECT {time} FROM {table} WHERE account_id = $1 AND {time} < $2 ORDER BY {time} OFFSET $3 LIMIT 1), $2)"
        )
    }
}

/// An account and the moment before which its rows go.
#[derive(QueryableByName)]
struct Old {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Timestamptz)]
    before: DateTime<Utc>,
}

/// One turn: goes on after the last account that was done, until every account is or the turn is over.
pub(super) async fn forget(context: &Context, kept: &Kept, turn: &mut Turn) -> Result<Progress> {
    let (mut round, now) =
        (Round { done: cursor(context, kept).await?, rows: 0, is_whole: true }, context.clock.now());
    let is_through = round.go_on(context, kept, now, turn).await?;
    keep_cursor(context, kept, round.done.filter(|_| !is_through)).await?;
    let Round { rows, is_whole, .. } = round;
    tracing::info!(table = kept.table, rows, is_through, is_whole, "rows beyond their retention deleted");
    Ok(if is_through && is_whole { Progress::Through } else { Progress::Left })
}

/// One round over the accounts.
struct Round {
    /// The last account that was done.
    done: Option<AccountId>,
    rows: usize,
    /// Whether no account has kept more than its share.
    is_whole: bool,
}

impl Round {
    /// Whether it came to the last account.
    async fn go_on(
        &mut self,
        context: &Context,
        kept: &Kept,
        now: DateTime<Utc>,
        turn: &mut Turn,
    ) -> Result<bool> {
        while turn.goes_on() {
            let mut postgres = context.databases.postgres.get().await?;
            let page = chat_retentions(&mut postgres, self.done, ACCOUNTS).await?;
            drop(postgres);
            let Some(last) = page.last() else { return Ok(true) };
            for old in with_old_rows(context, kept, &page, now).await? {
                if !turn.goes_on() {
                    return Ok(false);
                }
                self.is_whole &= self.delete_from(context, kept, &old).await?;
                self.done = Some(AccountId(old.account_id));
                // What was done stays done, however this turn ends.
                keep_cursor(context, kept, self.done).await?;
            }
            self.done = Some(last.account);
        }
        Ok(false)
    }

    /// Whether nothing is left of the account's old rows.
    async fn delete_from(&mut self, context: &Context, kept: &Kept, old: &Old) -> Result<bool> {
        for _ in 0..MAX_BATCHES {
            // A connection for each batch, so that others come in between.
            let batch = sql_query(kept.delete_oldest())
                .bind::<SqlUuid, _>(old.account_id)
                .bind::<Timestamptz, _>(old.before)
                .bind::<BigInt, _>(BATCH - 1)
                .execute(&mut *(kept.database)(&context.databases).get().await?)
                .await?;
            self.rows += batch;
            if i64::try_from(batch).unwrap_or(i64::MAX) < BATCH {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

async fn with_old_rows(
    context: &Context,
    kept: &Kept,
    page: &[ChatRetention],
    now: DateTime<Utc>,
) -> Result<Vec<Old>> {
    if page.is_empty() {
        return Ok(Vec::new());
    }
    let (accounts, befores): (Vec<Uuid>, Vec<DateTime<Utc>>) =
        page.iter().map(|of| (of.account.0, oldest_kept(of.days.max(kept.shortest), now))).unzip();
    Ok(sql_query(kept.find_old())
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Array<Timestamptz>, _>(befores)
        .load(&mut *(kept.database)(&context.databases).get().await?)
        .await?)
}

fn oldest_kept(days: i64, now: DateTime<Utc>) -> DateTime<Utc> {
    chrono::Duration::try_days(days).and_then(|kept| now.checked_sub_signed(kept)).unwrap_or(EPOCH).max(EPOCH)
}

/// The last account that was done; none at the start of a round.
async fn cursor(context: &Context, kept: &Kept) -> Result<Option<AccountId>> {
    let stored: Option<String> = context.redis.get().await?.get(cursor_key(context, kept)).await?;
    Ok(stored.and_then(|id| Uuid::try_parse(&id).ok()).map(AccountId))
}

async fn keep_cursor(context: &Context, kept: &Kept, after: Option<AccountId>) -> Result<()> {
    let mut redis = context.redis.get().await?;
    match after {
        Some(account) => {
            redis.set_ex::<_, _, ()>(cursor_key(context, kept), account.to_string(), CURSOR_TTL_SECS).await?;
        }
        None => redis.del::<_, ()>(cursor_key(context, kept)).await?,
    }
    Ok(())
}

fn cursor_key(context: &Context, kept: &Kept) -> String {
    context.redis.key(format_args!("housekeeping:{}", kept.table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_beyond_all_time_keeps_everything() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        assert_eq!(oldest_kept(0, now), now);
        assert_eq!(oldest_kept(7, now), now - chrono::Duration::days(7));
        for days in [100_000, 2_147_483_646, i64::MAX] {
            assert_eq!(oldest_kept(days, now), EPOCH);
        }
    }
}
