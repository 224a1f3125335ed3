//! Archives of tests, which are made of their parts.

use std::{
    fs::{File, OpenOptions, remove_file},
    io::{Cursor, Write},
};

use serde_json::json;
use sha2::{Digest, Sha256};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::manifest::{self, FILE, FORMAT, INDEX, MISSING, VERSION};

/// Parts of an archive without rows.
pub(super) struct Packed {
    /// Names and contents of the objects, in the order of the directory.
    pub objects: Vec<(String, String)>,
    /// Lines of the index.
    pub index: Vec<String>,
    /// Names and contents of files that the manifest does not state.
    pub others: Vec<(String, Vec<u8>)>,
    /// Manifest in place of the one that fits.
    pub manifest: Option<String>,
}

impl Packed {
    /// Archive of objects with these names and contents, and with an index that fits.
    pub fn of(objects: &[(&str, &str)]) -> Self {
        let index = objects.iter().map(|(name, content)| line(name, content)).collect();
        let own = |(name, content): &(&str, &str)| ((*name).to_owned(), (*content).to_owned());
        Self { objects: objects.iter().map(own).collect(), index, others: Vec::new(), manifest: None }
    }

    /// Manifest, which states the index as it is, unless another one was set.
    pub fn manifest(&self) -> String {
        let rows = u64::try_from(self.index.len()).unwrap();
        let files = [stated(INDEX, Some(rows), &self.index.concat()), stated(MISSING, Some(0), "")];
        let fitting = json!({
            "format": FORMAT, "version": VERSION, "account_id": uuid::Uuid::nil(), "account_name": "a",
            "exported_at": "2026-01-01T00:00:00Z", "deployment": "d", "program_version": "0", "plan": "pro",
            "secrets": null, "files": files,
        });
        self.manifest.clone().unwrap_or_else(|| fitting.to_string())
    }

    /// The archive.
    pub fn bytes(&self) -> Vec<u8> {
        let objects = self.objects.iter().map(|(name, content)| (name.clone(), content.clone().into_bytes()));
        let mut files: Vec<(String, Vec<u8>)> = objects.collect();
        files.push((INDEX.to_owned(), self.index.concat().into_bytes()));
        files.push((MISSING.to_owned(), Vec::new()));
        files.extend(self.others.clone());
        files.push((FILE.to_owned(), self.manifest().into_bytes()));
        zipped(&files)
    }

    /// The archive, in which a name of the directory was replaced by one of the same length.
    pub fn renamed(&self, from: &str, to: &str) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let mut bytes = self.bytes();
        let found = |(at, part): (usize, &[u8])| (part == from.as_bytes()).then_some(at);
        let places: Vec<usize> = bytes.windows(from.len()).enumerate().filter_map(found).collect();
        assert_eq!(places.len(), 2, "{from} is in the local header and in the directory");
        for place in places {
            bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
        }
        bytes
    }
}

/// Statement of a manifest or an index about a file.
fn stated(name: &str, rows: Option<u64>, content: &str) -> manifest::File {
    let sha256 = hex::encode(Sha256::digest(content.as_bytes()));
    manifest::File { name: name.to_owned(), rows, bytes: u64::try_from(content.len()).unwrap(), sha256 }
}

/// Line of an index about an object.
pub(super) fn line(name: &str, content: &str) -> String {
    format!("{}\n", serde_json::to_string(&stated(name, None, content)).unwrap())
}

/// ZIP file with files in this order.
pub(super) fn zipped(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// File that ends with the test.
pub(super) fn unnamed() -> File {
    let path = std::env::temp_dir().join(shared::id::new().to_string());
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
    remove_file(&path).unwrap();
    file
}
