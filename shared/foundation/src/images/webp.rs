//! Sides of a WebP: those of its canvas if it has one, else those of its only frame. Decoders refuse frames that are
//! larger than the canvas.

use std::io::{Read, Seek};

use super::{Refusal, Sides, header::Header};

/// Bits of a side.
const SIDE_BITS: u32 = 14;

pub(super) fn sides<R: Read + Seek>(header: &mut Header<R>) -> Result<Sides, Refusal> {
    let container: [u8; 12] = header.bytes()?;
    if !container.starts_with(b"RIFF") || !container.ends_with(b"WEBP") {
        return Err(Refusal::Unreadable);
    }
    let kind: [u8; 4] = header.bytes()?;
    // Behind the size of the chunk.
    header.skip(4)?;
    match &kind {
        b"VP8 " => lossy(header),
        b"VP8L" => lossless(header),
        b"VP8X" => canvas(header),
        _ => Err(Refusal::Unreadable),
    }
}

/// Frame with two bytes a side, whose upper bits state a scale that browsers ignore.
fn lossy<R: Read + Seek>(header: &mut Header<R>) -> Result<Sides, Refusal> {
    let [_, _, _, begin @ ..]: [u8; 6] = header.bytes()?;
    if begin != [0x9d, 0x01, 0x2a] {
        return Err(Refusal::Unreadable);
    }
    let width = u32::from(u16::from_le_bytes(header.bytes()?));
    let height = u32::from(u16::from_le_bytes(header.bytes()?));
    Ok(Sides { width: low_bits(width), height: low_bits(height) })
}

/// Frame with the sides, each less by one, in the bits of four bytes.
fn lossless<R: Read + Seek>(header: &mut Header<R>) -> Result<Sides, Refusal> {
    let [begin]: [u8; 1] = header.bytes()?;
    if begin != 0x2f {
        return Err(Refusal::Unreadable);
    }
    let bits = u32::from_le_bytes(header.bytes()?);
    Ok(Sides { width: low_bits(bits) + 1, height: low_bits(bits >> SIDE_BITS) + 1 })
}

/// Canvas with three bytes a side, each less by one, behind the flags.
fn canvas<R: Read + Seek>(header: &mut Header<R>) -> Result<Sides, Refusal> {
    header.skip(4)?;
    let [a, b, c]: [u8; 3] = header.bytes()?;
    let [d, e, f]: [u8; 3] = header.bytes()?;
    Ok(Sides { width: u32::from_le_bytes([a, b, c, 0]) + 1, height: u32::from_le_bytes([d, e, f, 0]) + 1 })
}

fn low_bits(bits: u32) -> u32 {
    bits & ((1 << SIDE_BITS) - 1)
}
