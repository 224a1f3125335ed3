//! Multipart form of an upload with one field, `file`.

use actix_multipart::{Field, Multipart, MultipartError};
use api_core::{ApiError, Result, http::unreadable};
use futures::{StreamExt, TryStreamExt};

/// Maximum size of a file (reference/extensions.md#uploads).
const MAX_FILE_BYTES: usize = 256 * 1024;
/// Maximum size of the other fields and the boundaries together (reference/conventions.md#body-size).
const MAX_FORM_OVERHEAD_BYTES: usize = 64 * 1024;
const MAX_FIELDS: usize = 16;

/// Reads the file. Nothing is read before this future is awaited.
///
/// # Errors
/// 400 when the body is not a valid multipart form, or the file is missing, repeated or too large.
pub(super) async fn read(mut body: Multipart) -> Result<Vec<u8>> {
    let (mut file, mut fields, mut rest) = (None, 0, MAX_FORM_OVERHEAD_BYTES);
    while let Some(field) = body.next().await {
        fields += 1;
        if fields > MAX_FIELDS {
            return Err(ApiError::invalid(format!("The form must have at most {MAX_FIELDS} fields")));
        }
        let field = field.map_err(malformed)?;
        if field.name() == Some("file") {
            let content = bytes_of(field, MAX_FILE_BYTES).await?;
            let content = content.ok_or_else(|| ApiError::invalid("file must not be larger than 256 KB"))?;
            if file.replace(content).is_some() {
                return Err(ApiError::invalid("file must be given once"));
            }
        } else {
            // Unknown fields are ignored, within the bound.
            let ignored = bytes_of(field, rest).await?;
            rest -= ignored.ok_or_else(|| ApiError::bad_request("Request body too large"))?.len();
        }
    }
    file.ok_or_else(|| ApiError::invalid("file is required"))
}

/// Bytes of a field, or `None` when there are more than `max`.
async fn bytes_of(mut field: Field, max: usize) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.try_next().await.map_err(malformed)? {
        if bytes.len() + chunk.len() > max {
            return Ok(None);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Some(bytes))
}

fn malformed(error: MultipartError) -> ApiError {
    match error {
        MultipartError::Payload(error) => unreadable(&error),
        error => ApiError::bad_request(format!("Malformed multipart body: {error}")),
    }
}
