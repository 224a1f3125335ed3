//! Last uses of keys and tokens (reference/credentials.md#last-use). They are kept in memory and written
//! together, so that a request costs no write.

use crate::token::TokenKind;
use chrono::{DateTime, Utc};
use dashmap::DashMap;
use diesel::{
    sql_query,
    sql_types::{Array, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::db::Database;
use shared::clock::Clock;
use uuid::Uuid;

/// Uses since the last flush.
pub struct Usage {
    clock: Clock,
    touched: DashMap<(TokenKind, Uuid), DateTime<Utc>>,
}

type Use = (Uuid, DateTime<Utc>);

/// Credentials that are recorded between two flushes. Further uses are dropped.
const MAX_PENDING_USES: usize = 100_000;
/// Rows of one statement.
const BATCH_SIZE: usize = 5000;

impl Usage {
    /// No uses are recorded yet.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, touched: DashMap::new() }
    }

    /// Records a use.
    pub fn touch(&self, kind: TokenKind, id: Uuid) {
        if table(kind).is_some() && self.touched.len() < MAX_PENDING_USES {
            self.touched.insert((kind, id), self.clock.now());
        }
    }

    /// Writes the recorded uses: one statement for each table and batch.
    ///
    /// # Errors
    /// A database error. Uses that were not written are kept for the next flush.
    pub async fn flush(&self, database: &Database) -> shared::Result<()> {
        for kind in TokenKind::ALL {
            let Some(table) = table(kind) else { continue };
            let uses = self.take(kind);
            for (done, batch) in uses.chunks(BATCH_SIZE).enumerate() {
                if let Err(error) = write(database, table, batch).await {
                    self.put_back(kind, &uses[done * BATCH_SIZE..]);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn take(&self, kind: TokenKind) -> Vec<Use> {
        let mut uses = Vec::new();
        self.touched.retain(|(of, id), at| {
            let is_other = *of != kind;
            if !is_other {
                uses.push((*id, *at));
            }
            is_other
        });
        uses
    }

    /// Keeps uses that were not written, unless a later one was recorded meanwhile.
    fn put_back(&self, kind: TokenKind, uses: &[Use]) {
        for (id, at) in uses {
            self.touched.entry((kind, *id)).or_insert(*at);
        }
    }
}

/// Writes a batch. Rows are locked in one order, so that two processes never wait for each other. A later use
/// that another process has written is kept.
async fn write(database: &Database, table: &str, uses: &[Use]) -> shared::Result<()> {
    let (ids, times): (Vec<Uuid>, Vec<DateTime<Utc>>) = uses.iter().copied().unzip();
    sql_query(format!(
        "WITH used AS (SELECT * FROM unnest($1, $2) AS used (id, at)), locked AS (
            SELECT {table}.id, used.at FROM {table} JOIN used ON used.id = {table}.id
            ORDER BY {table}.id FOR NO KEY UPDATE OF {table}
        )
        UPDATE {table} SET last_used_at = greatest(last_used_at, locked.at)
        FROM locked WHERE {table}.id = locked.id"
    ))
    .bind::<Array<SqlUuid>, _>(ids)
    .bind::<Array<Timestamptz>, _>(times)
    .execute(&mut *database.get().await?)
    .await?;
    Ok(())
}

const fn table(kind: TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::User => Some("user_api_keys"),
        TokenKind::Service => Some("account_service_keys"),
        TokenKind::System => Some("system_keys"),
        TokenKind::Popout => Some("popout_tokens"),
        TokenKind::Overlay | TokenKind::Share | TokenKind::Extension | TokenKind::Widget => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use shared::secret::Secret;

    use super::*;

    #[tokio::test]
    async fn usage_is_kept_until_it_is_written() {
        let usage = Usage::new(Clock::default());
        let (key, overlay) = (Uuid::now_v7(), Uuid::now_v7());
        usage.touch(TokenKind::Service, key);
        usage.touch(TokenKind::Overlay, overlay);
        let away = Secret::new("postgres://nobody@127.0.0.1:1/nothing");
        let away = Database::new(&away, 1, Duration::from_millis(50));
        for _ in 0..2 {
            assert!(usage.flush(&away).await.is_err());
            let kept: Vec<_> = usage.touched.iter().map(|entry| *entry.key()).collect();
            assert_eq!(kept, [(TokenKind::Service, key)], "what has no table is not noted");
        }
    }
}
