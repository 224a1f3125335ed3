//! Sides of an AVIF: the longest of all its items and tracks, because a short one may be larger than a long one. The
//! file is a sequence of boxes, some of which hold boxes.

use std::io::{Read, Seek};

use super::{Refusal, Sides, header::Header};

pub(super) fn sides<R: Read + Seek>(header: &mut Header<R>) -> Result<Sides, Refusal> {
    let mut longest = Sides::default();
    while !header.is_at_end()? {
        let (kind, length) = next_box(header)?;
        match &kind {
            // The boxes that these hold come next.
            b"iprp" | b"ipco" | b"moov" | b"trak" => {}
            // Version and flags.
            b"meta" => header.skip(4)?,
            b"ispe" => longest = longest.max(item(header, length)?),
            b"tkhd" => longest = longest.max(track(header, length)?),
            _ => match length {
                Some(length) => header.skip(length)?,
                None => break,
            },
        }
    }
    if longest == Sides::default() { Err(Refusal::Unreadable) } else { Ok(longest) }
}

/// Kind of the next box, and its length without this header; `None` when it ends with the file.
fn next_box<R: Read + Seek>(header: &mut Header<R>) -> Result<([u8; 4], Option<u64>), Refusal> {
    let size = u32::from_be_bytes(header.bytes()?);
    let kind = header.bytes()?;
    let length = match size {
        0 => return Ok((kind, None)),
        1 => u64::from_be_bytes(header.bytes()?).checked_sub(16),
        size => u64::from(size).checked_sub(8),
    };
    Ok((kind, Some(length.ok_or(Refusal::Unreadable)?)))
}

/// Sides of an item, as a box of this length states them.
fn item<R: Read + Seek>(header: &mut Header<R>, length: Option<u64>) -> Result<Sides, Refusal> {
    // Version and flags.
    header.skip(4)?;
    let sides = Sides { width: number(header)?, height: number(header)? };
    skip_rest(header, length, 12)?;
    Ok(sides)
}

/// Sides of a track, as a box of this length states them with 16 bits behind the point.
fn track<R: Read + Seek>(header: &mut Header<R>, length: Option<u64>) -> Result<Sides, Refusal> {
    let [version, _, _, _]: [u8; 4] = header.bytes()?;
    // Times have twice as many bytes in the second version.
    let before = if version == 1 { 84 } else { 72 };
    header.skip(before)?;
    let sides = Sides { width: number(header)? >> 16, height: number(header)? >> 16 };
    skip_rest(header, length, 4 + before + 8)?;
    Ok(sides)
}

/// Skips what a box of this length has beyond the bytes that were read.
fn skip_rest<R: Read + Seek>(header: &mut Header<R>, length: Option<u64>, read: u64) -> Result<(), Refusal> {
    // A box that ends with the file is the last one: whatever follows is malformed.
    let Some(length) = length else { return Ok(()) };
    header.skip(length.checked_sub(read).ok_or(Refusal::Unreadable)?)
}

fn number<R: Read + Seek>(header: &mut Header<R>) -> Result<u32, Refusal> {
    Ok(u32::from_be_bytes(header.bytes()?))
}
