//! Type of a file by its content: names and declared types may be wrong (reference/media.md#types).

use std::{
    fs::File,
    io::{Seek, SeekFrom},
};

use api_core::{ApiError, Result, validate};
use foundation::images::ImageFormat;

use super::{
    audio::{self, AudioFormat},
    drawing,
};

/// Kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Picture of pixels.
    Image(ImageFormat),
    /// SVG.
    Drawing,
    /// MP4 or WebM.
    Video,
    /// MP3, WAV, OGG or FLAC.
    Sound(AudioFormat),
    /// WOFF2.
    Font,
    /// PDF.
    Document,
}

/// Type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Content {
    /// Kind of the file.
    pub kind: Kind,
    /// Content type of responses with the file.
    pub content_type: &'static str,
}

impl Content {
    /// Type of a file that begins with these bytes; `None` for any other file.
    pub fn of(head: &[u8]) -> Option<Self> {
        let is = |kind, content_type| Some(Self { kind, content_type });
        if let Some(format) = AudioFormat::of(head) {
            return is(Kind::Sound(format), format.content_type());
        }
        let image = |format: ImageFormat| is(Kind::Image(format), format.content_type());
        match infer::get(head).map(|found| found.mime_type()) {
            Some("image/png") => image(ImageFormat::Png),
            Some("image/jpeg") => image(ImageFormat::Jpeg),
            Some("image/gif") => image(ImageFormat::Gif),
            Some("image/webp") => image(ImageFormat::WebP),
            Some("image/avif") => image(ImageFormat::Avif),
            Some("video/mp4") => is(Kind::Video, "video/mp4"),
            Some("video/webm") => is(Kind::Video, "video/webm"),
            Some("application/pdf") => is(Kind::Document, "application/pdf"),
            _ if head.starts_with(b"wOF2") => is(Kind::Font, "font/woff2"),
            _ if drawing::may_be(head) => is(Kind::Drawing, "image/svg+xml"),
            _ => None,
        }
    }

    /// Checks what the first bytes do not show. It reads the file and may take long.
    ///
    /// # Errors
    /// 400 for an image without readable dimensions or with a side that is too long, and for a sound that is
    /// none.
    pub fn check(self, file: &mut File) -> Result<()> {
        match self.kind {
            Kind::Image(format) => check_image(file, format),
            Kind::Sound(format) => audio::check(file, format),
            Kind::Drawing | Kind::Video | Kind::Font | Kind::Document => Ok(()),
        }
    }
}

/// Reads the sides from the header of the image, which is not decoded.
fn check_image(file: &mut File, format: ImageFormat) -> Result<()> {
    file.seek(SeekFrom::Start(0)).map_err(ApiError::internal)?;
    validate::image("file", file, format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_known_by_the_first_bytes() {
        let webm = [&b"\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x86\x81\x01\x42\x82\x84webm"[..], &[0; 300]]
            .concat();
        let matroska =
            [&b"\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x86\x81\x01\x42\x82\x88matroska"[..], &[0; 300]]
                .concat();
        for (head, expected) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", Some("image/jpeg")),
            (b"GIF89a..", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"\0\0\0\x1cftypavif\0\0\0\0mif1miafavif", Some("image/avif")),
            (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", Some("video/mp4")),
            (&webm, Some("video/webm")),
            (b"%PDF-1.7 ", Some("application/pdf")),
            (b"wOF2\0\x01\0\0", Some("font/woff2")),
            (b"wOFF\0\x01\0\0", None),
            (b"ID3\x04\0\0\0\0\0\0", Some("audio/mpeg")),
            (b"\xff\xfb\x90\x64", Some("audio/mpeg")),
            (b"RIFF\0\0\0\0WAVEfmt ", Some("audio/wav")),
            (b"OggS\0\x02", Some("audio/ogg")),
            (b"fLaC\0\0\0\x22", Some("audio/flac")),
            (b"<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>", Some("image/svg+xml")),
            (b"PK\x03\x04 an archive", None),
            (b"MZ\x90\0", None),
            (b"<html></html>", None),
            (&matroska, None),
            (b"RIFF\0\0\0\0AVI LIST", None),
            (b"", None),
        ] {
            assert_eq!(Content::of(head).map(|content| content.content_type), expected, "{head:?}");
        }
    }
}
