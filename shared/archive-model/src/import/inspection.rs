//! Reading of an archive without a deployment.

use std::{
    collections::BTreeSet,
    io::{Read, Seek},
};

use shared::secret::Secret;
use uuid::Uuid;

use super::{
    archive::Archive,
    index::{self, Object},
    limits::Limits,
    lines, objects, people, reader, records, rows,
};
use crate::{
    Result,
    manifest::{File, INDEX, MISSING, Manifest, PEOPLE, SECRETS},
    tables::{Table, tables},
};

/// Reads every file of an archive as an import does, and writes nothing. Secrets are read with a key only. Returns the
/// manifest. Clones of the source have a position of their own.
///
/// # Errors
/// A file that is no archive, was changed or is too large, content that this version does not know, or secrets that the
/// key does not open.
pub fn inspect<R: Read + Seek + Clone>(
    source: R,
    private_key: Option<&Secret>,
    limits: Limits,
) -> Result<Manifest> {
    let (archive, manifest) = reader::open(source, limits)?;
    for file in &manifest.files {
        match file.name.as_str() {
            SECRETS => inspect_secrets(&archive, &manifest, file, private_key, limits)?,
            INDEX => inspect_objects(&archive, file, limits)?,
            // It was read with the manifest.
            MISSING => {}
            _ => inspect_rows(&archive, manifest.account_id, file, limits)?,
        }
    }
    Ok(manifest)
}

fn inspect_secrets<R: Read + Seek + Clone>(
    archive: &Archive<R>,
    manifest: &Manifest,
    file: &File,
    private_key: Option<&Secret>,
    limits: Limits,
) -> Result<()> {
    let Some(private_key) = private_key else { return Ok(()) };
    let sealed = manifest.secrets.clone().ok_or_else(records::missing)?;
    let parse = records::read(manifest.account_id, private_key.clone(), sealed.encapsulated, limits);
    archive.read_file(file, parse, &mut |_record| true)
}

fn inspect_objects<R: Read + Seek + Clone>(archive: &Archive<R>, index: &File, limits: Limits) -> Result<()> {
    let mut inspected: Result<()> = Ok(());
    index::read(archive, index, limits, &mut |batch: Vec<Object>| {
        inspected = batch.iter().try_for_each(|object| {
            archive.read_entry(&object.entry, &object.file, objects::read, &mut |_bytes| true)
        });
        inspected.is_ok()
    })?;
    inspected
}

fn inspect_rows<R: Read + Seek + Clone>(
    archive: &Archive<R>,
    account: Uuid,
    file: &File,
    limits: Limits,
) -> Result<()> {
    let table = tables().find(|table| table.file() == file.name);
    let known: BTreeSet<&'static str> = match table.and_then(Table::exported_rows) {
        Some(rows) => rows.keys().collect(),
        None => BTreeSet::from(people::FIELDS),
    };
    lines::check(archive, file, limits, |row| match table {
        Some(table) => rows::check_line(account, table, &known, row),
        None => lines::check_fields(PEOPLE, row, &known),
    })
}
