//! Bundles: the `.tar.gz` archives of versions (reference/extensions.md#bundle). The upload and
//! `lumio-ext check` apply these rules.
//!
//! [`check_version`] reads the form, [`read`] unpacks and measures the archive, [`check`] applies the rules to the
//! result, [`check_handlers`] compares the manifest with the code. None of them uses the network, the database or
//! the object store, so that all can be tested with any input.

mod archive;
mod code;
mod form;
mod limits;
mod manifest;
mod name;
mod sizes;
mod sound;
mod unpacked;

use std::io::{Read, Write};

use extension_model::{Manifest, limits::ResolvedLimits};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

pub use archive::{Bundle, BundleError, BundleFile, read};
pub use code::check_handlers;
pub use form::{MAX_BUNDLE_BYTES, MAX_VERSION_LENGTH, TOO_LARGE, check_version};
pub use limits::Limits;
pub use manifest::{SCHEMA_ID, schema};

/// Path of the manifest in a bundle.
pub const MANIFEST: &str = "lumio.config.json";
/// Path of the handler code in a bundle.
pub const SERVER: &str = "server.js";
/// Path of the archive of the sources, for reviewers only.
pub const SOURCE: &str = "source.tar.gz";

/// Refusal of any price, and of the visibility `paid`, for developers who are not verified
/// (reference/developers.md#pricing).
pub const PAID_NEEDS_VERIFICATION: &str = "Paid pricing requires developer verification";

/// An error of one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// Path of the field, for example `bot_module.commands[0].name`.
    pub field: String,
    /// Rule that the field breaks.
    pub message: String,
}

impl FieldError {
    /// Error of a field with a message.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

/// Values that a manifest must match.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// Extension that the version is uploaded to.
    pub extension_id: Uuid,
    /// Version of the upload form.
    pub version: &'a str,
    /// True when the developer may charge.
    pub verified: bool,
    /// Limits of the extension.
    pub limits: &'a ResolvedLimits,
}

/// A bundle that satisfies every rule except the syntax of its handlers.
#[derive(Debug)]
pub struct CheckedBundle {
    /// Parsed manifest.
    pub manifest: Manifest,
    /// Manifest as it was uploaded.
    pub manifest_text: serde_json::Value,
    /// Text of `server.js`, or `None`.
    pub handler_code: Option<String>,
}

/// Checks manifest and sizes.
///
/// # Errors
/// Errors by field, at most 100.
pub fn check(bundle: &Bundle, expected: Expected<'_>) -> Result<CheckedBundle, Vec<FieldError>> {
    let (manifest, manifest_text) = manifest::parse(bundle.manifest.as_deref(), expected)?;
    sizes::check(bundle, &manifest, expected.limits)?;
    let handler_code = handler_code(bundle, &manifest)?;
    Ok(CheckedBundle { manifest, manifest_text, handler_code })
}

fn handler_code(bundle: &Bundle, manifest: &Manifest) -> Result<Option<String>, Vec<FieldError>> {
    let refuse = |message: &str| Err(vec![FieldError::new(SERVER, message)]);
    match &bundle.server {
        None if manifest.server => refuse("server.js is missing although the manifest says `server: true`"),
        None => Ok(None),
        Some(_) if !manifest.server => refuse("server.js needs `server: true` in the manifest"),
        Some(code) => match String::from_utf8(code.clone()) {
            Ok(code) if code.contains('\0') => refuse("server.js must not contain NUL characters"),
            Ok(code) => Ok(Some(code)),
            Err(_) => refuse("server.js is not valid UTF-8"),
        },
    }
}

/// Maximum number of reported errors of one upload.
const MAX_ERRORS: usize = 100;

/// Text of the uploader for an error message, at most 100 characters.
fn shortened(text: &str) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Counter of the bytes that pass through.
struct Counted<T> {
    inner: T,
    bytes: u64,
}

impl<T> Counted<T> {
    const fn new(inner: T) -> Self {
        Self { inner, bytes: 0 }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes += count as u64;
        Ok(count)
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
