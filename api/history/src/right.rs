//! Right to read a report while it is sent (reference/history.md#shared-reports).

use std::time::Duration;

use actix_web::HttpResponse;
use api_core::{Result, http::BodyParts};
use bytes::Bytes;
use futures::{Stream, StreamExt, future::BoxFuture, stream};
use tokio::time::Instant;

/// Time between two checks of the right.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Check of the right. Its error is the answer to a reader who has the right no longer.
pub(crate) type Check = Box<dyn Fn() -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// Right to read a report.
pub struct Right {
    /// `None` for members of the account: what they read until its end is what they had the right to read at its
    /// begin.
    check: Option<Check>,
    interval: Duration,
    checked_at: Instant,
}

impl Right {
    /// Right of a member of the account, which was checked.
    pub(crate) fn of_member() -> Self {
        Self { check: None, interval: CHECK_INTERVAL, checked_at: Instant::now() }
    }

    /// Right that ends with a check that fails.
    pub(crate) fn until(check: Check) -> Self {
        Self { check: Some(check), ..Self::of_member() }
    }

    async fn check(&mut self) -> Result<()> {
        if let Some(check) = &self.check {
            check().await?;
        }
        self.checked_at = Instant::now();
        Ok(())
    }

    async fn check_if_due(&mut self) -> Result<()> {
        if self.checked_at.elapsed() >= self.interval { self.check().await } else { Ok(()) }
    }
}

/// Begins a body that is made while it is sent, as long as the right lasts.
///
/// The first part is made and the right is checked before the response begins, so that a failure is an ordinary
/// error. A later one closes the connection before the end of the body. No part is returned while a check is due.
///
/// # Errors
/// The failure of the first part, and that of the check.
pub(crate) async fn body(
    mut parts: BodyParts,
    mut right: Right,
) -> Result<impl Stream<Item = Result<Bytes>> + 'static> {
    let first = parts.next().await.transpose()?;
    right.check().await?;
    let rest = stream::try_unfold((parts, right), |(mut parts, mut right)| async move {
        let part = parts.next().await.transpose()?;
        right.check_if_due().await?;
        Ok(part.map(|part| (part, (parts, right))))
    });
    Ok(stream::iter(first.map(Ok)).chain(rest))
}

/// Responds with JSON that is made while it is sent, as long as the right lasts.
///
/// # Errors
/// The failure of the first part, and that of the check.
pub(crate) async fn json_response(parts: BodyParts, right: Right) -> Result<HttpResponse> {
    let body = body(parts, right).await?;
    Ok(HttpResponse::Ok().content_type("application/json").streaming(body))
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    };

    use api_core::ApiError;
    use futures::FutureExt;

    use super::*;

    fn part() -> Result<Bytes> {
        Ok(Bytes::from_static(b"part"))
    }

    /// Right of a number of checks, each of which is due before every part.
    fn right(checks: usize) -> Right {
        let left = Arc::new(AtomicUsize::new(checks));
        let check = move || {
            let lasts = left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok();
            async move { if lasts { Ok(()) } else { Err(ApiError::unauthorized("ended")) } }.boxed()
        };
        Right { interval: Duration::ZERO, ..Right::until(Box::new(check)) }
    }

    #[tokio::test]
    async fn body_gives_no_part_without_a_check() {
        let parts = || stream::repeat_with(part).boxed();
        let refused = body(parts(), right(0)).await.err();
        assert_eq!(refused, Some(ApiError::unauthorized("ended")), "the response does not begin");
        let sent: Vec<_> = body(parts(), right(3)).await.unwrap().collect().await;
        assert_eq!(sent, [part(), part(), part(), Err(ApiError::unauthorized("ended"))]);
        // Also the end of the body is not sent.
        let sent: Vec<_> = body(stream::iter([part()]).boxed(), right(1)).await.unwrap().collect().await;
        assert_eq!(sent, [part(), Err(ApiError::unauthorized("ended"))]);
    }

    #[tokio::test]
    async fn body_ends_with_the_parts() {
        let whole = body(stream::iter([part(), part()]).boxed(), Right::of_member()).await.unwrap();
        assert_eq!(whole.collect::<Vec<_>>().await, [part(), part()]);
        let failing = stream::iter([part(), Err(ApiError::conflict("lost")), part()]).boxed();
        assert_eq!(body(failing, Right::of_member()).await.unwrap().count().await, 2);
        let failing = stream::iter([Err(ApiError::conflict("lost"))]).boxed();
        assert!(body(failing, Right::of_member()).await.is_err());
    }
}
