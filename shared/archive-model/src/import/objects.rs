//! Stored objects of the account.

use std::io::Read;

use account_model::accounts::storage_prefix;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use foundation::{
    storage::{ObjectWriter, Storage},
    unclaimed,
};
use uuid::Uuid;

use super::{
    archive::Emit,
    index::{Object, own_path},
    reader::Reader,
};
use crate::{Result, export::Stores};

/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 256 * 1024;

/// Writes the objects. Each is recorded as unclaimed before: the sweep keeps those that rows name, and removes the
/// others a day later. The records are not part of the transaction of the import, so that those of a failed one stay.
pub(super) async fn write(stores: Stores<'_>, reader: &Reader, now: DateTime<Utc>) -> Result<u64> {
    let account = reader.manifest().account_id;
    let mut written = 0;
    let mut parts = reader.begin_index()?;
    while let Some(objects) = parts.next().await {
        let keys: Vec<String> =
            objects.iter().map(|object| key(account, &object.file.name)).collect::<Result<_>>()?;
        unclaimed::record(&mut *stores.postgres.get().await?, &keys, now).await?;
        for (key, object) in keys.iter().zip(objects) {
            write_object(stores.storage, reader, key, object).await?;
            written += 1;
        }
    }
    parts.end().await?;
    Ok(written)
}

/// Key of an object, given its name in the archive.
fn key(account: Uuid, name: &str) -> Result<String> {
    Ok(format!("{}/{}", storage_prefix(account), own_path(name)?))
}

async fn write_object(storage: &Storage, reader: &Reader, key: &str, object: Object) -> Result<()> {
    let mut writer = storage.writer(key).await?;
    match copy(reader, object, &mut writer).await {
        Ok(()) => Ok(writer.finish().await?),
        Err(error) => {
            writer.abort().await?;
            Err(error)
        }
    }
}

async fn copy(reader: &Reader, object: Object, writer: &mut ObjectWriter) -> Result<()> {
    let mut parts = reader.begin_object(object, read);
    while let Some(bytes) = parts.next().await {
        writer.write(bytes).await?;
    }
    parts.end().await
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
