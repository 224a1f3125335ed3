//! Object storage: a folder (`file:///…`) or an S3 bucket (`s3://bucket/prefix`, credentials from the usual
//! `AWS_…` variables).

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{ObjectStore, ObjectStoreExt, PutPayload, path::Path, prefix::PrefixStore};
use url::Url;

use shared::{Error, Result};

/// Store for files. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Storage {
    store: Arc<dyn ObjectStore>,
}

impl Storage {
    /// Opens the store of a URL. A missing folder is created.
    ///
    /// # Errors
    /// An unknown scheme, or a folder that cannot be created.
    pub fn open(url: &Url) -> Result<Self> {
        if url.scheme() == "file" {
            let folder = url
                .to_file_path()
                .map_err(|()| Error::Internal("LUMIO_STORAGE_URL is not a path of this machine".into()))?;
            std::fs::create_dir_all(&folder)
                .map_err(|error| Error::Internal(format!("storage folder {}: {error}", folder.display())))?;
        }
        let options = std::env::vars().filter(|(name, _)| name.starts_with("AWS_"));
        let options = options.map(|(name, value)| (name.to_ascii_lowercase(), value));
        let (store, prefix) = object_store::parse_url_opts(url, options)?;
        Ok(Self { store: Arc::new(PrefixStore::new(store, prefix)) })
    }

    /// Stores bytes under a key. An object of that key is replaced.
    ///
    /// # Errors
    /// A failure of the store.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<()> {
        self.store
            .put(&Path::parse(key).map_err(object_store::Error::from)?, PutPayload::from_bytes(bytes))
            .await?;
        Ok(())
    }

    /// Bytes under a key; `None` when there are none.
    ///
    /// # Errors
    /// A failure of the store.
    pub async fn get(&self, key: &str) -> Result<Option<Bytes>> {
        match self.store.get(&Path::parse(key).map_err(object_store::Error::from)?).await {
            Ok(object) => Ok(Some(object.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Bytes under a key as a stream, so that a large object is never in memory as a whole; `None` when there
    /// are none.
    ///
    /// # Errors
    /// A failure of the store, also in each part.
    pub async fn stream(&self, key: &str) -> Result<Option<BoxStream<'static, Result<Bytes>>>> {
        match self.store.get(&Path::parse(key).map_err(object_store::Error::from)?).await {
            Ok(object) => Ok(Some(object.into_stream().map_err(Error::from).boxed())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes an object. A missing one counts as removed.
    ///
    /// # Errors
    /// A failure of the store.
    pub async fn delete(&self, key: &str) -> Result<()> {
        match self.store.delete(&Path::parse(key).map_err(object_store::Error::from)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes every object whose key begins with the segments of `prefix`. Returns the number of removed
    /// objects.
    ///
    /// # Errors
    /// A failure of the store. Objects that were removed before it stay removed.
    pub async fn delete_below(&self, prefix: &str) -> Result<usize> {
        let prefix = Path::parse(prefix).map_err(object_store::Error::from)?;
        let found = self.store.list(Some(&prefix)).map_ok(|object| object.location).boxed();
        let mut deleted = 0;
        let mut results = self.store.delete_stream(found);
        while let Some(result) = results.next().await {
            match result {
                Ok(_) => deleted += 1,
                // Another process removed it first.
                Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(deleted)
    }
}
