//! Writer of an archive: from front to back, in bounded memory (reference/archives.md#container).

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use foundation::storage::ObjectWriter;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;
use zip::{
    CompressionMethod, DateTime, ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

use crate::{
    Error, Result,
    export::Watch,
    manifest::{File, INDEX},
};

/// Bytes that are compressed in one step.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Destination of an archive.
pub enum Target {
    /// Object of the storage.
    Object(ObjectWriter),
    /// Local file.
    File(tokio::fs::File),
}

impl Target {
    async fn write(&mut self, bytes: Bytes) -> Result<()> {
        match self {
            Self::Object(object) => object.write(bytes).await?,
            Self::File(file) => file.write_all(&bytes).await?,
        }
        Ok(())
    }

    async fn finish(self) -> Result<()> {
        match self {
            Self::Object(object) => object.finish().await?,
            Self::File(mut file) => {
                file.flush().await?;
                file.sync_all().await?;
            }
        }
        Ok(())
    }

    async fn abort(self) {
        let Self::Object(object) = self else { return };
        if let Err(error) = object.abort().await {
            tracing::warn!(%error, "parts of an archive that was not made are left");
        }
    }
}

/// Compressed bytes that the target does not have yet.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

type Zip = ZipWriter<StreamWriter<Sink>>;

/// File that is being written.
struct Open {
    name: String,
    rows: Option<u64>,
    is_object: bool,
    bytes: u64,
    hash: Sha256,
    buffer: Vec<u8>,
}

impl Open {
    fn new(name: &str, rows: Option<u64>) -> Self {
        let (name, hash) = (name.to_owned(), Sha256::new());
        Self { name, rows, is_object: false, bytes: 0, hash, buffer: Vec::new() }
    }
}

/// Writer of an archive.
pub(crate) struct ArchiveWriter {
    /// `None` while a thread compresses, and after the end.
    zip: Option<Zip>,
    sink: Sink,
    target: Target,
    open: Option<Open>,
    files: Vec<File>,
    /// Stored objects that have ended, and that the index does not have yet.
    objects: Vec<File>,
    max_bytes: u64,
    watch: Option<Watch>,
    bytes: u64,
    hash: Sha256,
}

/// A written archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

impl ArchiveWriter {
    /// Writer of an archive without files. It fails when the archive grows above `max_bytes`.
    pub fn new(target: Target, max_bytes: u64, watch: Option<Watch>) -> Self {
        let sink = Sink::default();
        Self {
            zip: Some(ZipWriter::new_stream(sink.clone())),
            sink,
            target,
            open: None,
            files: Vec::new(),
            objects: Vec::new(),
            max_bytes,
            watch,
            bytes: 0,
            hash: Sha256::new(),
        }
    }

    /// Begins a file of rows.
    pub async fn begin_rows(&mut self, name: &str) -> Result<()> {
        self.begin(Open::new(name, Some(0)), CompressionMethod::Deflated).await
    }

    /// Begins a file of bytes that are not compressed again.
    pub async fn begin_bytes(&mut self, name: &str) -> Result<()> {
        self.begin(Open::new(name, None), CompressionMethod::Stored).await
    }

    /// Begins a stored object, which the index states. Objects have the order of their names.
    pub async fn begin_object(&mut self, name: &str) -> Result<()> {
        let open = Open { is_object: true, ..Open::new(name, None) };
        self.begin(open, CompressionMethod::Stored).await
    }

    async fn begin(&mut self, open: Open, method: CompressionMethod) -> Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            // The time is in the manifest: equal content makes equal bytes.
            .last_modified_time(DateTime::default())
            .large_file(true);
        let name = open.name.clone();
        self.open = Some(open);
        self.compress(move |zip| zip.start_file(name, options)).await
    }

    /// Writes a row of the open file.
    pub async fn row(&mut self, line: &str) -> Result<()> {
        let open = self.open.as_mut().ok_or_else(closed)?;
        open.buffer.extend_from_slice(line.as_bytes());
        open.buffer.push(b'\n');
        open.rows = open.rows.map(|rows| rows + 1);
        self.flush_above(CHUNK_BYTES).await
    }

    /// Writes bytes of the open file.
    pub async fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.open.as_mut().ok_or_else(closed)?.buffer.extend_from_slice(bytes);
        self.flush_above(CHUNK_BYTES).await
    }

    /// Ends the open file.
    pub async fn end(&mut self) -> Result<()> {
        self.flush_above(0).await?;
        let open = self.open.take().ok_or_else(closed)?;
        let list = if open.is_object { &mut self.objects } else { &mut self.files };
        list.push(File {
            name: open.name,
            rows: open.rows,
            bytes: open.bytes,
            sha256: hex::encode(open.hash.finalize()),
        });
        Ok(())
    }

    /// Writes the index of the objects that have ended.
    pub async fn write_index(&mut self) -> Result<()> {
        self.begin_rows(INDEX).await?;
        for object in std::mem::take(&mut self.objects) {
            self.row(&serde_json::to_string(&object)?).await?;
        }
        self.end().await
    }

    /// Fails when the archive that is written was deleted or discarded meanwhile.
    pub async fn check(&mut self) -> Result<()> {
        match &mut self.watch {
            Some(watch) => watch.check().await,
            None => Ok(()),
        }
    }

    /// Files that have ended, without the objects.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Completes the archive.
    pub async fn finish(mut self) -> Result<Written> {
        let zip = self.zip.take().ok_or_else(closed)?;
        let finished = tokio::task::spawn_blocking(move || zip.finish().map(drop)).await;
        finished.map_err(io::Error::other)??;
        self.drain().await?;
        self.target.finish().await?;
        Ok(Written { size_bytes: self.bytes, sha256: hex::encode(self.hash.finalize()) })
    }

    /// Removes what was written, where it is not a file.
    pub async fn abort(self) {
        self.target.abort().await;
    }

    async fn flush_above(&mut self, bytes: usize) -> Result<()> {
        let open = self.open.as_mut().ok_or_else(closed)?;
        if open.buffer.len() <= bytes {
            return Ok(());
        }
        let chunk = std::mem::take(&mut open.buffer);
        open.hash.update(&chunk);
        open.bytes += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        self.compress(move |zip| Ok(zip.write_all(&chunk)?)).await
    }

    /// Runs a step of the compression on another thread, and writes its result.
    async fn compress<F>(&mut self, step: F) -> Result<()>
    where
        F: FnOnce(&mut Zip) -> zip::result::ZipResult<()> + Send + 'static,
    {
        self.check().await?;
        let mut zip = self.zip.take().ok_or_else(closed)?;
        let stepped = tokio::task::spawn_blocking(move || {
            let done = step(&mut zip);
            (zip, done)
        });
        let (zip, done) = stepped.await.map_err(io::Error::other)?;
        self.zip = Some(zip);
        done?;
        self.drain().await
    }

    async fn drain(&mut self) -> Result<()> {
        let bytes = self.sink.take();
        if bytes.is_empty() {
            return Ok(());
        }
        self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if self.bytes > self.max_bytes {
            return Err(Error::TooLarge(self.max_bytes));
        }
        self.hash.update(&bytes);
        self.target.write(bytes.into()).await
    }
}

fn closed() -> Error {
    Error::Archive("The archive is closed".to_owned())
}
