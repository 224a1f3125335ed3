//! Pages of OGG.

use std::{
    fs::File,
    io,
    iter::{once, repeat_n},
    os::unix::fs::FileExt,
};

use symphonia::core::{checksum::Crc32, io::Monitor};

use super::malformed;

/// Bit of a page that begins within a packet.
pub(super) const CONTINUED: u8 = 1;
/// Bit of the first page of a stream.
pub(super) const FIRST: u8 = 2;

/// Length of the header of a page, to the number of its parts.
const HEADER: u64 = 27;

/// Page of a file.
pub(super) struct Page {
    /// Bits of the page, such as [`FIRST`].
    pub flags: u8,
    /// Number of its stream.
    pub serial: u32,
    lacing: Vec<u8>,
    /// Place of its content.
    body: u64,
}

impl Page {
    /// Reads the header of the page at a place.
    pub fn read(file: &File, at: u64) -> io::Result<Self> {
        let mut header = [0; 27];
        file.read_exact_at(&mut header, at)?;
        if !header.starts_with(b"OggS\0") {
            return Err(malformed("no page"));
        }
        let mut lacing = vec![0; usize::from(header[26])];
        file.read_exact_at(&mut lacing, at + HEADER)?;
        let serial = u32::from_le_bytes([header[14], header[15], header[16], header[17]]);
        let body = at + HEADER + u64::from(header[26]);
        Ok(Self { flags: header[5], serial, lacing, body })
    }

    /// Place behind the page.
    pub fn end(&self) -> u64 {
        self.body + self.lacing.iter().map(|value| u64::from(*value)).sum::<u64>()
    }

    /// Packets of the page, or their parts.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> {
        let mut at = self.body;
        self.lacing.split_inclusive(|value| *value < u8::MAX).map(move |lacing| {
            let length: u16 = lacing.iter().map(|value| u16::from(*value)).sum();
            let piece = Piece { at, length, is_end: lacing.last().is_some_and(|value| *value < u8::MAX) };
            at += u64::from(length);
            piece
        })
    }
}

/// Part of a packet on one page.
pub(super) struct Piece {
    /// Place of its content.
    pub at: u64,
    /// Length in bytes.
    pub length: u16,
    /// True when the packet ends with it.
    pub is_end: bool,
}

impl Piece {
    /// Reads the content of the part.
    pub fn read(&self, file: &File) -> io::Result<Vec<u8>> {
        let mut content = vec![0; usize::from(self.length)];
        file.read_exact_at(&mut content, self.at)?;
        Ok(content)
    }
}

/// A page with whole packets.
pub(super) fn page(flags: u8, serial: u32, sequence: u32, packets: &[&[u8]]) -> io::Result<Vec<u8>> {
    laced_page(flags, [serial, sequence], &lacing(packets), &packets.concat())
}

/// Lengths of packets as pages state them.
pub(super) fn lacing(packets: &[&[u8]]) -> Vec<u8> {
    let of = |packet: &&[u8]| {
        let end = u8::try_from(packet.len() % 255).unwrap_or_default();
        repeat_n(u8::MAX, packet.len() / 255).chain(once(end))
    };
    packets.iter().flat_map(of).collect()
}

/// A page with the number of its stream and its own one.
pub(super) fn laced_page(flags: u8, numbers: [u32; 2], lacing: &[u8], content: &[u8]) -> io::Result<Vec<u8>> {
    let Ok(count) = u8::try_from(lacing.len()) else { return Err(malformed("large headers")) };
    let [serial, sequence] = numbers.map(u32::to_le_bytes);
    let (position, no_checksum) = ([0; 8], [0; 4]);
    let head = [&b"OggS\0"[..], &[flags], &position, &serial, &sequence, &no_checksum, &[count]].concat();
    let mut page = [&head[..], lacing, content].concat();
    let checksum = checksum(&page);
    page[22..26].copy_from_slice(&checksum);
    Ok(page)
}

/// Checksum of a page that has none yet.
pub(super) fn checksum(page: &[u8]) -> [u8; 4] {
    let mut checksum = Crc32::new(0);
    checksum.process_buf_bytes(page);
    checksum.crc().to_le_bytes()
}
