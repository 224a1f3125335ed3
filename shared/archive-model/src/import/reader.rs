//! Reader of an archive. Threads unpack, and pass what they read on in bounded parts.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, BufReader, Read, Seek},
    path::Path,
};

use sha2::{Digest, Sha256};
use tokio::{
    sync::mpsc,
    task::{JoinHandle, spawn_blocking},
};
use zip::ZipArchive;

use super::{is_known, limits::Limits};
use crate::{
    Error, Result,
    manifest::{self, FILE, FORMAT, Manifest, VERSION},
};

/// Parts that wait to be written.
const MAX_WAITING_PARTS: usize = 2;

type Archive = ZipArchive<BufReader<File>>;

/// Reader of one archive.
pub(super) struct Reader {
    /// `None` while a thread reads.
    archive: Option<Archive>,
    manifest: Manifest,
}

/// Takes parts that a thread has read; false to stop it.
pub(super) type Emit<'a, T> = &'a mut dyn FnMut(T) -> bool;

impl Reader {
    /// Opens an archive and checks its manifest.
    pub async fn open(path: &Path) -> Result<Self> {
        let path = path.to_owned();
        let (archive, manifest) =
            blocking(move || open(BufReader::new(File::open(path)?), Limits::default())).await?;
        Ok(Self { archive: Some(archive), manifest })
    }

    /// Manifest of the archive.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Entry of a file in the manifest.
    pub fn file(&self, name: &str) -> Option<manifest::File> {
        self.manifest.files.iter().find(|file| file.name == name).cloned()
    }

