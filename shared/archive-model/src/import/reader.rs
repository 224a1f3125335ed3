//! Reader of an archive. Threads unpack, and pass what they read on in bounded parts.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

use sha2::{Digest, Sha256};
use tokio::{
    sync::mpsc,
    task::{JoinHandle, spawn_blocking},
};
use zip::ZipArchive;

use super::is_known;
use crate::{
    Error, Result,
    manifest::{self, FILE, FORMAT, Manifest, VERSION},
};

/// Largest manifest.
const MAX_MANIFEST_BYTES: u64 = 64 * 1024 * 1024;
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
        let (archive, manifest) = blocking(move || {
            let mut archive = ZipArchive::new(BufReader::new(File::open(path)?))?;
            let manifest = read_manifest(&mut archive)?;
            Ok((archive, manifest))
        })
        .await?;
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

fn read_file<T>(
    archive: &mut Archive,
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

fn read_manifest(archive: &mut Archive) -> Result<Manifest> {
    let mut text = Vec::new();
    archive
        .by_name(FILE)
        .map_err(|_missing| Error::Archive(format!("The file has no {FILE}")))?
        .take(MAX_MANIFEST_BYTES)
        .read_to_end(&mut text)?;
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
fn check_files(archive: &Archive, manifest: &Manifest) -> Result<()> {
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
