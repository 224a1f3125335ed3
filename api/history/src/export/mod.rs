//! Responses with an exported report (reference/history.md#exports).

use actix_web::{HttpResponse, http::header};
use api_core::{ApiError, Result, State};
use futures::StreamExt;
use report_export::{Error, Fonts, export, file_name};

use crate::{admission, download::Download, right};

/// Responds with a report as a file.
///
/// The first part is made before the response begins, so that its failure is an ordinary error. A later failure, and
/// the end of the right to read, close the connection before the end of the file.
///
/// # Errors
/// 429 when too many documents are made at a time; 401 when the right to read has ended; 500 when the samples
/// cannot be read or the file cannot be made.
pub async fn response(state: &State, download: Download) -> Result<HttpResponse> {
    let Download { format, report, samples, right, admission } = download;
    let fonts = state.component(|state| Fonts::new(state.config.exports.font_dir.as_str()));
    let name = file_name(&report, format);
    let parts = export(format, report, samples, fonts, admission).map(|part| part.map_err(refusal)).boxed();
    let body = right::body(parts, right).await?;
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .content_type(format.content_type());
    if format.is_compressed() {
        response.insert_header(header::ContentEncoding::Identity);
    }
    Ok(response.streaming(body))
}

fn refusal(error: Error<ApiError>) -> ApiError {
    match error {
        Error::Samples(error) => error,
        Error::Busy => admission::busy(),
        Error::Fonts(cause) => {
            ApiError::internal(format_args!("a PDF needs fonts (LUMIO_FONT_DIR): {cause}"))
        }
        Error::Failed(cause) => ApiError::internal(format_args!("a report could not be exported: {cause}")),
    }
}
