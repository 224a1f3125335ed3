//! Internal listener: metrics for the collector and readiness for the supervisor, never on the public origin
//! (reference/telemetry.md#internal-listener).

use std::{convert::Infallible, net::TcpListener, time::Duration};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::{net::TcpStream, sync::Semaphore, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::Metrics;
use crate::readiness::{Readiness, Reason};
use shared::{Error, Result};

/// Text format that Prometheus reads.
const TEXT_FORMAT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const MAX_CONNECTIONS: usize = 32;
const HEADERS_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves on a listener until `stop` is cancelled: `GET /metrics`, `GET /health`, which always succeeds and
/// lists the reasons against the process, and `GET /ready`. The returned future is to be spawned.
///
/// # Errors
/// A listener that cannot be passed to tokio.
pub fn serve_metrics(
    listener: TcpListener,
    metrics: Metrics,
    readiness: Readiness,
    stop: CancellationToken,
) -> Result<impl Future<Output = ()> + Send + 'static> {
    let unusable = |error: std::io::Error| Error::Internal(format!("metrics listener: {error}"));
    listener.set_nonblocking(true).map_err(unusable)?;
    let listener = tokio::net::TcpListener::from_std(listener).map_err(unusable)?;
    Ok(async move {
        let (mut connections, room) = (JoinSet::new(), std::sync::Arc::new(Semaphore::new(MAX_CONNECTIONS)));
        while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
            while connections.try_join_next().is_some() {}
            match (accepted, std::sync::Arc::clone(&room).try_acquire_owned()) {
                (Ok((stream, _)), Ok(place)) => {
                    connections.spawn(serve(stream, metrics.clone(), readiness.clone(), place));
                }
                (Ok(_), Err(_full)) => tracing::warn!("too many connections to the metrics listener"),
                (Err(error), _) => {
                    tracing::warn!(%error, "the metrics listener cannot accept");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    })
}

async fn serve(
    stream: TcpStream,
    metrics: Metrics,
    readiness: Readiness,
    _place: tokio::sync::OwnedSemaphorePermit,
) {
    let answer = service_fn(move |request| {
        std::future::ready(Ok::<_, Infallible>(answer(&metrics, &readiness, &request)))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_TIMEOUT)
        .serve_connection(TokioIo::new(stream), answer);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection to the metrics listener broke");
    }
}

fn answer(metrics: &Metrics, readiness: &Readiness, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let mut content_type = TEXT_FORMAT;
    let (status, text) = match (request.method(), request.uri().path()) {
        (&Method::GET, "/metrics") => match metrics.render() {
            Ok(text) => (StatusCode::OK, text),
            Err(error) => {
                tracing::error!(%error, "metrics cannot be written");
                (StatusCode::INTERNAL_SERVER_ERROR, "Internal server error\n".to_owned())
            }
        },
        // The process is alive, so killing it would gain nothing.
        (&Method::GET, "/health") => (StatusCode::OK, health(&readiness.reasons())),
        (&Method::GET, "/ready") => {
            content_type = JSON;
            let reasons = readiness.reasons();
            let status = if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
            let state = if reasons.is_empty() { "ready" } else { "unready" };
            let body = json!({ "data": { "status": state, "reasons": reasons } });
            (status, format!("{body}\n"))
        }
        (_, "/metrics" | "/health" | "/ready") => {
            (StatusCode::METHOD_NOT_ALLOWED, "Method not allowed\n".to_owned())
        }
        _ => (StatusCode::NOT_FOUND, "Not found\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// Returns `ok`, or one line for each reason.
fn health(reasons: &[Reason]) -> String {
    if reasons.is_empty() {
        return "ok\n".to_owned();
    }
    let line = |reason: &Reason| format!("{} {}: {}\n", reason.subject, reason.code.as_str(), reason.detail);
    std::iter::once("degraded\n".to_owned()).chain(reasons.iter().map(line)).collect()
}
