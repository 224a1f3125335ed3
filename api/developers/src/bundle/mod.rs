//! Bundles: the `.tar.gz` archives that versions are uploaded as (specification B §8, C B2).
//!
//! [`read`] unpacks and measures, [`check`] holds the result against the manifest's rules. Neither touches the
//! network, the database or the object store, so that both can be fed with anything.

mod archive;
mod manifest;
mod name;
mod sizes;
mod sound;
mod syntax;

use std::io::{Read, Write};

use shared::extensions::Manifest;
use uuid::Uuid;

use crate::envelope::FieldError;

pub use archive::{Bundle, BundleError, BundleFile, Limits, read};
pub(crate) use syntax::exports;

/// The manifest's place in a bundle.
pub const MANIFEST: &str = "lumio.config.json";
/// The handler code's place in a bundle.
pub const SERVER: &str = "server.js";
/// The archive of the sources, for reviewers only.
pub const SOURCE: &str = "source.tar.gz";

/// What a manifest is held against.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    pub extension_id: Uuid,
    pub version: &'a str,
    /// Whether the developer may charge.
    pub verified: bool,
}

/// A bundle that satisfies every rule but the syntax of its handlers.
#[derive(Debug)]
pub struct CheckedBundle {
    pub manifest: Manifest,
    /// As it was uploaded.
    pub manifest_text: serde_json::Value,
    pub handler_code: Option<String>,
}

/// Checks manifest and sizes.
///
/// # Errors
/// What is wrong, by field; at most 100 errors.
pub fn check(bundle: &Bundle, expected: Expected<'_>) -> Result<CheckedBundle, Vec<FieldError>> {
    let (manifest, manifest_text) = manifest::parse(bundle.manifest.as_deref(), expected)?;
    sizes::check(bundle, &manifest)?;
    let handler_code = handler_code(bundle, &manifest)?;
    Ok(CheckedBundle { manifest, manifest_text, handler_code })
}

/// Fields of a manifest that name a handler which `server.js` does not export; at most 100.
pub(crate) fn unexported(manifest: &Manifest, exports: &[String]) -> Vec<FieldError> {
    manifest::check_exports(manifest, exports)
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

/// Errors of one upload that are reported.
const MAX_ERRORS: usize = 100;

/// A text of the uploader as an error repeats it: at most 100 characters.
fn shortened(text: &str) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Counts what passes.
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
