//! MP3 without the ID3v2 tags before its frames: a cover is larger than the part of a file in which the library
//! searches for a frame.

use std::{fs::File, io, os::unix::fs::FileExt};

use super::{malformed, source::Readable};

/// Maximum number of tags before the frames of an MP3.
const MAX_TAGS: usize = 8;
/// Length of the header of a tag.
const HEADER: u64 = 10;
/// Bit of a tag that ends with a copy of its header.
const FOOTER: u8 = 0x10;

/// Finds the part behind the tags.
pub(super) fn readable(file: &File) -> io::Result<Readable> {
    let mut from = 0;
    for _ in 0..=MAX_TAGS {
        let Some(length) = tag_length(file, from)? else {
            return Ok(Readable { head: Vec::new(), from });
        };
        from += length;
    }
    Err(malformed("too many tags"))
}

/// Length of the tag at a place; `None` when there is none.
fn tag_length(file: &File, at: u64) -> io::Result<Option<u64>> {
    let mut header = [0; 10];
    file.read_exact_at(&mut header, at)?;
    let [b'I', b'D', b'3', version, revision, flags, size @ ..] = header else { return Ok(None) };
    if version == u8::MAX || revision == u8::MAX || size.iter().any(|byte| *byte > 0x7f) {
        return Ok(None);
    }
    // Each byte has seven bits.
    let size = size.iter().fold(0, |size, byte| (size << 7) | u64::from(*byte));
    let footer = if flags & FOOTER == 0 { 0 } else { HEADER };
    Ok(Some(HEADER + size + footer))
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{MP3, file, id3_tag},
        *,
    };

    fn from(content: &[u8]) -> io::Result<u64> {
        readable(&file(content)).map(|readable| readable.from)
    }

    #[test]
    fn readable_begins_behind_the_tags() {
        let mut with_footer = id3_tag(b"text");
        with_footer[5] = FOOTER;
        with_footer.extend(b"3DI\x04\0\x10\0\0\0\x04");
        let large = id3_tag(&vec![0xff; 2 * 1024 * 1024]);
        for tags in [
            Vec::new(),
            id3_tag(b""),
            large.clone(),
            [large, id3_tag(b"a"), with_footer].concat(),
            id3_tag(b"a").repeat(MAX_TAGS),
        ] {
            assert_eq!(from(&[&tags[..], MP3].concat()).unwrap(), u64::try_from(tags.len()).unwrap());
        }
        assert!(from(&[&id3_tag(b"a").repeat(MAX_TAGS + 1)[..], MP3].concat()).is_err());
    }

    #[test]
    fn tag_length_is_that_of_a_valid_header() {
        let of = |header: &[u8]| tag_length(&file(header), 0).unwrap();
        assert_eq!(of(b"ID3\x04\0\0\x7f\x7f\x7f\x7f"), Some(10 + (1 << 28) - 1));
        assert_eq!(of(b"ID3\x03\0\0\0\0\x02\x01"), Some(10 + 257));
        for other in [
            b"ID3\x04\0\0\0\0\0\x80",
            b"ID3\xff\0\0\0\0\0\0",
            b"ID3\x04\xff\0\0\0\0\0",
            b"ID2\x04\0\0\0\0\0\0",
        ] {
            assert_eq!(of(other), None);
        }
        assert!(tag_length(&file(b"ID3\x04"), 0).is_err());
    }
}
