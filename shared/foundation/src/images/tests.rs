use std::io::{self, Cursor};

use super::*;

fn refusal(content: &[u8], format: ImageFormat) -> Option<Refusal> {
    check(Cursor::new(content), format).err()
}

/// A PNG with these sides and no pixels.
fn png(width: u32, height: u32) -> Vec<u8> {
    [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", &width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]]
        .concat()
}

/// A JPEG with these segments before its frame.
fn jpeg(segments: &[u8], width: u16, height: u16) -> Vec<u8> {
    [b"\xff\xd8", segments, b"\xff\xc0\0\x11\x08", &height.to_be_bytes(), &width.to_be_bytes(), &[3; 12]]
        .concat()
}

/// A GIF with a screen, these extensions, and a frame with place and sides.
fn gif(screen: (u16, u16), extensions: &[u8], frame: [u16; 4]) -> Vec<u8> {
    let colours = [0; 12];
    let head =
        [b"GIF89a", &screen.0.to_le_bytes()[..], &screen.1.to_le_bytes(), &[0x81, 0, 0], &colours].concat();
    [&head[..], extensions, b",", &frame.map(u16::to_le_bytes).concat(), b"\0\x02\x02D\x01\0;"].concat()
}

/// A WebP with one chunk.
fn webp(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len()).unwrap().to_le_bytes();
    [b"RIFF\0\0\0\0WEBP", &kind[..], &size, content, &[0; 8]].concat()
}

/// A box with its content.
fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len() + 8).unwrap();
    [&size.to_be_bytes()[..], kind, content].concat()
}

/// A box whose size has eight bytes.
fn long_boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let size = u64::try_from(content.len() + 16).unwrap();
    [&1_u32.to_be_bytes()[..], kind, &size.to_be_bytes(), content].concat()
}

/// Box with the sides of an item.
fn item(width: u32, height: u32) -> Vec<u8> {
    boxed(b"ispe", &[[0; 4], width.to_be_bytes(), height.to_be_bytes()].concat())
}

/// An AVIF with these properties of its items.
fn avif(properties: &[Vec<u8>]) -> Vec<u8> {
    let properties =
        boxed(b"iprp", &[boxed(b"ipco", &properties.concat()), boxed(b"ipma", &[0; 8])].concat());
    let meta = [vec![0; 4], boxed(b"hdlr", &[0; 24]), properties].concat();
    [boxed(b"ftyp", b"avif\0\0\0\0avif"), boxed(b"meta", &meta), boxed(b"mdat", &[7; 20])].concat()
}

/// A sequence with a track, in a version of its header.
fn sequence(version: u8, width: u32, height: u32) -> Vec<u8> {
    let before = if version == 1 { 84 } else { 72 };
    let sides = [(width << 16).to_be_bytes(), (height << 16).to_be_bytes()].concat();
    let header = [vec![version, 0, 0, 7], vec![0; before], sides].concat();
    let track = boxed(b"trak", &[boxed(b"tkhd", &header), boxed(b"mdia", &[0; 40])].concat());
    [avif(&[item(1, 1)]), boxed(b"moov", &[boxed(b"mvhd", &[0; 100]), track].concat())].concat()
}

#[test]
fn check_accepts_sides_up_to_the_maximum() {
    let comment = b"\xff\xfe\0\x05abc";
    for (content, format) in [
        (png(1, 8192), ImageFormat::Png),
        (jpeg(b"", 8192, 1), ImageFormat::Jpeg),
        (jpeg(comment, 8192, 1), ImageFormat::Jpeg),
        (gif((8192, 1), b"", [0, 0, 8192, 1]), ImageFormat::Gif),
        (gif((5, 5), b"!\xf9\x04\0\0\0\0\0!\xfe\x03abc\x02de\0", [1, 1, 2, 2]), ImageFormat::Gif),
        (webp(b"VP8 ", &[0, 0, 0, 0x9d, 1, 0x2a, 0, 0x20, 1, 0]), ImageFormat::WebP),
        (webp(b"VP8L", &[0x2f, 0xff, 0x1f, 0, 0]), ImageFormat::WebP),
        (webp(b"VP8X", &[0, 0, 0, 0, 0xff, 0x1f, 0, 0, 0, 0]), ImageFormat::WebP),
        (avif(&[item(8192, 1), item(1, 8192)]), ImageFormat::Avif),
        (sequence(0, 8192, 8192), ImageFormat::Avif),
        (sequence(1, 8192, 8192), ImageFormat::Avif),
    ] {
        assert_eq!(refusal(&content, format), None, "{format:?} {content:x?}");
    }
}

