//! Reading a gzip tar archive that may lie about everything.

use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::{Compression, bufread::GzDecoder, write::GzEncoder};
use sha2::{Digest, Sha256};
use tar::{Archive, Entry, EntryType, Header};

use super::{Counted, MANIFEST, SERVER, name::Names, shortened, sound};

const MIB: u64 = 1024 * 1024;

/// What an archive may hold.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub files: usize,
    /// Entries of any kind: files, folders and extended headers.
    pub entries: usize,
    /// Bytes of the archive without its compression.
    pub unpacked_bytes: u64,
    /// Unpacked to packed bytes. An archive below [`Limits::FREE_BYTES`] is not measured: a few kilobytes of padding
    /// compress to almost nothing.
    pub ratio: u64,
    pub manifest_bytes: u64,
    pub server_bytes: u64,
}

impl Limits {
    /// What may be unpacked at any ratio.
    const FREE_BYTES: u64 = MIB;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 2000,
            entries: 4000,
            unpacked_bytes: 200 * MIB,
            ratio: 100,
            manifest_bytes: MIB,
            server_bytes: MIB,
        }
    }
}

/// Longest extended header (long names, PAX records).
const MAX_EXTENSION_BYTES: u64 = 64 * 1024;

/// What an archive holds.
#[derive(Debug, Default)]
pub struct Bundle {
    pub files: Vec<BundleFile>,
    /// The bytes of `lumio.config.json`.
    pub manifest: Option<Vec<u8>>,
    /// The bytes of `server.js`.
    pub server: Option<Vec<u8>>,
}

/// One file. Its bytes went to the writer of its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleFile {
    pub path: String,
    pub size_bytes: u64,
    /// SHA-256 in lower-case hexadecimal.
    pub content_hash: String,
    /// Size after gzip, for the compiled bundles, whose limit is stated so.
    pub gzipped_bytes: Option<u64>,
    /// Whether it begins like a sound, whatever its name says.
    pub is_sound: bool,
}

/// Why an archive is refused.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The archive is at fault; the text is for its author.
    #[error("{0}")]
    Refused(String),
    /// This machine is at fault.
    #[error("a bundle could not be unpacked: {0}")]
    Io(io::Error),
}

/// Reads an archive to its end and hands the bytes of each file to the writer that `store` makes for its index.
///
/// Nothing is trusted: limits hold while streaming, so that a bomb is refused after as little as it takes to see it.
///
/// # Errors
/// [`BundleError::Refused`] for what the archive holds, [`BundleError::Io`] when `store` fails.
pub fn read<W: Write>(
    packed: impl Read,
    limits: Limits,
    mut store: impl FnMut(usize) -> io::Result<W>,
) -> Result<Bundle, BundleError> {
    let unpacked =
        Unpacked { decoder: GzDecoder::new(BufReader::new(Counted::new(packed))), bytes: 0, limits };
    let mut archive = Archive::new(unpacked);
    let mut reading = Reading {
        limits,
        entries: 0,
        names: Names::default(),
        bundle: Bundle::default(),
        long_name: None,
        is_described: false,
    };
    // Raw: extended headers come as entries and are read within bounds here, not into memory as they please.
    for entry in archive.entries().map_err(unreadable)?.raw(true) {
        reading.entry(entry.map_err(unreadable)?, &mut store)?;
    }
    if reading.is_described {
        return Err(BundleError::Refused("the archive ends with a header that describes no entry".into()));
    }
    to_the_end(archive.into_inner())?;
    Ok(reading.bundle)
}

struct Reading {
    limits: Limits,
    entries: usize,
    names: Names,
    bundle: Bundle,
    /// The name that an extended header gave the next entry.
    long_name: Option<Vec<u8>>,
    /// Whether an extended header waits for the entry that it describes.
    is_described: bool,
}

