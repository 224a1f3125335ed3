//! The reader of uploaded archives.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashSet},
    io::{Read, Write},
    rc::Rc,
};

use extension_bundle::{
    Bundle, BundleError, Expected, Limits, MANIFEST, SERVER, check as check_bundle, read,
};
use extension_model::limits::ResolvedLimits;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use sha2::{Digest, Sha256};

use crate::manifest::{EXTENSION_ID, VERSION};

/// Small, so that small inputs exceed them.
pub const LIMITS: Limits = Limits {
    files: 16,
    entries: 40,
    unpacked_bytes: 2 * 1024 * 1024,
    ratio: 100,
    manifest_bytes: 16 * 1024,
    server_bytes: 16 * 1024,
};

/// Files that were read.
type Written = Rc<RefCell<Vec<Vec<u8>>>>;

/// The first byte is 0 when the rest is the compressed archive, else the rest is to be compressed.
pub fn check(input: &[u8]) {
    let packed = packed(input);
    let written = Written::default();
    let read = read(&packed[..], LIMITS, |index| {
        let mut all = written.borrow_mut();
        assert_eq!(index, all.len(), "files come in order");
        all.push(Vec::new());
        Ok(Sink { written: Rc::clone(&written), index })
    });
    let stored: usize = written.borrow().iter().map(Vec::len).sum();
    assert!(stored as u64 <= LIMITS.unpacked_bytes, "{stored} bytes were stored");
    match read {
        Ok(bundle) => holds(&bundle, &packed, &written.borrow()),
        Err(BundleError::Refused(reason)) => assert!((1..=1000).contains(&reason.len()), "{reason}"),
        Err(BundleError::Io(error)) => panic!("nothing failed here: {error}"),
    }
}

/// The archive of an input.
pub fn packed(input: &[u8]) -> Vec<u8> {
    match input.split_first() {
        Some((0, bytes)) => bytes.to_vec(),
        Some((_, bytes)) => compressed(bytes),
        None => Vec::new(),
    }
}

/// Reads an archive and keeps nothing, to measure the cost of reading.
pub fn read_only(packed: &[u8]) -> bool {
    read(packed, LIMITS, |_| Ok(std::io::sink())).is_ok()
}

fn holds(bundle: &Bundle, packed: &[u8], written: &[Vec<u8>]) {
    assert!(bundle.files.len() <= LIMITS.files);
    assert_eq!(bundle.files.len(), written.len());
    let mut names = HashSet::new();
    for (file, bytes) in bundle.files.iter().zip(written) {
        let path = &file.path;
        assert!(names.insert(path.to_lowercase()), "{path} is there twice");
        assert!(!path.starts_with('/') && !path.contains('\\') && !path.contains('\0'), "{path:?}");
        assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..")), "{path:?}");
        assert_eq!(file.size_bytes, bytes.len() as u64, "{path}");
        assert_eq!(file.content_hash, hex::encode(Sha256::digest(bytes)), "{path}");
    }
    let of = |name: &str| bundle.files.iter().position(|file| file.path == name).map(|at| &written[at]);
    assert_eq!(bundle.manifest.as_ref(), of(MANIFEST));
    assert_eq!(bundle.server.as_ref(), of(SERVER));
    assert!(bundle.manifest.as_ref().is_none_or(|bytes| bytes.len() as u64 <= LIMITS.manifest_bytes));
    assert!(bundle.server.as_ref().is_none_or(|bytes| bytes.len() as u64 <= LIMITS.server_bytes));
    let ours: BTreeMap<String, Vec<u8>> =
        bundle.files.iter().map(|file| file.path.clone()).zip(written.iter().cloned()).collect();
    assert_eq!(as_others_read(packed), ours, "another reader sees another archive");
    let expected = Expected {
        extension_id: EXTENSION_ID,
        version: VERSION,
        verified: false,
        limits: &ResolvedLimits::default(),
    };
    if let Err(errors) = check_bundle(bundle, expected) {
        assert!((1..=100).contains(&errors.len()));
    }
}

/// The files of an archive as the tar crate unpacks them.
fn as_others_read(packed: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = tar::Archive::new(GzDecoder::new(packed));
    let entries = archive.entries().expect("an archive that was accepted");
    let files = entries.map(|entry| entry.expect("an entry that was accepted")).filter_map(|mut entry| {
        let kind = entry.header().entry_type();
        if !(kind.is_file() || kind.is_contiguous()) {
            return None;
        }
        let name = String::from_utf8(entry.path_bytes().into_owned()).expect("a name that was accepted");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("a file that was accepted");
        Some((name.strip_prefix("./").unwrap_or(&name).to_owned(), bytes))
    });
    files.collect()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).expect("memory takes bytes");
    gzip.finish().expect("memory takes bytes")
}

struct Sink {
    written: Written,
    index: usize,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.written.borrow_mut()[self.index].extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
