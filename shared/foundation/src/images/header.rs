//! Reader of a header in a bounded number of steps.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek};

use super::Refusal;

/// Steps in which a header is read. One costs a read and a seek at most, however far it leads.
const MAX_STEPS: usize = 10_000;

/// Header of a file.
pub(super) struct Header<R> {
    content: BufReader<R>,
    steps: usize,
}

impl<R: Read + Seek> Header<R> {
    pub(super) fn new(content: R) -> Self {
        Self { content: BufReader::new(content), steps: 0 }
    }

    /// Reads the next bytes.
    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        self.step()?;
        let mut bytes = [0; N];
        self.content.read_exact(&mut bytes).map_err(refusal)?;
        Ok(bytes)
    }

    /// Skips bytes, also beyond the end.
    pub(super) fn skip(&mut self, bytes: u64) -> Result<(), Refusal> {
        self.step()?;
        let bytes = i64::try_from(bytes).map_err(|_too_far| Refusal::Unreadable)?;
        // Unlike a seek it keeps what is in the buffer.
        self.content.seek_relative(bytes).map_err(refusal)
    }

    /// True when there are no further bytes.
    pub(super) fn is_at_end(&mut self) -> Result<bool, Refusal> {
        self.step()?;
        Ok(self.content.fill_buf().map_err(refusal)?.is_empty())
    }

    fn step(&mut self) -> Result<(), Refusal> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(Refusal::Unreadable) } else { Ok(()) }
    }
}

/// Reason of a failed read or seek: a header that leads too far, or a file that cannot be read.
fn refusal(error: io::Error) -> Refusal {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::InvalidInput => Refusal::Unreadable,
        other => Refusal::Broken(other),
    }
}