impl Reading {
    fn entry<R: Read, W: Write>(
        &mut self,
        mut entry: Entry<'_, R>,
        store: &mut impl FnMut(usize) -> io::Result<W>,
    ) -> Result<(), BundleError> {
        if self.entries == self.limits.entries {
            let most = self.limits.entries;
            return Err(BundleError::Refused(format!("the archive has more than {most} entries")));
        }
        self.entries += 1;
        let kind = entry.header().entry_type();
        self.is_described = self.describes(entry.header())?;
        match kind {
            EntryType::GNULongName => {
                let mut name = extension(&mut entry)?;
                if name.last() == Some(&0) {
                    name.pop();
                }
                self.long_name = Some(name);
                Ok(())
            }
            EntryType::XHeader => {
                let records = extension(&mut entry)?;
                if let Some(name) = path_record(&records)? {
                    self.long_name = Some(name);
                }
                Ok(())
            }
            // Other readers would give the name to every entry.
            EntryType::XGlobalHeader => match path_record(&extension(&mut entry)?)? {
                Some(_) => Err(BundleError::Refused("the archive has a name for all of its entries".into())),
                None => Ok(()),
            },
            EntryType::Directory => {
                let name = self.name_of(&entry);
                self.names.folder(&name).map_err(BundleError::Refused)
            }
            EntryType::Regular | EntryType::Continuous => {
                let name = self.name_of(&entry);
                let path = self.names.file(&name).map_err(BundleError::Refused)?;
                self.file(path, &mut entry, store)
            }
            other => {
                let name = self.name_of(&entry);
                let name = String::from_utf8_lossy(&name);
                let name = shortened(&name);
                Err(BundleError::Refused(format!(
                    "`{name}` is {}; only files and folders are allowed",
                    describe(other)
                )))
            }
        }
    }

    /// Whether an entry describes the next one. Two that describe one are refused: readers differ in whom they believe.
    fn describes(&self, header: &Header) -> Result<bool, BundleError> {
        let kind = header.entry_type();
        let describes = matches!(kind, EntryType::GNULongName | EntryType::XHeader);
        if !describes && kind != EntryType::XGlobalHeader {
            return Ok(false);
        }
        if self.is_described {
            return Err(BundleError::Refused("the archive has two headers that describe one entry".into()));
        }
        // Some readers know such headers in these formats only.
        if header.as_ustar().is_none() && header.as_gnu().is_none() {
            return Err(BundleError::Refused(
                "the archive has an extended header of an unknown format".into(),
            ));
        }
        Ok(describes)
    }

    fn name_of<R: Read>(&mut self, entry: &Entry<'_, R>) -> Vec<u8> {
        self.long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned())
    }

    fn file<W: Write>(
        &mut self,
        path: String,
        content: &mut impl Read,
        store: &mut impl FnMut(usize) -> io::Result<W>,
    ) -> Result<(), BundleError> {
        if self.bundle.files.len() == self.limits.files {
            return Err(BundleError::Refused(format!(
                "the archive has more than {} files",
                self.limits.files
            )));
        }
        let kept = match path.as_str() {
            MANIFEST => Some(self.limits.manifest_bytes),
            SERVER => Some(self.limits.server_bytes),
            _ => None,
        };
        let mut writer = store(self.bundle.files.len()).map_err(BundleError::Io)?;
        let mut copy = Copy {
            hash: Sha256::new(),
            gzip: measured(&path).then(gzip),
            kept: kept.map(|_| Vec::new()),
            bytes: 0,
            head: Vec::new(),
        };
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = content.read(&mut buffer).map_err(unreadable)?;
            if count == 0 {
                break;
            }
            copy.take(&buffer[..count]).map_err(BundleError::Io)?;
            if let Some(limit) = kept.filter(|limit| copy.bytes > *limit) {
                return Err(BundleError::Refused(format!("{path} is larger than {} KiB", limit / 1024)));
            }
            writer.write_all(&buffer[..count]).map_err(BundleError::Io)?;
        }
        writer.flush().map_err(BundleError::Io)?;
        let kept = copy.kept.take();
        match path.as_str() {
            MANIFEST => self.bundle.manifest = kept,
            SERVER => self.bundle.server = kept,
            _ => {}
        }
        self.bundle.files.push(copy.finish(path).map_err(BundleError::Io)?);
        Ok(())
    }
}

/// What is learned of a file while it passes.
struct Copy {
    hash: Sha256,
    gzip: Option<GzEncoder<Counted<io::Sink>>>,
    kept: Option<Vec<u8>>,
    bytes: u64,
    /// What it begins with.
    head: Vec<u8>,
}

