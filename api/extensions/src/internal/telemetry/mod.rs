//! Telemetry of handlers, reported by the workers (reference/telemetry.md#batches).

mod breaker;
mod db;

use std::collections::HashSet;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, System},
};
use chrono::{DateTime, Duration, Utc};
use extension_model::feeds::{
    MAX_RECORD_MESSAGE_LENGTH, MAX_RECORD_NAME_LENGTH, MAX_RECORD_STACK_LENGTH, TelemetryAccepted,
    TelemetryBatch,
};

pub(super) use db::insert as store;

/// Maximum distance of a record's time from now, because its partition must exist.
const MAX_AGE: Duration = Duration::days(1);
const MAX_CLOCK_SKEW: Duration = Duration::minutes(10);

pub static INTERNAL_TELEMETRY: Operation<System> = Operation::internal("internalTelemetry", Grants::Nothing)
    .not_idempotent("adds to counts of a service, where a repetition does no harm");

/// Stores a batch of telemetry: runtime errors, lines of logs, and sums of invocations.
///
/// A batch may be sent again: records that are stored already are not counted twice. Records of installs that
/// no longer exist are ignored and counted as `ignored`. Developers are notified once of each pause of
/// triggers.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 that names the first record out of bounds.
#[api_core::operation]
pub async fn internal_telemetry(cx: &Cx, batch: Input<TelemetryBatch>) -> Result<TelemetryAccepted> {
    let system = cx.authorize(&INTERNAL_TELEMETRY).await?;
    let mut batch = batch?;
    check(&batch, cx.state().clock.now())?;
    clean(&mut batch);
    let named = installs(&batch);
    let installs = db::installs(&mut *system.db().await?, named).await?;
    let before = size(&batch);
    batch.errors.retain(|record| installs.contains_key(&record.install_id));
    batch.logs.retain(|record| installs.contains_key(&record.install_id));
    batch.invocations.retain(|record| installs.contains_key(&record.install_id));
    let accepted = size(&batch);
    let mut timeseries = system.timeseries().await?;
    let opened = breaker::newly_opened(&mut timeseries, &batch).await?;
    db::insert(&mut timeseries, batch, &installs).await?;
    drop(timeseries);
    breaker::report_opened(cx, &system, &opened, &installs).await;
    Ok(TelemetryAccepted { accepted, ignored: before - accepted })
}

fn size(batch: &TelemetryBatch) -> usize {
    batch.errors.len() + batch.logs.len() + batch.invocations.len()
}

fn installs(batch: &TelemetryBatch) -> HashSet<uuid::Uuid> {
    let errors = batch.errors.iter().map(|record| record.install_id);
    let logs = batch.logs.iter().map(|record| record.install_id);
    errors.chain(logs).chain(batch.invocations.iter().map(|record| record.install_id)).collect()
}

fn check(batch: &TelemetryBatch, now: DateTime<Utc>) -> Result<()> {
    for (index, record) in batch.errors.iter().enumerate() {
        let at = |field: &str| format!("errors[{index}].{field}");
        length(at("handler"), &record.handler, MAX_RECORD_NAME_LENGTH)?;
        length(at("error_type"), &record.error_type, MAX_RECORD_NAME_LENGTH)?;
        length(at("message"), &record.message, MAX_RECORD_MESSAGE_LENGTH)?;
        let stack_trace = record.stack_trace.as_deref().unwrap_or_default();
        length(at("stack_trace"), stack_trace, MAX_RECORD_STACK_LENGTH)?;
        recent(at("occurred_at"), record.occurred_at, now)?;
    }
    for (index, record) in batch.logs.iter().enumerate() {
        let at = |field: &str| format!("logs[{index}].{field}");
        length(at("message"), &record.message, MAX_RECORD_MESSAGE_LENGTH)?;
        let trigger_type = record.trigger_type.as_deref().unwrap_or_default();
        length(at("trigger_type"), trigger_type, MAX_RECORD_NAME_LENGTH)?;
        recent(at("created_at"), record.created_at, now)?;
    }
    for (index, record) in batch.invocations.iter().enumerate() {
        let at = |field: &str| format!("invocations[{index}].{field}");
        length(at("handler"), &record.handler, MAX_RECORD_NAME_LENGTH)?;
        recent(at("bucket_minute"), record.bucket_minute, now)?;
        holds(record.errors <= record.count, || format!("{} must not be more than count", at("errors")))?;
        let is_sum = record.duration_ms_sum.is_finite() && record.duration_ms_sum >= 0.0;
        holds(is_sum, || format!("{} must be 0 or more", at("duration_ms_sum")))?;
        let is_whole =
            record.duration_hist.is_sound() && record.duration_hist.total() == u64::from(record.count);
        holds(is_whole, || format!("{} must be at most 64 classes that sum to count", at("duration_hist")))?;
    }
    Ok(())
}

