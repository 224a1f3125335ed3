//! Events of a run in execution. Each step is published, so a run waits while its account has published too many.

use std::time::Duration;

use automation_model::{live::RunOf, machine::StepStatus};
use chrono::{DateTime, TimeDelta, Utc};

use super::Execution;
use crate::engine::{claim::StoredStep, excerpt::excerpt, step_rows, store::StepRow};

/// Maximum time for which a run waits for its events without checking if it was cancelled.
const MAX_PACE_SLEEP: Duration = Duration::from_millis(100);

impl Execution<'_> {
    /// Publishes the begin of a new run, and of one whose copy was killed meanwhile.
    pub(super) async fn publish_begin(&mut self) {
        if self.run.is_new || self.run.may_be_unpublished(self.run.started_at) {
            self.pace(1).await;
            let event = self.of().started(&excerpt(&self.run.trigger), self.run.is_test, self.run.started_at);
            self.engine.frames.send(event);
        }
    }

    /// Publishes those of the written steps that ended.
    pub(super) fn publish_steps(&self, steps: Vec<StepRow>, now: DateTime<Utc>) {
        for step in steps.into_iter().filter(|step| step.status != StepStatus::Running) {
            self.engine.frames.send(self.of().node_finished(&step_rows::finished(step), now));
        }
    }

    /// Publishes a stored step that a killed copy may not have published. The event has the same id.
    pub(super) async fn publish_again(&mut self, known: &StoredStep, position: u32, status: StepStatus) {
        let ended = known.started_at + TimeDelta::milliseconds(known.duration_ms.unwrap_or_default());
        if self.run.may_be_unpublished(ended) {
            self.pace(1).await;
            let step = step_rows::stored(known, position, status);
            self.engine.frames.send(self.of().node_finished(&step, ended));
        }
    }

    /// Publishes the end of the run.
    pub(super) fn publish_end(&self, status: &str, error: Option<&str>) {
        let event = self.of().finished(status, error, self.engine.context.clock.now());
        self.engine.frames.send_end(self.run.id, event);
    }

    /// Waits until the account may publish this many events. The wait does not count as time of the run.
    pub(super) async fn pace(&mut self, events: usize) {
        if events == 0 {
            return;
        }
        let mut left = self.engine.frames.delay(self.run.account_id, events);
        if left.is_zero() {
            return;
        }
        let began = self.engine.context.clock.now();
        self.share.release();
        while !left.is_zero() && !self.held.is_cancelled() && !self.engine.stop.is_cancelled() {
            let part = left.min(MAX_PACE_SLEEP);
            tokio::time::sleep(part).await;
            left = left.saturating_sub(part);
        }
        self.since += self.engine.context.clock.now() - began;
    }

    const fn of(&self) -> RunOf {
        RunOf { account_id: self.run.account_id, automation_id: self.run.automation_id, run_id: self.run.id }
    }
}
