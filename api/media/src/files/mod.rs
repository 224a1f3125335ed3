//! Files that clients send: receipt, checks, and storage (reference/media.md#files).
//!
//! - `form`: the multipart form, whose file goes to a temporary file.
//! - `permits`: the number of files that are received, checked and decoded at once.
//! - `content`: the type of a file by its content, and what it may not be.
//! - `audio`: what a sound is, by decoding it.
//! - `drawing`: SVG without code.

pub mod audio;
mod content;
mod drawing;
mod form;
mod permits;

use api_core::{ApiError, Result, State, http::Permit};
use shared::id::AccountId;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

pub(crate) use audio::{AudioFormat, Decoded};
pub(crate) use content::{Content, Kind};
pub(crate) use form::{FileForm, FormLimits, read};
pub(crate) use permits::permit;

/// Checks a received file of an account and returns its type. An SVG is replaced by one without code.
///
/// # Errors
/// 400 for a file of another type, and for one that is not what its first bytes say; 429 when too many wait.
pub(crate) async fn checked(
    state: &State,
    account: AccountId,
    mut form: FileForm,
) -> Result<(FileForm, Content)> {
    let Some(content) = Content::of(&form.head) else {
        return Err(ApiError::invalid(
            "file must be a PNG, JPEG, GIF, WebP, AVIF or SVG image, an MP4 or WebM video, an MP3, WAV, OGG or FLAC \
             sound, a WOFF2 font or a PDF",
        ));
    };
    match content.kind {
        Kind::Image(_) | Kind::Sound(_) => {}
        Kind::Drawing => return Ok((cleaned(state, account, form).await?, content)),
        // Their first bytes are all that is checked: they need not wait for others.
        Kind::Video | Kind::Font | Kind::Document => return Ok((form, content)),
    }
    let mut file = form.blocking().await?;
    let permit = permits::check_permit(state, account).await?;
    blocking(permit, move || content.check(&mut file)).await?;
    form.file.rewind().await.map_err(ApiError::internal)?;
    Ok((form, content))
}

async fn cleaned(state: &State, account: AccountId, mut form: FileForm) -> Result<FileForm> {
    if form.size_bytes > drawing::MAX_DRAWING_BYTES {
        let message = format!("file must not be larger than {} bytes as SVG", drawing::MAX_DRAWING_BYTES);
        return Err(ApiError::invalid(message));
    }
    let mut given = Vec::new();
    form.file.read_to_end(&mut given).await.map_err(ApiError::internal)?;
    let permit = permits::check_permit(state, account).await?;
    let cleaned = blocking(permit, move || drawing::cleaned(&given)).await?;
    form.with_content(&cleaned).await
}

/// Decodes a received sound of an account; the file is at its beginning afterwards.
///
/// # Errors
/// 400 for a file that is no sound of the format; 429 when too many wait.
pub(crate) async fn decoded(
    state: &State,
    account: AccountId,
    form: &mut FileForm,
    format: AudioFormat,
) -> Result<Decoded> {
    let file = form.blocking().await?;
    let permit = permits::decode_permit(state, account).await?;
    let decoded = blocking(permit, move || audio::decode(&file, format)).await?;
    form.file.rewind().await.map_err(ApiError::internal)?;
    Ok(decoded)
}

/// Runs code that reads a file on a thread for such work. A library that panics has met a file that it cannot read.
async fn blocking<T: Send + 'static>(
    permit: Permit,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(permit);
        done
    });
    done.await.unwrap_or_else(|panic| {
        tracing::warn!(%panic, "a file could not be read");
        Err(ApiError::invalid("file cannot be read"))
    })
}
