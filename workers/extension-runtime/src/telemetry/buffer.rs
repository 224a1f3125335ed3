//! Telemetry that waits to be sent, within bounds of count and size.

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, Utc};
use extension_model::feeds::{ErrorRecord, InvocationRecord, LogRecord, MAX_TELEMETRY_BYTES, TelemetryBatch};
use uuid::Uuid;

/// Maximum number of records of one batch.
pub const BATCH_RECORDS: usize = 500;
/// Maximum size of the records of a batch, in bytes; the rest is for its frame.
const BATCH_BYTES: usize = MAX_TELEMETRY_BYTES - 4 * 1024;
/// Maximum number of records that wait while the API is away. The oldest are dropped first.
const MAX_RECORDS: usize = 20_000;
/// Maximum size of the records that wait while the API is away, in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Upper bound of a record's JSON without its texts, in bytes. Texts count double for escapes.
const RECORD_BYTES: usize = 512;
/// Upper bound of the JSON of summed invocations without the handler's name, in bytes.
const INVOCATION_BYTES: usize = 1024;

/// Errors and logs in their order, and summed invocations.
#[derive(Debug, Default)]
pub struct Buffer {
    records: VecDeque<Record>,
    bytes: usize,
    invocations: HashMap<(Uuid, String, DateTime<Utc>), InvocationRecord>,
}

#[derive(Debug)]
enum Record {
    Error(ErrorRecord),
    Log(LogRecord),
}

impl Buffer {
    /// Returns the number of waiting records.
    pub fn len(&self) -> usize {
        self.records.len() + self.invocations.len()
    }

    /// Adds an error; returns the number of dropped records.
    pub fn add_error(&mut self, error: ErrorRecord) -> usize {
        self.add(Record::Error(error))
    }

    /// Adds a line; returns the number of dropped records.
    pub fn add_log(&mut self, log: LogRecord) -> usize {
        self.add(Record::Log(log))
    }

    /// Counts an invocation; false when it would need another row and the maximum is waiting.
    pub fn count(
        &mut self,
        install_id: Uuid,
        handler: &str,
        minute: DateTime<Utc>,
        failed: bool,
        took_ms: f64,
    ) -> bool {
        let key = (install_id, handler.to_owned(), minute);
        if self.invocations.len() >= MAX_RECORDS && !self.invocations.contains_key(&key) {
            return false;
        }
        let row = self.invocations.entry(key).or_insert_with(|| InvocationRecord {
            id: shared::id::new(),
            install_id,
            handler: handler.to_owned(),
            bucket_minute: minute,
            count: 0,
            errors: 0,
            duration_ms_sum: 0.0,
            duration_hist: extension_model::feeds::DurationHistogram::default(),
        });
        row.count = row.count.saturating_add(1);
        row.errors = row.errors.saturating_add(u32::from(failed));
        row.duration_ms_sum += took_ms;
        row.duration_hist.record(took_ms);
        true
    }

    /// Takes the oldest records, as many as fit a batch; `None` when nothing waits.
    pub fn take_batch(&mut self) -> Option<TelemetryBatch> {
        let mut batch = TelemetryBatch::default();
        let mut room = Room { records: BATCH_RECORDS, bytes: BATCH_BYTES };
        // Counts first: metrics and charts depend on them.
        let keys: Vec<_> = self.invocations.keys().take(BATCH_RECORDS).cloned().collect();
        for key in keys {
            if !room.take(INVOCATION_BYTES + 2 * key.1.len()) {
                break;
            }
            batch.invocations.extend(self.invocations.remove(&key));
        }
        while let Some(record) = self.records.pop_front() {
            if !room.take(record.bytes()) {
                self.records.push_front(record);
                break;
            }
            self.bytes -= record.bytes();
            match record {
                Record::Error(error) => batch.errors.push(error),
                Record::Log(log) => batch.logs.push(log),
            }
        }
        (batch != TelemetryBatch::default()).then_some(batch)
    }

