//! From a source into the inbox.

use std::time::Duration;

use diesel_async::AsyncPgConnection;
use shared::{
    Result,
    ingest::inbox::{self, Inbound},
    jobs::HandleDelivery,
};
use uuid::Uuid;

use super::{Interruption, Reader, pause::Pauses};
use crate::Context;

/// A socket that is not read for longer is closed by its platform.
const READ_TIMEOUT: u32 = 8;
const ENQUEUE_TIMEOUT: Duration = Duration::from_secs(2);

/// Writes deliveries of a source.
pub(super) struct Intake {
    context: Context,
}

impl Intake {
    pub fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Writes deliveries in the caller's transaction; answers the ids of new ones.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn write(
        &self,
        connection: &mut AsyncPgConnection,
        deliveries: &[Inbound],
    ) -> Result<Vec<Uuid>> {
        inbox::accept(connection, deliveries, self.context.clock.now()).await
    }

    /// Adds the jobs of written deliveries. What is left undone is done by the sweep of the inbox.
    pub async fn hand_on(&self, accepted: &[Uuid]) {
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
            Ok(Err(error)) => tracing::warn!(%error, "deliveries wait for the sweep of the inbox"),
            Err(_elapsed) => tracing::warn!("deliveries wait for the sweep of the inbox"),
        }
    }

    /// Writes what a socket told, which cannot be asked for again: a database that is away is tried for a while, and
    /// nothing else is read meanwhile.
    pub async fn keep(
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
                    self.hand_on(&accepted).await;
                    return Ok(());
                }
                Err(error) if tries < READ_TIMEOUT => {
                    tries += 1;
                    tracing::warn!(%error, tries, "what a source told cannot be written");
                    tokio::time::sleep(pauses.next()).await;
                }
                Err(error) => {
                    let lost = deliveries.len();
                    tracing::error!(%error, lost, "what a source told is lost: the database is away");
                    return Err(error.into());
                }
            }
        }
    }
}

impl Reader {
    pub fn count(&self, platform: shared::platforms::Platform, accepted: usize, known: usize) {
        let count = |outcome: &str, number: usize| {
            let counter = self.metrics.received.with_label_values(&[platform.slug(), outcome]);
            counter.inc_by(number as u64);
        };
        count("accepted", accepted);
        count("known", known);
    }
}
