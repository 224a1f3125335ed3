//! Index of the stored objects of an archive. It has the order of the directory, so both are read side by side, and
//! neither is held in memory (reference/archives.md#index).

use std::{
    cmp::Ordering,
    collections::BTreeSet,
    io::{BufReader, Read, Seek},
};

use zip::{read::OwnedZipFileEntry, unstable::read::ZipIterableFiles};

use super::{
    archive::{Archive, Emit, twice},
    limits::Limits,
    lines,
};
use crate::{
    Error, Result,
    manifest::{FILES, File, INDEX, MISSING, MissingObject},
};

/// Fields of a line of the index.
const FIELDS: [&str; 4] = ["name", "rows", "bytes", "sha256"];
/// Fields of a line about an object that was not found.
const MISSING_FIELDS: [&str; 1] = ["key"];

/// Stored object of an archive.
pub(super) struct Object {
    /// Its line of the index.
    pub file: File,
    /// Its entry in the directory.
    pub entry: OwnedZipFileEntry,
}

/// Reads the index, and emits the objects in batches. Fails unless each entry below the folder of objects has one line,
/// and each line one entry, both in ascending order of their names.
pub(super) fn read<R: Read + Seek + Clone>(
    archive: &Archive<R>,
    index: &File,
    limits: Limits,
    emit: Emit<'_, Vec<Object>>,
) -> Result<()> {
    let mut directory = archive.directory()?;
    let mut pairs = Pairs { entries: directory.files()?, known: BTreeSet::from(FIELDS), last: String::new() };
    let (mut paired, mut is_stopped) = (Ok(()), false);
    archive.read_file(index, lines::read(index.clone(), limits), &mut |batch: Vec<String>| {
        match pairs.objects(&batch) {
            Ok(objects) => is_stopped = !emit(objects),
            Err(error) => paired = Err(error),
        }
        paired.is_ok() && !is_stopped
    })?;
    paired?;
    if is_stopped { Ok(()) } else { pairs.end() }
}

/// Lines of the index beside entries of the directory.
struct Pairs<'a, R> {
    entries: &'a mut ZipIterableFiles<BufReader<R>>,
    known: BTreeSet<&'static str>,
    /// Name of the last object.
    last: String,
}

impl<R: Read + Seek> Pairs<'_, R> {
    fn objects(&mut self, lines: &[String]) -> Result<Vec<Object>> {
        lines.iter().map(|line| self.object(line)).collect()
    }

    fn object(&mut self, line: &str) -> Result<Object> {
        lines::check_fields(INDEX, line, &self.known)?;
        let file: File = serde_json::from_str(line).map_err(|error| malformed(INDEX, &error))?;
        own_path(&file.name)?;
        if file.rows.is_some() {
            return Err(Error::Archive(format!("{INDEX} has a number of rows of the object {}", file.name)));
        }
        match file.name.cmp(&self.last) {
            Ordering::Less => {
                return Err(Error::Archive(format!("{INDEX} is out of order at {}", file.name)));
            }
            Ordering::Equal => return Err(Error::Archive(format!("{INDEX} has {} twice", file.name))),
            Ordering::Greater => {}
        }
        let entry = match self.next_entry()? {
            Some((name, entry)) if name == file.name => entry,
            Some((name, _)) if name == self.last => return Err(twice(&name)),
            // The lower one of two names is not in the other list.
            Some((name, _)) => return Err(unpaired(name.min(file.name))),
            None => return Err(unpaired(file.name)),
        };
        self.last.clone_from(&file.name);
        Ok(Object { file, entry })
    }

    /// Checks that the directory has ended with the index.
    fn end(&mut self) -> Result<()> {
        match self.next_entry()? {
            Some((name, _)) if name == self.last => Err(twice(&name)),
            Some((name, _)) => Err(unpaired(name)),
            None => Ok(()),
        }
    }

    /// Next entry below the folder of objects.
    fn next_entry(&mut self) -> Result<Option<(String, OwnedZipFileEntry)>> {
        for entry in self.entries.by_ref() {
            let entry = entry?;
            let name = entry.name()?.into_owned();
            if name.starts_with(FILES) {
                return Ok(Some((name, entry.into())));
            }
        }
        Ok(None)
    }
}

fn unpaired(name: String) -> Error {
    Error::Archive(format!("The file {name} is missing, not in {INDEX} or out of order"))
}

fn malformed(name: &str, error: &serde_json::Error) -> Error {
    Error::Archive(format!("a row of {name} is malformed: {error}"))
}

/// Path of an object below the folder of its account, given its name in the archive.
pub(super) fn own_path(name: &str) -> Result<&str> {
    let own = name.strip_prefix(FILES).filter(|own| is_below(own));
    own.ok_or_else(|| Error::Refused(format!("The archive has a file outside of its folder: {name}")))
}

/// True for a path that stays below the folder that it is appended to.
pub(super) fn is_below(path: &str) -> bool {
    !path.split('/').any(|part| matches!(part, "" | "." | ".."))
}

/// Checks the list of objects that were not found.
pub(super) fn check_missing<R: Read + Seek + Clone>(
    archive: &Archive<R>,
    missing: &File,
    limits: Limits,
) -> Result<()> {
    let known = BTreeSet::from(MISSING_FIELDS);
    lines::check(archive, missing, limits, |row| {
        lines::check_fields(MISSING, row, &known)?;
        let MissingObject { .. } = serde_json::from_str(row).map_err(|error| malformed(MISSING, &error))?;
        Ok(())
    })
}

#[cfg(test)]
mod tests;
