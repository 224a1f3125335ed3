//! Container of an archive: its directory, and the content of its files.

use std::{
    collections::BTreeMap,
    io::{self, BufReader, Read, Seek},
    sync::Arc,
};

use sha2::{Digest, Sha256};
use zip::{
    ZipReadOptions,
    read::{ArchiveOffset, Config, OwnedZipFileEntry},
    unstable::read::ZipIterable,
};

use crate::{
    Error, Result,
    manifest::{FILE, FILES, File, is_known},
};

/// Takes parts that are read; false to stop.
pub(super) type Emit<'a, T> = &'a mut dyn FnMut(T) -> bool;

/// Archive that is open. It holds the entries of files with known names; those of the objects are read from the
/// directory each time, however many there are.
#[derive(Clone)]
pub(super) struct Archive<R> {
    source: R,
    entries: Arc<BTreeMap<String, OwnedZipFileEntry>>,
    unknown: Option<String>,
}

impl<R: Read + Seek + Clone> Archive<R> {
    /// Reads the directory of an archive.
    pub fn open(source: R) -> Result<Self> {
        let (mut entries, mut unknown) = (BTreeMap::new(), None);
        for entry in directory(&source)?.files()? {
            let entry = entry?;
            let name = entry.name()?.into_owned();
            if name.starts_with(FILES) {
                continue;
            }
            if name != FILE && !is_known(&name) {
                unknown.get_or_insert(name);
                continue;
            }
            if entries.contains_key(&name) {
                return Err(twice(&name));
            }
            entries.insert(name, OwnedZipFileEntry::from(entry));
        }
        Ok(Self { source, entries: Arc::new(entries), unknown })
    }

    /// Names of the files with known names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Name of the first file that is neither known nor an object.
    pub fn unknown(&self) -> Option<&str> {
        self.unknown.as_deref()
    }

    /// Directory, whose entries are read one after the other.
    pub fn directory(&self) -> Result<ZipIterable<BufReader<R>>> {
        directory(&self.source)
    }

    /// Whole content of a file with a known name.
    pub fn text(&self, name: &str, max_bytes: u64) -> Result<Vec<u8>> {
        let (mut text, mut source) = (Vec::new(), BufReader::new(self.source.clone()));
        let content = self.entry(name)?.as_ref().with_reader(&mut source, ZipReadOptions::new())?;
        content.take(max_bytes.saturating_add(1)).read_to_end(&mut text)?;
        if u64::try_from(text.len()).unwrap_or(u64::MAX) > max_bytes {
            return Err(Error::Archive(format!("{name} is larger than {max_bytes} bytes")));
        }
        Ok(text)
    }

    /// Reads a file with a known name, as [`Archive::read_entry`] does.
    pub fn read_file<T>(
        &self,
        file: &File,
        parse: impl FnOnce(&mut dyn Read, Emit<'_, T>) -> Result<()>,
        emit: Emit<'_, T>,
    ) -> Result<()> {
        self.read_entry(self.entry(&file.name)?, file, parse, emit)
    }

    /// Reads the file of an entry: `parse` emits parts. Fails unless its size and hash are the stated ones, or a part
    /// was refused.
    pub fn read_entry<T>(
        &self,
        entry: &OwnedZipFileEntry,
        file: &File,
        parse: impl FnOnce(&mut dyn Read, Emit<'_, T>) -> Result<()>,
        emit: Emit<'_, T>,
    ) -> Result<()> {
        let mut is_stopped = false;
        let mut source = BufReader::new(self.source.clone());
        let content = entry.as_ref().with_reader(&mut source, ZipReadOptions::new())?;
        // One byte more than stated is enough to refuse the file, however much it unpacks to.
        let inner = content.take(file.bytes.saturating_add(1));
        let mut checked = Checked { inner, bytes: 0, hash: Sha256::new() };
        parse(&mut checked, &mut |part| {
            is_stopped = !emit(part);
            !is_stopped
        })?;
        if is_stopped {
            return Ok(());
        }
        if checked.bytes != file.bytes || hex::encode(checked.hash.finalize()) != file.sha256 {
            return Err(Error::Archive(format!("{} is not the file that was stated", file.name)));
        }
        Ok(())
    }

    fn entry(&self, name: &str) -> Result<&OwnedZipFileEntry> {
        self.entries.get(name).ok_or_else(|| absent(name))
    }
}

fn directory<R: Read + Seek + Clone>(source: &R) -> Result<ZipIterable<BufReader<R>>> {
    // An archive begins at the beginning of its file: no other place is searched for.
    let config = Config { archive_offset: ArchiveOffset::Known(0) };
    Ok(ZipIterable::try_new(BufReader::new(source.clone()), config)?)
}

/// Refusal of an archive without a file that it must have.
pub(super) fn absent(name: &str) -> Error {
    Error::Archive(format!("The archive has no {name}"))
}

/// Refusal of an archive with two files of one name.
pub(super) fn twice(name: &str) -> Error {
    Error::Archive(format!("The archive has {name} twice"))
}

/// Reader that counts and hashes.
struct Checked<R> {
    inner: R,
    bytes: u64,
    hash: Sha256,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes += u64::try_from(read).unwrap_or(u64::MAX);
        if let Some(bytes) = buffer.get(..read) {
            self.hash.update(bytes);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

    use super::*;

    #[test]
    fn directory_of_more_entries_than_two_bytes_count_is_read() {
        let mut bytes = Vec::new();
        let mut writer = ZipWriter::new_stream(&mut bytes);
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for object in 0..=u16::MAX {
            writer.start_file(format!("{FILES}{object:05}"), stored).unwrap();
        }
        writer.start_file(FILE, stored).unwrap();
        writer.finish().map(drop).unwrap();
        let archive = Archive::open(Cursor::new(bytes.as_slice())).unwrap();
        assert_eq!(archive.names().collect::<Vec<_>>(), [FILE]);
        assert_eq!(archive.directory().unwrap().len(), usize::from(u16::MAX) + 2);
        assert_eq!(archive.text(FILE, 0).unwrap(), b"");
    }
}
