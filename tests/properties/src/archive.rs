//! The reader of archives of accounts.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Cursor, Read, Write},
};

use archive_model::{
    import::{Limits, inspect},
    manifest::{FILE, FILES, FORMAT, File, INDEX, MISSING, Manifest, SECRETS, Sealed, VERSION, object_file},
    sealing::{PublicKey, Record, SUITE_NAME, Sealer},
    tables::{Table, tables},
};
use chrono::DateTime;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use shared::{json::Readable, secret::Secret};
use uuid::Uuid;
use zip::{
    ZipArchive, ZipWriter,
    read::{ArchiveOffset, Config},
    write::SimpleFileOptions,
};

/// Small, so that small inputs exceed them.
pub const LIMITS: Limits =
    Limits { manifest_bytes: 64 * 1024, line_bytes: 16 * 1024, record_bytes: 16 * 1024 };

const ACCOUNT: Uuid = Uuid::from_u128(7);
/// Key pair of the secrets: 32 bytes of the value 7, and their public key.
const PRIVATE_KEY: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
const PUBLIC_KEY: &str = "E75P6uryBMf9M1j8nAByGIHRdCeBKCJ+xnTzf3/pe20=";
/// Longest text of a record, and name of an object, that no limit refuses, however it is escaped.
const MAX_TEXT_LENGTH: usize = 1_000;

/// The first byte states what the rest is: a whole archive, or the part that an archive is built around.
pub fn check(input: &[u8]) {
    let archive = packed(input);
    match read(&archive) {
        Ok(manifest) => holds(&manifest, &archive),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(!is_sound(input), "{error}");
        }
    }
}

/// The archive of an input.
pub fn packed(input: &[u8]) -> Vec<u8> {
    match input.split_first() {
        None => Vec::new(),
        Some((0, bytes)) => bytes.to_vec(),
        Some((1, bytes)) => zipped(&[(FILE.to_owned(), bytes.to_vec())]),
        Some((2, bytes)) => {
            let (table, rows) = rows(bytes);
            let lines = rows.iter().filter(|byte| **byte == b'\n').count() as u64;
            archive((table.file(), Some(lines), rows.to_vec()), None)
        }
        Some((3, bytes)) => archive(
            (SECRETS.to_owned(), None, bytes.to_vec()),
            // Any point has the form of an encapsulated secret.
            Some(PUBLIC_KEY.to_owned()),
        ),
        Some((4, bytes)) => {
            let (encapsulated, records) = sealed(bytes);
            archive((SECRETS.to_owned(), None, records), Some(encapsulated))
        }
        Some((_, bytes)) => {
            let (name, content) = object(bytes);
            archive((object_file(&name), None, content.to_vec()), None)
        }
    }
}

/// Reads an archive and keeps nothing, to measure the cost of reading.
pub fn read_only(archive: &[u8]) -> bool {
    read(archive).is_ok()
}

fn read(archive: &[u8]) -> archive_model::Result<Manifest> {
    inspect(Cursor::new(archive), Some(&Secret::new(PRIVATE_KEY)), LIMITS)
}

/// True for a part that an archive may have.
fn is_sound(input: &[u8]) -> bool {
    match input.split_first() {
        Some((2, bytes)) => {
            let (table, rows) = rows(bytes);
            are_sound(table, rows)
        }
        Some((4, bytes)) => texts(bytes).iter().all(|text| text.len() <= MAX_TEXT_LENGTH),
        Some((5.., bytes)) => {
            let (name, _) = object(bytes);
            name.len() <= MAX_TEXT_LENGTH && is_below(&name)
        }
        _ => false,
    }
}

/// The first byte selects the table; the others are its rows.
fn rows(bytes: &[u8]) -> (&'static Table, &[u8]) {
    let is_in_file = |table: &&'static Table| table.exported_rows().is_some_and(|rows| !rows.is_credential);
    let tables: Vec<&'static Table> = tables().filter(is_in_file).collect();
    let (choice, rows) = bytes.split_first().unwrap_or((&0, &[]));
    (tables[usize::from(*choice) % tables.len()], rows)
}

fn are_sound(table: &Table, rows: &[u8]) -> bool {
    let known: BTreeSet<&str> = table.exported_rows().into_iter().flat_map(|rows| rows.keys()).collect();
    let is_row = |line: &str| {
        let row = serde_json::from_str::<BTreeMap<String, &RawValue>>(line);
        let is_readable = |value: &RawValue| serde_json::from_str::<Readable>(value.get()).is_ok();
        let has_known = row.is_ok_and(|row| {
            row.iter().all(|(key, value)| known.contains(key.as_str()) && is_readable(value))
        });
        has_known && line.len() < 16 * 1024
    };
    // Rows with an object must name one of their account.
    let Ok(text) = std::str::from_utf8(rows) else { return false };
    !known.contains("storage_key")
        && (text.is_empty() || text.ends_with('\n'))
        && text.split_terminator('\n').all(is_row)
}

/// Each line is the text of a record.
fn texts(bytes: &[u8]) -> Vec<String> {
    bytes.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}

