//! Deletion of chat and events beyond the retention of their account's plan (reference/privacy.md#retention),
//! account by account, so that no other account's rows are read.

use account_model::limits::{ChatRetention, chat_retentions};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::db::{Database, Databases};
use redis::AsyncCommands;
use shared::{
    Result,
    id::{AccountId, Trust},
};
use uuid::Uuid;

use super::budget::{Progress, TimeBudget};
use worker_core::Context;

/// Number of accounts whose retention is read together.
const ACCOUNT_BATCH_SIZE: i64 = 500;
/// Number of rows that one statement deletes; rows of the same moment are deleted together.
const BATCH_SIZE: i64 = 5000;
/// Maximum number of batches for one account in a round, so that one account does not delay the others.
const MAX_BATCHES: usize = 20;
/// Lifetime of a cursor that no round continues from, in seconds.
const CURSOR_TTL_SECS: u64 = 7 * 24 * 3600;
/// Lower bound of all times. A longer retention keeps everything.
const EPOCH: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// Rows that are kept for as long as the plan states.
pub(super) struct RetentionRule {
    table: &'static str,
    /// Column with the row's time.
    time: &'static str,
    /// Minimum retention in days, whatever the plan states.
    min_days: i64,
    /// Database that holds the table.
    database: fn(&Databases) -> &Database,
}

/// Chat messages.
pub(super) const CHAT: RetentionRule =
    RetentionRule { table: "chat_messages", time: "sent_at", min_days: 0, database: over_time };
/// Events: kept as long as chat, and 30 days at least.
pub(super) const EVENTS: RetentionRule =
    RetentionRule { table: "events", time: "occurred_at", min_days: 30, database: over_time };
/// Moderation log: kept as long as chat.
pub(super) const MODERATION: RetentionRule =
    RetentionRule { table: "moderation_log", time: "created_at", min_days: 0, database: primary };

fn over_time(databases: &Databases) -> &Database {
    &databases.timescaledb
}

fn primary(databases: &Databases) -> &Database {
    &databases.postgres
}

impl RetentionRule {
    /// Selects the accounts that hold rows from before their limit. The limit in the inner query keeps the
    /// planner from reading other accounts' rows: it has to look up each account by itself.
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

    /// Deletes the oldest rows of an account, up to the time of the batch's last row.
    fn delete_oldest(&self) -> String {
        let Self { table, time, .. } = self;
        format!(
            "DELETE FROM {table} WHERE account_id = $1 AND {time} < $2 AND {time} <= coalesce(
                (SELECT {time} FROM {table} WHERE account_id = $1 AND {time} < $2 ORDER BY {time} OFFSET $3 LIMIT 1), $2)"
        )
    }
}

/// Account with the time before which its rows are deleted.
#[derive(QueryableByName)]
struct Old {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Timestamptz)]
    before: DateTime<Utc>,
}

/// Runs once within the budget: continues after the last account that was done, until every account is done
/// or the budget is used up.
pub(super) async fn forget(
    context: &Context,
    rule: &RetentionRule,
    budget: &mut TimeBudget,
) -> Result<Progress> {
    let (mut round, now) =
        (Round { done: cursor(context, rule).await?, rows: 0, is_whole: true }, context.clock.now());
    let is_completed = round.resume(context, rule, now, budget).await?;
    keep_cursor(context, rule, round.done.filter(|_| !is_completed)).await?;
    let Round { rows, is_whole, .. } = round;
    tracing::info!(table = rule.table, rows, is_completed, is_whole, "rows beyond their retention deleted");
    Ok(if is_completed && is_whole { Progress::Completed } else { Progress::Pending })
}

/// Round over the accounts.
struct Round {
    /// Last account that was done.
    done: Option<AccountId>,
    rows: usize,
    /// True while no account has rows beyond its share of batches.
    is_whole: bool,
}

