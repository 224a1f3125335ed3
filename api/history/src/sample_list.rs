//! JSON with the samples of a session, which is written while they are read (reference/history.md#samples).

use actix_web::HttpResponse;
use api_core::Result;
use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use history_model::report::Sample;

use crate::{
    StreamSample,
    right::{Right, body},
};

type Pages = BoxStream<'static, Result<Vec<Sample>>>;

struct Writer {
    /// Text before the samples, until it is written.
    head: String,
    pages: Pages,
    /// Text after the samples; `None` when everything is written.
    tail: Option<String>,
    has_samples: bool,
}

/// Responds with JSON of a text, samples between commas and another text. One page of samples is in memory, so
/// that a slow reader holds no list.
///
/// # Errors
/// 500 when the first page cannot be read; 401 when the right to read has ended.
pub(crate) async fn response(head: String, pages: Pages, tail: String, right: Right) -> Result<HttpResponse> {
    let body = body(parts(head, pages, tail), right).await?;
    Ok(HttpResponse::Ok().content_type("application/json").streaming(body))
}

fn parts(head: String, pages: Pages, tail: String) -> BoxStream<'static, Result<Bytes>> {
    let writer = Writer { head, pages, tail: Some(tail), has_samples: false };
    stream::try_unfold(writer, |mut writer| async move {
        let part = writer.next().await?;
        Ok(part.map(|part| (part, writer)))
    })
    .boxed()
}

impl Writer {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        let Some(tail) = self.tail.take() else { return Ok(None) };
        let mut out = std::mem::take(&mut self.head).into_bytes();
        match self.pages.next().await.transpose()? {
            Some(page) => {
                self.tail = Some(tail);
                self.append(page, &mut out)?;
            }
            None => out.extend(tail.bytes()),
        }
        Ok(Some(out.into()))
    }

    fn append(&mut self, page: Vec<Sample>, out: &mut Vec<u8>) -> Result<()> {
        for sample in page {
            if std::mem::replace(&mut self.has_samples, true) {
                out.push(b',');
            }
            serde_json::to_writer(&mut *out, &StreamSample::from(sample))?;
        }
        Ok(())
    }
}
