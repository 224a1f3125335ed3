//! Stored objects of the account.

use std::io::Read;

use account_model::accounts::storage_prefix;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use foundation::{storage::ObjectWriter, unclaimed};
use uuid::Uuid;

use super::reader::{Emit, Reader};
use crate::{
    Error, Result,
    export::Stores,
    manifest::{self, FILES},
};

/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 256 * 1024;
/// Keys that are recorded at a time.
const MAX_KEYS: usize = 1_000;

/// Writes the objects. They are recorded as unclaimed: the sweep keeps those that rows name, and removes the others a day
/// later. The records are not part of the transaction of the import, so that those of a failed one stay.
pub(super) async fn write(stores: Stores<'_>, reader: &mut Reader, now: DateTime<Utc>) -> Result<u64> {
    let account = reader.manifest().account_id;
    let mut objects: Vec<(String, manifest::File)> = Vec::new();
    for file in &reader.manifest().files {
        let Some(key) = key(account, &file.name)? else { continue };
        objects.push((key, file.clone()));
    }
    let keys: Vec<String> = objects.iter().map(|(key, _)| key.clone()).collect();
    for keys in keys.chunks(MAX_KEYS) {
        unclaimed::note(&mut *stores.postgres.get().await?, keys, now).await?;
    }
    for (key, file) in &objects {
        let mut writer = stores.storage.writer(key).await?;
        match copy(reader, file, &mut writer).await {
            Ok(()) => writer.finish().await?,
            Err(error) => {
                writer.abort().await?;
                return Err(error);
            }
        }
    }
    Ok(u64::try_from(objects.len()).unwrap_or(u64::MAX))
}

/// Key of the object that a file of the archive is; `None` for a file of another kind.
pub(super) fn key(account: Uuid, file: &str) -> Result<Option<String>> {
    match file.strip_prefix(FILES) {
        Some(own) if is_below(own) => Ok(Some(format!("{}/{own}", storage_prefix(account)))),
        Some(_) => Err(Error::Refused(format!("The archive has a file outside of its folder: {file}"))),
        None => Ok(None),
    }
}

/// True for a path that stays below the folder that it is appended to.
pub(super) fn is_below(path: &str) -> bool {
    !path.split('/').any(|part| matches!(part, "" | "." | ".."))
}

async fn copy(reader: &mut Reader, file: &manifest::File, writer: &mut ObjectWriter) -> Result<()> {
    let mut parts = reader.begin(file.clone(), read)?;
    while let Some(bytes) = parts.next().await {
        writer.write(bytes).await?;
    }
    reader.end(parts).await
}

/// Reads an object in parts.
pub(super) fn read(reader: &mut dyn Read, emit: Emit<'_, Bytes>) -> Result<()> {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let read = reader.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
        if !emit(Bytes::copy_from_slice(bytes)) {
            return Ok(());
        }
    }
}
