//! FLAC without its metadata: the library keeps comments and pictures of any size, and sorts points of seek tables
//! one by one.

use std::{fs::File, io, os::unix::fs::FileExt};

use super::{malformed, source::Readable};

/// Maximum number of blocks of metadata of a FLAC behind the first one.
const MAX_BLOCKS: usize = 1024;
/// Bytes of the marker, and of the block that describes the audio, which is the first one.
const START: usize = 42;
const MARKER: &[u8] = b"fLaC";
/// Header of that block without the bit of the last block.
const DESCRIPTION: [u8; 4] = [0, 0, 0, 34];
/// Bit of the last block.
const LAST: u8 = 0x80;

/// Finds the part with the description and the frames.
pub(super) fn readable(file: &File) -> io::Result<Readable> {
    let mut head = vec![0; START];
    file.read_exact_at(&mut head, 0)?;
    let (mut is_last, mut from) = (head[4] & LAST != 0, 42);
    head[4] &= !LAST;
    if !head.starts_with(MARKER) || head[4..8] != DESCRIPTION {
        return Err(malformed("no description of the audio"));
    }
    head[4] |= LAST;
    for _ in 0..=MAX_BLOCKS {
        if is_last {
            return Ok(Readable { head, from });
        }
        let mut header = [0; 4];
        file.read_exact_at(&mut header, from)?;
        let [kind, length @ ..] = header;
        is_last = kind & LAST != 0;
        from += 4 + length.iter().fold(0, |length, byte| (length << 8) | u64::from(*byte));
    }
    Err(malformed("too many blocks of metadata"))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            AudioFormat, decode,
            tests::{FLAC, file},
        },
        *,
    };

    /// The fixture with blocks of metadata instead of its own ones. Its frames begin behind the padding.
    fn with_blocks(blocks: &[(u8, Vec<u8>)]) -> Vec<u8> {
        let mut content = FLAC[..START].to_vec();
        for (place, (kind, block)) in blocks.iter().enumerate() {
            let last = if place + 1 == blocks.len() { LAST } else { 0 };
            content.push(kind | last);
            content.extend(&u32::try_from(block.len()).unwrap().to_be_bytes()[1..]);
            content.extend(block);
        }
        let frames = usize::try_from(readable(&file(FLAC)).unwrap().from).unwrap();
        [content, FLAC[frames..].to_vec()].concat()
    }

    fn points(count: u64) -> Vec<u8> {
        (0..count).rev().flat_map(|point| [&point.to_be_bytes()[..], &[0; 10]].concat()).collect()
    }

    #[test]
    fn readable_is_the_description_and_the_frames() {
        let of = |content: &[u8]| readable(&file(content)).unwrap();
        let whole = of(FLAC);
        assert_eq!((whole.head.len(), whole.head[4]), (START, LAST));
        assert_eq!(FLAC[usize::try_from(whole.from).unwrap()..][..2], [0xff, 0xf8], "the first frame");
        let mut comments = [&[0; 4][..], &1_000_000_u32.to_le_bytes()].concat();
        comments.extend(b"\x03\0\0\0a=b".repeat(1_000_000));
        let picture = [&[0; 28][..], &2_097_152_u32.to_be_bytes(), &[0xff; 2_097_152]].concat();
        let expected = decode(&file(FLAC), AudioFormat::Flac).unwrap();
        assert_eq!(expected.duration_ms, Some(500));
        for blocks in [
            vec![(1, Vec::new())],
            vec![(4, comments)],
            vec![(6, picture.clone()), (6, picture)],
            // A table that is sorted the other way round.
            vec![(3, points(900_000)), (127, vec![7; 10])],
        ] {
            let content = with_blocks(&blocks);
            assert_eq!(of(&content).head, whole.head);
            assert_eq!(decode(&file(&content), AudioFormat::Flac).unwrap(), expected);
        }
    }

    #[test]
    fn readable_refuses_what_has_no_description_or_no_end() {
        let many = |number| with_blocks(&vec![(1, Vec::new()); number]);
        assert!(readable(&file(&many(MAX_BLOCKS + 1))).is_err());
        assert!(readable(&file(&many(MAX_BLOCKS))).is_ok());
        let mut other = FLAC.to_vec();
        other[4] = 1;
        let marked = [&b"OggS"[..], &FLAC[4..]].concat();
        for content in [&other[..], &FLAC[..START + 2], &FLAC[..20], b"", &marked] {
            assert!(readable(&file(content)).is_err());
        }
    }
}