    /// Adds a record. One that fits no batch is dropped itself: it would block the others for ever.
    fn add(&mut self, record: Record) -> usize {
        if record.bytes() > BATCH_BYTES {
            return 1;
        }
        self.bytes += record.bytes();
        self.records.push_back(record);
        let mut dropped = 0;
        while self.records.len() > MAX_RECORDS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.records.pop_front() else { break };
            self.bytes -= oldest.bytes();
            dropped += 1;
        }
        dropped
    }
}

/// Remaining room of a batch.
struct Room {
    records: usize,
    bytes: usize,
}

impl Room {
    fn take(&mut self, bytes: usize) -> bool {
        let fits = self.records > 0 && bytes <= self.bytes;
        if fits {
            self.records -= 1;
            self.bytes -= bytes;
        }
        fits
    }
}

impl Record {
    fn bytes(&self) -> usize {
        RECORD_BYTES
            + match self {
                Self::Error(error) => {
                    let texts = [&error.handler, &error.error_type, &error.message];
                    texts.iter().map(|text| escaped(text)).sum::<usize>()
                        + error.stack_trace.as_deref().map_or(0, escaped)
                }
                Self::Log(log) => escaped(&log.message),
            }
    }
}

/// Returns the bytes of a text in JSON: control characters take six, quotes and backslashes two.
fn escaped(text: &str) -> usize {
    text.bytes()
        .map(|byte| match byte {
            0..=0x1f | 0x7f => 6,
            b'"' | b'\\' => 2,
            _ => 1,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use extension_model::feeds::LogLevel;

    use super::*;

    const INSTALL: Uuid = Uuid::from_u128(1);

    fn log(message: &str) -> LogRecord {
        LogRecord {
            id: Uuid::nil(),
            install_id: INSTALL,
            level: LogLevel::Info,
            message: message.to_owned(),
            trigger_type: Some("command".to_owned()),
            execution_ms: Some(1),
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn buffer_batches_are_bounded_and_ordered() {
        // Control characters are the longest in JSON.
        for rest in ["", &"\u{1}".repeat(4000)] {
            let mut buffer = Buffer::default();
            for line in 0..600 {
                assert_eq!(buffer.add_log(log(&format!("{line}{rest}"))), 0);
            }
            let mut lines = 0;
            while let Some(batch) = buffer.take_batch() {
                assert!(batch.logs.len() <= BATCH_RECORDS);
                assert!(serde_json::to_vec(&batch).unwrap().len() <= MAX_TELEMETRY_BYTES);
                for log in batch.logs {
                    assert_eq!(log.message, format!("{lines}{rest}"));
                    lines += 1;
                }
            }
            assert_eq!((lines, buffer.len(), buffer.bytes), (600, 0, 0));
        }
    }

    #[test]
    fn buffer_counts_the_invocations_of_a_minute_in_one_row() {
        let mut buffer = Buffer::default();
        for failed in [false, true, false] {
            assert!(buffer.count(INSTALL, "hello", DateTime::UNIX_EPOCH, failed, 2.0));
        }
        let batch = buffer.take_batch().unwrap();
        let [row] = batch.invocations.as_slice() else { panic!("one row: {batch:?}") };
        assert_eq!((row.count, row.errors, row.duration_hist.total()), (3, 1, 3));
        assert!(buffer.take_batch().is_none());
    }

    #[test]
    fn buffer_drops_a_record_that_fits_no_batch() {
        let mut buffer = Buffer::default();
        assert_eq!(buffer.add_log(log(&"x".repeat(BATCH_BYTES))), 1);
        assert_eq!(buffer.add_log(log("after")), 0);
        assert_eq!(buffer.take_batch().unwrap().logs[0].message, "after");
    }

    #[test]
    fn buffer_drops_the_oldest_records_above_its_bound() {
        let mut buffer = Buffer::default();
        let dropped: usize = (0..MAX_RECORDS + 5).map(|line| buffer.add_log(log(&line.to_string()))).sum();
        assert_eq!((dropped, buffer.len()), (5, MAX_RECORDS));
        assert_eq!(buffer.take_batch().unwrap().logs[0].message, "5");
    }
}
