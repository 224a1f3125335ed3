use std::{cell::Cell, io, rc::Rc};

use tar::{Builder, Header};

use super::*;
use crate::limits::MIB;

/// A tar archive built entry by entry, as an attacker would build it.
struct Forged(Builder<Vec<u8>>);

impl Forged {
    fn new() -> Self {
        Self(Builder::new(Vec::new()))
    }

    fn file(self, name: &str, content: &[u8]) -> Self {
        self.entry(EntryType::Regular, name, content)
    }

    /// Writes the name as it is; the builder's own methods would refuse the bad ones.
    fn entry(mut self, kind: EntryType, name: &str, content: &[u8]) -> Self {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        self.0.append(&header, content).unwrap();
        self
    }

    fn tar(self) -> Vec<u8> {
        self.0.into_inner().unwrap()
    }

    fn gz(self) -> Vec<u8> {
        packed(&self.tar())
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn read_with(archive: &[u8], limits: Limits) -> Result<Bundle, BundleError> {
    read(archive, limits, |_| Ok(io::sink()))
}

#[track_caller]
fn refusal(archive: &[u8]) -> String {
    refusal_with(archive, Limits::default())
}

#[track_caller]
fn refusal_with(archive: &[u8], limits: Limits) -> String {
    match read_with(archive, limits) {
        Err(BundleError::Refused(reason)) => reason,
        Err(BundleError::Io(error)) => panic!("{error}"),
        Ok(bundle) => panic!("accepted: {:?}", bundle.files),
    }
}

#[test]
fn archive_is_read_with_sizes_and_hashes() {
    let archive = Forged::new()
        .entry(EntryType::Directory, "./", b"")
        .file("./lumio.config.json", b"{}")
        .file("server.js", b"export {}")
        .file("layer.js", b"layer")
        .file("assets/a.png", b"png")
        .gz();
    let bundle = read_with(&archive, Limits::default()).unwrap();
    let names: Vec<&str> = bundle.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["lumio.config.json", "server.js", "layer.js", "assets/a.png"]);
    assert_eq!(bundle.manifest.as_deref(), Some(&b"{}"[..]));
    assert_eq!(bundle.server.as_deref(), Some(&b"export {}"[..]));
    assert_eq!(bundle.files[3].size_bytes, 3);
    assert_eq!(bundle.files[3].content_hash, hex::encode(Sha256::digest(b"png")));
    assert!(bundle.files[2].gzipped_bytes.is_some() && bundle.files[3].gzipped_bytes.is_none());
}

#[test]
fn archive_names_of_extended_headers_obey_the_same_rules() {
    let long = format!("assets/{}.png", "n".repeat(150));
    let archive =
        Forged::new().entry(EntryType::GNULongName, "././@LongLink", format!("{long}\0").as_bytes());
    let bundle = read_with(&archive.file("short", b"1").gz(), Limits::default()).unwrap();
    assert_eq!(bundle.files[0].path, long);

    let archive = Forged::new().entry(EntryType::XHeader, "pax", b"21 path=assets/a.css\n13 mtime=1.5\n");
    assert!(read_with(&archive.file("short", b"1").gz(), Limits::default()).is_ok());

    let archive = Forged::new().entry(EntryType::GNULongName, "././@LongLink", b"../../etc/passwd\0");
    assert_eq!(refusal(&archive.file("short", b"1").gz()), "`../../etc/passwd` leads out of the archive");
    let archive = Forged::new().entry(EntryType::XHeader, "pax", b"18 path=/etc/pass\n");
    assert_eq!(refusal(&archive.file("short", b"1").gz()), "`/etc/pass` is not a relative path with `/`");
    let archive = Forged::new().entry(EntryType::XHeader, "pax", b"10 size=9\n");
    assert!(refusal(&archive.file("short", b"1").gz()).contains("too large"));
    let archive = Forged::new().entry(EntryType::GNULongName, "././@LongLink", &vec![b'a'; 70_000]);
    assert!(refusal(&archive.file("short", b"1").gz()).contains("extended header"));
}

#[test]
fn archive_refuses_links_and_devices() {
    for (kind, what) in [
        (EntryType::Symlink, "a link"),
        (EntryType::Link, "a link"),
        (EntryType::Char, "a device"),
        (EntryType::Block, "a device"),
        (EntryType::Fifo, "a pipe"),
        (EntryType::GNUSparse, "of an unknown type"),
        (EntryType::GNULongLink, "of an unknown type"),
        (EntryType::new(b'Z'), "of an unknown type"),
    ] {
        let archive = Forged::new().entry(kind, "server.js", b"").gz();
        assert_eq!(refusal(&archive), format!("`server.js` is {what}; only files and folders are allowed"));
    }
}

#[test]
fn archive_refuses_paths_that_leave_it() {
    for name in ["/etc/passwd", "../x", "a/../../x", "a\\..\\x", "C:/x"] {
        assert!(refusal(&Forged::new().file(name, b"x").gz()).contains(name), "{name}");
    }
    assert!(refusal(&Forged::new().entry(EntryType::Directory, "../d/", b"").gz()).contains("leads out"));
}

#[test]
fn archive_refuses_duplicates_and_case_clashes() {
    for (first, second) in [("server.js", "server.js"), ("server.js", "Server.JS"), ("a", "a/b")] {
        refusal(&Forged::new().file(first, b"1").file(second, b"2").gz());
    }
}

#[test]
fn archive_refuses_too_many_files() {
    let limits = Limits { files: 3, ..Limits::default() };
    let files =
        |count| (0..count).fold(Forged::new(), |archive, n| archive.file(&format!("assets/{n}"), b"x")).gz();
    assert!(read_with(&files(3), limits).is_ok());
    assert_eq!(refusal_with(&files(4), limits), "the archive has more than 3 files");
}

#[test]
fn archive_counts_entries_of_every_kind() {
    let limits = Limits { entries: 4, ..Limits::default() };
    for (kind, contents) in [
        (EntryType::Directory, [&b""[..], b""]),
        (EntryType::XHeader, [b"13 mtime=1.5\n", b"13 mtime=1.5\n"]),
        (EntryType::XGlobalHeader, [b"13 mtime=1.5\n", b"13 mtime=1.5\n"]),
        (EntryType::GNULongName, [b"assets/long\0", b"assets/longer\0"]),
    ] {
        // A header describes the entry after it, so each comes with a file.
        let entries = || {
            contents.iter().zip(["a", "b"]).fold(Forged::new(), |archive, (content, file)| {
                archive.entry(kind, "folder", content).file(file, b"x")
            })
        };
        assert!(read_with(&entries().gz(), limits).is_ok(), "{kind:?}");
        assert_eq!(
            refusal_with(&entries().file("c", b"x").gz(), limits),
            "the archive has more than 4 entries"
        );
    }
}

#[test]
fn archive_refuses_bombs_before_unpacking_them() {
    let zeros = vec![0; 40 * 1024 * 1024];
    let archive = Forged::new().file("assets/zeros", &zeros).gz();
    let written = Rc::new(Cell::new(0));
    let outcome = read(&archive[..], Limits::default(), |_| Ok(Counting(Rc::clone(&written))));
    assert!(
        matches!(outcome, Err(BundleError::Refused(reason)) if reason == "the archive unpacks to more than 100 times its size")
    );
    assert!(written.get() < 8 * 1024 * 1024, "{} bytes were unpacked", written.get());

    let limits = Limits { unpacked_bytes: 2 * MIB, ratio: u64::MAX, ..Limits::default() };
    assert_eq!(refusal_with(&archive, limits), "the archive is larger than 2 MiB unpacked");
}

#[test]
fn archive_refuses_a_bomb_of_zeros_after_its_end() {
    let mut tar = Forged::new().file("a", b"x").tar();
    tar.extend(vec![0; 40 * 1024 * 1024]);
    assert!(refusal(&packed(&tar)).contains("100 times"));
}

#[test]
fn archive_bounds_manifest_and_handler_code() {
    let content: Vec<u8> = (0..1_100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for name in ["lumio.config.json", "server.js"] {
        assert_eq!(
            refusal(&Forged::new().file(name, &content).gz()),
            format!("{name} is larger than 1024 KiB")
        );
    }
}

#[test]
fn archive_that_is_truncated_or_extended_is_refused() {
    let archive = Forged::new().file("server.js", b"export {}").gz();
    for length in 0..archive.len() {
        refusal(&archive[..length]);
    }
    let mut longer = archive.clone();
    longer.push(0);
    assert_eq!(refusal(&longer), "the archive has bytes after its end");
    longer.pop();
    longer.extend(&archive);
    assert_eq!(refusal(&longer), "the archive has bytes after its end");
}

#[test]
fn archive_refuses_other_formats() {
    refusal(b"");
    refusal(b"PK\x03\x04");
    refusal(&Forged::new().file("a", b"x").tar());
    refusal(&packed(b"not a tar archive, but long enough to be looked at".repeat(40).as_slice()));
}

#[test]
fn archive_with_changed_bits_never_panics() {
    let archive = Forged::new().file("lumio.config.json", b"{}").file("server.js", b"export {}").gz();
    for index in 0..archive.len() {
        for bit in 0..8 {
            let mut changed = archive.clone();
            changed[index] ^= 1 << bit;
            match read_with(&changed, Limits::default()) {
                Ok(_) | Err(BundleError::Refused(_)) => {}
                Err(BundleError::Io(error)) => panic!("{error}"),
            }
        }
    }
}

struct Counting(Rc<Cell<usize>>);

impl Write for Counting {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + buffer.len());
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
