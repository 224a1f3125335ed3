//! Sides of a PNG, which its first chunk states.

use std::io::{Read, Seek};

use super::{Refusal, Sides, header::Header};

pub(super) fn sides<R: Read + Seek>(header: &mut Header<R>) -> Result<Sides, Refusal> {
    let signature: [u8; 8] = header.bytes()?;
    let [_, _, _, _, kind @ ..]: [u8; 8] = header.bytes()?;
    if signature != *b"\x89PNG\r\n\x1a\n" || kind != *b"IHDR" {
        return Err(Refusal::Unreadable);
    }
    Ok(Sides { width: u32::from_be_bytes(header.bytes()?), height: u32::from_be_bytes(header.bytes()?) })
}
