//! Removal of a person from the counts (reference/history.md#counts). The lines stay, so that counts are whole;
//! their key of the person becomes a random one.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::column;
use shared::Result;
use uuid::Uuid;

use super::{begin, chatter_hash};

/// Accounts of one statement. Each reads the lines of a day of these accounts.
const ACCOUNT_BATCH_SIZE: usize = 50;
/// Days that are searched: two to come, and those for which lines are kept.
const DAYS: i32 = 16;

/// Number of a person's lines in an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, QueryableByName)]
pub struct ForgottenLines {
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Lines.
    #[diesel(sql_type = BigInt)]
    pub rows: i64,
}

const FORGET: &str = "
    WITH forgotten AS (
        UPDATE stream_lines line SET chatter = wanted.replacement
        FROM unnest($1, $2, $3) AS wanted (account_id, chatter, replacement)
        WHERE line.account_id = wanted.account_id AND line.minute >= $4 AND line.minute < $5
            AND line.platform = $6 AND line.chatter = wanted.chatter
        RETURNING line.account_id
    )
    SELECT account_id, count(*) AS rows FROM forgotten GROUP BY account_id";

/// Replaces the key of a person in the lines of these accounts by a random one for each account. The numbers of
/// lines and of different chatters stay the same. Returns the numbers of lines by account.
///
/// # Errors
/// A failure of the database. Lines of other days and accounts may be done; the next call does the rest.
pub async fn forget_chatter(
    timeseries: &mut AsyncPgConnection,
    platform: &str,
    user_id: &str,
    accounts: &[Uuid],
    now: DateTime<Utc>,
) -> Result<Vec<ForgottenLines>> {
    let mut forgotten: BTreeMap<Uuid, i64> = BTreeMap::new();
    for accounts in accounts.chunks(ACCOUNT_BATCH_SIZE) {
        let known = column(accounts, |account| chatter_hash(*account, platform, user_id));
        // A fresh id is random enough that its hash cannot be found by trying.
        let replacements =
            column(accounts, |account| chatter_hash(*account, "", &shared::id::new().to_string()));
        let newest = begin(now) + TimeDelta::days(2);
        for day in 0..DAYS {
            let to = newest - TimeDelta::days(i64::from(day));
            let rows: Vec<ForgottenLines> = sql_query(FORGET)
                .bind::<Array<SqlUuid>, _>(accounts)
                .bind::<Array<BigInt>, _>(&known)
                .bind::<Array<BigInt>, _>(&replacements)
                .bind::<Timestamptz, _>(to - TimeDelta::days(1))
                .bind::<Timestamptz, _>(to)
                .bind::<Text, _>(platform)
                .load(&mut *timeseries)
                .await?;
            for ForgottenLines { account_id, rows } in rows {
                *forgotten.entry(account_id).or_default() += rows;
            }
        }
    }
    Ok(forgotten.into_iter().map(|(account_id, rows)| ForgottenLines { account_id, rows }).collect())
}
