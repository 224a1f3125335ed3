//! Batches on their way to the API.

use std::collections::VecDeque;

use extension_model::feeds::TelemetryBatch;

use crate::api_failure::ApiFailure;

/// Statuses for a mistake in the batch, whose parts may be correct.
const ABOUT_THE_CONTENT: [u16; 3] = [400, 413, 422];

/// Records taken from the buffer, until the API has accepted them. A failed batch goes first the next time,
/// with the same ids, so that nothing is counted twice.
#[derive(Debug, Default)]
pub struct Outgoing {
    batches: VecDeque<TelemetryBatch>,
}

impl From<Outgoing> for Vec<TelemetryBatch> {
    fn from(outgoing: Outgoing) -> Self {
        outgoing.batches.into()
    }
}

impl Outgoing {
    /// Adds a batch behind the others.
    pub fn add(&mut self, batch: TelemetryBatch) {
        self.batches.push_back(batch);
    }

    /// Returns the batch to send next.
    pub fn first(&self) -> Option<&TelemetryBatch> {
        self.batches.front()
    }

    /// Returns the number of records on their way.
    pub fn records(&self) -> usize {
        self.batches.iter().map(records).sum()
    }

    /// Applies the API's response to the first batch; returns the number of dropped records. A batch with a
    /// mistake is cut in two, until the wrong record is alone.
    ///
    /// # Errors
    /// The failure of an API that is away: the batch stays.
    pub fn settle(&mut self, answer: Result<(), ApiFailure>) -> Result<usize, ApiFailure> {
        let (status, problem) = match answer {
            Ok(()) => {
                self.batches.pop_front();
                return Ok(0);
            }
            Err(ApiFailure::Refused { status, problem }) => (status, problem),
            Err(away) => return Err(away),
        };
        let Some(batch) = self.batches.pop_front() else { return Ok(0) };
        let size = records(&batch);
        if size > 1 && ABOUT_THE_CONTENT.contains(&status) {
            let (first, second) = halves(batch);
            self.batches.push_front(second);
            self.batches.push_front(first);
            return Ok(0);
        }
        tracing::error!(status, problem, records = size, "telemetry was refused");
        Ok(size)
    }
}

fn records(batch: &TelemetryBatch) -> usize {
    batch.errors.len() + batch.logs.len() + batch.invocations.len()
}

fn halves(mut first: TelemetryBatch) -> (TelemetryBatch, TelemetryBatch) {
    let mut room = records(&first) / 2;
    let second = TelemetryBatch {
        errors: beyond(&mut first.errors, &mut room),
        logs: beyond(&mut first.logs, &mut room),
        invocations: beyond(&mut first.invocations, &mut room),
    };
    (first, second)
}

/// Removes the records beyond the room from a list.
fn beyond<T>(list: &mut Vec<T>, room: &mut usize) -> Vec<T> {
    let kept = list.len().min(*room);
    *room -= kept;
    list.split_off(kept)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use extension_model::feeds::{ErrorRecord, LogLevel, LogRecord};
    use uuid::Uuid;

    use super::*;

    fn log(message: usize) -> LogRecord {
        LogRecord {
            id: Uuid::nil(),
            install_id: Uuid::nil(),
            level: LogLevel::Info,
            message: message.to_string(),
            trigger_type: None,
            execution_ms: None,
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    fn error(message: &str) -> ErrorRecord {
        ErrorRecord {
            id: Uuid::nil(),
            install_id: Uuid::nil(),
            handler: String::new(),
            error_type: String::new(),
            message: message.to_owned(),
            stack_trace: None,
            occurred_at: DateTime::UNIX_EPOCH,
        }
    }

    fn refused(status: u16) -> Result<(), ApiFailure> {
        Err(ApiFailure::Refused { status, problem: String::new() })
    }

    #[test]
    fn outgoing_loses_only_the_invalid_record() {
        let mut outgoing = Outgoing::default();
        outgoing.add(TelemetryBatch {
            errors: vec![error("good"), error("bad")],
            logs: (0..40).map(log).collect(),
            ..TelemetryBatch::default()
        });
        outgoing.add(TelemetryBatch { logs: (40..42).map(log).collect(), ..TelemetryBatch::default() });
        assert_eq!(outgoing.records(), 44);

        let (mut taken, mut dropped, mut calls) = (Vec::new(), 0, 0);
        while let Some(batch) = outgoing.first() {
            calls += 1;
            let is_bad = batch.errors.iter().any(|error| error.message == "bad");
            if !is_bad {
                taken.extend(batch.errors.iter().map(|error| error.message.clone()));
                taken.extend(batch.logs.iter().map(|log| log.message.clone()));
            }
            dropped += outgoing.settle(if is_bad { refused(400) } else { Ok(()) }).unwrap();
        }
        let mut expected = vec!["good".to_owned()];
        expected.extend((0..42).map(|line| line.to_string()));
        assert_eq!((taken, dropped), (expected, 1));
        assert!(calls < 16, "{calls} calls");
    }

    #[test]
    fn outgoing_keeps_a_batch_while_the_api_is_away() {
        let mut outgoing = Outgoing::default();
        outgoing.add(TelemetryBatch { logs: (0..4).map(log).collect(), ..TelemetryBatch::default() });
        assert!(outgoing.settle(Err(ApiFailure::Away(String::new()))).is_err());
        assert_eq!(outgoing.records(), 4);
        assert_eq!(outgoing.settle(refused(404)).unwrap(), 4);
        assert_eq!(outgoing.records(), 0);
    }
}
