//! Bounded decompression of an archive.

use std::io::{self, BufReader, Read};

use flate2::bufread::GzDecoder;

use super::{
    Counted,
    limits::{Limits, MIB},
};

/// Archive without its compression, bounded.
pub(super) struct Unpacked<R> {
    decoder: GzDecoder<R>,
    bytes: u64,
    limits: Limits,
}

impl<P: Read> Unpacked<BufReader<Counted<P>>> {
    /// Starts to decompress.
    pub fn new(packed: P, limits: Limits) -> Self {
        Self { decoder: GzDecoder::new(BufReader::new(Counted::new(packed))), bytes: 0, limits }
    }
}

impl<R> Unpacked<R> {
    /// Source of the compressed bytes.
    pub fn into_packed(self) -> R {
        self.decoder.into_inner()
    }
}

/// A limit that was exceeded while reading.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct TooMuch(pub String);

impl<P: Read> Read for Unpacked<BufReader<Counted<P>>> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer)?;
        self.bytes += count as u64;
        let packed = self.decoder.get_ref().get_ref().bytes;
        if self.bytes > self.limits.unpacked_bytes {
            let mib = self.limits.unpacked_bytes / MIB;
            return Err(io::Error::other(TooMuch(format!("the archive is larger than {mib} MiB unpacked"))));
        }
        if self.bytes > Limits::MIN_CHECKED_BYTES && self.bytes > packed.saturating_mul(self.limits.ratio) {
            let ratio = self.limits.ratio;
            return Err(io::Error::other(TooMuch(format!(
                "the archive unpacks to more than {ratio} times its size"
            ))));
        }
        Ok(count)
    }
}
