//! The file of a sound as the library reads it: from a place on, and within bounds of bytes and time.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::FileExt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use symphonia::core::io::MediaSource;

/// Bytes that are read to open a sound, and to find each of its packets (reference/media.md#bounds-of-sounds). The
/// library keeps up to forty times the bytes of tiny comments, of which no more come.
const MAX_STEP_BYTES: usize = 512 * 1024;

/// Part of a file that the library reads: bytes in place of the beginning, and the file from a place on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// Bytes in place of the beginning of the file.
    pub head: Vec<u8>,
    /// Place in the file, in bytes, from which on it follows.
    pub from: u64,
}

/// Bounds of the work on a sound, and what ended its reads. The library takes each error for the end of the file, or
/// for a malformed one.
pub(super) struct Bounds {
    deadline: Instant,
    /// Bytes that the present step may still read.
    left: AtomicUsize,
    /// True once a step would have read more bytes.
    is_exhausted: AtomicBool,
    /// Error of the system that reads the file.
    failure: OnceLock<io::ErrorKind>,
}

impl Bounds {
    /// Bounds that begin now. The first step is to open the sound.
    pub fn new(timeout: Duration) -> Self {
        Self {
            deadline: Instant::now() + timeout,
            left: AtomicUsize::new(MAX_STEP_BYTES),
            is_exhausted: AtomicBool::new(false),
            failure: OnceLock::new(),
        }
    }

    /// Begins the next step.
    pub fn begin_step(&self) {
        self.left.store(MAX_STEP_BYTES, Relaxed);
    }

