//! Telemetry of handlers, reported by workers in batches.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::DurationHistogram;

/// `error_type` of a record that reports paused triggers of an install
/// (reference/handlers.md#circuit-breaker).
pub const CIRCUIT_OPEN: &str = "CIRCUIT_OPEN";
/// Time that the triggers stay paused.
pub const CIRCUIT_COOLDOWN: std::time::Duration = std::time::Duration::from_secs(300);

/// Maximum body of `POST /v1/internal/telemetry`, in bytes (reference/telemetry.md#batches).
pub const MAX_TELEMETRY_BYTES: usize = 1024 * 1024;
/// Maximum length of the name of a handler, an error or a trigger, in bytes.
pub const MAX_RECORD_NAME_LENGTH: usize = 128;
/// Maximum length of a message, in bytes.
pub const MAX_RECORD_MESSAGE_LENGTH: usize = 4 * 1024;
/// Maximum length of a stack trace, in bytes.
pub const MAX_RECORD_STACK_LENGTH: usize = 8 * 1024;

/// `POST /v1/internal/telemetry`. Records carry ids (UUID version 7, made by the worker), so that a batch may
/// be sent again after a lost response without being counted twice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct TelemetryBatch {
    /// Failed invocations.
    pub errors: Vec<ErrorRecord>,
    /// Lines of logs.
    pub logs: Vec<LogRecord>,
    /// Sums of invocations.
    pub invocations: Vec<InvocationRecord>,
}

/// A failed invocation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorRecord {
    /// Id made by the worker.
    pub id: Uuid,
    /// Install.
    pub install_id: Uuid,
    /// Export that failed. At most 128 bytes.
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_NAME_LENGTH))))]
    pub handler: String,
    /// Type of the JavaScript error, or the exceeded limit, for example `TIMEOUT`. At most 128 bytes.
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_NAME_LENGTH))))]
    pub error_type: String,
    /// At most 4 KiB.
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_MESSAGE_LENGTH))))]
    pub message: String,
    /// At most 8 KiB.
    #[serde(default)]
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_STACK_LENGTH))))]
    pub stack_trace: Option<String>,
    /// Time of the failure.
    #[schema(value_type = String, format = DateTime)]
    pub occurred_at: DateTime<Utc>,
}

/// A line of an install's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogRecord {
    /// Id made by the worker.
    pub id: Uuid,
    /// Install.
    pub install_id: Uuid,
    /// Importance.
    pub level: LogLevel,
    /// At most 4 KiB.
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_MESSAGE_LENGTH))))]
    pub message: String,
    /// Trigger that ran the handler: `command`, `keyword`, `pattern`, `moderate`, `event`, `timer`,
    /// `function` …
    #[serde(default)]
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_NAME_LENGTH))))]
    pub trigger_type: Option<String>,
    /// Duration of the invocation in milliseconds, or null.
    #[serde(default)]
    pub execution_ms: Option<i32>,
    /// Time of the line.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: DateTime<Utc>,
}

/// Importance of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Information.
    Info,
    /// Warning.
    Warn,
    /// Error.
    Error,
}

impl LogLevel {
    /// Stored name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// Invocations of one handler of one install in one minute, counted by one worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InvocationRecord {
    /// Id made by the worker.
    pub id: Uuid,
    /// Install.
    pub install_id: Uuid,
    /// Export that ran. At most 128 bytes.
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_NAME_LENGTH))))]
    pub handler: String,
    /// Start of the minute.
    #[schema(value_type = String, format = DateTime)]
    pub bucket_minute: DateTime<Utc>,
    /// Number of invocations.
    #[schema(extensions(("maximum" = json!(u32::MAX))))]
    pub count: u32,
    /// Failed invocations, included in `count`.
    #[schema(extensions(("maximum" = json!(u32::MAX))))]
    pub errors: u32,
    /// Sum of the durations, in milliseconds.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(f64::MAX))))]
    pub duration_ms_sum: f64,
    /// Durations by class.
    pub duration_hist: DurationHistogram,
}

/// Result of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TelemetryAccepted {
    /// Stored records.
    pub accepted: usize,
    /// Records of installs that no longer exist.
    pub ignored: usize,
}
