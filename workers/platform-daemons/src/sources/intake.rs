//! Writing of a source's deliveries into the inbox.

use std::time::Duration;

use diesel_async::AsyncPgConnection;
use foundation::jobs::HandleDelivery;
use live_model::inbox::{self, Inbound};
use shared::Result;
use uuid::Uuid;

use super::{Interruption, Reader, pause::Pauses};
use crate::PlatformContext;

/// Maximum number of attempts to write a delivery: the platform closes a socket that is not read for longer.
const MAX_ATTEMPTS: u32 = 8;
/// Maximum time to add the jobs of written deliveries; then the sweep adds them.
const ENQUEUE_TIMEOUT: Duration = Duration::from_secs(2);

/// Writer of a source's deliveries.
pub(super) struct Intake {
    context: PlatformContext,
}

impl Intake {
    /// Returns a writer without deliveries.
    pub fn new(context: &PlatformContext) -> Self {
        Self { context: context.clone() }
    }

    /// Writes deliveries in the caller's transaction; returns the ids of new ones.
    ///
    /// # Errors
    /// Failures of the database.
    pub async fn write(
        &self,
        connection: &mut AsyncPgConnection,
        deliveries: &[Inbound],
    ) -> Result<Vec<Uuid>> {
        inbox::accept(connection, deliveries, self.context.clock.now()).await
    }

    /// Adds the jobs of written deliveries. The sweep of the inbox adds those that fail.
    pub async fn enqueue(&self, accepted: &[Uuid]) {
        if accepted.is_empty() {
            return;
        }
        let jobs: Vec<HandleDelivery> =
            accepted.iter().map(|id| HandleDelivery { delivery_id: *id }).collect();
        let add = async {
            let keyed =
                jobs.iter().map(|job| (job, queue::EnqueueOptions::new().key(job.delivery_id.to_string())));
            self.context.producer::<HandleDelivery>()?.enqueue_bulk(keyed).await?;
            Ok::<(), shared::Error>(())
        };
        match tokio::time::timeout(ENQUEUE_TIMEOUT, add).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "deliveries have no job until the sweep of the inbox"),
            Err(_elapsed) => tracing::warn!("deliveries have no job until the sweep of the inbox"),
        }
    }

    /// Writes a delivery of a socket, which cannot be requested again: while the database is away the write
    /// is retried for a while, and nothing else is read meanwhile.
    pub async fn write_with_retries(
        &self,
        reader: &Reader,
        deliveries: &[Inbound],
    ) -> std::result::Result<(), Interruption> {
        let Some(first) = deliveries.first() else { return Ok(()) };
        let mut pauses = Pauses::default();
        let mut tries = 0;
        loop {
            let written = async {
                let mut connection = self.context.databases.postgres.get().await?;
                self.write(&mut connection, deliveries).await
            };
            match written.await {
                Ok(accepted) => {
                    reader.count(first.platform, accepted.len(), deliveries.len() - accepted.len());
                    self.enqueue(&accepted).await;
                    return Ok(());
                }
                Err(error) if tries < MAX_ATTEMPTS => {
                    tries += 1;
                    tracing::warn!(%error, tries, "deliveries of a source cannot be written");
                    tokio::time::sleep(pauses.next_pause()).await;
                }
                Err(error) => {
                    let lost = deliveries.len();
                    tracing::error!(%error, lost, "deliveries of a source are lost: the database is unavailable");
                    return Err(error.into());
                }
            }
        }
    }
}

impl Reader {
    /// Counts new and known deliveries.
    pub fn count(&self, platform: shared::platform::Platform, accepted: usize, known: usize) {
        let count = |outcome: &str, number: usize| {
            let counter = self.metrics.received.with_label_values(&[platform.slug(), outcome]);
            counter.inc_by(number as u64);
        };
        count("accepted", accepted);
        count("known", known);
    }
}
