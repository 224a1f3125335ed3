//! Multipart form with one file, which goes to a temporary file while it arrives, and short texts.

use std::{collections::HashMap, fs::File};

use actix_multipart::{Field, Multipart, MultipartError};
use api_core::{ApiError, Result, http::unreadable};
use futures::{StreamExt, TryStreamExt};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncSeekExt, AsyncWriteExt};

/// Maximum size of the other fields and the boundaries together (reference/conventions.md#body-size).
const MAX_FORM_OVERHEAD_BYTES: usize = 64 * 1024;
const MAX_FIELDS: usize = 16;
/// Bytes of a file that identify its type.
const HEAD_BYTES: usize = 4096;
/// Length of the stored name of a file, in characters (reference/media.md#files).
const MAX_FILENAME_LENGTH: usize = 255;

/// Limits of a form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FormLimits {
    /// Maximum size of the file.
    pub max_file_bytes: u64,
    /// Names of the texts. Other fields are ignored.
    pub texts: &'static [&'static str],
}

/// A received form.
#[derive(Debug)]
pub(crate) struct FileForm {
    /// The file. It has no name and is gone when it is dropped.
    pub file: tokio::fs::File,
    /// Size of the file.
    pub size_bytes: u64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// First bytes of the file.
    pub head: Vec<u8>,
    /// Name that the client gave to the file, without folders; `file` when it gave none.
    pub filename: String,
    texts: HashMap<&'static str, String>,
}

impl FileForm {
    /// Text of a field.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// A form whose file has other content than the received one.
    ///
    /// # Errors
    /// 500 when the file cannot be written.
    pub async fn with_content(self, content: &[u8]) -> Result<Self> {
        let mut received = Received::begin()?;
        received.write(content).await?;
        Ok(Self { texts: self.texts, ..received.finish(self.filename).await? })
    }

    /// The file for code that blocks. It shares the position with the other handle.
    ///
    /// # Errors
    /// 500 when the file cannot be opened again.
    pub async fn blocking(&self) -> Result<File> {
        let file = self.file.try_clone().await.map_err(ApiError::internal)?;
        Ok(file.into_std().await)
    }
}

/// Reads the form. Nothing is read before this future is awaited.
///
/// # Errors
/// 400 when the body is not a valid multipart form, or the file is missing, empty, repeated or too large.
pub(crate) async fn read(mut body: Multipart, limits: FormLimits) -> Result<FileForm> {
    let (mut form, mut texts, mut fields, mut rest) = (None, HashMap::new(), 0, MAX_FORM_OVERHEAD_BYTES);
    while let Some(field) = body.next().await {
        fields += 1;
        if fields > MAX_FIELDS {
            return Err(ApiError::invalid(format!("The form must have at most {MAX_FIELDS} fields")));
        }
        let field = field.map_err(malformed)?;
        if field.name() == Some("file") {
            let received = receive(field, limits.max_file_bytes).await?;
            if form.replace(received).is_some() {
                return Err(ApiError::invalid("file must be given once"));
            }
            continue;
        }
        let name = limits.texts.iter().copied().find(|name| field.name() == Some(name));
        let text = text_of(field, rest).await?;
        rest -= text.len();
        if let Some(name) = name {
            texts.insert(name, into_text(name, text)?);
        }
    }
    let form = form.ok_or_else(|| ApiError::invalid("file is required"))?;
    Ok(FileForm { texts, ..form })
}

/// Writes a file to a temporary one while it arrives.
async fn receive(mut field: Field, max: u64) -> Result<FileForm> {
    let given = field.content_disposition().and_then(|place| place.get_filename()).unwrap_or_default();
    let filename = stored_name(given);
    let mut received = Received::begin()?;
    while let Some(chunk) = field.try_next().await.map_err(malformed)? {
        received.write(&chunk).await?;
        if received.size_bytes > max {
            return Err(ApiError::invalid(format!("file must not be larger than {max} bytes")));
        }
    }
    if received.size_bytes == 0 {
        return Err(ApiError::invalid("file must not be empty"));
    }
    received.finish(filename).await
}

/// A file that is being written.
struct Received {
    file: tokio::fs::File,
    size_bytes: u64,
    hash: Sha256,
    head: Vec<u8>,
}

impl Received {
    fn begin() -> Result<Self> {
        let file = tempfile::tempfile().map_err(ApiError::internal)?;
        Ok(Self { file: file.into(), size_bytes: 0, hash: Sha256::new(), head: Vec::new() })
    }

    async fn write(&mut self, chunk: &[u8]) -> Result<()> {
        self.file.write_all(chunk).await.map_err(ApiError::internal)?;
        self.hash.update(chunk);
        let missing = HEAD_BYTES.saturating_sub(self.head.len()).min(chunk.len());
        self.head.extend_from_slice(&chunk[..missing]);
        self.size_bytes += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    async fn finish(mut self, filename: String) -> Result<FileForm> {
        self.file.flush().await.map_err(ApiError::internal)?;
        self.file.rewind().await.map_err(ApiError::internal)?;
        Ok(FileForm {
            file: self.file,
            size_bytes: self.size_bytes,
            sha256: hex::encode(self.hash.finalize()),
            head: self.head,
            filename,
            texts: HashMap::new(),
        })
    }
}

/// Bytes of a short field, within what is left of the form.
async fn text_of(mut field: Field, max: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.try_next().await.map_err(malformed)? {
        if bytes.len() + chunk.len() > max {
            return Err(ApiError::bad_request("Request body too large"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn into_text(name: &str, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_malformed| ApiError::invalid(format!("{name} must be UTF-8")))
}

/// Last part of a path, without control characters, cut to the longest name.
fn stored_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !c.is_control()).take(MAX_FILENAME_LENGTH).collect();
    let name = name.trim();
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

fn malformed(error: MultipartError) -> ApiError {
    match error {
        MultipartError::Payload(error) => unreadable(&error),
        error => ApiError::bad_request(format!("Malformed multipart body: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_name_is_the_last_part_of_a_path() {
        let long = "ä".repeat(300);
        for (given, expected) in [
            ("airhorn.mp3", "airhorn.mp3"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Sounds\\horn.wav", "horn.wav"),
            ("a\r\nb\0.png", "ab.png"),
            ("", "file"),
            ("folder/", "file"),
            (" \t ", "file"),
            (&long, &"ä".repeat(255)),
        ] {
            assert_eq!(stored_name(given), expected);
        }
    }
}
