//! Logs, metrics and traces.
//!
//! They contain no secrets: a log entry of a request has the pattern of its route, never its query or its
//! headers.

mod listener;
mod metrics;
mod probe;
mod traces;

use std::io::IsTerminal;

use tracing_subscriber::{EnvFilter, Layer, Registry, layer::SubscriberExt, util::SubscriberInitExt};

pub use listener::serve_metrics;
pub use metrics::Metrics;
pub use probe::probe;

use shared::{Error, Result, config::TelemetryConfig};

/// The HTTP server logs an error for a client that sends no HTTP, such as a scanner. That is no failure of
/// ours.
const QUIET: &str = "actix_http::h1::dispatcher=off";

/// Keeps telemetry alive. Call [`Telemetry::flush`] before the process ends.
pub struct Telemetry {
    traces: Option<traces::Traces>,
}

/// Starts logging for the process: JSON lines in production, readable lines in development. Logs go to
/// standard error, because standard output is for the results of commands. Spans also go to the OTLP
/// collector, if one is configured.
///
/// # Errors
/// An invalid filter, an unusable address of the collector, or logging that was started before.
pub fn init(config: &TelemetryConfig, service: &str) -> Result<Telemetry> {
    let filter = EnvFilter::try_new(format!("{QUIET},{}", config.log))
        .map_err(|error| Error::Internal(format!("LUMIO_LOG is not a filter: {error}")))?;
    let traces = config.otlp_url.as_ref().map(|url| traces::Traces::to(url, service)).transpose()?;
    tracing_subscriber::registry()
        .with(filter)
        .with(lines(config.json_logs))
        .with(traces.as_ref().map(traces::Traces::layer))
        .try_init()
        .map_err(|error| Error::Internal(format!("logging: {error}")))?;
    Ok(Telemetry { traces })
}

impl Telemetry {
    /// Sends the remaining data. Blocks for at most a few seconds.
    pub fn flush(self) {
        if let Some(traces) = self.traces {
            traces.shut_down();
        }
    }
}

type Filtered = tracing_subscriber::layer::Layered<EnvFilter, Registry>;

fn lines(json: bool) -> Box<dyn Layer<Filtered> + Send + Sync> {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    if json {
        return lines.json().flatten_event(true).with_current_span(true).with_span_list(false).boxed();
    }
    lines.with_target(false).with_ansi(std::io::stderr().is_terminal()).boxed()
}
