//! Sides of an image by its header (reference/media.md#types). The image is not decoded. The sides are those that the
//! file states: the first frame of a GIF may be larger than its screen, and an AVIF has several items and tracks.

mod avif;
mod gif;
mod header;
mod jpeg;
mod png;
mod webp;

use std::io::{ErrorKind, Read, Seek};

use header::Header;

/// Largest side of an image in pixels (reference/media.md#types). Browsers decode the whole image.
pub const MAX_IMAGE_SIDE_PIXELS: u32 = 8192;

/// Format of an image of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    WebP,
    /// AVIF.
    Avif,
}

/// Reason why an image is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It has no sides that can be read, or has them behind too long a header.
    Unreadable,
    /// A side has no pixels or too many.
    Sides,
    /// Its content cannot be read, whatever it is.
    Broken(ErrorKind),
}

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sides {
    width: u32,
    height: u32,
}

impl ImageFormat {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Png, Self::Jpeg, Self::Gif, Self::WebP, Self::Avif];

    /// Content type of responses with the image.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Avif => "image/avif",
        }
    }
}

impl Sides {
    /// The longer ones of both.
    fn max(self, other: Self) -> Self {
        Self { width: self.width.max(other.width), height: self.height.max(other.height) }
    }
}

/// Checks that an image of a format has sides of 1 to [`MAX_IMAGE_SIDE_PIXELS`]. The content is read from its present
/// position. However long the header is, the number of reads is bounded.
///
/// # Errors
/// [`Refusal::Sides`] for other sides; [`Refusal::Unreadable`] for content of another format or without sides;
/// [`Refusal::Broken`] when the content cannot be read.
pub fn check(content: impl Read + Seek, format: ImageFormat) -> Result<(), Refusal> {
    let mut header = Header::new(content);
    let Sides { width, height } = match format {
        ImageFormat::Png => png::sides(&mut header),
        ImageFormat::Jpeg => jpeg::sides(&mut header),
        ImageFormat::Gif => gif::sides(&mut header),
        ImageFormat::WebP => webp::sides(&mut header),
        ImageFormat::Avif => avif::sides(&mut header),
    }?;
    let is_valid = |side: u32| (1..=MAX_IMAGE_SIDE_PIXELS).contains(&side);
    if is_valid(width) && is_valid(height) { Ok(()) } else { Err(Refusal::Sides) }
}

#[cfg(test)]
mod tests;
