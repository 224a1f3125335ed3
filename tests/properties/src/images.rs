//! Headers of images (reference/media.md#types): however the bytes arrive, the outcome is the same and takes a bounded
//! number of calls. An accepted image has no longer sides at the places that its format fixes.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use foundation::images::{self, ImageFormat, MAX_IMAGE_SIDE_PIXELS};

/// Calls of a reader that gives single bytes. A step reads at most 12 bytes, or leads elsewhere.
const MAX_CALLS: usize = 15 * 10_000;

/// Any bytes, as an image of each format.
pub fn check(input: &[u8]) {
    for format in ImageFormat::ALL {
        let outcome = images::check(Cursor::new(input), format);
        let mut slow = Slow { content: Cursor::new(input), calls: 0 };
        assert_eq!(images::check(&mut slow, format), outcome, "{format:?}");
        assert!(slow.calls <= MAX_CALLS, "{format:?}: {} calls", slow.calls);
        if outcome.is_ok() {
            let sides = fixed_sides(input, format);
            assert!(sides.iter().all(|side| *side <= MAX_IMAGE_SIDE_PIXELS), "{format:?}: {sides:?}");
        }
    }
}

/// Sides of an accepted image that are at fixed places.
fn fixed_sides(input: &[u8], format: ImageFormat) -> Vec<u32> {
    match format {
        ImageFormat::Png => [16, 20].map(|at| u32::from_be_bytes(bytes(input, at))).to_vec(),
        ImageFormat::Gif => [6, 8].map(|at| u32::from(u16::from_le_bytes(bytes(input, at)))).to_vec(),
        ImageFormat::Jpeg | ImageFormat::WebP | ImageFormat::Avif => Vec::new(),
    }
}

fn bytes<const N: usize>(input: &[u8], at: usize) -> [u8; N] {
    input[at..at + N].try_into().expect("an accepted header is complete")
}

/// Content that arrives in single bytes.
struct Slow<'a> {
    content: Cursor<&'a [u8]>,
    calls: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        let length = bytes.len().min(1);
        self.content.read(&mut bytes[..length])
    }
}

impl Seek for Slow<'_> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.calls += 1;
        self.content.seek(place)
    }
}
