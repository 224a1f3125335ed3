//! HTTP client for calls to other services.

use std::time::Duration;

use reqwest::RequestBuilder;
use shared::{Error, Result};
use trace_context::{TRACEPARENT, TRACESTATE};

/// Longest wait for a connection.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Longest wait for a whole response.
pub const TOTAL_TIMEOUT: Duration = Duration::from_secs(10);

/// Creates a client with timeouts, without redirects and without proxies from the environment.
///
/// # Errors
/// TLS roots that cannot be loaded.
pub fn client() -> Result<reqwest::Client> {
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TOTAL_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("lumio/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| Error::Internal(format!("HTTP client: {error}")))
}

/// Adds the trace of the present work to a call of one of our own services, or of a receiver of webhooks. Platforms and
/// hosts that handlers or automations call get none (reference/telemetry.md#traces).
pub fn traced(request: RequestBuilder) -> RequestBuilder {
    let Some(trace) = trace_context::current() else { return request };
    let request = request.header(TRACEPARENT, trace.traceparent());
    match trace.tracestate() {
        Some(state) => request.header(TRACESTATE, state),
        None => request,
    }
}

#[cfg(test)]
mod tests {
    use trace_context::{Trace, within};

    use super::*;

    #[tokio::test]
    async fn traced_adds_the_trace_of_the_present_work() {
        let build = || traced(client().unwrap().get("http://127.0.0.1:1/")).build().unwrap();
        assert!(build().headers().is_empty());
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let trace = Trace::parse(parent, Some("a=1"));
        let request = within(trace, async { build() }).await;
        assert_eq!(request.headers()[TRACEPARENT], parent);
        assert_eq!(request.headers()[TRACESTATE], "a=1");
        let bare = within(Trace::parse(parent, None), async { build() }).await;
        assert!(!bare.headers().contains_key(TRACESTATE));
    }
}
