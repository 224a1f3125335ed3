//! Writing of tips into the inbox.

use std::time::Duration;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use foundation::jobs::HandleDelivery;
use live_model::tips::{Tip, accept_tip};
use platform_daemons::sources::{Interruption, Pauses};
use serde_json::Value;
use uuid::Uuid;

use super::receiver::Receiver;

/// Maximum number of attempts to write a tip: the gateway closes a socket that is not read for longer.
const MAX_ATTEMPTS: u32 = 8;
/// Maximum time to add the job of a written tip; then the sweep of the inbox adds it.
const ENQUEUE_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum difference between the gateway's time of a message and ours; beyond it ours is used.
const MAX_CLOCK_SKEW: TimeDelta = TimeDelta::hours(24);

impl Receiver {
    /// Writes the tip of a message, if it is paid and released. While the database is away the write is retried
    /// for a while, because a message cannot be requested again, and nothing else is read meanwhile.
    ///
    /// # Errors
    /// `Broken` when the tip cannot be written; then it is lost.
    pub async fn store(&self, payload: &Value, sent_at: Option<&str>) -> Result<(), Interruption> {
        let count = |outcome: &str| self.metrics.received.with_label_values(&[outcome]).inc();
        let Some(tip) = Tip::read(self.account, payload) else {
            count("ignored");
            return Ok(());
        };
        match self.write(&tip, sent_at).await? {
            Some(delivery_id) => {
                count("accepted");
                self.enqueue(delivery_id).await;
            }
            None => count("known"),
        }
        Ok(())
    }

    async fn write(&self, tip: &Tip, sent_at: Option<&str>) -> Result<Option<Uuid>, Interruption> {
        let now = self.context.clock.now();
        let sent_at = time_of(sent_at, now);
        let (mut pauses, mut tries) = (Pauses::default(), 0);
        loop {
            let written = async {
                let mut connection = self.context.databases.postgres.get().await?;
                accept_tip(&mut connection, tip, sent_at, now).await
            };
            match written.await {
                Ok(delivery_id) => return Ok(delivery_id),
                Err(error) if tries < MAX_ATTEMPTS => {
                    tries += 1;
                    tracing::warn!(%error, tries, "a tip cannot be written");
                    tokio::time::sleep(pauses.next_pause()).await;
                }
                Err(error) => {
                    tracing::error!(%error, "a tip is lost: the database is unavailable");
                    return Err(Interruption::Broken(error.to_string()));
                }
            }
        }
    }

    /// Adds the job of a written tip. The sweep of the inbox adds one that fails.
    async fn enqueue(&self, delivery_id: Uuid) {
        let (job, key) = (HandleDelivery { delivery_id }, delivery_id.to_string());
        let add = self.context.jobs.enqueue(&job, &key);
        match tokio::time::timeout(ENQUEUE_TIMEOUT, add).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "a tip has no job until the sweep of the inbox"),
            Err(_elapsed) => tracing::warn!("a tip has no job until the sweep of the inbox"),
        }
    }
}

/// Time of a message: the gateway's unless it is far from ours.
fn time_of(sent_at: Option<&str>, now: DateTime<Utc>) -> DateTime<Utc> {
    let given = sent_at.and_then(|text| DateTime::parse_from_rfc3339(text).ok()).map(|at| at.to_utc());
    given.filter(|at| (*at - now).abs() <= MAX_CLOCK_SKEW).unwrap_or(now).trunc_subsecs(3)
}
