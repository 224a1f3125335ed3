//! Time of the last event of each type, by account and platform. Times are collected here and written every
//! few seconds, so that a busy chat does not update one row for each line (reference/connections.md#health).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use connection_model::health::{LastEvent, record_events};
use shared::platform::Platform;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::PlatformContext;

/// Interval at which the times are written.
const RECORD_INTERVAL: Duration = Duration::from_secs(3);
/// Maximum number of rows that wait while the database is away; others are written with the next event of
/// their type.
const MAX_ROWS: usize = 50_000;
/// Maximum number of rows of one statement.
const BATCH_SIZE: usize = 1000;

type Key = (Uuid, Platform, String);

/// Last events since the last write. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct LastEvents(Arc<Mutex<HashMap<Key, DateTime<Utc>>>>);

impl LastEvents {
    /// Records the time of an event.
    pub fn record(&self, account_id: Uuid, platform: Platform, event_type: &str, at: DateTime<Utc>) {
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (account_id, platform, event_type.to_owned());
        if events.len() >= MAX_ROWS && !events.contains_key(&key) {
            return;
        }
        let last = events.entry(key).or_insert(at);
        *last = at.max(*last);
    }

    /// Writes the times periodically until `shutdown` is cancelled.
    pub async fn run(self, context: PlatformContext, shutdown: CancellationToken) {
        let mut ticks = tokio::time::interval(RECORD_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
            self.flush(&context).await;
        }
    }

    /// Writes the times. Those that cannot be written wait for the next write.
    pub async fn flush(&self, context: &PlatformContext) {
        let events = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let last_events: Vec<LastEvent> = events
            .into_iter()
            .map(|((account_id, platform, event_type), at)| LastEvent {
                account_id,
                platform: platform.slug(),
                event_type,
                at,
            })
            .collect();
        for batch in last_events.chunks(BATCH_SIZE) {
            if let Err(error) = write(context, batch).await {
                tracing::warn!(%error, "the health of connections cannot be recorded");
                for one in batch {
                    if let Ok(platform) = one.platform.parse() {
                        self.record(one.account_id, platform, &one.event_type, one.at);
                    }
                }
            }
        }
    }
}

async fn write(context: &PlatformContext, last_events: &[LastEvent]) -> shared::Result<()> {
    record_events(&mut *context.databases.postgres.get().await?, last_events).await
}
