//! Reader of gzip tar archives, which trusts nothing of their content (reference/extensions.md#bundle).

use std::io::{self, BufRead, Read, Write};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use tar::{Archive, Entry, EntryType, Header};

use super::{
    Counted, MANIFEST, SERVER,
    limits::Limits,
    name::Names,
    shortened, sound,
    unpacked::{TooMuch, Unpacked},
};

/// Maximum size of an extended header (long names, PAX records).
const MAX_EXTENSION_BYTES: u64 = 64 * 1024;

/// Content of an archive.
#[derive(Debug, Default)]
pub struct Bundle {
    /// Files, in the order of the archive.
    pub files: Vec<BundleFile>,
    /// Bytes of `lumio.config.json`; `None` when it is missing.
    pub manifest: Option<Vec<u8>>,
    /// Bytes of `server.js`; `None` when it is missing.
    pub server: Option<Vec<u8>>,
}

/// One file. Its bytes were passed to the writer of its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleFile {
    /// Path in the archive.
    pub path: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256 in lower-case hexadecimal.
    pub content_hash: String,
    /// Size after gzip, for files whose limit is defined by it.
    pub gzipped_bytes: Option<u64>,
    /// True when its first bytes are those of a sound, whatever its name.
    pub is_sound: bool,
}

/// Reason why an archive is refused.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Fault of the archive; the text is for its author.
    #[error("{0}")]
    Refused(String),
    /// Failure of this machine.
    #[error("a bundle could not be unpacked: {0}")]
    Io(io::Error),
}

/// Reads an archive to its end and passes the bytes of each file to the writer that `store` makes for its
/// index.
///
/// Limits are enforced while streaming, so that a bomb is refused as soon as it can be recognised.
///
/// # Errors
/// [`BundleError::Refused`] for the content of the archive, [`BundleError::Io`] for a failure of `store`.
pub fn read<W: Write>(
    packed: impl Read,
    limits: Limits,
    mut store: impl FnMut(usize) -> io::Result<W>,
) -> Result<Bundle, BundleError> {
    let mut archive = Archive::new(Unpacked::new(packed, limits));
    let mut reading = Reading {
        limits,
        entries: 0,
        names: Names::default(),
        bundle: Bundle::default(),
        long_name: None,
        is_described: false,
    };
    // Raw: extended headers arrive as entries and are read here within bounds, not into memory without a
    // bound.
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
    /// Name that an extended header gave the next entry.
    long_name: Option<Vec<u8>>,
    /// True when an extended header waits for the entry that it describes.
    is_described: bool,
}

impl Reading {
    fn entry<R: Read, W: Write>(
        &mut self,
        mut entry: Entry<'_, R>,
        store: &mut impl FnMut(usize) -> io::Result<W>,
    ) -> Result<(), BundleError> {
        if self.entries == self.limits.entries {
            let max = self.limits.entries;
            return Err(BundleError::Refused(format!("the archive has more than {max} entries")));
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
            // Other readers would apply the name to every entry.
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

    /// True when an entry describes the next one. Two descriptions of one entry are refused, because readers
    /// differ in which one they apply.
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

/// Measurements of a file while it is streamed.
struct Copy {
    hash: Sha256,
    gzip: Option<GzEncoder<Counted<io::Sink>>>,
    kept: Option<Vec<u8>>,
    bytes: u64,
    /// First bytes.
    head: Vec<u8>,
}

impl Copy {
    fn take(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.head.extend(chunk.iter().take(sound::MIN_HEADER_BYTES - self.head.len()));
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

/// True for compiled bundles, whose limit is in gzipped bytes (reference/extensions.md#sizes).
fn measured(path: &str) -> bool {
    matches!(path, "editor.js" | "layer.js" | "interactive.js")
}

/// Content of an extended header.
fn extension(entry: &mut impl Read) -> Result<Vec<u8>, BundleError> {
    let mut content = Vec::new();
    entry.take(MAX_EXTENSION_BYTES + 1).read_to_end(&mut content).map_err(unreadable)?;
    if content.len() as u64 > MAX_EXTENSION_BYTES {
        return Err(BundleError::Refused("the archive has an extended header of more than 64 KiB".into()));
    }
    Ok(content)
}

/// Name in PAX records (`length key=value`). Records that change the interpretation of the archive are
/// refused, because two readers would see two archives.
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

/// Checks the end of the archive: the checksum of the compression, and no bytes after it.
fn to_the_end<R: BufRead>(mut unpacked: Unpacked<R>) -> Result<(), BundleError>
where
    Unpacked<R>: Read,
{
    io::copy(&mut unpacked, &mut io::sink()).map_err(unreadable)?;
    match unpacked.into_packed().fill_buf() {
        Ok([]) => Ok(()),
        Ok(_) => Err(BundleError::Refused("the archive has bytes after its end".into())),
        Err(error) => Err(BundleError::Io(error)),
    }
}

/// Refusal for a failed read. The source is on this machine already, so that the failure is one of its
/// format.
fn unreadable(error: io::Error) -> BundleError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<TooMuch>()) {
        Some(limit) => BundleError::Refused(limit.0.clone()),
        None => BundleError::Refused(format!("the bundle is not a readable .tar.gz archive: {error}")),
    }
}

#[cfg(test)]
mod tests;
