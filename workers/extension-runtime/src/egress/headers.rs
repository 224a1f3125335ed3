//! Header fields that handler code may send and receive.

use foundation::egress::is_reserved_header;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use sandbox::HostError;

/// Maximum number of header fields of a request.
const MAX_FIELDS: usize = 64;
/// Maximum size of the header fields of a request, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// Reads the fields that handler code set.
///
/// # Errors
/// `Argument` for a reserved or invalid field.
pub fn request_headers(fields: &[(String, String)]) -> Result<HeaderMap, HostError> {
    let bytes: usize = fields.iter().map(|(name, value)| name.len() + value.len()).sum();
    if fields.len() > MAX_FIELDS || bytes > MAX_BYTES {
        return Err(HostError::argument(format!(
            "ctx.fetch: headers may have {MAX_FIELDS} fields and {MAX_BYTES} bytes, got {} and {bytes}",
            fields.len()
        )));
    }
    let mut headers = HeaderMap::with_capacity(fields.len());
    for (name, value) in fields {
        headers.append(field_name(name)?, field_value(name, value)?);
    }
    Ok(headers)
}

/// Returns the fields of a response, without those of the connection.
pub fn response_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .filter(|(name, _)| {
            !matches!(name.as_str(), "connection" | "keep-alive" | "transfer-encoding" | "upgrade")
        })
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}

fn field_name(name: &str) -> Result<HeaderName, HostError> {
    let parsed = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_invalid| HostError::argument(format!("ctx.fetch: {name:?} is no header name")))?;
    if is_reserved_header(parsed.as_str()) {
        return Err(HostError::argument(format!("ctx.fetch: the header {parsed} cannot be set")));
    }
    Ok(parsed)
}

fn field_value(name: &str, value: &str) -> Result<HeaderValue, HostError> {
    HeaderValue::from_str(value).map_err(|_invalid| {
        HostError::argument(format!(
            "ctx.fetch: the value of the header {name} has characters that are not allowed"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, value: &str) -> Result<HeaderMap, HostError> {
        request_headers(&[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn headers_accept_ordinary_fields() {
        for name in ["accept", "authorization", "content-type", "user-agent", "x-api-key", "cookie"] {
            assert_eq!(read(name, "v").unwrap().get(name).unwrap(), "v");
        }
    }

    #[test]
    fn headers_refuse_connection_fields_and_injected_lines_by_name() {
        for name in
            ["Host", "connection", "Transfer-Encoding", "content-length", "X-Forwarded-For", "sec-fetch-site"]
        {
            let message = read(name, "v").unwrap_err().message;
            assert_eq!(message, format!("ctx.fetch: the header {} cannot be set", name.to_lowercase()));
        }
        assert!(read("x-a", "v\r\nhost: evil").unwrap_err().message.contains("x-a"));
        assert!(read("bad name", "v").unwrap_err().message.contains("bad name"));
        assert!(read("x-a", &"v".repeat(MAX_BYTES)).is_err());
    }
}
