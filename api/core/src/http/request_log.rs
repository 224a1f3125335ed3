//! One log line and one measurement for each request, with an id that the client may choose.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{
    Error, HttpMessage,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{
        StatusCode,
        header::{HeaderName, HeaderValue},
    },
    middleware::Next,
    web::Data,
};
use foundation::{
    telemetry::Metrics,
    trace::{Trace, within},
};
use prometheus::{HistogramVec, IntCounterVec};
use shared::id::{AccountId, UserId};
use tracing::{Instrument, field::display};

use super::{Route, client_ip::client_ip, forwarded::IgnoredForwarding, route_of};
use crate::{
    State,
    access::{Cx, RequestInfo},
};

const HEADER: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static(foundation::trace::TRACEPARENT);
const TRACESTATE: HeaderName = HeaderName::from_static(foundation::trace::TRACESTATE);
const MAX_ID_LENGTH: usize = 128;

/// Id of a request in `X-Request-Id`.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

/// Metrics of requests (reference/telemetry.md#metrics).
#[derive(Clone)]
pub struct HttpMetrics {
    requests: IntCounterVec,
    durations: HistogramVec,
    forwarding: Arc<IgnoredForwarding>,
}

impl HttpMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// An internal error when a metric of the same name is registered.
    pub fn new(metrics: &Metrics) -> shared::Result<Self> {
        const DURATION_BUCKETS: [f64; 11] =
            [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];
        Ok(Self {
            requests: metrics.counters(
                "http_requests_total",
                "Requests by method, route and status.",
                &["method", "route", "status"],
            )?,
            durations: metrics.histograms(
                "http_request_duration_seconds",
                "Time from the head of the request to the head of the response.",
                &["method", "route"],
                &DURATION_BUCKETS,
            )?,
            forwarding: Arc::new(IgnoredForwarding::new(metrics)?),
        })
    }

    fn record(&self, method: &str, route: &str, status: u16, seconds: f64) {
        self.requests.with_label_values(&[method, route, &status.to_string()]).inc();
        self.durations.with_label_values(&[method, route]).observe(seconds);
    }
}

/// Assigns the id of the request, continues its trace, logs it once and measures it. The route's pattern is the label, so that the
/// number of series stays bounded. It is the outermost layer: errors of layers and handlers get the id too.
///
/// # Errors
/// Errors of the inner layers.
pub async fn observe(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let began = Instant::now();
    let id = given_id(&request).unwrap_or_else(new_id);
    request.extensions_mut().insert(RequestId(id.clone()));
    let observed = Observed::of(&request);
    let span = tracing::info_span!("request", request_id = %id, trace_id = tracing::field::Empty);
    let trace = Trace::of_span(&span, given_trace(&request).as_ref());
    span.record("trace_id", trace.trace_id());
    let headers = own_headers(&id, &trace);
    let outcome = within(Some(trace), next.call(request).instrument(span.clone())).await;
    match outcome {
        Ok(mut response) => {
            let undocumented = match observed.documented {
                Some(_) => None,
                None => response.request().match_pattern(),
            };
            let caller = response.request().extensions().get::<Cx>().map_or_else(Caller::none, Caller::of);
            let status = response.status();
            span.in_scope(|| observed.record(undocumented.as_deref(), status, &caller, began.elapsed()));
            for (name, value) in headers {
                response.headers_mut().insert(name, value);
            }
            Ok(response)
        }
        Err(mut error) => {
            let status = error.as_response_error().status_code();
            span.in_scope(|| observed.record(None, status, &Caller::none(), began.elapsed()));
            error.add_response_mapper(move |mut response| {
                for (name, value) in &headers {
                    response.headers_mut().insert(name.clone(), value.clone());
                }
                response
            });
            Err(error)
        }
    }
}

/// Facts of a request before it is handled.
struct Observed {
    metrics: Option<Data<HttpMetrics>>,
    method: &'static str,
    documented: Option<Arc<Route>>,
    /// Truncated address, as in the audit trail.
    client: Option<String>,
}

