//! Multipart form of an upload: `version`, `changelog`, `bundle`, and optionally `breaking`.

use std::{fs::File, io::Seek};

use actix_multipart::{Field, Multipart, MultipartError};
use api_core::ApiError;
use api_core::http::unreadable;
use extension_bundle::{FieldError, MAX_BUNDLE_BYTES, TOO_LARGE};
use futures::{StreamExt, TryStreamExt};
use tokio::io::AsyncWriteExt;

use crate::envelope::{DeveloperError, Result};

/// Maximum size of the other fields and the boundaries together (reference/conventions.md#body-size).
const MAX_FORM_OVERHEAD_BYTES: usize = 64 * 1024;
const MAX_FIELDS: usize = 16;

/// An upload. The bundle is an unnamed file, which is deleted when it is closed.
#[derive(Debug)]
pub struct VersionForm {
    /// Version, not checked yet.
    pub version: String,
    /// Changelog; empty when absent.
    pub changelog: String,
    /// True when accounts must accept the version.
    pub breaking: bool,
    /// Archive, at its start.
    pub bundle: File,
    /// Size of the archive in bytes.
    pub bundle_bytes: u64,
}

/// Fields received so far.
#[derive(Default)]
struct Draft {
    version: Option<String>,
    changelog: Option<String>,
    breaking: Option<String>,
    bundle: Option<(File, u64)>,
    /// Bytes without the bundle.
    read: usize,
}

/// Reads a form. Nothing is read before this future is awaited.
///
/// # Errors
/// 422 when the body is not a valid multipart form, or a field is missing, repeated or too large.
pub async fn read(mut body: Multipart) -> Result<VersionForm> {
    let mut draft = Draft::default();
    let mut fields = 0;
    while let Some(field) = body.next().await {
        fields += 1;
        if fields > MAX_FIELDS {
            return Err(DeveloperError::invalid(format!("The form must have at most {MAX_FIELDS} fields")));
        }
        draft.take(field.map_err(malformed)?).await?;
    }
    draft.finish()
}

impl Draft {
    async fn take(&mut self, field: Field) -> Result<()> {
        let name = field.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "bundle" => {
                if self.bundle.is_some() {
                    return Err(repeated("bundle"));
                }
                self.bundle = Some(to_file(field).await?);
            }
            "version" | "changelog" | "breaking" => {
                let text = self.read_text(field, &name).await?;
                let slot = match name.as_str() {
                    "version" => &mut self.version,
                    "changelog" => &mut self.changelog,
                    _ => &mut self.breaking,
                };
                if slot.replace(text).is_some() {
                    return Err(repeated(&name));
                }
            }
            // Unknown fields are ignored, within the bound.
            _ => {
                self.read_bytes(field).await?;
            }
        }
        Ok(())
    }

    async fn read_text(&mut self, field: Field, name: &str) -> Result<String> {
        let bytes = self.read_bytes(field).await?;
        String::from_utf8(bytes).map_err(|_malformed| wrong(name, format!("{name} is not valid UTF-8")))
    }

    async fn read_bytes(&mut self, mut field: Field) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while let Some(chunk) = field.try_next().await.map_err(malformed)? {
            self.read += chunk.len();
            if self.read > MAX_FORM_OVERHEAD_BYTES {
                return Err(DeveloperError::invalid(
                    "The fields beside the bundle must not be larger than 64 KiB",
                ));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    fn finish(self) -> Result<VersionForm> {
        let missing = |name: &str| wrong(name, format!("{name} is required"));
        let version = self.version.ok_or_else(|| missing("version"))?;
        let (bundle, bundle_bytes) = self.bundle.ok_or_else(|| missing("bundle"))?;
        let breaking = match self.breaking.as_deref() {
            None | Some("" | "false") => false,
            Some("true") => true,
            Some(_) => return Err(wrong("breaking", "breaking must be true or false")),
        };
        Ok(VersionForm {
            version,
            changelog: self.changelog.unwrap_or_default(),
            breaking,
            bundle,
            bundle_bytes,
        })
    }
}

/// Streams the bundle into an unnamed file.
async fn to_file(mut field: Field) -> Result<(File, u64)> {
    let file = tempfile::tempfile().map_err(ApiError::internal)?;
    let mut file = tokio::fs::File::from_std(file);
    let mut bytes = 0_u64;
    while let Some(chunk) = field.try_next().await.map_err(malformed)? {
        bytes += chunk.len() as u64;
        if bytes > MAX_BUNDLE_BYTES {
            return Err(wrong("bundle", TOO_LARGE));
        }
        file.write_all(&chunk).await.map_err(ApiError::internal)?;
    }
    file.flush().await.map_err(ApiError::internal)?;
    let mut file = file.into_std().await;
    file.rewind().map_err(ApiError::internal)?;
    Ok((file, bytes))
}

fn repeated(name: &str) -> DeveloperError {
    wrong(name, format!("{name} must be given once"))
}

fn wrong(field: &str, message: impl Into<String>) -> DeveloperError {
    DeveloperError::fields(vec![FieldError::new(field, message)])
}

fn malformed(error: MultipartError) -> DeveloperError {
    match error {
        MultipartError::Payload(error) => unreadable(&error).into(),
        error => DeveloperError::invalid(format!("Malformed multipart body: {error}")),
    }
}
