//! Sound formats by the first bytes, because names may be wrong (reference/extensions.md#sizes).

/// Number of bytes that identify the format.
pub(super) const MIN_HEADER_BYTES: usize = 12;

/// True for the formats that bundles may hold: MP3, WAV, OGG, WebM, M4A, AAC, FLAC.
pub(super) fn is_sound(head: &[u8]) -> bool {
    match head {
        // MP3 with a tag before its frames; FLAC and AAC may have such a tag too.
        [b'I', b'D', b'3', ..]
        | [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..]
        | [b'O', b'g', b'g', b'S', ..]
        | [0x1a, 0x45, 0xdf, 0xa3, ..]
        | [_, _, _, _, b'f', b't', b'y', b'p', ..]
        | [b'A', b'D', b'I', b'F', ..]
        | [b'f', b'L', b'a', b'C', ..] => true,
        // First frame: of AAC without a layer, of MP3 with one.
        [0xff, second, ..] => second & 0xf6 == 0xf0 || (second & 0xe0 == 0xe0 && second & 0x06 != 0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sounds_are_known_by_what_they_begin_with() {
        for head in [
            &b"ID3\x04\0\0\0\0\0\0\0\0"[..],
            b"\xff\xfb\x90\x44",
            b"\xff\xf3\x40\xc0",
            b"\xff\xf1\x50\x80",
            b"\xff\xf9\x50\x80",
            b"RIFF\x24\0\0\0WAVE",
            b"OggS\0\x02\0\0\0\0\0\0",
            b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81",
            b"\0\0\0\x20ftypM4A ",
            b"fLaC\0\0\0\x22",
            b"ADIF",
        ] {
            assert!(is_sound(head), "{head:?}");
        }
        for head in [
            &b""[..],
            b"\xff",
            b"\xff\xd8\xff\xe0",
            b"MZ\x90\0",
            b"RIFF\x24\0\0\0WEBP",
            b"<svg onload=\"x\"",
            b"<html><body>",
            b"\xff\xe0\0\0",
        ] {
            assert!(!is_sound(head), "{head:?}");
        }
    }
}
