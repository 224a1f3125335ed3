//! Header fields of requests.

use std::collections::BTreeMap;

use foundation::egress::is_reserved_header;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::super::Failure;

/// Maximum number of header fields (reference/automations.md#requests).
const MAX_FIELDS: usize = 32;
/// Maximum size of the header fields, in bytes (reference/automations.md#requests).
const MAX_FIELDS_BYTES: usize = 8 * 1024;

/// Reads the fields of a node.
///
/// # Errors
/// A reserved or invalid field.
pub(super) fn read(fields: &BTreeMap<String, String>) -> Result<HeaderMap, Failure> {
    let bytes: usize = fields.iter().map(|(name, value)| name.len() + value.len()).sum();
    if fields.len() > MAX_FIELDS || bytes > MAX_FIELDS_BYTES {
        let message = format!("headers must have at most {MAX_FIELDS} fields and {MAX_FIELDS_BYTES} bytes");
        return Err(Failure::new(message));
    }
    let mut headers = HeaderMap::with_capacity(fields.len());
    for (name, value) in fields {
        let value = HeaderValue::from_str(value)
            .map_err(|_invalid| Failure::new(format!("The value of the header {name:?} is not valid")))?;
        headers.append(field_name(name)?, value);
    }
    Ok(headers)
}

fn field_name(name: &str) -> Result<HeaderName, Failure> {
    let parsed = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_invalid| Failure::new(format!("{name:?} is no name of a header")))?;
    if is_reserved_header(parsed.as_str()) {
        return Err(Failure::new(format!("The header {parsed} cannot be set")));
    }
    Ok(parsed)
}
