//! Documents of the API, each generated and compressed once a process.

use std::{io::Write, sync::LazyLock};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    http::header::{self, AcceptEncoding, ContentEncoding, Encoding, EntityTag, IfNoneMatch},
    web::Bytes,
};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

use crate::{asyncapi, graphql::schema, openapi};

/// A document in its encodings.
pub struct Prepared {
    content_type: &'static str,
    file_name: Option<&'static str>,
    plain: Encoded,
    /// Absent when it could not be compressed.
    gzip: Option<Encoded>,
}

struct Encoded {
    body: Bytes,
    tag: String,
}

/// `GET /v1/openapi.json`.
pub fn openapi_document() -> &'static Prepared {
    static DOCUMENT: LazyLock<Prepared> =
        LazyLock::new(|| Prepared::new(openapi::text(), "application/json", None));
    &DOCUMENT
}

/// `GET /v1/asyncapi.json`.
pub fn asyncapi_document() -> &'static Prepared {
    static DOCUMENT: LazyLock<Prepared> =
        LazyLock::new(|| Prepared::new(asyncapi::text(), "application/json", None));
    &DOCUMENT
}

/// `GET /v1/schemas/lumio.config.json`.
pub fn manifest_schema() -> &'static Prepared {
    static DOCUMENT: LazyLock<Prepared> = LazyLock::new(|| {
        let text = Bytes::from(format!("{:#}\n", extension_bundle::schema()));
        Prepared::new(text, "application/schema+json", None)
    });
    &DOCUMENT
}

/// `GET /v1/schema`.
pub fn graphql_schema() -> &'static Prepared {
    static DOCUMENT: LazyLock<Prepared> = LazyLock::new(|| {
        let text = Bytes::from(schema(false).as_sdl());
        Prepared::new(text, "text/plain; charset=utf-8", Some("schema.graphql"))
    });
    &DOCUMENT
}

impl Prepared {
    fn new(body: Bytes, content_type: &'static str, file_name: Option<&'static str>) -> Self {
        let hash = hex::encode(Sha256::digest(&body));
        let gzip = compressed(&body).map(|body| Encoded { body: body.into(), tag: format!("{hash}-gzip") });
        Self { content_type, file_name, plain: Encoded { body, tag: hash }, gzip: gzip.ok() }
    }

    /// Response in an encoding that the client accepts; 304 when the client has the document already.
    pub fn respond(&self, request: &HttpRequest) -> HttpResponse {
        let gzip = self.gzip.as_ref().filter(|_| accepts_gzip(request));
        let encoded = gzip.unwrap_or(&self.plain);
        let tag = EntityTag::new_strong(encoded.tag.clone());
        let is_known = is_known(request, &tag);
        let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response.insert_header((header::VARY, "Accept-Encoding")).insert_header(header::ETag(tag));
        if is_known {
            return response.finish();
        }
        if gzip.is_some() {
            response.insert_header(ContentEncoding::Gzip);
        }
        if let Some(name) = self.file_name {
            let disposition = format!("attachment; filename=\"{name}\"");
            response.insert_header((header::CONTENT_DISPOSITION, disposition));
        }
        response.content_type(self.content_type).body(encoded.body.clone())
    }
}

fn compressed(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body)?;
    encoder.finish()
}

/// True when the client accepts gzip. The rule equals that of the compression layer, so that the layer never
/// compresses a document that was left plain here.
fn accepts_gzip(request: &HttpRequest) -> bool {
    let offered = [Encoding::identity(), Encoding::gzip()];
    let accepted = request.get_header::<AcceptEncoding>();
    accepted.is_some_and(|accepted| accepted.negotiate(offered.iter()) == Some(Encoding::gzip()))
}

fn is_known(request: &HttpRequest, tag: &EntityTag) -> bool {
    match request.get_header::<IfNoneMatch>() {
        Some(IfNoneMatch::Any) => true,
        Some(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
        None => false,
    }
}
