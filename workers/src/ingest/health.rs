//! When the last event of each type came, by account and platform: gathered here and noted every few seconds, so that a
//! busy chat does not write one row over and over.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use shared::{
    connections::health::{Told, note_events},
    platforms::Platform,
};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Context;

const RECORD_INTERVAL: Duration = Duration::from_secs(3);
/// Rows that wait while the database is away; others are noted when the next event of their type comes.
const MAX_ROWS: usize = 50_000;
/// Rows of one statement.
const BATCH: usize = 1000;

type Key = (Uuid, Platform, String);

/// The last events since they were noted. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct LastEvents(Arc<Mutex<HashMap<Key, DateTime<Utc>>>>);

impl LastEvents {
    pub fn note(&self, account_id: Uuid, platform: Platform, event_type: &str, at: DateTime<Utc>) {
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (account_id, platform, event_type.to_owned());
        if events.len() >= MAX_ROWS && !events.contains_key(&key) {
            return;
        }
        let last = events.entry(key).or_insert(at);
        *last = at.max(*last);
    }

    /// Notes them now and then until `shutdown` is cancelled.
    pub async fn run(self, context: Context, shutdown: CancellationToken) {
        let mut ticks = tokio::time::interval(RECORD_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
            self.flush(&context).await;
        }
    }

    /// Notes them. What cannot be noted waits for the next time.
    pub async fn flush(&self, context: &Context) {
        let events = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let told: Vec<Told> = events
            .into_iter()
            .map(|((account_id, platform, event_type), at)| Told {
                account_id,
                platform: platform.slug(),
                event_type,
                at,
            })
            .collect();
        for batch in told.chunks(BATCH) {
            if let Err(error) = write(context, batch).await {
                tracing::warn!(%error, "the health of connections cannot be noted");
                for one in batch {
                    if let Ok(platform) = one.platform.parse() {
                        self.note(one.account_id, platform, &one.event_type, one.at);
                    }
                }
            }
        }
    }
}

async fn write(context: &Context, told: &[Told]) -> shared::Result<()> {
    note_events(&mut *context.databases.postgres.get().await?, told).await
}
