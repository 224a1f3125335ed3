//! What handlers did, as workers report it in batches.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::DurationHistogram;

/// The `error_type` of a record that says that the triggers of an install are paused (C B3.2).
pub const CIRCUIT_OPEN: &str = "CIRCUIT_OPEN";
/// For how long they are.
pub const CIRCUIT_COOLDOWN: std::time::Duration = std::time::Duration::from_secs(300);

/// Largest body of `POST /v1/internal/telemetry`, in bytes (C B5).
pub const TELEMETRY_LIMIT: usize = 1024 * 1024;
/// Longest name of a handler, an error or a trigger, in bytes.
pub const MAX_RECORD_NAME_LENGTH: usize = 128;
/// Longest message, in bytes.
pub const MAX_RECORD_MESSAGE_LENGTH: usize = 4 * 1024;
/// Longest stack trace, in bytes.
pub const MAX_RECORD_STACK_LENGTH: usize = 8 * 1024;

/// `POST /v1/internal/telemetry`. Records carry ids (UUID version 7, made by the worker), so that a batch may be sent
/// again after a lost answer without counting twice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct TelemetryBatch {
    pub errors: Vec<ErrorRecord>,
    pub logs: Vec<LogRecord>,
    pub invocations: Vec<InvocationRecord>,
}

/// A failed invocation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorRecord {
    pub id: Uuid,
    pub install_id: Uuid,
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_NAME_LENGTH))))]
    pub handler: String,
    /// Type of the JavaScript error, or the limit that was crossed, for example `TIMEOUT`. At most 128 bytes.
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_NAME_LENGTH))))]
    pub error_type: String,
    /// At most 4 KiB.
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_MESSAGE_LENGTH))))]
    pub message: String,
    /// At most 8 KiB.
    #[serde(default)]
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_STACK_LENGTH))))]
    pub stack_trace: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    pub occurred_at: DateTime<Utc>,
}

/// A line of an install's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LogRecord {
    pub id: Uuid,
    pub install_id: Uuid,
    pub level: LogLevel,
    /// At most 4 KiB.
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_MESSAGE_LENGTH))))]
    pub message: String,
    /// What ran the handler: `command`, `keyword`, `pattern`, `moderate`, `event`, `timer`, `function` …
    #[serde(default)]
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_NAME_LENGTH))))]
    pub trigger_type: Option<String>,
    #[serde(default)]
    pub execution_ms: Option<i32>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: DateTime<Utc>,
}

/// Importance of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Info,
    Warn,
    Error,
}

impl LogLevel {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// The invocations of one handler of one install in one minute, as one worker saw them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InvocationRecord {
    pub id: Uuid,
    pub install_id: Uuid,
    #[schema(extensions(("maxLength" = json!(MAX_RECORD_NAME_LENGTH))))]
    pub handler: String,
    /// The start of the minute.
    #[schema(value_type = String, format = DateTime)]
    pub bucket_minute: DateTime<Utc>,
    #[schema(extensions(("maximum" = json!(u32::MAX))))]
    pub count: u32,
    /// Of `count`, those that failed.
    #[schema(extensions(("maximum" = json!(u32::MAX))))]
    pub errors: u32,
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(f64::MAX))))]
    pub duration_ms_sum: f64,
    pub duration_hist: DurationHistogram,
}

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TelemetryAccepted {
    pub accepted: usize,
    /// Records of installs that no longer exist.
    pub ignored: usize,
}
