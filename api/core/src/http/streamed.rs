//! JSON with a list that is written while it is read (reference/conventions.md#envelopes).

use actix_web::{HttpRequest, web::Bytes};
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use serde::Serialize;

use super::listed;
use crate::{ApiError, Result};

/// Entries of a list, page after page.
pub type ListPages<T> = BoxStream<'static, Result<Vec<T>>>;
/// Parts of a body, which are made when they are sent.
pub type BodyParts = BoxStream<'static, Result<Bytes>>;

struct Writer<T> {
    /// Text before the entries, until it is written.
    head: String,
    pages: ListPages<T>,
    /// Text after the entries; `None` when everything is written.
    tail: Option<String>,
    has_entries: bool,
}

/// Body of a whole list as [`listed`] writes it, while the pages are read.
///
/// # Errors
/// 500 when the links have no JSON form.
pub fn streamed_list<T>(request: &HttpRequest, pages: ListPages<T>) -> Result<BodyParts>
where
    T: Serialize + Send + 'static,
{
    let envelope = serde_json::to_string(&listed::<T>(request, Vec::new()).0)?;
    let (before, after) =
        envelope.split_once("[]").ok_or_else(|| ApiError::internal("an envelope without its list"))?;
    Ok(streamed_json(format!("{before}["), pages, format!("]{after}")))
}

/// JSON of a text, entries between commas and another text. One page of entries is in memory, so that a slow reader
/// holds no list.
pub fn streamed_json<T>(head: String, pages: ListPages<T>, tail: String) -> BodyParts
where
    T: Serialize + Send + 'static,
{
    let writer = Writer { head, pages, tail: Some(tail), has_entries: false };
    stream::try_unfold(writer, |mut writer| async move {
        let part = writer.next().await?;
        Ok(part.map(|part| (part, writer)))
    })
    .boxed()
}

impl<T: Serialize> Writer<T> {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        let Some(tail) = self.tail.take() else { return Ok(None) };
        let mut out = std::mem::take(&mut self.head).into_bytes();
        match self.pages.next().await.transpose()? {
            Some(page) => {
                self.tail = Some(tail);
                self.append(&page, &mut out)?;
            }
            None => out.extend(tail.bytes()),
        }
        Ok(Some(out.into()))
    }

    fn append(&mut self, page: &[T], out: &mut Vec<u8>) -> Result<()> {
        for entry in page {
            if std::mem::replace(&mut self.has_entries, true) {
                out.push(b',');
            }
            serde_json::to_writer(&mut *out, entry)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use futures::TryStreamExt;

    use super::*;

    fn pages(pages: Vec<Vec<&'static str>>) -> ListPages<&'static str> {
        stream::iter(pages.into_iter().map(Ok)).boxed()
    }

    #[tokio::test]
    async fn streamed_list_has_the_bytes_of_listed() {
        let request = TestRequest::with_uri("/v1/things?a=%5B%5D&b=1").to_http_request();
        for of in [vec![], vec![vec![]], vec![vec!["a", "\""], vec![], vec!["[]"]]] {
            let whole = serde_json::to_vec(&listed(&request, of.concat()).0).unwrap();
            let parts: Vec<Bytes> = streamed_list(&request, pages(of)).unwrap().try_collect().await.unwrap();
            assert_eq!(parts.concat(), whole);
        }
    }

    #[tokio::test]
    async fn streamed_json_ends_with_the_failure_of_a_page() {
        let failing = [Ok(vec![1, 2]), Err(ApiError::conflict("lost")), Ok(vec![3])];
        let parts = streamed_json("[".to_owned(), stream::iter(failing).boxed(), "]".to_owned());
        let parts: Vec<_> = parts.collect().await;
        assert_eq!(parts, [Ok(Bytes::from_static(b"[1,2")), Err(ApiError::conflict("lost"))]);
    }
}
