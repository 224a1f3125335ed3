//! Image types by the first bytes, because names and declared types may be wrong, and sides of images.

use std::io::Cursor;

use api_core::{ApiError, Result, validate};
use foundation::images::ImageFormat;

/// An image type that extensions may store (reference/extensions.md#uploads).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImageType {
    /// Image of pixels.
    Pixels(ImageFormat),
    /// Drawing.
    Svg,
}

/// Type of an image that extensions may store.
///
/// # Errors
/// 400 for any other content, and for sides that are too long.
pub(super) fn checked(content: &[u8]) -> Result<ImageType> {
    let Some(image) = ImageType::of(content) else {
        return Err(ApiError::invalid("file must be a PNG, JPEG, GIF, SVG, WebP or AVIF image"));
    };
    if let ImageType::Pixels(format) = image {
        validate::image("file", Cursor::new(content), format)?;
    }
    Ok(image)
}

impl ImageType {
    /// Type of the content, or `None` for any other content.
    pub(super) fn of(content: &[u8]) -> Option<Self> {
        let format = match content {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => ImageFormat::Png,
            [0xff, 0xd8, 0xff, ..] => ImageFormat::Jpeg,
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ImageFormat::Gif,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ImageFormat::WebP,
            _ if is_avif(content) => ImageFormat::Avif,
            _ => return is_svg(content).then_some(Self::Svg),
        };
        Some(Self::Pixels(format))
    }

    /// Ending of the name of a file of this type.
    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Pixels(ImageFormat::Png) => "png",
            Self::Pixels(ImageFormat::Jpeg) => "jpg",
            Self::Pixels(ImageFormat::Gif) => "gif",
            Self::Pixels(ImageFormat::WebP) => "webp",
            Self::Pixels(ImageFormat::Avif) => "avif",
            Self::Svg => "svg",
        }
    }

    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::Pixels(format) => format.content_type(),
            Self::Svg => "image/svg+xml",
        }
    }
}

/// True for a file of the ISO base media format with an AVIF brand: `size ftyp major version compatible…`.
fn is_avif(content: &[u8]) -> bool {
    let Some((size, rest)) = content.split_first_chunk::<4>() else { return false };
    let Some(brands) = rest.strip_prefix(b"ftyp") else { return false };
    let length = usize::try_from(u32::from_be_bytes(*size)).unwrap_or(usize::MAX).saturating_sub(8);
    let brands = &brands[..length.min(brands.len())];
    // The second field is a number.
    let named = brands.chunks_exact(4).enumerate().filter(|(place, _)| *place != 1);
    named.map(|(_, brand)| brand).any(|brand| brand == b"avif" || brand == b"avis")
}

/// True for a text whose first element is `svg`.
fn is_svg(content: &[u8]) -> bool {
    let Ok(mut text) = std::str::from_utf8(content) else { return false };
    text = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let after = if text.starts_with("<?") {
            text.split_once("?>")
        } else if text.starts_with("<!--") {
            text.split_once("-->")
        } else if text.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) {
            // A document type with declarations, which could hold entities, is not accepted.
            text.split_once('>').filter(|(declaration, _)| !declaration.contains('['))
        } else {
            let element = text.strip_prefix("<svg");
            return element.is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n', '>', '/']));
        };
        match after {
            Some((_, rest)) => text = rest.trim_start(),
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_what_they_begin_with() {
        for (content, kind) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], ImageType::Pixels(ImageFormat::Png)),
            (b"\xff\xd8\xff\xe0", ImageType::Pixels(ImageFormat::Jpeg)),
            (b"GIF89a", ImageType::Pixels(ImageFormat::Gif)),
            (b"GIF87a", ImageType::Pixels(ImageFormat::Gif)),
            (b"RIFF\0\0\0\0WEBPVP8 ", ImageType::Pixels(ImageFormat::WebP)),
            (b"\0\0\0\x18ftypavif\0\0\0\0mif1", ImageType::Pixels(ImageFormat::Avif)),
            (b"\0\0\0\x18ftypmif1\0\0\0\0avif", ImageType::Pixels(ImageFormat::Avif)),
            (b"<svg/>", ImageType::Svg),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>", ImageType::Svg),
            (
                "\u{feff}<?xml version=\"1.0\"?>\n<!-- a > b --><!DOCTYPE svg>\n<svg\n>".as_bytes(),
                ImageType::Svg,
            ),
        ] {
            assert_eq!(ImageType::of(content), Some(kind), "{content:?}");
        }
    }

    #[test]
    fn image_type_of_other_content_is_none() {
        for content in [
            &b""[..],
            b"MZ",
            b"<html><svg/></html>",
            b"<svgx/>",
            b"<?xml version=\"1.0\"",
            b"<!-- <svg/>",
            b"<!DOCTYPE svg [<!ENTITY a \"b\">]><svg/>",
            b"\0\0\0\x10ftypmp42avif",
            b"\0\0\0\x14ftypisom\0\0\0\0mp42avif",
            b"RIFF\0\0\0\0WAVE",
            b"\x89PNG\r\n",
            b"\xff\xfe<\0s\0v\0g\0",
        ] {
            assert_eq!(ImageType::of(content), None, "{content:?}");
        }
    }
}
