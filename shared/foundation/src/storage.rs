//! Object storage: a folder (`file:///…`) or an S3 bucket (`s3://bucket/prefix`, credentials from the usual
//! `AWS_…` variables).

mod content;

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload, WriteMultipart, path::Path,
    prefix::PrefixStore,
};
use tokio::io::AsyncReadExt;
use url::Url;

use shared::{Error, Result};

/// Size of the parts of a large object: the smallest that S3 accepts.
const PART_BYTES: usize = 5 * 1024 * 1024;
/// Parts of one object that are sent at once.
const MAX_CONCURRENT_PARTS: usize = 2;

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

    /// Stores the rest of a file under a key. A large file is read and sent in parts, so that it is never in
    /// memory as a whole. An object of that key is replaced.
    ///
    /// # Errors
    /// A failure to read the file, or of the store. A store whose answer is lost may have the object, or get it later.
    pub async fn put_file(&self, key: &str, file: &mut tokio::fs::File) -> Result<()> {
        let first = read_part(file).await?;
        if first.len() < PART_BYTES {
            return self.put(key, first).await;
        }
        let path = Path::parse(key).map_err(object_store::Error::from)?;
        let upload = self.store.put_multipart(&path).await?;
        let mut parts = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        match write_parts(&mut parts, first, file).await {
            Ok(()) => {
                parts.finish().await?;
                Ok(())
            }
            Err(error) => {
                if let Err(error) = parts.abort().await {
                    tracing::warn!(%error, "parts of an object that was not stored are left");
                }
                Err(error)
            }
        }
    }

    /// Begins an object that is written in parts, so that it is never in memory as a whole. There is no object until
    /// [`ObjectWriter::finish`].
    ///
    /// # Errors
    /// A failure of the store.
    pub async fn writer(&self, key: &str) -> Result<ObjectWriter> {
        let path = Path::parse(key).map_err(object_store::Error::from)?;
        let upload = self.store.put_multipart(&path).await?;
        Ok(ObjectWriter { parts: WriteMultipart::new_with_chunk_size(upload, PART_BYTES) })
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
        self.stream_with(key, GetOptions::default()).await
    }

    /// Some of the bytes under a key as a stream; `None` when there are none.
    ///
    /// # Errors
    /// A range that is empty or outside of the object, or a failure of the store, also in each part.
    pub async fn stream_range(
        &self,
        key: &str,
        range: Range<u64>,
    ) -> Result<Option<BoxStream<'static, Result<Bytes>>>> {
        self.stream_with(key, GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() })
            .await
    }

    async fn stream_with(
        &self,
        key: &str,
        options: GetOptions,
    ) -> Result<Option<BoxStream<'static, Result<Bytes>>>> {
        let path = Path::parse(key).map_err(object_store::Error::from)?;
        match self.store.get_opts(&path, options).await {
            Ok(object) => Ok(Some(content::of(Arc::clone(&self.store), path, object))),
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

/// Writer of an object. Dropping it leaves no object; parts that the store has then expire by its own rules.
#[derive(Debug)]
pub struct ObjectWriter {
    parts: WriteMultipart,
}

impl ObjectWriter {
    /// Writes the next bytes. Waits while the store has not taken earlier parts.
    ///
    /// # Errors
    /// A failure of the store.
    pub async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.parts.wait_for_capacity(MAX_CONCURRENT_PARTS).await?;
        self.parts.put(bytes);
        Ok(())
    }

    /// Completes the object. An object of its key is replaced.
    ///
    /// # Errors
    /// A failure of the store. Nothing is stored then.
    pub async fn finish(self) -> Result<()> {
        self.parts.finish().await?;
        Ok(())
    }

    /// Removes what was written.
    ///
    /// # Errors
    /// A failure of the store. Parts may be left.
    pub async fn abort(self) -> Result<()> {
        Ok(self.parts.abort().await?)
    }
}

/// Reads up to one part; less at the end of the file.
async fn read_part(file: &mut tokio::fs::File) -> Result<Bytes> {
    let mut part = Vec::new();
    let limit = u64::try_from(PART_BYTES).unwrap_or(u64::MAX);
    file.take(limit).read_to_end(&mut part).await.map_err(unreadable)?;
    Ok(part.into())
}

async fn write_parts(parts: &mut WriteMultipart, first: Bytes, file: &mut tokio::fs::File) -> Result<()> {
    let mut part = first;
    while !part.is_empty() {
        parts.wait_for_capacity(MAX_CONCURRENT_PARTS).await?;
        parts.put(part);
        part = read_part(file).await?;
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn unreadable(error: std::io::Error) -> Error {
    Error::Internal(format!("a file that is to be stored cannot be read: {error}"))
}
