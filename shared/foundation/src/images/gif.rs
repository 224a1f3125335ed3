//! Sides of a GIF: those of its screen and of its first frame, by which browsers enlarge the screen.

use std::io::{Read, Seek};

use super::{Refusal, Sides, header::Header};

/// Flag of a table of colours behind the screen.
const HAS_COLOURS: u8 = 0x80;
const EXTENSION: u8 = 0x21;
const FRAME: u8 = 0x2c;

pub(super) fn sides<R: Read + Seek>(header: &mut Header<R>) -> Result<Sides, Refusal> {
    let version: [u8; 6] = header.bytes()?;
    if !matches!(&version, b"GIF87a" | b"GIF89a") {
        return Err(Refusal::Unreadable);
    }
    let screen = Sides { width: number(header)?, height: number(header)? };
    let [flags, _, _]: [u8; 3] = header.bytes()?;
    if flags & HAS_COLOURS != 0 {
        // Three bytes a colour.
        header.skip(3 << (u32::from(flags & 7) + 1))?;
    }
    loop {
        let [kind]: [u8; 1] = header.bytes()?;
        match kind {
            EXTENSION => skip_extension(header)?,
            FRAME => {
                let (left, top) = (number(header)?, number(header)?);
                let (width, height) = (number(header)?, number(header)?);
                return Ok(screen.max(Sides { width: left + width, height: top + height }));
            }
            _ => return Err(Refusal::Unreadable),
        }
    }
}

/// Skips the label of an extension and its blocks, of which an empty one is the last.
fn skip_extension<R: Read + Seek>(header: &mut Header<R>) -> Result<(), Refusal> {
    header.skip(1)?;
    loop {
        let [length]: [u8; 1] = header.bytes()?;
        if length == 0 {
            return Ok(());
        }
        header.skip(length.into())?;
    }
}

fn number<R: Read + Seek>(header: &mut Header<R>) -> Result<u32, Refusal> {
    Ok(u16::from_le_bytes(header.bytes()?).into())
}
