//! OGG without its comments and pictures: the headers of one stream, and the file from its first page with audio on.

use std::{fs::File, io, os::unix::fs::FileExt};

use super::{
    malformed,
    page::{CONTINUED, FIRST, Page, page},
    source::Readable,
    vorbis,
};

/// Maximum number of streams that an OGG begins with.
const MAX_STREAMS: usize = 16;
/// Maximum number of pages of an OGG before its audio, those of pictures among them.
const MAX_HEADER_PAGES: usize = 8192;
/// Maximum size of the first header of a stream of an OGG.
const MAX_FIRST_HEADER_BYTES: u16 = 512;
/// Maximum size of the header with the codebooks of Vorbis. It fits in one page.
const MAX_SETUP_BYTES: usize = 60_000;

const NO_VORBIS_COMMENTS: &[u8] = b"\x03vorbis\0\0\0\0\0\0\0\0\x01";
const NO_OPUS_COMMENTS: &[u8] = b"OpusTags\0\0\0\0\0\0\0\0";
/// First byte of a packet with audio of FLAC.
const FLAC_FRAME: u8 = 0xff;

/// Finds the headers that a decoder needs, and the pages with audio.
pub(super) fn readable(file: &File) -> io::Result<Readable> {
    let (stream, behind_first_pages) = first_stream(file)?;
    let mut headers = Headers { codec: stream.codec, setup: Vec::new(), packets: 0, is_open: false };
    let from = headers.read(file, stream.serial, behind_first_pages)?;
    let mut head = page(FIRST, stream.serial, 0, &[&stream.header])?;
    match stream.codec {
        Codec::Vorbis => {
            vorbis::check(&headers.setup)?;
            head.extend(page(0, stream.serial, 1, &[NO_VORBIS_COMMENTS, &headers.setup])?);
        }
        Codec::Opus => head.extend(page(0, stream.serial, 1, &[NO_OPUS_COMMENTS])?),
        Codec::Flac => {}
    }
    Ok(Readable { head, from })
}

/// First stream of a known codec, and the place behind the first pages of all streams.
fn first_stream(file: &File) -> io::Result<(Stream, u64)> {
    let (mut found, mut at) = (None, 0);
    for _ in 0..=MAX_STREAMS {
        let page = Page::read(file, at)?;
        if page.flags & FIRST == 0 {
            let stream = found.ok_or_else(|| malformed("no stream of a known codec"))?;
            return Ok((stream, at));
        }
        if found.is_none() {
            found = Stream::read(file, &page)?;
        }
        at = page.end();
    }
    Err(malformed("too many streams"))
}

/// Codec of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Codec {
    Vorbis,
    Opus,
    Flac,
}

impl Codec {
    /// Codec of a stream with this first header.
    fn of(header: &[u8]) -> Option<Self> {
        match header {
            [1, b'v', b'o', b'r', b'b', b'i', b's', ..] => Some(Self::Vorbis),
            [b'O', b'p', b'u', b's', b'H', b'e', b'a', b'd', ..] => Some(Self::Opus),
            [0x7f, b'F', b'L', b'A', b'C', ..] => Some(Self::Flac),
            _ => None,
        }
    }

    /// Number of the headers behind the first one; `None` when the audio shows where they end.
    const fn further_headers(self) -> Option<usize> {
        match self {
            Self::Vorbis => Some(2),
            Self::Opus => Some(1),
            Self::Flac => None,
        }
    }
}

/// Beginning of a stream.
struct Stream {
    serial: u32,
    codec: Codec,
    header: Vec<u8>,
}

impl Stream {
    fn read(file: &File, page: &Page) -> io::Result<Option<Self>> {
        let piece = page.pieces().next();
        let Some(piece) = piece.filter(|piece| piece.is_end && piece.length <= MAX_FIRST_HEADER_BYTES) else {
            return Ok(None);
        };
        let header = piece.read(file)?;
        Ok(Codec::of(&header).map(|codec| Self { serial: page.serial, codec, header }))
    }
}

/// Headers of a stream behind its first one, as far as they are read. Of comments and pictures only the length is.
struct Headers {
    codec: Codec,
    setup: Vec<u8>,
    /// Number of packets that have ended.
    packets: usize,
    /// True within a packet.
    is_open: bool,
}

impl Headers {
    /// Reads the headers, and returns the place of the first page behind them.
    fn read(&mut self, file: &File, serial: u32, from: u64) -> io::Result<u64> {
        let mut at = from;
        for _ in 0..MAX_HEADER_PAGES {
            let page = Page::read(file, at)?;
            if page.flags & FIRST != 0 {
                return Err(malformed("a stream begins behind the headers of others"));
            }
            if page.serial == serial {
                if self.are_followed_by(file, &page)? {
                    return Ok(at);
                }
                self.add(file, &page)?;
            }
            at = page.end();
            if self.codec.further_headers().is_some_and(|number| number <= self.packets) {
                return Ok(at);
            }
        }
        Err(malformed("too many pages before the audio"))
    }