impl Copy {
    fn take(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.head.extend(chunk.iter().take(sound::HEAD - self.head.len()));
        self.bytes += chunk.len() as u64;
        self.hash.update(chunk);
        if let Some(gzip) = &mut self.gzip {
            gzip.write_all(chunk)?;
        }
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(chunk);
        }
        Ok(())
    }

    fn finish(self, path: String) -> io::Result<BundleFile> {
        let gzipped_bytes = self.gzip.map(GzEncoder::finish).transpose()?.map(|counted| counted.bytes);
        Ok(BundleFile {
            path,
            size_bytes: self.bytes,
            content_hash: hex::encode(self.hash.finalize()),
            gzipped_bytes,
            is_sound: sound::is_sound(&self.head),
        })
    }
}

fn gzip() -> GzEncoder<Counted<io::Sink>> {
    GzEncoder::new(Counted::new(io::sink()), Compression::default())
}

/// The compiled bundles, whose limit is stated in gzipped bytes (B §8).
fn measured(path: &str) -> bool {
    matches!(path, "editor.js" | "layer.js" | "interactive.js")
}

/// The content of an extended header.
fn extension(entry: &mut impl Read) -> Result<Vec<u8>, BundleError> {
    let mut content = Vec::new();
    entry.take(MAX_EXTENSION_BYTES + 1).read_to_end(&mut content).map_err(unreadable)?;
    if content.len() as u64 > MAX_EXTENSION_BYTES {
        return Err(BundleError::Refused("the archive has an extended header of more than 64 KiB".into()));
    }
    Ok(content)
}

/// The name in PAX records (`length key=value`). Records that change how the archive is to be read are refused: two
/// readers would see two archives.
fn path_record(records: &[u8]) -> Result<Option<Vec<u8>>, BundleError> {
    let mut path = None;
    for record in tar::PaxExtensions::new(records) {
        let record = record.map_err(unreadable)?;
        match record.key_bytes() {
            b"path" if path.is_some() => {
                return Err(BundleError::Refused("the archive has an entry with two names".into()));
            }
            b"path" => path = Some(record.value_bytes().to_vec()),
            b"size" => {
                return Err(BundleError::Refused("the archive has a file that is too large for it".into()));
            }
            key if key.starts_with(b"GNU.sparse") => {
                return Err(BundleError::Refused("the archive has sparse files".into()));
            }
            _ => {}
        }
    }
    Ok(path)
}

fn describe(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Symlink | EntryType::Link => "a link",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a pipe",
        _ => "of an unknown type",
    }
}

/// After the last entry: the checksum of the compression, and nothing behind it.
fn to_the_end<R: BufRead>(mut unpacked: Unpacked<R>) -> Result<(), BundleError>
where
    Unpacked<R>: Read,
{
    io::copy(&mut unpacked, &mut io::sink()).map_err(unreadable)?;
    match unpacked.decoder.into_inner().fill_buf() {
        Ok([]) => Ok(()),
        Ok(_) => Err(BundleError::Refused("the archive has bytes after its end".into())),
        Err(error) => Err(BundleError::Io(error)),
    }
}

/// A failure of a source that is already on this machine is a failure of its format.
fn unreadable(error: io::Error) -> BundleError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<TooMuch>()) {
        Some(limit) => BundleError::Refused(limit.0.clone()),
        None => BundleError::Refused(format!("the bundle is not a readable .tar.gz archive: {error}")),
    }
}

/// The archive without its compression, bounded.
struct Unpacked<R> {
    decoder: GzDecoder<R>,
    bytes: u64,
    limits: Limits,
}

/// A limit that was crossed while reading.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct TooMuch(String);

impl<P: Read> Read for Unpacked<BufReader<Counted<P>>> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer)?;
        self.bytes += count as u64;
        let packed = self.decoder.get_ref().get_ref().bytes;
        if self.bytes > self.limits.unpacked_bytes {
            let mib = self.limits.unpacked_bytes / MIB;
            return Err(io::Error::other(TooMuch(format!("the archive is larger than {mib} MiB unpacked"))));
        }
        if self.bytes > Limits::FREE_BYTES && self.bytes > packed.saturating_mul(self.limits.ratio) {
            let ratio = self.limits.ratio;
            return Err(io::Error::other(TooMuch(format!(
                "the archive unpacks to more than {ratio} times its size"
            ))));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