#[test]
fn check_refuses_longer_sides_and_none() {
    // A marker without a segment, and one behind further bytes.
    let filled = b"\xff\xd0\xff\xff\xff\xfe\0\x05abc";
    for (content, format) in [
        (png(8193, 1), ImageFormat::Png),
        (png(1, 0), ImageFormat::Png),
        (jpeg(b"", 1, 8193), ImageFormat::Jpeg),
        (jpeg(filled, 1, 8193), ImageFormat::Jpeg),
        (gif((8193, 1), b"", [0, 0, 1, 1]), ImageFormat::Gif),
        (gif((1, 1), b"", [0, 0, u16::MAX, u16::MAX]), ImageFormat::Gif),
        (gif((1, 1), b"!\xfe\x03abc\0", [8000, 0, 193, 1]), ImageFormat::Gif),
        (webp(b"VP8 ", &[0, 0, 0, 0x9d, 1, 0x2a, 1, 0x20, 1, 0]), ImageFormat::WebP),
        (webp(b"VP8L", &[0x2f, 0, 0x20, 0, 0]), ImageFormat::WebP),
        (webp(b"VP8X", &[0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0]), ImageFormat::WebP),
        // Smaller than the other item, and longer.
        (avif(&[item(5000, 5000), item(100_000, 1)]), ImageFormat::Avif),
        (avif(&[long_boxed(b"free", &[9; 30]), item(1, 8193)]), ImageFormat::Avif),
        (sequence(0, 8193, 1), ImageFormat::Avif),
        (sequence(1, 1, 8193), ImageFormat::Avif),
    ] {
        assert_eq!(refusal(&content, format), Some(Refusal::Sides), "{format:?} {content:x?}");
    }
}

#[test]
fn check_refuses_content_without_readable_sides() {
    let garbled = [&png(1, 1)[..12], b"IDAT", &[0; 8]].concat();
    for (content, format) in [
        (b"\x89PNG\r\n\x1a\n".to_vec(), ImageFormat::Png),
        (garbled, ImageFormat::Png),
        (png(1, 1), ImageFormat::Jpeg),
        (b"\xff\xd8\xff\xda\0\x02".to_vec(), ImageFormat::Jpeg),
        (jpeg(b"\xff\xfe\0\x01", 1, 1), ImageFormat::Jpeg),
        (jpeg(b"garbage", 1, 1), ImageFormat::Jpeg),
        (jpeg(b"\xff\xd9", 1, 1), ImageFormat::Jpeg),
        (b"GIF89a".to_vec(), ImageFormat::Gif),
        (b"GIF89a\x01\0\x01\0\0\0\0;".to_vec(), ImageFormat::Gif),
        (webp(b"VP8 ", &[0; 10]), ImageFormat::WebP),
        (webp(b"ALPH", &[0; 10]), ImageFormat::WebP),
        (avif(&[]), ImageFormat::Avif),
        (boxed(b"ispe", &[0; 4]), ImageFormat::Avif),
        (b"\0\0\0\x07free".to_vec(), ImageFormat::Avif),
    ] {
        assert_eq!(refusal(&content, format), Some(Refusal::Unreadable), "{format:?} {content:x?}");
    }
    for format in ImageFormat::ALL {
        assert_eq!(refusal(b"", format), Some(Refusal::Unreadable), "{format:?}");
    }
}

#[test]
fn check_gives_up_on_a_header_of_too_many_parts() {
    let segments = b"\xff\xfe\0\x02".repeat(1_000_000);
    let blocks = [&b"!\xfe"[..], &b"\x01a".repeat(1_000_000), b"\0"].concat();
    let boxes: Vec<Vec<u8>> = (0..100_000).map(|_| boxed(b"free", b"")).collect();
    for (content, format) in [
        (jpeg(&segments, 1, 1), ImageFormat::Jpeg),
        (jpeg(&b"\xff".repeat(1_000_000), 1, 1), ImageFormat::Jpeg),
        (gif((1, 1), &blocks, [0, 0, 1, 1]), ImageFormat::Gif),
        (avif(&boxes), ImageFormat::Avif),
    ] {
        let mut counted = Counted { content: Cursor::new(content), calls: 0 };
        assert_eq!(check(&mut counted, format), Err(Refusal::Unreadable), "{format:?}");
        assert!(counted.calls <= 20_000, "{format:?}: {} calls", counted.calls);
    }
}

#[test]
fn check_of_content_that_cannot_be_read_is_no_refusal_of_the_image() {
    for format in ImageFormat::ALL {
        assert_eq!(check(Failing, format), Err(Refusal::Broken(ErrorKind::PermissionDenied)), "{format:?}");
    }
}

/// Content of a file that cannot be read.
struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(ErrorKind::PermissionDenied.into())
    }
}

impl Seek for Failing {
    fn seek(&mut self, _: io::SeekFrom) -> io::Result<u64> {
        Err(ErrorKind::PermissionDenied.into())
    }
}

/// Content that counts the calls.
struct Counted {
    content: Cursor<Vec<u8>>,
    calls: usize,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        self.content.read(bytes)
    }
}

impl Seek for Counted {
    fn seek(&mut self, place: io::SeekFrom) -> io::Result<u64> {
        self.calls += 1;
        self.content.seek(place)
    }
}
