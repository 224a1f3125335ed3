//! Reproducible bundles: sorted names, and no times or ids of this machine (reference/extension-kit.md#pack).

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use extension_bundle::{Limits, SOURCE};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::credentials;

/// Names in the root of an extension that are no part of its bundle.
const DEVELOPMENT: [&str; 7] =
    ["README.md", "fixtures", "jsconfig.json", "package-lock.json", "package.json", "tsconfig.json", "types"];
/// Folder of installed packages, left out wherever it is.
const PACKAGES: &str = "node_modules";
/// Value of the header of gzip for an unknown operating system.
const UNKNOWN_SYSTEM: u8 = 255;

/// File or link of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleEntry {
    /// Path in the bundle, with `/`.
    pub path: String,
    /// Place on this machine.
    pub source: PathBuf,
    /// Target of a symbolic link, which no bundle may have.
    link: Option<PathBuf>,
}

/// Packs a folder, or reads a file that is packed already.
///
/// # Errors
/// Files that cannot be read, or that seem to hold a credential.
pub fn bytes(target: &Path) -> Result<Vec<u8>> {
    if target.is_dir() {
        return pack(target);
    }
    fs::read(target).with_context(|| format!("cannot read {}", target.display()))
}

/// Writes the bundle of a folder; returns its SHA-256 in hexadecimal.
///
/// # Errors
/// Files that cannot be read or written, or that seem to hold a credential.
pub fn write(dir: &Path, output: &Path) -> Result<String> {
    let packed = pack(dir)?;
    fs::write(output, &packed).with_context(|| format!("cannot write {}", output.display()))?;
    Ok(hex::encode(Sha256::digest(&packed)))
}

fn pack(dir: &Path) -> Result<Vec<u8>> {
    let gzip = GzBuilder::new().mtime(0).operating_system(UNKNOWN_SYSTEM);
    let mut archive = Builder::new(gzip.write(Vec::new(), Compression::best()));
    for entry in entries(dir)? {
        add(&mut archive, &entry).with_context(|| format!("cannot pack {}", entry.source.display()))?;
    }
    Ok(archive.into_inner()?.finish()?)
}

fn add(archive: &mut Builder<impl Write>, entry: &BundleEntry) -> Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    if let Some(link) = &entry.link {
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        archive.append_link(&mut header, &entry.path, link)?;
        return Ok(());
    }
    let content = fs::read(&entry.source)?;
    credentials::check(&entry.path, &content)?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(u64::try_from(content.len())?);
    archive.append_data(&mut header, &entry.path, content.as_slice())?;
    Ok(())
}

/// Returns the files of a folder that are part of its bundle, sorted by path. Names that begin with a dot, installed
/// packages and the files of development are left out.
///
/// # Errors
/// A folder that cannot be read, a name that is not UTF-8, or more files than a bundle may have.
pub fn entries(dir: &Path) -> Result<Vec<BundleEntry>> {
    let (mut found, mut folders) = (Vec::new(), vec![(dir.to_owned(), String::new())]);
    let max = Limits::default().entries;
    while let Some((folder, prefix)) = folders.pop() {
        let listed = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in listed {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { bail!("{} is no text in UTF-8", entry.path().display()) };
            if is_left_out(name, prefix.is_empty()) {
                continue;
            }
            let (path, kind) = (format!("{prefix}{name}"), entry.file_type()?);
            if kind.is_dir() {
                folders.push((entry.path(), format!("{path}/")));
                continue;
            }
            let link = kind.is_symlink().then(|| fs::read_link(entry.path())).transpose()?;
            found.push(BundleEntry { path, source: entry.path(), link });
        }
        if found.len() + folders.len() > max {
            bail!("{} has more than {max} files", dir.display());
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

fn is_left_out(name: &str, is_root: bool) -> bool {
    let is_packed = name.ends_with(".tar.gz") && name != SOURCE;
    name.starts_with('.') || name == PACKAGES || is_root && (DEVELOPMENT.contains(&name) || is_packed)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    fn write_all(dir: &Path, files: &[(&str, &str)]) {
        for (path, content) in files {
            let path = dir.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    #[test]
    fn pack_is_reproducible_whatever_times_and_order_are() {
        let long = format!("assets/{}.txt", "n".repeat(150));
        let files = [
            ("server.js", "export {}"),
            ("lumio.config.json", "{}"),
            ("assets/a/b.svg", "<svg/>"),
            (&long, "x"),
        ];
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write_all(one.path(), &files);
        let reversed: Vec<_> = files.iter().rev().copied().collect();
        write_all(other.path(), &reversed);
        for (path, _) in files {
            let file = fs::File::options().write(true).open(other.path().join(path)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)).unwrap();
        }
        let packed = bytes(one.path()).unwrap();
        assert_eq!(packed, bytes(other.path()).unwrap());
        assert_eq!(packed[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255], "the header holds no time");
        let bundle = extension_bundle::read(&packed[..], Limits::default(), |_| Ok(std::io::sink())).unwrap();
        let names: Vec<_> = bundle.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, ["assets/a/b.svg", &long, "lumio.config.json", "server.js"]);
        let written = one.path().join("bundle.tar.gz");
        assert_eq!(write(one.path(), &written).unwrap(), hex::encode(Sha256::digest(&packed)));
        assert_eq!(bytes(&written).unwrap(), packed, "an archive in the folder is no part of it");
        assert_eq!(bytes(one.path()).unwrap(), packed);
    }

    #[test]
    fn entries_are_those_of_the_bundle() {
        let dir = tempfile::tempdir().unwrap();
        let kept =
            ["assets/README.md", "assets/types/a.js", "layer.js", "lumio.config.json", "source.tar.gz"];
        let left_out = [
            ".env",
            ".git/config",
            "README.md",
            "fixtures/a.json",
            "node_modules/a/b.js",
            "types/lumio.d.ts",
        ];
        for path in kept.iter().chain(&left_out) {
            write_all(dir.path(), &[(path, "x")]);
        }
        let found: Vec<_> = entries(dir.path()).unwrap().into_iter().map(|entry| entry.path).collect();
        assert_eq!(found, kept);
    }
}
