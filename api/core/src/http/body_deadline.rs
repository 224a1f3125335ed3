//! Deadline of every body: JSON, GraphQL, uploads, deliveries (reference/conventions.md#body-time).

use std::{
    cell::RefCell,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
    time::Duration,
};

use actix_web::{
    Error, HttpMessage,
    body::{BodySize, BoxBody, MessageBody},
    dev::{Payload, ServiceRequest, ServiceResponse},
    error::PayloadError,
    http::{ConnectionType, StatusCode},
    middleware::Next,
    web::{Bytes, Data},
};
use chrono::{DateTime, TimeDelta, Utc};
use futures::Stream;
use shared::clock::Clock;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::problem::refused;
use crate::{ApiError, Code, State};

/// Time for any body.
const BASE_TIMEOUT: TimeDelta = TimeDelta::seconds(30);
/// Received bytes that extend the deadline by one second.
const BYTES_PER_SECOND: u64 = 64 * 1024;
/// Time between two checks of the deadline while nothing arrives.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Bytes of an unread body that are read before its connection is closed instead.
const MAX_DRAINED_BYTES: usize = 256 * 1024;

/// Path of sockets, which have no body.
const SOCKET: &str = "/v1/ws";

/// Returns 408 and closes the connection when the body of a request does not arrive in time. A body that is
/// not read to its end closes the connection too, so that the client stops sending.
///
/// # Errors
/// Errors of the inner layers.
pub async fn body_deadline(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_socket = request.path() == SOCKET && request.head().upgrade();
    let clock = request.app_data::<Data<State>>().map(|state| state.clock.clone());
    let (false, Some(clock)) = (is_socket, clock) else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let payload = request.take_payload();
    if matches!(payload, Payload::None) {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let arriving = Rc::new(RefCell::new(Arriving::new(payload, clock)));
    let body: Body = Box::pin(Shared(Rc::clone(&arriving)));
    request.set_payload(Payload::Stream { payload: body });
    let response = next.call(request).await?.map_into_boxed_body();
    drain(&arriving).await;
    let (is_late, is_whole) = {
        let arriving = arriving.borrow();
        (arriving.is_late, arriving.is_whole)
    };
    if is_whole && !is_late {
        return Ok(response);
    }
    let mut response = if is_late { timed_out(response) } else { response };
    response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    // A response without a body has no other place to hold it.
    response.response_mut().extensions_mut().insert(Unfinished { _payload: Rc::clone(&arriving) });
    Ok(response.map_body(|_, body| BoxBody::new(Unread { body, _payload: arriving })))
}

/// Reads the received part of a body that the handler did not read, without waiting for more: most bodies are
/// complete by now.
async fn drain(arriving: &RefCell<Arriving>) {
    std::future::poll_fn(|cx| {
        let mut arriving = arriving.borrow_mut();
        let mut left = MAX_DRAINED_BYTES;
        while !arriving.is_whole && left > 0 {
            match Pin::new(&mut arriving.payload).poll_next(cx) {
                Poll::Ready(Some(Ok(chunk))) => left = left.saturating_sub(chunk.len()),
                Poll::Ready(Some(Err(_)) | None) => arriving.is_whole = true,
                Poll::Pending => break,
            }
        }
        Poll::Ready(())
    })
    .await;
}

/// 408 for a body that took too long, unless the handler has returned it.
fn timed_out(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    if response.status() == StatusCode::REQUEST_TIMEOUT {
        return response;
    }
    let (request, _) = response.into_parts();
    let refusal = refused(&request, &too_slow());
    ServiceResponse::new(request, refusal)
}

/// Error of a body that took too long.
pub(super) fn too_slow() -> ApiError {
    ApiError::new(Code::RequestTimeout, "Request body took too long")
}

/// Error of a body that cannot be read, for every reader.
#[must_use]
pub fn unreadable(error: &PayloadError) -> ApiError {
    match error {
        PayloadError::Io(error) if error.kind() == io::ErrorKind::TimedOut => too_slow(),
        error => ApiError::bad_request(format!("Unreadable request body: {error}")),
    }
}

/// Body in the form of the readers.
type Body = Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>>;

/// A body that is being received.
struct Arriving {
    payload: Payload,
    clock: Clock,
    began_at: DateTime<Utc>,
    received: u64,
    checks: Option<Interval>,
    is_late: bool,
    is_whole: bool,
}

impl Arriving {
    fn new(payload: Payload, clock: Clock) -> Self {
        let began_at = clock.now();
        Self { payload, clock, began_at, received: 0, checks: None, is_late: false, is_whole: false }
    }

    fn is_overdue(&self) -> bool {
        let seconds = i64::try_from(self.received / BYTES_PER_SECOND).unwrap_or(i64::MAX);
        let timeout = TimeDelta::try_seconds(seconds).and_then(|extra| extra.checked_add(&BASE_TIMEOUT));
        timeout.is_some_and(|timeout| self.clock.now() - self.began_at > timeout)
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, PayloadError>>> {
        if self.is_late {
            return Poll::Ready(None);
        }
        loop {
            if let Poll::Ready(next) = Pin::new(&mut self.payload).poll_next(cx) {
                match &next {
                    Some(Ok(chunk)) => self.received += chunk.len() as u64,
                    // Nothing follows an error.
                    Some(Err(_)) | None => self.is_whole = true,
                }
                return Poll::Ready(next);
            }
            // Checked last, so that received bytes count however late they are read.
            if self.is_overdue() {
                self.is_late = true;
                return Poll::Ready(Some(Err(PayloadError::Io(io::ErrorKind::TimedOut.into()))));
            }
            let checks = self.checks.get_or_insert_with(|| {
                let mut checks = interval_at(Instant::now() + CHECK_INTERVAL, CHECK_INTERVAL);
                checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
                checks
            });
            ready!(checks.poll_tick(cx));
        }
    }
}

/// The body as the handler reads it.
struct Shared(Rc<RefCell<Arriving>>);

impl Stream for Shared {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.borrow_mut().poll_next(cx)
    }
}

/// Unread body of a request, held by the response.
struct Unfinished {
    _payload: Rc<RefCell<Arriving>>,
}

/// Body of a response to a request whose own body was not read to its end. It holds that body until it is
/// sent: the server then closes the connection, while it would read a dropped body without end.
struct Unread {
    body: BoxBody,
    _payload: Rc<RefCell<Arriving>>,
}

impl MessageBody for Unread {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_deadline_is_thirty_seconds_and_one_for_each_64_kib() {
        for (received, timeout) in [(0, 30), (65_535, 30), (65_536, 31), (10 * 65_536, 40)] {
            let clock = Clock::default();
            let mut arriving = Arriving::new(Payload::None, clock.clone());
            arriving.received = received;
            clock.advance(TimeDelta::milliseconds(timeout * 1000 - 900));
            assert!(!arriving.is_overdue(), "{received}");
            clock.advance(TimeDelta::milliseconds(1000));
            assert!(arriving.is_overdue(), "{received}");
        }
    }
}