    /// True when no time is left.
    pub fn has_elapsed(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// True when the time or the bytes of a step have ended a read.
    pub fn are_exceeded(&self) -> bool {
        self.has_elapsed() || self.is_exhausted.load(Relaxed)
    }

    /// Error of the system, when the file could not be read.
    pub fn failure(&self) -> Option<io::ErrorKind> {
        self.failure.get().copied()
    }

    /// Number of bytes, of those wanted, that may be read.
    fn allowed(&self, wanted: usize) -> io::Result<usize> {
        if self.has_elapsed() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match self.left.load(Relaxed) {
            0 => {
                self.is_exhausted.store(true, Relaxed);
                Err(io::ErrorKind::QuotaExceeded.into())
            }
            left => Ok(wanted.min(left)),
        }
    }

    /// Keeps the first error of the system. An interrupted read is repeated.
    fn record_failure(&self, error: &io::Error) {
        if error.kind() != io::ErrorKind::Interrupted {
            self.failure.get_or_init(|| error.kind());
        }
    }

    fn spend(&self, read: usize) {
        self.left.fetch_sub(read, Relaxed);
    }
}

/// Reader of the file of a sound.
pub(super) struct Source {
    file: File,
    readable: Readable,
    length: u64,
    position: u64,
    is_seekable: bool,
    bounds: Arc<Bounds>,
}

impl Source {
    /// A reader that shares no position with the handle. The library seeks in one that is seekable, also for its own
    /// estimate of the length.
    ///
    /// # Errors
    /// A file that cannot be opened again.
    pub fn new(file: &File, readable: Readable, is_seekable: bool, bounds: Arc<Bounds>) -> io::Result<Self> {
        let rest = file.metadata()?.len().saturating_sub(readable.from);
        let length = bytes(readable.head.len()) + rest;
        Ok(Self { file: file.try_clone()?, readable, length, position: 0, is_seekable, bounds })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let allowed = self.bounds.allowed(buffer.len())?;
        let buffer = &mut buffer[..allowed];
        let head = usize::try_from(self.position).ok().and_then(|at| self.readable.head.get(at..));
        let read = match head {
            Some(mut head) if !head.is_empty() => head.read(buffer)?,
            _ => {
                let behind = self.position.saturating_sub(bytes(self.readable.head.len()));
                let read = self.file.read_at(buffer, self.readable.from.saturating_add(behind));
                read.inspect_err(|error| self.bounds.record_failure(error))?
            }
        };
        self.bounds.spend(read);
        self.position = self.position.saturating_add(bytes(read));
        Ok(read)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, distance) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::End(distance) => (self.length, distance),
            SeekFrom::Current(distance) => (self.position, distance),
        };
        self.position = from.checked_add_signed(distance).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl MediaSource for Source {
    fn is_seekable(&self) -> bool {
        self.is_seekable
    }

    fn byte_len(&self) -> Option<u64> {
        Some(self.length)
    }
}

fn bytes(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{super::tests::file, *};

    fn source(content: &[u8], head: &[u8], from: u64, timeout: Duration) -> (Source, Arc<Bounds>) {
        let bounds = Arc::new(Bounds::new(timeout));
        let readable = Readable { head: head.to_vec(), from };
        (Source::new(&file(content), readable, true, Arc::clone(&bounds)).unwrap(), bounds)
    }

    #[test]
    fn source_is_the_head_and_the_rest() {
        let (mut source, _) = source(b"old head, rest", b"new", 8, Duration::from_secs(60));
        let mut read = String::new();
        source.read_to_string(&mut read).unwrap();
        assert_eq!((read.as_str(), source.byte_len()), ("new, rest", Some(9)));
        for (to, expected) in [
            (SeekFrom::Start(1), "ew, rest"),
            (SeekFrom::End(-4), "rest"),
            (SeekFrom::Start(3), ", rest"),
            (SeekFrom::Start(20), ""),
        ] {
            source.seek(to).unwrap();
            read.clear();
            source.read_to_string(&mut read).unwrap();
            assert_eq!(read, expected, "{to:?}");
        }
        source.seek(SeekFrom::Start(5)).unwrap();
        assert_eq!(source.seek(SeekFrom::Current(-2)).unwrap(), 3);
        assert!(source.seek(SeekFrom::Current(-4)).is_err());
    }

    #[test]
    fn source_of_a_place_behind_the_end_is_its_head() {
        let (mut source, _) = source(b"short", b"head", 100, Duration::from_secs(60));
        let mut read = String::new();
        source.read_to_string(&mut read).unwrap();
        assert_eq!((read.as_str(), source.byte_len()), ("head", Some(4)));
    }

    #[test]
    fn bounds_end_a_step_behind_its_bytes() {
        let content = vec![1; 3 * MAX_STEP_BYTES];
        let (mut source, bounds) = source(&content, b"", 0, Duration::from_secs(60));
        let mut read = Vec::new();
        let refusal = source.read_to_end(&mut read).unwrap_err();
        assert_eq!((refusal.kind(), read.len()), (io::ErrorKind::QuotaExceeded, MAX_STEP_BYTES));
        assert!(bounds.are_exceeded());
        bounds.begin_step();
        let mut buffer = vec![0; 2 * MAX_STEP_BYTES];
        assert_eq!(source.read(&mut buffer).unwrap(), MAX_STEP_BYTES, "no read exceeds a step");
        assert!(source.read(&mut buffer).is_err());
        assert!(bounds.are_exceeded(), "of any step");
        assert_eq!(bounds.failure(), None);
    }

    #[test]
    fn bounds_are_kept_by_a_step_of_all_its_bytes() {
        let (mut source, bounds) = source(&[1; MAX_STEP_BYTES], b"", 0, Duration::from_secs(60));
        source.read_exact(&mut vec![0; MAX_STEP_BYTES]).unwrap();
        bounds.begin_step();
        assert_eq!(source.read(&mut [0; 4]).unwrap(), 0);
        assert!(!bounds.are_exceeded());
    }

    #[test]
    fn bounds_end_at_the_deadline() {
        let (mut source, bounds) = source(b"content", b"", 0, Duration::ZERO);
        assert!(bounds.has_elapsed());
        assert_eq!(source.read(&mut [0; 4]).unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(bounds.are_exceeded() && bounds.failure().is_none());
        assert!(!Bounds::new(Duration::from_secs(60)).are_exceeded());
    }
}
