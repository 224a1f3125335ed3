//! Stored objects of an account.

use account_model::accounts::storage_prefix;
use foundation::storage::Storage;
use futures::TryStreamExt;
use uuid::Uuid;

use crate::{
    Result,
    manifest::{MISSING, MissingObject, object_file},
    writer::ArchiveWriter,
};

/// Writes the objects, their index, and the keys of those that were not found. The keys are in ascending order.
pub(super) async fn write(
    storage: &Storage,
    account: Uuid,
    keys: &[String],
    writer: &mut ArchiveWriter,
) -> Result<()> {
    let missing = write_found(storage, account, keys, writer).await?;
    writer.write_index().await?;
    writer.begin_rows(MISSING).await?;
    for key in missing {
        writer.row(&serde_json::to_string(&MissingObject { key })?).await?;
    }
    writer.end().await
}

/// Writes the objects, one after the other. Returns the keys of those that are not there, or that are not below the
/// folder of the account.
async fn write_found(
    storage: &Storage,
    account: Uuid,
    keys: &[String],
    writer: &mut ArchiveWriter,
) -> Result<Vec<String>> {
    let prefix = format!("{}/", storage_prefix(account));
    let mut missing = Vec::new();
    for key in keys {
        let found = match key.strip_prefix(&prefix) {
            Some(own) => storage.stream(key).await?.map(|content| (own, content)),
            None => None,
        };
        let Some((own, mut content)) = found else {
            missing.push(key.clone());
            continue;
        };
        writer.begin_object(&object_file(own)).await?;
        while let Some(bytes) = content.try_next().await? {
            writer.bytes(&bytes).await?;
        }
        writer.end().await?;
    }
    Ok(missing)
}
