//! Traces over OTLP (protobuf over HTTP).

use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};
use tokio::runtime::Handle;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

use shared::{Error, Result};

/// Longest wait for the collector when the process ends.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// Exporter of spans.
pub(super) struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Sends spans in batches to a collector, `{url}/v1/traces`, from the tokio runtime of the caller.
    pub(super) fn to(url: &Url, service: &str) -> Result<Self> {
        let runtime = Handle::try_current()
            .map_err(|error| Error::Internal(format!("traces need a tokio runtime: {error}")))?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{}/v1/traces", url.as_str().trim_end_matches('/')))
            .with_http_client(OnRuntime { runtime, client: crate::http::client()? })
            .build()
            .map_err(|error| Error::Internal(format!("LUMIO_OTLP_URL: {error}")))?;
        let provider = SdkTracerProvider::builder()
            .with_resource(Resource::builder().with_service_name(service.to_owned()).build())
            .with_batch_exporter(exporter)
            .build();
        Ok(Self { provider })
    }

    pub(super) fn layer<S>(&self) -> OpenTelemetryLayer<S, SdkTracer>
    where
        S: tracing::Subscriber + for<'span> LookupSpan<'span>,
    {
        tracing_opentelemetry::layer().with_tracer(self.provider.tracer("lumio"))
    }

    pub(super) fn shut_down(self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}

/// Batches are sent from a thread without a runtime, which the client needs.
#[derive(Debug)]
struct OnRuntime {
    runtime: Handle,
    client: reqwest::Client,
}

#[async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (client, request) = (self.client.clone(), reqwest::Request::try_from(request)?);
        let exchange = self.runtime.spawn(async move {
            let answer = client.execute(request).await?;
            let status = answer.status();
            Ok::<_, reqwest::Error>((status, answer.bytes().await?))
        });
        let (status, body) = exchange.await??;
        Ok(Response::builder().status(status).body(body)?)
    }
}
