//! Deletes chat that is older than its account's plan keeps it (specification C §8.1, B13), account by account, so that
//! nobody's rows are read but those of the account.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use redis::AsyncCommands;
use shared::{
    Result,
    id::AccountId,
    limits::{ChatRetention, chat_retentions},
};
use tokio::time::Instant;
use uuid::Uuid;

use crate::Context;

/// Accounts that are looked at together.
const ACCOUNTS: i64 = 500;
/// Rows that one statement deletes, give or take those of one moment.
const BATCH: i64 = 5000;
/// What is left of an account after so many batches waits for the next run, so that one account does not hold up the
/// others.
const MOST_BATCHES: usize = 20;
/// A run ends well before its job is stopped. The next one goes on after the last account.
const LONGEST_RUN: Duration = Duration::from_secs(40);
/// A cursor that nobody goes on from is forgotten.
const CURSOR_KEPT: u64 = 7 * 24 * 3600;
/// Nothing is older. A longer retention keeps everything.
const EPOCH: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// The accounts that hold chat from before their moment. The limit in the inner query keeps the planner from reading
/// other accounts' rows: it has to look up each account by itself.
const WITH_OLD_CHAT: &str = "
    SELECT wanted.account_id, wanted.before FROM unnest($1, $2) AS wanted (account_id, before)
    CROSS JOIN LATERAL (
        SELECT 1 FROM chat_messages
        WHERE chat_messages.account_id = wanted.account_id AND chat_messages.sent_at < wanted.before LIMIT 1
    ) AS found";

/// The oldest rows of an account, up to the moment of the batch's last.
const DELETE_OLDEST: &str = "
    DELETE FROM chat_messages WHERE account_id = $1 AND sent_at < $2 AND sent_at <= coalesce(
        (SELECT sent_at FROM chat_messages WHERE account_id = $1 AND sent_at < $2 ORDER BY sent_at OFFSET $3 LIMIT 1), $2)";

/// An account and the moment before which its chat goes.
#[derive(QueryableByName)]
struct Old {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Timestamptz)]
    before: DateTime<Utc>,
}

/// One run: every account, or as many as there is time for.
pub(super) async fn forget(context: &Context) -> Result<()> {
    let (started, now) = (Instant::now(), context.clock.now());
    let (mut after, mut deleted) = (cursor(context).await?, 0);
    while started.elapsed() < LONGEST_RUN {
        let mut postgres = context.databases.postgres.get().await?;
        let page = chat_retentions(&mut postgres, after, ACCOUNTS).await?;
        drop(postgres);
        for old in with_old_chat(context, &page, now).await? {
            deleted += delete_from(context, &old).await?;
        }
        after = page.last().map(|last| last.account);
        keep_cursor(context, after).await?;
        if after.is_none() {
            break;
        }
    }
    tracing::info!(deleted, is_through = after.is_none(), "chat beyond its retention deleted");
    Ok(())
}

async fn with_old_chat(context: &Context, page: &[ChatRetention], now: DateTime<Utc>) -> Result<Vec<Old>> {
    if page.is_empty() {
        return Ok(Vec::new());
    }
    let (accounts, befores): (Vec<Uuid>, Vec<DateTime<Utc>>) =
        page.iter().map(|kept| (kept.account.0, oldest_kept(kept.days, now))).unzip();
    Ok(sql_query(WITH_OLD_CHAT)
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Array<Timestamptz>, _>(befores)
        .load(&mut *context.databases.timescaledb.get().await?)
        .await?)
}

fn oldest_kept(days: i64, now: DateTime<Utc>) -> DateTime<Utc> {
    chrono::Duration::try_days(days).and_then(|kept| now.checked_sub_signed(kept)).unwrap_or(EPOCH).max(EPOCH)
}

async fn delete_from(context: &Context, old: &Old) -> Result<usize> {
    let mut deleted = 0;
    for _ in 0..MOST_BATCHES {
        // A connection for each batch, so that others come in between.
        let batch = sql_query(DELETE_OLDEST)
            .bind::<SqlUuid, _>(old.account_id)
            .bind::<Timestamptz, _>(old.before)
            .bind::<BigInt, _>(BATCH - 1)
            .execute(&mut *context.databases.timescaledb.get().await?)
            .await?;
        deleted += batch;
        if i64::try_from(batch).unwrap_or(i64::MAX) < BATCH {
            break;
        }
    }
    Ok(deleted)
}

/// The account that the last run ended with; none when it was through, or when that was forgotten.
async fn cursor(context: &Context) -> Result<Option<AccountId>> {
    let stored: Option<String> = context.redis.get().await?.get(cursor_key(context)).await?;
    Ok(stored.and_then(|id| Uuid::try_parse(&id).ok()).map(AccountId))
}

async fn keep_cursor(context: &Context, after: Option<AccountId>) -> Result<()> {
    let mut redis = context.redis.get().await?;
    match after {
        Some(account) => {
            redis.set_ex::<_, _, ()>(cursor_key(context), account.to_string(), CURSOR_KEPT).await?;
        }
        None => redis.del::<_, ()>(cursor_key(context)).await?,
    }
    Ok(())
}

fn cursor_key(context: &Context) -> String {
    context.redis.key("housekeeping:chat")
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
