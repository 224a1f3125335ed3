//! Sides of a JPEG, which the header of its first frame states.

use std::io::{Read, Seek};

use super::{Refusal, Sides, header::Header};

pub(super) fn sides<R: Read + Seek>(header: &mut Header<R>) -> Result<Sides, Refusal> {
    let begin: [u8; 2] = header.bytes()?;
    if begin != [0xff, 0xd8] {
        return Err(Refusal::Unreadable);
    }
    loop {
        match marker(header)? {
            // Frame of any kind. C4, C8 and CC are no frames.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                // Behind the length and the precision.
                header.skip(3)?;
                let height = u16::from_be_bytes(header.bytes()?).into();
                let width = u16::from_be_bytes(header.bytes()?).into();
                return Ok(Sides { width, height });
            }
            // Markers without a segment.
            0x01 | 0xd0..=0xd7 => {}
            // Begin of another image, end of this one, or its pixels.
            0x00 | 0xd8..=0xda => return Err(Refusal::Unreadable),
            _ => {
                let length = u16::from_be_bytes(header.bytes()?).checked_sub(2);
                header.skip(length.ok_or(Refusal::Unreadable)?.into())?;
            }
        }
    }
}

/// Code of the next marker. Decoders accept any number of bytes FF before it.
fn marker<R: Read + Seek>(header: &mut Header<R>) -> Result<u8, Refusal> {
    let [first]: [u8; 1] = header.bytes()?;
    if first != 0xff {
        return Err(Refusal::Unreadable);
    }
    loop {
        let [code]: [u8; 1] = header.bytes()?;
        if code != 0xff {
            return Ok(code);
        }
    }
}
