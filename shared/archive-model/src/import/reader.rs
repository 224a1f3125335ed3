//! Reader of an archive. Threads unpack, and pass what they read on in bounded parts.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read, Seek},
    path::Path,
};

use tokio::{
    sync::mpsc,
    task::{JoinHandle, spawn_blocking},
};

use super::{
    archive::{Archive, Emit, absent},
    index::{self, Object},
    limits::Limits,
    source::Source,
};
use crate::{
    Error, Result,
    manifest::{self, FILE, FORMAT, INDEX, MISSING, Manifest, VERSION, is_known},
};

/// Parts that wait to be written.
const MAX_WAITING_PARTS: usize = 2;

/// Reader of one archive.
pub(super) struct Reader {
    archive: Archive<Source>,
    manifest: Manifest,
}

impl Reader {
    /// Opens an archive, and checks its manifest and the index of its objects.
    pub async fn open(path: &Path) -> Result<Self> {
        let path = path.to_owned();
        let opening = spawn_blocking(move || open(Source::new(File::open(path)?)?, Limits::default()));
        let (archive, manifest) = opening.await.map_err(io::Error::other)??;
        Ok(Self { archive, manifest })
    }

    /// Manifest of the archive.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Entry of a file in the manifest.
    pub fn file(&self, name: &str) -> Option<manifest::File> {
        stated(&self.manifest, name).ok().cloned()
    }