    /// Begins to read a file: `parse` runs on a thread and emits parts, which [`Parts::next`] returns. [`Reader::end`]
    /// must follow.
    pub fn begin<T, P>(&mut self, file: manifest::File, parse: P) -> Result<Parts<T>>
    where
        T: Send + 'static,
        P: FnOnce(&mut dyn Read, Emit<'_, T>) -> Result<()> + Send + 'static,
    {
        let mut archive =
            self.archive.take().ok_or_else(|| Error::Archive("The archive is in use".to_owned()))?;
        let (sender, receiver) = mpsc::channel(MAX_WAITING_PARTS);
        let reading = spawn_blocking(move || {
            let emit: Emit<'_, T> = &mut |part| sender.blocking_send(part).is_ok();
            let done = read_file(&mut archive, &file, parse, emit);
            (archive, done)
        });
        Ok(Parts { receiver, reading })
    }

    /// Ends the reading of a file. Fails unless its size and hash are those of the manifest.
    pub async fn end<T>(&mut self, parts: Parts<T>) -> Result<()> {
        drop(parts.receiver);
        let (archive, done) = parts.reading.await.map_err(io::Error::other)?;
        self.archive = Some(archive);
        done
    }
}

/// Parts of a file that is being read. The thread ends with its next part when they are dropped.
pub(super) struct Parts<T> {
    receiver: mpsc::Receiver<T>,
    reading: JoinHandle<(Archive, Result<()>)>,
}

impl<T> Parts<T> {
    /// Next part; `None` at the end of the file, and when it cannot be read further.
    pub async fn next(&mut self) -> Option<T> {
        self.receiver.recv().await
    }
}

/// Opens an archive and checks its manifest.
pub(super) fn open<R: Read + Seek>(file: R, limits: Limits) -> Result<(ZipArchive<R>, Manifest)> {
    let mut archive = ZipArchive::new(file)?;
    let manifest = read_manifest(&mut archive, limits)?;
    Ok((archive, manifest))
}

/// Reads a file: `parse` emits parts. Fails unless its size and hash are those of the manifest, or a part was refused.
pub(super) fn read_file<R: Read + Seek, T>(
    archive: &mut ZipArchive<R>,
    file: &manifest::File,
    parse: impl FnOnce(&mut dyn Read, Emit<'_, T>) -> Result<()>,
    emit: Emit<'_, T>,
) -> Result<()> {
    let mut is_stopped = false;
    // One byte more than stated is enough to refuse the file, however much it unpacks to.
    let inner = archive.by_name(&file.name)?.take(file.bytes.saturating_add(1));
    let mut checked = Checked { inner, bytes: 0, hash: Sha256::new() };
    parse(&mut checked, &mut |part| {
        is_stopped = !emit(part);
        !is_stopped
    })?;
    if is_stopped {
        return Ok(());
    }
    if checked.bytes != file.bytes || hex::encode(checked.hash.finalize()) != file.sha256 {
        return Err(Error::Archive(format!("{} is not the file that the manifest states", file.name)));
    }
    Ok(())
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

fn read_manifest<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    Limits { manifest_bytes, .. }: Limits,
) -> Result<Manifest> {
    let mut text = Vec::new();
    archive
        .by_name(FILE)
        .map_err(|_missing| Error::Archive(format!("The file has no {FILE}")))?
        .take(manifest_bytes.saturating_add(1))
        .read_to_end(&mut text)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > manifest_bytes {
        return Err(Error::Archive(format!("{FILE} is larger than {manifest_bytes} bytes")));
    }
    let manifest: Manifest = serde_json::from_slice(&text)
        .map_err(|error| Error::Archive(format!("{FILE} is malformed: {error}")))?;
    if manifest.format != FORMAT {
        return Err(Error::Archive(format!("The file is not a {FORMAT}")));
    }
    if manifest.version > VERSION {
        return Err(Error::Refused(format!(
            "The archive has version {} of the format; this program knows {VERSION}",
            manifest.version
        )));
    }
    check_files(archive, &manifest)?;
    Ok(manifest)
}

/// Checks that the archive has the files of the manifest and no other ones.
fn check_files<R: Read + Seek>(archive: &ZipArchive<R>, manifest: &Manifest) -> Result<()> {
    let stated: BTreeSet<&str> = manifest.files.iter().map(|file| file.name.as_str()).collect();
    if let Some(unknown) = stated.iter().find(|name| !is_known(name)) {
        return Err(Error::Refused(format!("This version does not know the file {unknown}")));
    }
    let mut present = BTreeSet::new();
    for name in archive.file_names() {
        present.insert(name?.into_owned());
    }
    present.remove(FILE);
    let present: BTreeSet<&str> = present.iter().map(String::as_str).collect();
    match stated.symmetric_difference(&present).next() {
        Some(name) => Err(Error::Archive(format!("The file {name} is missing, or is not in the manifest"))),
        None => Ok(()),
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

    use super::*;

    /// Archive with a manifest in parts, and nothing else.
    fn archive<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Cursor<Vec<u8>> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        writer.start_file(FILE, stored).unwrap();
        for part in parts {
            writer.write_all(part).unwrap();
        }
        let mut file = writer.finish().unwrap();
        file.set_position(0);
        file
    }

    fn refused(file: Cursor<Vec<u8>>, limits: Limits) -> String {
        open(file, limits).map(|(_archive, manifest)| manifest).unwrap_err().to_string()
    }

    #[test]
    fn open_refuses_a_manifest_above_the_maximum() {
        let text = serde_json::json!({
            "format": FORMAT, "version": VERSION, "account_id": uuid::Uuid::nil(), "account_name": "a",
            "exported_at": "2026-01-01T00:00:00Z", "deployment": "d", "program_version": "0", "plan": "pro",
            "secrets": null, "files": [], "missing_objects": [],
        });
        let text = text.to_string();
        let of = |manifest_bytes| Limits { manifest_bytes, ..Limits::default() };
        let length = u64::try_from(text.len()).unwrap();
        let (_archive, manifest) = open(archive([text.as_bytes()]), of(length)).unwrap();
        assert!(manifest.files.is_empty());
        let error = refused(archive([text.as_bytes()]), of(length - 1));
        assert_eq!(error, format!("manifest.json is larger than {} bytes", length - 1));
    }

    #[test]
    fn open_reads_no_more_of_a_manifest_than_an_import_allows() {
        let mebibyte = vec![b'x'; 1024 * 1024];
        let parts = (0..64).map(|_| mebibyte.as_slice());
        let whole = refused(archive(parts.clone()), Limits::default());
        assert!(whole.starts_with("manifest.json is malformed"), "{whole}");
        let more = refused(archive(parts.chain([b"x".as_slice()])), Limits::default());
        assert_eq!(more, "manifest.json is larger than 67108864 bytes");
    }
}
