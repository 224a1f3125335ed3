//! Reading of an archive without a deployment.

use std::{
    collections::BTreeSet,
    io::{Read, Seek},
};

use shared::secret::Secret;
use uuid::Uuid;
use zip::ZipArchive;

use super::{limits::Limits, lines, objects, people, reader, records, rows};
use crate::{
    Result,
    manifest::{File, Manifest, PEOPLE, SECRETS},
    tables::{Table, tables},
};

/// Reads every file of an archive as an import does, and writes nothing. Secrets are read with a key only. Returns the
/// manifest.
///
/// # Errors
/// A file that is no archive, was changed or is too large, content that this version does not know, or secrets that the
/// key does not open.
pub fn inspect<R: Read + Seek>(file: R, private_key: Option<&Secret>, limits: Limits) -> Result<Manifest> {
    let (mut archive, manifest) = reader::open(file, limits)?;
    for file in &manifest.files {
        if file.name == SECRETS {
            inspect_secrets(&mut archive, &manifest, file, private_key, limits)?;
        } else if objects::key(manifest.account_id, &file.name)?.is_some() {
            reader::read_file(&mut archive, file, objects::read, &mut |_bytes| true)?;
        } else {
            inspect_rows(&mut archive, manifest.account_id, file, limits)?;
        }
    }
    Ok(manifest)
}

fn inspect_secrets<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    manifest: &Manifest,
    file: &File,
    private_key: Option<&Secret>,
    limits: Limits,
) -> Result<()> {
    let Some(private_key) = private_key else { return Ok(()) };
    let sealed = manifest.secrets.clone().ok_or_else(records::missing)?;
    let parse = records::read(manifest.account_id, private_key.clone(), sealed.encapsulated, limits);
    reader::read_file(archive, file, parse, &mut |_record| true)
}

fn inspect_rows<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    account: Uuid,
    file: &File,
    limits: Limits,
) -> Result<()> {
    let table = tables().find(|table| table.file() == file.name);
    let known: BTreeSet<&'static str> = match table.and_then(Table::exported_rows) {
        Some(rows) => rows.keys().collect(),
        None => BTreeSet::from(people::FIELDS),
    };
    let check = |line: &String| match table {
        Some(table) => rows::check_line(account, table, &known, line),
        None => lines::check_fields(PEOPLE, line, &known),
    };
    let mut checked: Result<()> = Ok(());
    reader::read_file(archive, file, lines::read(file.clone(), limits), &mut |batch: Vec<String>| {
        checked = batch.iter().try_for_each(check);
        checked.is_ok()
    })?;
    checked
}