    /// Begins to read a file of the manifest: `parse` runs on a thread and emits parts, which [`Parts::next`] returns.
    pub fn begin<T, P>(&self, file: manifest::File, parse: P) -> Parts<T>
    where
        T: Send + 'static,
        P: FnOnce(&mut dyn Read, Emit<'_, T>) -> Result<()> + Send + 'static,
    {
        self.spawn(move |archive, emit| archive.read_file(&file, parse, emit))
    }

    /// Begins to read the index of the objects.
    pub fn begin_index(&self) -> Result<Parts<Vec<Object>>> {
        let index = stated(&self.manifest, INDEX)?.clone();
        Ok(self.spawn(move |archive, emit| index::read(archive, &index, Limits::default(), emit)))
    }

    /// Begins to read an object, as [`Reader::begin`] does.
    pub fn begin_object<T, P>(&self, object: Object, parse: P) -> Parts<T>
    where
        T: Send + 'static,
        P: FnOnce(&mut dyn Read, Emit<'_, T>) -> Result<()> + Send + 'static,
    {
        self.spawn(move |archive, emit| archive.read_entry(&object.entry, &object.file, parse, emit))
    }

    fn spawn<T, F>(&self, read: F) -> Parts<T>
    where
        T: Send + 'static,
        F: FnOnce(&Archive<Source>, Emit<'_, T>) -> Result<()> + Send + 'static,
    {
        let archive = self.archive.clone();
        let (sender, receiver) = mpsc::channel(MAX_WAITING_PARTS);
        let reading = spawn_blocking(move || {
            let emit: Emit<'_, T> = &mut |part| sender.blocking_send(part).is_ok();
            read(&archive, emit)
        });
        Parts { receiver, reading }
    }
}

/// Parts of a file that is being read. The thread ends with its next part when they are dropped.
pub(super) struct Parts<T> {
    receiver: mpsc::Receiver<T>,
    reading: JoinHandle<Result<()>>,
}

impl<T> Parts<T> {
    /// Next part; `None` at the end of the file, and when it cannot be read further.
    pub async fn next(&mut self) -> Option<T> {
        self.receiver.recv().await
    }

    /// Ends the reading. Fails unless the file was read to its end, and its size and hash are the stated ones.
    pub async fn end(self) -> Result<()> {
        drop(self.receiver);
        self.reading.await.map_err(io::Error::other)?
    }
}

/// Opens an archive, and checks its manifest and the index of its objects.
pub(super) fn open<R: Read + Seek + Clone>(source: R, limits: Limits) -> Result<(Archive<R>, Manifest)> {
    let archive = Archive::open(source)?;
    let manifest = read_manifest(&archive, limits)?;
    let (index, missing) = (stated(&manifest, INDEX)?, stated(&manifest, MISSING)?);
    check_files(&archive, &manifest)?;
    index::read(&archive, index, limits, &mut |_objects| true)?;
    index::check_missing(&archive, missing, limits)?;
    Ok((archive, manifest))
}

/// Entry of a file in a manifest.
fn stated<'a>(manifest: &'a Manifest, name: &str) -> Result<&'a manifest::File> {
    manifest.files.iter().find(|file| file.name == name).ok_or_else(|| absent(name))
}

fn read_manifest<R: Read + Seek + Clone>(archive: &Archive<R>, limits: Limits) -> Result<Manifest> {
    let text = archive.text(FILE, limits.manifest_bytes)?;
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
    Ok(manifest)
}

/// Checks that the archive has the files of the manifest once each, and no other ones but objects.
fn check_files<R: Read + Seek + Clone>(archive: &Archive<R>, manifest: &Manifest) -> Result<()> {
    let mut stated = BTreeSet::from([FILE]);
    for name in manifest.files.iter().map(|file| file.name.as_str()) {
        if !is_known(name) {
            return Err(Error::Refused(format!("This version does not know the file {name}")));
        }
        if !stated.insert(name) {
            return Err(Error::Archive(format!("{FILE} has {name} twice")));
        }
    }
    let present: BTreeSet<&str> = archive.names().collect();
    match archive.unknown().or_else(|| stated.symmetric_difference(&present).next().copied()) {
        Some(name) => Err(Error::Archive(format!("The file {name} is missing, or is not in the manifest"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::Value;

    use super::*;
    use crate::import::packed::{Packed, zipped};

    fn refused(archive: &[u8], limits: Limits) -> String {
        open(Cursor::new(archive), limits).map(|(_archive, manifest)| manifest).unwrap_err().to_string()
    }

    /// Archive whose manifest was changed.
    fn changed(change: impl FnOnce(&mut Value)) -> Vec<u8> {
        let mut packed = Packed::of(&[("files/a", "one")]);
        let mut manifest = serde_json::from_str(&packed.manifest()).unwrap();
        change(&mut manifest);
        packed.manifest = Some(manifest.to_string());
        packed.bytes()
    }

    #[test]
    fn open_refuses_a_manifest_above_the_maximum() {
        let (packed, archive) = (Packed::of(&[]), Packed::of(&[]).bytes());
        let of = |manifest_bytes| Limits { manifest_bytes, ..Limits::default() };
        let length = u64::try_from(packed.manifest().len()).unwrap();
        let (_archive, manifest) = open(Cursor::new(archive.as_slice()), of(length)).unwrap();
        assert_eq!(manifest.files.iter().map(|file| file.rows).collect::<Vec<_>>(), [Some(0), Some(0)]);
        let error = refused(&archive, of(length - 1));
        assert_eq!(error, format!("manifest.json is larger than {} bytes", length - 1));
    }

    #[test]
    fn open_reads_no_more_of_a_manifest_than_an_import_allows() {
        let of_length = |bytes: usize| zipped(&[(FILE.to_owned(), vec![b'x'; bytes])]);
        let whole = refused(&of_length(1024 * 1024), Limits::default());
        assert!(whole.starts_with("manifest.json is malformed"), "{whole}");
        let more = refused(&of_length(1024 * 1024 + 1), Limits::default());
        assert_eq!(more, "manifest.json is larger than 1048576 bytes");
    }

    #[test]
    fn open_refuses_files_that_the_manifest_does_not_state_once() {
        let files = |manifest: &Value| manifest["files"].as_array().unwrap().clone();
        for (name, message) in [(INDEX, "objects.ndjson"), (MISSING, "missing_objects.ndjson")] {
            let archive = changed(|manifest| {
                let others = files(manifest).into_iter().filter(|file| file["name"] != name);
                manifest["files"] = others.collect();
            });
            assert_eq!(refused(&archive, Limits::default()), format!("The archive has no {message}"));
        }
        let archive = changed(|manifest| {
            let all = files(manifest);
            manifest["files"] = all.iter().chain(&all).cloned().collect();
        });
        assert_eq!(refused(&archive, Limits::default()), "manifest.json has objects.ndjson twice");
        let archive = changed(|manifest| {
            let all = files(manifest);
            let object = serde_json::json!({ "name": "files/a", "rows": null, "bytes": 0, "sha256": "" });
            manifest["files"] = all.into_iter().chain([object]).collect();
        });
        assert_eq!(refused(&archive, Limits::default()), "This version does not know the file files/a");
        let mut packed = Packed::of(&[]);
        packed.others.push(("notes.txt".to_owned(), Vec::new()));
        let message = "The file notes.txt is missing, or is not in the manifest";
        assert_eq!(refused(&packed.bytes(), Limits::default()), message);
        let archive = zipped(&[("notes.txt".to_owned(), Vec::new())]);
        assert_eq!(refused(&archive, Limits::default()), "The archive has no manifest.json");
        // A later version may have other files.
        packed.manifest = Some(packed.manifest().replace("\"version\":1", "\"version\":2"));
        let message = "The archive has version 2 of the format; this program knows 1";
        assert_eq!(refused(&packed.bytes(), Limits::default()), message);
    }

    #[test]
    fn open_refuses_a_file_that_the_directory_has_twice() {
        let mut packed = Packed::of(&[]);
        packed.others.push(("objects.ndjsox".to_owned(), Vec::new()));
        let archive = packed.renamed("objects.ndjsox", INDEX);
        assert_eq!(refused(&archive, Limits::default()), "The archive has objects.ndjson twice");
    }
}
