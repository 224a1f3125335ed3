//! File of an archive.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::FileExt,
    sync::Arc,
};

/// File that is read at a position. A clone has a position of its own, so that parts of one file are read concurrently.
#[derive(Debug, Clone)]
pub(super) struct Source {
    file: Arc<File>,
    length: u64,
    position: u64,
}

impl Source {
    /// Beginning of a file.
    pub fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), length, position: 0 })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.position)?;
        self.position = self.position.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        Ok(read)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::packed::unnamed;

    #[test]
    fn source_has_a_position_that_its_clones_do_not_move() {
        let mut file = unnamed();
        io::Write::write_all(&mut file, b"0123456789").unwrap();
        let mut first = Source::new(file).unwrap();
        let mut second = first.clone();
        let two = |source: &mut Source| {
            let mut bytes = [0; 2];
            source.read_exact(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        assert_eq!(
            (two(&mut first), two(&mut first), two(&mut second)),
            ("01".into(), "23".into(), "01".into())
        );
        assert_eq!(second.seek(SeekFrom::End(-2)).unwrap(), 8);
        assert_eq!(first.seek(SeekFrom::Current(-1)).unwrap(), 3);
        assert_eq!((two(&mut first), two(&mut second)), ("34".into(), "89".into()));
        assert_eq!(second.read(&mut [0; 2]).unwrap(), 0);
        assert!(second.seek(SeekFrom::Current(-11)).is_err());
    }
}
