//! Messages of the client.

use std::io;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::session::Session;

/// Size of the type and length of a message, in bytes.
pub(super) const HEADER_SIZE: usize = 5;
/// Size of the length, which counts itself.
pub(super) const LENGTH_SIZE: usize = 4;

/// Rewriter of the messages of a client.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    /// Begin of a message whose rest has not come.
    partial: BytesMut,
    /// Statement that is the unnamed one within the present batch.
    current: Option<Bytes>,
}

impl Outgoing {
    /// Rewrites the messages that are complete.
    ///
    /// # Errors
    /// A malformed message.
    pub fn rewrite(&mut self, bytes: &[u8], session: &mut Session, out: &mut BytesMut) -> io::Result<()> {
        self.partial.extend_from_slice(bytes);
        while let Some(message) = self.next_message()? {
            self.message(message, session, out)?;
        }
        Ok(())
    }

    fn next_message(&mut self) -> io::Result<Option<Bytes>> {
        let Some(header) = self.partial.first_chunk::<HEADER_SIZE>() else { return Ok(None) };
        let size = 1 + length(header)?;
        Ok((self.partial.len() >= size).then(|| self.partial.split_to(size).freeze()))
    }

    fn message(&mut self, whole: Bytes, session: &mut Session, out: &mut BytesMut) -> io::Result<()> {
        let mut rest = whole.clone();
        let kind = rest.try_get_u8().unwrap_or_default();
        rest.advance(LENGTH_SIZE.min(rest.len()));
        match kind {
            b'P' => {
                let name = text(&mut rest)?;
                put(out, kind, &[b"\0", &rest]);
                self.current = (!name.is_empty()).then(|| name.clone());
                session.prepare(name, rest);
                return Ok(());
            }
            b'B' => {
                let portal = text(&mut rest)?;
                let name = text(&mut rest)?;
                if self.demand(&name, session, out) {
                    put(out, kind, &[&portal, b"\0\0", &rest]);
                    return Ok(());
                }
            }
            b'D' | b'C' if rest.try_get_u8() == Ok(b'S') => {
                let name = text(&mut rest)?;
                let is_ours = if kind == b'D' { self.demand(&name, session, out) } else { !name.is_empty() };
                if kind == b'C' {
                    session.close(&name);
                    self.current = None;
                }
                if is_ours {
                    put(out, kind, &[b"S\0"]);
                    return Ok(());
                }
            }
            // The end of a batch; simple queries and calls of functions are batches of their own.
            b'S' | b'Q' | b'F' => {
                session.end_batch();
                self.current = None;
            }
            _ => {}
        }
        out.extend_from_slice(&whole);
        Ok(())
    }

    /// Makes a named statement the unnamed one; false when the client has no such statement.
    fn demand(&mut self, name: &Bytes, session: &mut Session, out: &mut BytesMut) -> bool {
        if name.is_empty() {
            return false;
        }
        if self.current.as_ref() == Some(name) {
            return true;
        }
        let Some(statement) = session.add(name) else { return false };
        put(out, b'P', &[b"\0", &statement]);
        self.current = Some(name.clone());
        true
    }
}

/// Length that a header states, at least that of itself.
pub(super) fn length([_kind, length @ ..]: &[u8; HEADER_SIZE]) -> io::Result<usize> {
    let length = usize::try_from(i32::from_be_bytes(*length)).ok().filter(|length| *length >= LENGTH_SIZE);
    length.ok_or_else(malformed)
}

/// Error of a message that has not the form of the protocol.
pub(super) fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message between client and database is malformed")
}

/// Takes a text that ends with a zero.
fn text(rest: &mut Bytes) -> io::Result<Bytes> {
    let end = rest.iter().position(|byte| *byte == 0).ok_or_else(malformed)?;
    let text = rest.split_to(end);
    rest.advance(1);
    Ok(text)
}

fn put(out: &mut BytesMut, kind: u8, parts: &[&[u8]]) {
    let length = LENGTH_SIZE + parts.iter().map(|part| part.len()).sum::<usize>();
    out.put_u8(kind);
    // A statement is shorter than the message that it came in.
    out.put_i32(i32::try_from(length).unwrap_or(i32::MAX));
    for part in parts {
        out.put_slice(part);
    }
}
