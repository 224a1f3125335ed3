//! Content of an object for readers of any speed (reference/storage.md#objects).

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use futures::{
    FutureExt, StreamExt, TryStreamExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use object_store::{GetOptions, GetRange, GetResult, ObjectStore, path::Path};

use shared::{Error, Result};

/// Bytes that one request brings.
type Part = BoxStream<'static, object_store::Result<Bytes>>;

/// Content that a request has begun to bring. A request lasts some minutes, and its reader may take longer: the rest of
/// the same object is then read by another one.
pub(super) fn of(
    store: Arc<dyn ObjectStore>,
    path: Path,
    object: GetResult,
) -> BoxStream<'static, Result<Bytes>> {
    let (rest, Some(tag)) = (object.range.clone(), object.meta.e_tag.clone()) else {
        return object.into_stream().map_err(Error::from).boxed();
    };
    let open = move |rest| {
        let (store, path) = (Arc::clone(&store), path.clone());
        let options = GetOptions {
            range: Some(GetRange::Bounded(rest)),
            if_match: Some(tag.clone()),
            ..GetOptions::default()
        };
        async move { store.get_opts(&path, options).await.map(GetResult::into_stream) }.boxed()
    };
    resumed(object.into_stream(), rest, open)
}

fn resumed<O>(part: Part, rest: Range<u64>, open: O) -> BoxStream<'static, Result<Bytes>>
where
    O: Fn(Range<u64>) -> BoxFuture<'static, object_store::Result<Part>> + Send + 'static,
{
    let reading = Reading { part, rest, open, has_read: false };
    stream::try_unfold(reading, Reading::next).boxed()
}

struct Reading<O> {
    part: Part,
    /// Bytes of the object that are not read yet.
    rest: Range<u64>,
    open: O,
    /// True when the last request brought bytes. Otherwise another one would not help.
    has_read: bool,
}

impl<O> Reading<O>
where
    O: Fn(Range<u64>) -> BoxFuture<'static, object_store::Result<Part>>,
{
    async fn next(mut self) -> Result<Option<(Bytes, Self)>> {
        loop {
            match self.part.next().await {
                Some(Ok(bytes)) => {
                    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                    self.rest.start = self.rest.start.saturating_add(length);
                    self.has_read = true;
                    return Ok(Some((bytes, self)));
                }
                Some(Err(error)) if self.has_read && !self.rest.is_empty() => {
                    tracing::debug!(%error, "an object is read on by another request");
                    let opened = (self.open)(self.rest.clone());
                    self.part = opened.await?;
                    self.has_read = false;
                }
                Some(Err(error)) => return Err(error.into()),
                None => return Ok(None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::future;

    use super::*;

    const OBJECT: &[u8] = b"abcdefg";

    /// Bytes of the object in a request that ends after some of them.
    fn part(rest: &Range<u64>, length: usize) -> Part {
        let left = &OBJECT[usize::try_from(rest.start).unwrap()..];
        let bytes = left.chunks(1).take(length).map(|byte| Ok(Bytes::from_static(byte)));
        let cut = (length < left.len())
            .then(|| Err(object_store::Error::Generic { store: "test", source: "it was cut".into() }));
        stream::iter(bytes.chain(cut).collect::<Vec<object_store::Result<Bytes>>>()).boxed()
    }

    /// Result of a reader whose first request brings three bytes, and each later one this number.
    async fn read(later: usize) -> Result<Vec<u8>> {
        let all = 0..u64::try_from(OBJECT.len()).unwrap();
        let open = move |rest| future::ready(Ok(part(&rest, later))).boxed();
        resumed(part(&all, 3), all, open).map_ok(|bytes| bytes.to_vec()).try_concat().await
    }

    #[tokio::test]
    async fn content_is_read_on_where_a_request_was_cut() {
        for later in [1, 2, 7] {
            assert_eq!(read(later).await.unwrap(), OBJECT, "{later}");
        }
    }

    #[tokio::test]
    async fn content_fails_when_a_request_brings_nothing() {
        assert!(read(0).await.unwrap_err().to_string().contains("it was cut"));
    }
}