    /// True when a page begins with audio, in a stream that states the number of its headers nowhere else.
    fn are_followed_by(&self, file: &File, page: &Page) -> io::Result<bool> {
        if self.codec.further_headers().is_some() || self.is_open {
            return Ok(false);
        }
        let Some(piece) = page.pieces().next().filter(|piece| piece.length > 0) else { return Ok(false) };
        let mut first = [0];
        file.read_exact_at(&mut first, piece.at)?;
        Ok(first == [FLAC_FRAME])
    }

    fn add(&mut self, file: &File, page: &Page) -> io::Result<()> {
        if (page.flags & CONTINUED != 0) != self.is_open {
            return Err(malformed("a page continues another packet"));
        }
        for piece in page.pieces() {
            if self.codec == Codec::Vorbis && self.packets == 1 {
                self.setup.extend(piece.read(file)?);
            }
            if self.setup.len() > MAX_SETUP_BYTES {
                return Err(malformed("a large header with codebooks"));
            }
            self.is_open = !piece.is_end;
            self.packets += usize::from(piece.is_end);
        }
        // Audio begins on a page of its own.
        match self.codec.further_headers() {
            Some(number) if self.packets > number || (self.packets == number && self.is_open) => {
                Err(malformed("audio on a page with headers"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            AudioFormat, check, decode,
            page::{checksum, laced_page, lacing},
            tests::{FLAC, OGG, OPUS, file},
            vorbis::tests::bomb,
        },
        *,
    };

    /// Places in the fixture: the page behind the first one, its second packet, and the first page with audio.
    const SECOND_PAGE: usize = 58;
    const SETUP: usize = 164;
    const AUDIO: usize = 2640;
    const SERIAL: u32 = u32::from_le_bytes([OGG[14], OGG[15], OGG[16], OGG[17]]);

    /// Pages with packets, of which some may need many.
    fn pages(packets: &[&[u8]]) -> Vec<u8> {
        let (lacing, content) = (lacing(packets), packets.concat());
        let (mut pages, mut at, mut is_open) = (Vec::new(), 0, false);
        for (sequence, lacing) in (1..).zip(lacing.chunks(255)) {
            let end = at + lacing.iter().map(|value| usize::from(*value)).sum::<usize>();
            let flags = if is_open { CONTINUED } else { 0 };
            pages.extend(laced_page(flags, [SERIAL, sequence], lacing, &content[at..end]).unwrap());
            (at, is_open) = (end, lacing.last() == Some(&255));
        }
        pages
    }

    /// The fixture with another comment header, and with another one with codebooks.
    fn with_headers(comments: &[u8], setup: &[u8]) -> Vec<u8> {
        [&OGG[..SECOND_PAGE], &pages(&[comments, setup]), &OGG[AUDIO..]].concat()
    }

    fn comments(content: &[u8], count: u32) -> Vec<u8> {
        [&b"\x03vorbis\0\0\0\0"[..], &count.to_le_bytes(), content, &[1]].concat()
    }

    fn spliced(content: &[u8]) -> (Readable, Vec<u8>) {
        let readable = readable(&file(content)).unwrap();
        let rest = &content[usize::try_from(readable.from).unwrap()..];
        let spliced = [&readable.head[..], rest].concat();
        (readable, spliced)
    }

    #[test]
    fn readable_has_the_headers_and_the_audio() {
        for (content, audio) in [(OGG, AUDIO), (OPUS, 841)] {
            let (first, once) = spliced(content);
            assert_eq!(first.from, u64::try_from(audio).unwrap());
            let (second, twice) = spliced(&once);
            assert_eq!((second.head, twice), (first.head, once.clone()));
            check(&file(&once), AudioFormat::Ogg).unwrap();
            assert_eq!(
                decode(&file(&once), AudioFormat::Ogg).unwrap(),
                decode(&file(content), AudioFormat::Ogg).unwrap()
            );
        }
        assert_eq!(decode(&file(OGG), AudioFormat::Ogg).unwrap().duration_ms, Some(500));
    }

    #[test]
    fn readable_is_without_comments_and_pictures_of_any_size() {
        let expected = (spliced(OGG).0.head, decode(&file(OGG), AudioFormat::Ogg).unwrap());
        let picture = [&b"METADATA_BLOCK_PICTURE="[..], &[b'A'; 3 * 1024 * 1024]].concat();
        let picture = [&u32::try_from(picture.len()).unwrap().to_le_bytes()[..], &picture].concat();
        for comments in [comments(&b"\x01\0\0\0=".repeat(1_000_000), 1_000_000), comments(&picture, 1)] {
            let content = with_headers(&comments, &OGG[SETUP..AUDIO]);
            assert_eq!(spliced(&content).0.head, expected.0);
            assert_eq!(decode(&file(&content), AudioFormat::Ogg).unwrap(), expected.1);
        }
    }

    #[test]
    fn readable_refuses_codebooks_that_exceed_memory() {
        let content = with_headers(NO_VORBIS_COMMENTS, &bomb());
        assert!(readable(&file(&content)).is_err());
        for refusal in [
            check(&file(&content), AudioFormat::Ogg).unwrap_err(),
            decode(&file(&content), AudioFormat::Ogg).unwrap_err(),
        ] {
            assert_eq!(refusal.message, "file must be an MP3, WAV, OGG or FLAC sound");
        }
        let large = [&OGG[SETUP..AUDIO], &[0; MAX_SETUP_BYTES]].concat();
        assert!(readable(&file(&with_headers(NO_VORBIS_COMMENTS, &large))).is_err());
    }

    #[test]
    fn readable_has_one_stream_of_a_bounded_number() {
        let unknown = |serial| page(FIRST, serial, 0, &[b"\x80theora"]).unwrap();
        let with = |count: u32| [(0..count).flat_map(unknown).collect(), OGG.to_vec()].concat();
        assert_eq!(spliced(&with(15)).0.head, spliced(OGG).0.head);
        assert!(readable(&file(&with(16))).is_err());
        assert!(readable(&file(&unknown(1))).is_err());
        // Pages of another stream between the headers.
        let other = page(0, SERIAL.wrapping_add(1), 1, &[]).unwrap();
        let with = |count| [&OGG[..SECOND_PAGE], &other.repeat(count), &OGG[SECOND_PAGE..]].concat();
        assert_eq!(spliced(&with(MAX_HEADER_PAGES - 1)).0.head, spliced(OGG).0.head);
        assert!(readable(&file(&with(MAX_HEADER_PAGES))).is_err());
    }

    #[test]
    fn readable_refuses_what_is_cut_or_out_of_order() {
        for end in [0, 20, SECOND_PAGE, SECOND_PAGE + 30, AUDIO - 1] {
            assert!(readable(&file(&OGG[..end])).is_err(), "{end} bytes");
        }
        let setup = &OGG[SETUP..AUDIO];
        let audio_behind = pages(&[NO_VORBIS_COMMENTS, setup, b"\0audio"]);
        let second_stream = page(FIRST, SERIAL, 1, &[NO_VORBIS_COMMENTS]).unwrap();
        let continued = page(CONTINUED, SERIAL, 1, &[NO_VORBIS_COMMENTS, setup]).unwrap();
        let other_order = pages(&[setup, NO_VORBIS_COMMENTS]);
        for pages in [audio_behind, second_stream, continued, other_order, b"no page".to_vec()] {
            let content = [&OGG[..SECOND_PAGE], &pages, &OGG[AUDIO..]].concat();
            assert!(readable(&file(&content)).is_err());
        }
    }

    #[test]
    fn readable_of_flac_ends_its_headers_at_the_first_frame() {
        let header = [&b"\x7fFLAC\x01\0\0\x01fLaC\0\0\0\x22"[..], &FLAC[8..42]].concat();
        let frame = &FLAC[FLAC.len() - 2518..];
        let first = page(FIRST, SERIAL, 0, &[&header]).unwrap();
        let comments = pages(&[&[&b"\x04\0\0\x08"[..], &[0; 8]].concat(), &[6; 70_000]]);
        let content = [&first[..], &comments, &pages(&[frame])].concat();
        let (readable, spliced) = spliced(&content);
        assert_eq!(readable.head, first);
        for content in [content, spliced] {
            assert_eq!(decode(&file(&content), AudioFormat::Ogg).unwrap().duration_ms, Some(500));
        }
    }

    #[test]
    fn readable_whose_pages_state_an_early_end_keeps_its_length() {
        let mut audio = OGG[AUDIO..].to_vec();
        audio[6..14].copy_from_slice(&100_u64.to_le_bytes());
        audio[22..26].fill(0);
        let checksum = checksum(&audio);
        audio[22..26].copy_from_slice(&checksum);
        let content = [&OGG[..AUDIO], &audio].concat();
        let found = decode(&file(&content), AudioFormat::Ogg).unwrap().duration_ms.unwrap();
        assert!((450..=600).contains(&found), "{found} ms");
    }
}
