//! Starts of automations (reference/automations.md#triggers): a line or an event that the automations of an
//! account may wait for becomes a job.

use std::sync::Arc;

use automation_model::{index::StartIndex, starts};
use foundation::{events::Event, jobs::StartAutomations};
use live_model::AccountEvent;
use shared::Result;
use uuid::Uuid;

use crate::PlatformContext;

/// Enqueues starts. Cheap to clone.
#[derive(Clone)]
pub(super) struct Starts {
    context: PlatformContext,
    index: Arc<StartIndex>,
}

impl Starts {
    /// Returns starts that ask this index.
    pub fn new(context: &PlatformContext, index: Arc<StartIndex>) -> Self {
        Self { context: context.clone(), index }
    }

    /// Starts automations by a line; returns true when one may wait for it.
    pub async fn by_line(
        &self,
        account_id: Uuid,
        text: &str,
        channel_id: &str,
        announcement: impl FnOnce() -> Result<Event>,
    ) -> Result<bool> {
        let awaited = self.index.of(&self.context.databases.postgres, account_id).await?;
        if !awaited.contains_line(text) {
            return Ok(false);
        }
        let (job, key) = starts::job(account_id, announcement()?, Some(channel_id.to_owned()));
        self.enqueue(&job, &key).await
    }

    /// Starts automations by an event; returns true when one may wait for it. `is_update` is true for the
    /// changed status of a redemption.
    pub async fn by_event(
        &self,
        event: &AccountEvent,
        channel_id: Option<&str>,
        is_update: bool,
    ) -> Result<bool> {
        let awaited = self.index.of(&self.context.databases.postgres, event.account_id).await?;
        if !awaited.contains_event(&event.event_type) {
            return Ok(false);
        }
        let channel_id = channel_id.map(str::to_owned);
        let (job, key) = starts::job(event.account_id, event.announcement()?, channel_id);
        self.enqueue(&StartAutomations { is_update, ..job }, &key).await
    }

    async fn enqueue(&self, job: &StartAutomations, key: &str) -> Result<bool> {
        self.context.jobs.enqueue(job, key).await?;
        Ok(true)
    }
}