impl Round {
    /// Continues the round; true when it reached the last account.
    async fn resume(
        &mut self,
        context: &Context,
        rule: &RetentionRule,
        now: DateTime<Utc>,
        budget: &mut TimeBudget,
    ) -> Result<bool> {
        while budget.allows_step() {
            let mut postgres = context.databases.postgres.get().await?;
            let page = chat_retentions(&mut postgres, self.done, ACCOUNT_BATCH_SIZE).await?;
            drop(postgres);
            let Some(last) = page.last() else { return Ok(true) };
            for old in with_old_rows(context, rule, &page, now).await? {
                if !budget.allows_step() {
                    return Ok(false);
                }
                self.is_whole &= self.delete_from(context, rule, &old).await?;
                self.done = Some(AccountId::trusted(old.account_id, Trust::Task));
                // The cursor is stored after each account: finished work is kept however this run ends.
                keep_cursor(context, rule, self.done).await?;
            }
            self.done = Some(last.account);
        }
        Ok(false)
    }

    /// Deletes old rows of an account; true when none is left.
    async fn delete_from(&mut self, context: &Context, rule: &RetentionRule, old: &Old) -> Result<bool> {
        for _ in 0..MAX_BATCHES {
            // A connection for each batch, so that others get one in between.
            let batch = sql_query(rule.delete_oldest())
                .bind::<SqlUuid, _>(old.account_id)
                .bind::<Timestamptz, _>(old.before)
                .bind::<BigInt, _>(BATCH_SIZE - 1)
                .execute(&mut *(rule.database)(&context.databases).get().await?)
                .await?;
            self.rows += batch;
            if i64::try_from(batch).unwrap_or(i64::MAX) < BATCH_SIZE {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

async fn with_old_rows(
    context: &Context,
    rule: &RetentionRule,
    page: &[ChatRetention],
    now: DateTime<Utc>,
) -> Result<Vec<Old>> {
    if page.is_empty() {
        return Ok(Vec::new());
    }
    let (accounts, befores): (Vec<Uuid>, Vec<DateTime<Utc>>) =
        page.iter().map(|of| (of.account.uuid(), oldest_kept(of.days.max(rule.min_days), now))).unzip();
    Ok(sql_query(rule.find_old())
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Array<Timestamptz>, _>(befores)
        .load(&mut *(rule.database)(&context.databases).get().await?)
        .await?)
}

fn oldest_kept(days: i64, now: DateTime<Utc>) -> DateTime<Utc> {
    chrono::Duration::try_days(days).and_then(|rule| now.checked_sub_signed(rule)).unwrap_or(EPOCH).max(EPOCH)
}

/// Returns the last account that was done; none at the start of a round.
async fn cursor(context: &Context, rule: &RetentionRule) -> Result<Option<AccountId>> {
    let stored: Option<String> = context.redis.get().await?.get(cursor_key(context, rule)).await?;
    Ok(stored.and_then(|id| Uuid::try_parse(&id).ok()).map(|id| AccountId::trusted(id, Trust::Task)))
}

async fn keep_cursor(context: &Context, rule: &RetentionRule, after: Option<AccountId>) -> Result<()> {
    let mut redis = context.redis.get().await?;
    match after {
        Some(account) => {
            redis.set_ex::<_, _, ()>(cursor_key(context, rule), account.to_string(), CURSOR_TTL_SECS).await?;
        }
        None => redis.del::<_, ()>(cursor_key(context, rule)).await?,
    }
    Ok(())
}

fn cursor_key(context: &Context, rule: &RetentionRule) -> String {
    context.redis.key(format_args!("housekeeping:{}", rule.table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_kept_is_the_epoch_for_an_unlimited_retention() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        assert_eq!(oldest_kept(0, now), now);
        assert_eq!(oldest_kept(7, now), now - chrono::Duration::days(7));
        for days in [100_000, 2_147_483_646, i64::MAX] {
            assert_eq!(oldest_kept(days, now), EPOCH);
        }
    }
}
