//! Failures on command.

use std::{any::Any, net::Shutdown, os::fd::AsFd, time::Duration};

use actix_web::{
    Error, HttpResponse,
    body::{BodyStream, BoxBody, EitherBody, MessageBody},
    dev::{Extensions, ServiceRequest, ServiceResponse},
    middleware::Next,
    rt::net::TcpStream,
    web::{Bytes, Data},
};
use futures::stream;
use serde_json::json;

use crate::{Platform, clock, refusal::Refusal, state::State};

/// Failure of the next call to a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// 401 in the platform's format.
    Unauthorized,
    /// 429 with `Retry-After` and the platform's own headers.
    RateLimited { retry_after: Duration },
    /// 503.
    ServerError,
    /// The normal response, late.
    Slow(Duration),
    /// The call has its normal effect immediately, and its response is late.
    Late(Duration),
    /// The connection is closed without a response.
    Reset,
    /// 200 with something that is not JSON.
    Malformed,
    /// 200 with a body that does not end for 64 MiB.
    Oversized,
}

/// A failure that waits for its call.
#[derive(Debug, Clone)]
pub struct PlannedFailure {
    pub platform: Platform,
    pub failure: Failure,
    /// Only calls whose path contains this text.
    pub path: Option<String>,
}

/// Socket of a request, kept so that it can be closed.
struct Connection(std::net::TcpStream);

/// For `HttpServer::on_connect`.
pub fn remember_connection(connection: &dyn Any, data: &mut Extensions) {
    let Some(socket) = connection.downcast_ref::<TcpStream>() else { return };
    match socket.as_fd().try_clone_to_owned() {
        Ok(socket) => {
            data.insert(Connection(socket.into()));
        }
        Err(error) => tracing::warn!(%error, "this connection cannot be reset on command"),
    }
}

/// Middleware: applies the failure that was planned for this call, if any.
pub async fn fail_on_command<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B, BoxBody>>, Error> {
    let planned = Platform::of_path(request.path()).and_then(|platform| {
        let state = request.app_data::<Data<State>>()?;
        Some((platform, state.take_failure(platform, request.path())?))
    });
    let Some((platform, failure)) = planned else {
        return next.call(request).await.map(ServiceResponse::map_into_left_body);
    };
    tracing::info!(%platform, path = request.path(), ?failure, "failing on command");
    let response = match failure {
        Failure::Slow(delay) => {
            actix_web::rt::time::sleep(delay).await;
            return next.call(request).await.map(ServiceResponse::map_into_left_body);
        }
        Failure::Late(delay) => {
            let response = next.call(request).await;
            actix_web::rt::time::sleep(delay).await;
            return response.map(ServiceResponse::map_into_left_body);
        }
        Failure::Unauthorized => Refusal::of(platform, 401, "401: Unauthorized").response(),
        Failure::RateLimited { retry_after } => rate_limited(platform, retry_after).response(),
        Failure::ServerError => Refusal::of(platform, 503, "Service Unavailable").response(),
        Failure::Malformed => HttpResponse::Ok().content_type("text/html").body("<html>it works</html>"),
        Failure::Oversized => oversized(),
        Failure::Reset => {
            reset(&request);
            HttpResponse::ServiceUnavailable().finish()
        }
    };
    Ok(request.into_response(response).map_into_right_body())
}

fn rate_limited(platform: Platform, retry_after: Duration) -> Refusal {
    let seconds = retry_after.as_secs_f64();
    let whole = seconds.ceil().to_string();
    let reset_at = (clock::now().timestamp() + retry_after.as_secs().cast_signed()).to_string();
    match platform {
        Platform::Twitch => Refusal::of(platform, 429, "Too Many Requests")
            .with_header("Ratelimit-Limit", "800")
            .with_header("Ratelimit-Remaining", "0")
            .with_header("Ratelimit-Reset", reset_at)
            .with_header("Retry-After", whole),
        Platform::Trovo => Refusal::of(platform, 429, "over the rate limit")
            .with_header("X-Ratelimit-Limit", "1200")
            .with_header("X-Ratelimit-Remaining", "0")
            .with_header("X-Ratelimit-Reset", reset_at),
        Platform::Discord => Refusal::new(
            429,
            json!({ "message": "You are being rate limited.", "retry_after": seconds, "global": false }),
        )
        .with_header("X-RateLimit-Remaining", "0")
        .with_header("X-RateLimit-Reset-After", seconds.to_string())
        .with_header("X-RateLimit-Scope", "user")
        .with_header("Retry-After", whole),
        _ => Refusal::of(platform, 429, "Too Many Requests").with_header("Retry-After", whole),
    }
}

fn oversized() -> HttpResponse {
    const CHUNK: Bytes = Bytes::from_static(&[b' '; 64 * 1024]);
    let chunks = stream::iter((0..1024).map(|_| Ok::<_, Error>(CHUNK)));
    HttpResponse::Ok().content_type("application/json").body(BodyStream::new(chunks))
}

fn reset(request: &ServiceRequest) {
    let Some(connection) = request.request().conn_data::<Connection>() else { return };
    if let Err(error) = connection.0.shutdown(Shutdown::Both) {
        tracing::warn!(%error, "the connection was gone before it could be reset");
    }
}
