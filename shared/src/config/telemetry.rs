//! Configuration of logs, metrics and traces.

use url::Url;

use super::{Environment, Reader, address::optional_http_url};

/// Configuration of logs, metrics and traces.
#[derive(Debug, Clone)]
pub struct TelemetryConfig {
    /// Filter in the syntax of `tracing`'s `EnvFilter`.
    pub log: String,
    /// True for logs in JSON, false for text.
    pub json_logs: bool,
    /// Base URL of an OTLP collector. Traces are not exported when it is absent.
    pub otlp_url: Option<Url>,
}

pub(super) fn read(reader: &mut Reader, environment: Environment) -> TelemetryConfig {
    TelemetryConfig {
        log: reader.text("LUMIO_LOG", "info"),
        json_logs: reader.flag("LUMIO_LOG_JSON", environment != Environment::Development),
        otlp_url: optional_http_url(reader, "LUMIO_OTLP_URL", "http://127.0.0.1:4318"),
    }
}