fn length(field: String, text: &str, max: usize) -> Result<()> {
    holds(text.len() <= max, || format!("{field} must have at most {max} bytes"))
}

fn recent(field: String, at: DateTime<Utc>, now: DateTime<Utc>) -> Result<()> {
    holds((now - MAX_AGE..=now + MAX_CLOCK_SKEW).contains(&at), || {
        format!("{field} must lie within the last day")
    })
}

fn holds(rule: bool, message: impl FnOnce() -> String) -> Result<()> {
    if rule { Ok(()) } else { Err(ApiError::invalid(message())) }
}

/// Replaces NUL, which PostgreSQL does not store in texts and handler code may write.
fn clean(batch: &mut TelemetryBatch) {
    let errors = batch.errors.iter_mut().flat_map(|record| {
        [&mut record.handler, &mut record.error_type, &mut record.message]
            .into_iter()
            .chain(&mut record.stack_trace)
    });
    let logs = batch
        .logs
        .iter_mut()
        .flat_map(|record| [&mut record.message].into_iter().chain(&mut record.trigger_type));
    let invocations = batch.invocations.iter_mut().map(|record| &mut record.handler);
    for text in errors.chain(logs).chain(invocations).filter(|text| text.contains('\0')) {
        *text = text.replace('\0', "\u{fffd}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extension_model::feeds::{DurationHistogram, ErrorRecord, InvocationRecord, LogLevel, LogRecord};

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn batch() -> TelemetryBatch {
        let (id, install_id) = (shared::id::new(), shared::id::new());
        let mut duration_hist = DurationHistogram::default();
        duration_hist.record(1.5);
        TelemetryBatch {
            errors: vec![ErrorRecord {
                id,
                install_id,
                handler: "h".into(),
                error_type: "TypeError".into(),
                message: "m\0".into(),
                stack_trace: Some("s\0".into()),
                occurred_at: now(),
            }],
            logs: vec![LogRecord {
                id,
                install_id,
                level: LogLevel::Info,
                message: "\0".into(),
                trigger_type: None,
                execution_ms: None,
                created_at: now(),
            }],
            invocations: vec![InvocationRecord {
                id,
                install_id,
                handler: "h".into(),
                bucket_minute: now(),
                count: 1,
                errors: 0,
                duration_ms_sum: 1.5,
                duration_hist,
            }],
        }
    }

    #[test]
    fn telemetry_refusal_names_the_first_record_out_of_bounds() {
        type Spoil = fn(&mut TelemetryBatch);
        let cases: [(Spoil, &str); 7] = [
            (|b| b.errors[0].message = "x".repeat(5000), "errors[0].message must have at most 4096 bytes"),
            (
                |b| b.errors[0].occurred_at -= Duration::days(2),
                "errors[0].occurred_at must lie within the last day",
            ),
            (
                |b| b.logs[0].created_at += Duration::days(2),
                "logs[0].created_at must lie within the last day",
            ),
            (|b| b.invocations[0].errors = 2, "invocations[0].errors must not be more than count"),
            (|b| b.invocations[0].duration_ms_sum = -1.0, "invocations[0].duration_ms_sum must be 0 or more"),
            (
                |b| b.invocations[0].duration_hist = DurationHistogram::default(),
                "invocations[0].duration_hist must be at most 64 classes that sum to count",
            ),
            (
                |b| b.invocations[0].handler = "x".repeat(200),
                "invocations[0].handler must have at most 128 bytes",
            ),
        ];
        assert_eq!(check(&batch(), now()), Ok(()));
        for (spoil, message) in cases {
            let mut spoilt = batch();
            spoil(&mut spoilt);
            assert_eq!(check(&spoilt, now()), Err(ApiError::invalid(message)));
        }
    }

    #[test]
    fn telemetry_replaces_nul_characters() {
        let mut batch = batch();
        clean(&mut batch);
        assert_eq!(batch.errors[0].message, "m\u{fffd}");
        assert_eq!(batch.errors[0].stack_trace.as_deref(), Some("s\u{fffd}"));
        assert_eq!(batch.logs[0].message, "\u{fffd}");
    }
}
