//! Messages of the server.

use std::io;

use bytes::BytesMut;

use super::{
    outgoing::{HEADER_SIZE, LENGTH_SIZE, length, malformed},
    session::Session,
};

/// Filter of the messages of a server: it removes replies that the client does not expect.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    header: BytesMut,
    /// Bytes of the present message that are still to come.
    passing: usize,
}

impl Incoming {
    /// Passes messages on as they come.
    ///
    /// # Errors
    /// A malformed message.
    pub fn rewrite(&mut self, mut bytes: &[u8], session: &mut Session, out: &mut BytesMut) -> io::Result<()> {
        while !bytes.is_empty() {
            let is_body = self.passing > 0;
            let wanted = if is_body { self.passing } else { HEADER_SIZE - self.header.len() };
            let (part, rest) = bytes.split_at(wanted.min(bytes.len()));
            bytes = rest;
            if is_body {
                out.extend_from_slice(part);
                self.passing -= part.len();
            } else {
                self.header.extend_from_slice(part);
                self.begin_message(session, out)?;
            }
        }
        Ok(())
    }

    fn begin_message(&mut self, session: &mut Session, out: &mut BytesMut) -> io::Result<()> {
        let Some(header) = self.header.first_chunk::<HEADER_SIZE>() else { return Ok(()) };
        let body = length(header)? - LENGTH_SIZE;
        let is_expected = match header {
            [b'1', ..] => session.prepared(),
            [b'Z', ..] => {
                session.ready();
                true
            }
            _ => true,
        };
        if is_expected {
            out.extend_from_slice(header);
            self.passing = body;
        } else if body > 0 {
            return Err(malformed());
        }
        self.header.clear();
        Ok(())
    }
}