fn sealed(bytes: &[u8]) -> (String, Vec<u8>) {
    let key = PublicKey::parse(PUBLIC_KEY).expect("a public key");
    let (mut sealer, mut records) = (Sealer::new(ACCOUNT, &key).expect("a sealer"), Vec::new());
    for line in texts(bytes) {
        let record = Record::Row { table: "invites".to_owned(), line };
        sealer.append(&record, &mut records).expect("a small record");
    }
    sealer.finish(&mut records).expect("an end");
    (sealer.encapsulated(), records)
}

/// Name up to the first line break, and content.
fn object(bytes: &[u8]) -> (String, &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (name, content) = bytes.split_at(end);
    (String::from_utf8_lossy(name).into_owned(), content)
}

fn is_below(name: &str) -> bool {
    name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Statement of a manifest, or of the index of the objects, about a file.
fn stated(name: &str, rows: Option<u64>, bytes: &[u8]) -> File {
    let sha256 = hex::encode(Sha256::digest(bytes));
    File { name: name.to_owned(), rows, bytes: bytes.len() as u64, sha256 }
}

/// Archive with one file, and a manifest or an index that states it.
fn archive((name, rows, bytes): (String, Option<u64>, Vec<u8>), encapsulated: Option<String>) -> Vec<u8> {
    let file = stated(&name, rows, &bytes);
    let mut index = Vec::new();
    if name.starts_with(FILES) {
        index = serde_json::to_vec(&file).expect("a line has a JSON form");
        index.push(b'\n');
    }
    let lines = u64::from(!index.is_empty());
    let mut files = vec![stated(INDEX, Some(lines), &index), stated(MISSING, Some(0), &[])];
    files.extend((lines == 0).then_some(file));
    let secrets = encapsulated.map(|encapsulated| Sealed {
        suite: SUITE_NAME.to_owned(),
        public_key: PUBLIC_KEY.to_owned(),
        encapsulated,
        records: 0,
        unreadable: 0,
    });
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        account_id: ACCOUNT,
        account_name: "account".to_owned(),
        exported_at: DateTime::UNIX_EPOCH,
        deployment: "http://lumio.example/".to_owned(),
        program_version: "0".to_owned(),
        plan: "pro".to_owned(),
        secrets,
        files,
    };
    let manifest = serde_json::to_vec(&manifest).expect("a manifest has a JSON form");
    let lists = [(INDEX, index), (MISSING, Vec::new()), (FILE, manifest)];
    let mut packed = vec![(name, bytes)];
    packed.extend(lists.map(|(name, bytes)| (name.to_owned(), bytes)));
    zipped(&packed)
}

/// ZIP file; none for a name that it cannot have.
fn zipped(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        if writer.start_file(name, SimpleFileOptions::default()).is_err() {
            return Vec::new();
        }
        writer.write_all(bytes).expect("memory takes bytes");
    }
    writer.finish().expect("memory takes bytes").into_inner()
}

/// An archive that was accepted is what its manifest and the index of its objects state.
fn holds(manifest: &Manifest, archive: &[u8]) {
    let config = Config { archive_offset: ArchiveOffset::Known(0) };
    let mut zip =
        ZipArchive::with_config(config, Cursor::new(archive)).expect("an archive that was accepted");
    assert!(!zip.has_duplicate_names());
    let mut names: BTreeSet<String> =
        zip.file_names().map(|name| name.expect("a name that was accepted").into_owned()).collect();
    assert!(names.remove(FILE), "there is no manifest");
    let mut files = manifest.files.clone();
    let index = files.iter().find(|file| file.name == INDEX).expect("an index").clone();
    for line in String::from_utf8(content(&mut zip, &index)).expect("an index that was accepted").lines() {
        let object: File = serde_json::from_str(line).expect("a line that was accepted");
        assert!(object.name.strip_prefix(FILES).is_some_and(is_below), "{}", object.name);
        files.push(object);
    }
    assert_eq!(files.len(), names.len(), "a file is stated twice");
    assert_eq!(names, files.iter().map(|file| file.name.clone()).collect::<BTreeSet<_>>());
    for file in &files {
        let bytes = content(&mut zip, file);
        assert_eq!(bytes.len() as u64, file.bytes, "{}", file.name);
        assert_eq!(hex::encode(Sha256::digest(&bytes)), file.sha256, "{}", file.name);
        if !file.name.starts_with(FILES) && file.name != SECRETS {
            are_rows(file, &bytes);
        }
    }
}

/// As much of a file as is stated.
fn content(zip: &mut ZipArchive<Cursor<&[u8]>>, file: &File) -> Vec<u8> {
    let mut bytes = Vec::new();
    let content = zip.by_name(&file.name).expect("a file that was accepted");
    content.take(file.bytes).read_to_end(&mut bytes).expect("a file that was accepted");
    bytes
}

fn are_rows(file: &File, bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).expect("rows that were accepted");
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    assert_eq!(file.rows, Some(lines.len() as u64), "{}", file.name);
    for line in lines {
        assert!((line.len() as u64) < LIMITS.line_bytes, "{} bytes in a row", line.len());
        assert!(line.trim_start().starts_with('{'), "{line}");
    }
}
