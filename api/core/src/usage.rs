//! When keys and tokens were last used: noted in memory, written together, so that a request costs no write.

use chrono::{DateTime, Utc};
use dashmap::DashMap;
use diesel::{
    sql_query,
    sql_types::{Array, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use shared::{clock::Clock, db::Database, token::TokenKind};
use uuid::Uuid;

/// Uses since the last flush.
pub struct Usage {
    clock: Clock,
    touched: DashMap<(TokenKind, Uuid), DateTime<Utc>>,
}

/// Credentials that are noted at most between two flushes; beyond, a use is not noted.
const BOUND: usize = 100_000;

impl Usage {
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, touched: DashMap::new() }
    }

    /// Notes a use.
    pub fn touch(&self, kind: TokenKind, id: Uuid) {
        if table(kind).is_some() && self.touched.len() < BOUND {
            self.touched.insert((kind, id), self.clock.now());
        }
    }

    /// Writes what was noted: one statement a table.
    ///
    /// # Errors
    /// When the database fails; the uses of that table are then lost, which is what "lazily" allows.
    pub async fn flush(&self, database: &Database) -> shared::Result<()> {
        for kind in TokenKind::ALL {
            let Some(table) = table(kind) else { continue };
            let (mut ids, mut times) = (Vec::new(), Vec::new());
            self.touched.retain(|(of, id), at| {
                let is_other = *of != kind;
                if !is_other {
                    ids.push(*id);
                    times.push(*at);
                }
                is_other
            });
            if ids.is_empty() {
                continue;
            }
            sql_query(format!(
                "UPDATE {table} SET last_used_at = used.at FROM unnest($1, $2) AS used (id, at) WHERE {table}.id = used.id"
            ))
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<Array<Timestamptz>, _>(times)
            .execute(&mut *database.get().await?)
            .await?;
        }
        Ok(())
    }
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