/// Caller of the request, as identified by its credential.
struct Caller {
    kind: &'static str,
    user: Option<UserId>,
    account: Option<AccountId>,
}

impl Caller {
    const fn none() -> Self {
        Self { kind: "none", user: None, account: None }
    }

    fn of(cx: &Cx) -> Self {
        let principal = cx.principal();
        Self { kind: principal.kind(), user: principal.user(), account: principal.account() }
    }
}

impl Observed {
    fn of(request: &ServiceRequest) -> Self {
        let metrics = request.app_data::<Data<HttpMetrics>>().cloned();
        if let Some(metrics) = &metrics {
            metrics.forwarding.observe(request);
        }
        let hops = request.app_data::<Data<State>>().map_or(0, |state| state.config.http.trusted_proxy_hops);
        let ip = client_ip(request.request(), hops);
        Self {
            metrics,
            client: RequestInfo { ip, ..RequestInfo::default() }.truncated_ip(),
            method: known_method(request.method().as_str()),
            documented: route_of(request.request()),
        }
    }

    fn record(&self, undocumented: Option<&str>, status: StatusCode, caller: &Caller, took: Duration) {
        let documented = self.documented.as_ref().map(|route| route.pattern.as_str());
        let route = documented.or(undocumented).unwrap_or("unmatched");
        if let Some(metrics) = &self.metrics {
            metrics.record(self.method, route, status.as_u16(), took.as_secs_f64());
        }
        let (method, status, took_ms) = (self.method, status.as_u16(), took.as_secs_f64() * 1000.0);
        let (user, account) = (caller.user.map(display), caller.account.map(display));
        let (caller, client) = (caller.kind, &self.client);
        tracing::info!(method, route, status, caller, user, account, client, took_ms, "answered");
    }
}

/// Random like the ids of rows, but from the thread's own generator: the one for rows reads from the
/// operating system each time, which a request id is not worth.
fn new_id() -> String {
    uuid::Builder::from_random_bytes(rand::random()).into_uuid().to_string()
}

/// Trace of the caller; `None` without a header, and with several or an invalid one. It is always sampled, as a trace that
/// begins here: no caller is known yet, and none may hide its requests and jobs.
fn given_trace(request: &ServiceRequest) -> Option<Trace> {
    let mut parents = request.headers().get_all(TRACEPARENT);
    let parent = parents.next().filter(|_| parents.next().is_none())?.to_str().ok()?;
    let states = request.headers().get_all(TRACESTATE).filter_map(|value| value.to_str().ok());
    Trace::parse(parent, Some(&states.collect::<Vec<_>>().join(","))).map(Trace::sampled)
}

/// Headers that name the request in logs and traces.
fn own_headers(id: &str, trace: &Trace) -> Vec<(HeaderName, HeaderValue)> {
    let parent = trace.traceparent();
    let texts = [(HEADER, id), (TRACEPARENT, parent.as_str())];
    texts.into_iter().filter_map(|(name, text)| Some((name, HeaderValue::from_str(text).ok()?))).collect()
}

/// Id of the client, if it is short and printable: it is written to logs and a header.
fn given_id(request: &ServiceRequest) -> Option<String> {
    let id = request.headers().get(&HEADER)?.to_str().ok()?;
    let is_sound = !id.is_empty() && id.len() <= MAX_ID_LENGTH && id.bytes().all(|b| b.is_ascii_graphic());
    // A client that pastes its key here must not find it in our logs.
    (is_sound && !id.contains("lm_")).then(|| id.to_owned())
}

fn known_method(method: &str) -> &'static str {
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
        .into_iter()
        .find(|known| *known == method)
        .unwrap_or("OTHER")
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn given_trace_is_sampled_whatever_the_caller_sets() {
        let place = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";
        for flags in ["00", "01"] {
            let header = (TRACEPARENT, format!("{place}-{flags}"));
            let trace = given_trace(&TestRequest::default().insert_header(header).to_srv_request());
            assert_eq!(trace.map(|trace| trace.traceparent()), Some(format!("{place}-01")));
        }
    }
}
