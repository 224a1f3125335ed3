//! Responses with an exported report (reference/history.md#exports).

use std::task::Poll;

use actix_web::{HttpResponse, http::header};
use api_core::{ApiError, Code, Result, State};
use bytes::Bytes;
use futures::{FutureExt, Stream, StreamExt, future::BoxFuture, stream};
use report_export::{Error, Fonts, export, file_name};

use crate::download::Download;

/// Seconds after which a refused document may be requested again.
const BUSY_RETRY_SECS: u64 = 5;

/// Responds with a report as a file.
///
/// The first part is made before the response begins, so that its failure is an ordinary error. A later failure, and
/// the end of the right to read, close the connection before the end of the file.
///
/// # Errors
/// 429 when too many documents are made at a time; 500 when the samples cannot be read or the file cannot be made.
pub async fn response(state: &State, download: Download) -> Result<HttpResponse> {
    let Download { format, report, samples, ended } = download;
    let fonts = state.component(|state| Fonts::new(state.config.exports.font_dir.as_str()));
    let name = file_name(&report, format);
    let mut parts = export(format, report, samples, fonts).map(|part| part.map_err(refusal)).boxed();
    let first = parts.next().await.transpose()?;
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .content_type(format.content_type());
    if format.is_compressed() {
        response.insert_header(header::ContentEncoding::Identity);
    }
    Ok(response.streaming(stream::iter(first.map(Ok)).chain(until(parts, ended))))
}

fn refusal(error: Error<ApiError>) -> ApiError {
    match error {
        Error::Samples(error) => error,
        Error::Busy => ApiError::new(Code::RateLimitExceeded, "Too many documents at once")
            .with_retry_after(BUSY_RETRY_SECS),
        Error::Fonts(cause) => {
            ApiError::internal(format_args!("a PDF needs fonts (LUMIO_FONT_DIR): {cause}"))
        }
        Error::Failed(cause) => ApiError::internal(format_args!("a report could not be exported: {cause}")),
    }
}

/// The parts, or an error in their place from the time on at which `ended` completes.
fn until(
    mut parts: impl Stream<Item = Result<Bytes>> + Unpin,
    mut ended: BoxFuture<'static, ()>,
) -> impl Stream<Item = Result<Bytes>> {
    let mut is_over = false;
    stream::poll_fn(move |context| {
        if is_over {
            return Poll::Ready(None);
        }
        let part = match ended.poll_unpin(context) {
            Poll::Ready(()) => {
                Poll::Ready(Some(Err(ApiError::unauthorized("The right to read the report ended"))))
            }
            Poll::Pending => parts.poll_next_unpin(context),
        };
        is_over = matches!(part, Poll::Ready(None | Some(Err(_))));
        part
    })
}

#[cfg(test)]
mod tests {
    use futures::future;

    use super::*;

    fn part() -> Result<Bytes> {
        Ok(Bytes::from_static(b"part"))
    }

    #[tokio::test]
    async fn until_cuts_a_download_off_when_its_right_ends() {
        let (end, ended) = futures::channel::oneshot::channel::<()>();
        let ended = ended.map(|_ended| ()).boxed();
        let mut parts = Box::pin(until(stream::repeat_with(part), ended));
        assert_eq!(parts.next().await, Some(part()));
        drop(end);
        assert!(matches!(parts.next().await, Some(Err(_))));
        assert_eq!(parts.next().await, None);
    }

    #[tokio::test]
    async fn until_ends_with_the_parts() {
        let parts = stream::iter([part(), part()]);
        let all: Vec<_> = until(parts, future::pending().boxed()).collect().await;
        assert_eq!(all, [part(), part()]);
        let failing = stream::iter([Err(ApiError::internal("lost")), part()]);
        assert_eq!(until(failing, future::pending().boxed()).count().await, 1);
    }
}
