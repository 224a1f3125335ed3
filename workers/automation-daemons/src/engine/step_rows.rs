//! Rows of the steps of a run, from their begin to their publication.

use automation_model::{
    live::FinishedStep,
    machine::{Outcome, Step, StepStatus, Work},
};
use chrono::{DateTime, Utc};

use super::{
    claim::StoredStep,
    excerpt::{excerpt, storable},
    store::StepRow,
};

/// Row of a step whose effect or delay begins.
pub(super) fn running(step: &Step, began: DateTime<Utc>) -> StepRow {
    StepRow {
        position: step.position,
        node_id: step.node_id,
        status: StepStatus::Running,
        input: excerpt(&storable(step.input.clone())),
        output: None,
        result: None,
        branch: None,
        error: None,
        started_at: began,
        duration_ms: None,
    }
}

/// Row of a step with its outcome.
pub(super) fn concluded(step: &Step, began: DateTime<Utc>, outcome: &Outcome, now: DateTime<Utc>) -> StepRow {
    let is_succeeded = outcome.status == StepStatus::Succeeded;
    // What is computed again when the run is resumed is not stored.
    let is_result = is_succeeded && !matches!(step.work, Work::Decided(_));
    StepRow {
        status: outcome.status,
        output: is_succeeded.then(|| excerpt(&storable(outcome.output.clone()))),
        result: is_result.then(|| outcome.output.clone()),
        branch: outcome.branch.clone(),
        error: outcome.error.clone().map(|error| error.replace('\0', "")),
        duration_ms: Some((now - began).num_milliseconds().max(0)),
        ..running(step, began)
    }
}

/// Last row of each step: a statement must not write one twice.
pub(super) fn latest(rows: Vec<StepRow>) -> Vec<StepRow> {
    let mut latest: Vec<StepRow> = Vec::with_capacity(rows.len());
    for row in rows {
        match latest.iter_mut().find(|other| other.position == row.position) {
            Some(other) => *other = row,
            None => latest.push(row),
        }
    }
    latest
}

/// Step of a row as it is published.
pub(super) fn finished(step: StepRow) -> FinishedStep {
    FinishedStep {
        position: step.position,
        node_id: step.node_id,
        status: step.status.as_str(),
        branch: step.branch,
        error: step.error,
        started_at: step.started_at,
        duration_ms: step.duration_ms,
    }
}

/// Step of an earlier execution as it is published.
pub(super) fn stored(known: &StoredStep, position: u32, status: StepStatus) -> FinishedStep {
    FinishedStep {
        position,
        node_id: known.node_id,
        status: status.as_str(),
        branch: known.branch.clone(),
        error: known.error.clone(),
        started_at: known.started_at,
        duration_ms: known.duration_ms,
    }
}
