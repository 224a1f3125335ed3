//! `ctx.fetch`: access of handler code to the internet (reference/handlers.md#egress).
//!
//! Every hop of a request passes the same gate: https, a host and port of the extension's allow-list, and a
//! name of which every address is public. Redirects are followed here, hop by hop.

mod allow_list;
mod budget;
mod headers;

use std::{collections::HashSet, sync::Arc, time::Duration};

use foundation::egress::{NoAddress, PublicResolver, cross_origin_headers, refusal};
use reqwest::{
    Method, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, LOCATION},
    redirect::Policy,
};
use sandbox::{FetchRequest, FetchResponse, HostError, Redirect};
use tokio::sync::Semaphore;
use url::Url;

pub use allow_list::AllowList;
pub use budget::Budget;

/// Maximum time for one `ctx.fetch`, redirects and body included.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of redirects of one request.
const MAX_REDIRECTS: usize = 3;
/// Maximum number of concurrent requests of a process; further ones wait within their time. Received
/// responses do not count: the [`Budget`] of each invocation bounds their memory.
const MAX_CONCURRENT: usize = 256;
/// Maximum length of a URL, in bytes.
const MAX_URL_BYTES: usize = 8 * 1024;
/// Maximum size of a request body, in bytes.
const MAX_REQUEST_BODY_BYTES: usize = 1024 * 1024;
/// Maximum size of a response body, in bytes.
pub(crate) const MAX_RESPONSE_BODY_BYTES: usize = 4 * 1024 * 1024;

const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// HTTP client of handler code. Cheap to clone.
#[derive(Clone)]
pub struct Egress {
    guarded: reqwest::Client,
    /// Reaches the hosts of `test_hosts` only, without the check of addresses.
    unguarded: reqwest::Client,
    test_hosts: Arc<HashSet<String>>,
    places: Arc<Semaphore>,
    total_timeout: Duration,
}

/// Failure of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Error for the handler.
    pub error: HostError,
    /// True when the failure came after a redirect: an earlier hop was sent and answered.
    pub is_redirected: bool,
}

/// Hop of a request.
struct Hop {
    url: Url,
    method: Method,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

impl Egress {
    /// Returns a client. `test_hosts` are `host:port` of stand-ins that may be reached without an allow-list,
    /// also by plain HTTP.
    ///
    /// # Errors
    /// TLS roots that cannot be loaded.
    pub fn new(test_hosts: &[String]) -> shared::Result<Self> {
        let build = |builder: reqwest::ClientBuilder| {
            builder
                .build()
                .map_err(|error| shared::Error::Internal(format!("HTTP client of handlers: {error}")))
        };
        Ok(Self {
            guarded: build(client().dns_resolver(Arc::new(PublicResolver)).https_only(true))?,
            unguarded: build(client())?,
            test_hosts: Arc::new(test_hosts.iter().cloned().collect()),
            places: Arc::new(Semaphore::new(MAX_CONCURRENT)),
            total_timeout: TOTAL_TIMEOUT,
        })
    }

    /// Performs a request for an extension with this allow-list; its response counts against `budget`.
    ///
    /// # Errors
    /// `Egress` when the gate refuses, `Argument` for an invalid request, `Limit` for a body that is too
    /// large, `Network` for a failure in transit. No message holds an address.
    pub async fn fetch(
        &self,
        allowed: &AllowList,
        request: FetchRequest,
        budget: &Budget,
    ) -> Result<FetchResponse, Failure> {
        let mut redirects = 0;
        let answer = self.answer(allowed, request, budget, &mut redirects).await;
        answer.map_err(|error| Failure { error, is_redirected: redirects > 0 })
    }

    async fn answer(
        &self,
        allowed: &AllowList,
        request: FetchRequest,
        budget: &Budget,
        redirects: &mut usize,
    ) -> Result<FetchResponse, HostError> {
        let redirect = request.redirect;
        let hop = first_hop(request)?;
        let work = async {
            let _place =
                self.places.acquire().await.map_err(|_closed| HostError::internal("ctx.fetch is closed"))?;
            self.follow(allowed, hop, redirect, budget, redirects).await
        };
        tokio::time::timeout(self.total_timeout, work).await.unwrap_or_else(|_elapsed| {
            Err(HostError::network(format!("ctx.fetch: no answer within {} s", self.total_timeout.as_secs())))
        })
    }

    async fn follow(
        &self,
        allowed: &AllowList,
        mut hop: Hop,
        mode: Redirect,
        budget: &Budget,
        redirects: &mut usize,
    ) -> Result<FetchResponse, HostError> {
        loop {
            let response = self.send(allowed, &hop).await?;
            let Some(location) = redirect_of(&response) else {
                return read(response, hop.url, *redirects > 0, budget).await;
            };
            match mode {
                Redirect::Manual => return read(response, hop.url, *redirects > 0, budget).await,
                Redirect::Error => return Err(HostError::network("ctx.fetch: the answer is a redirect")),
                Redirect::Follow if *redirects == MAX_REDIRECTS => {
                    return Err(HostError::network(format!(
                        "ctx.fetch: more than {MAX_REDIRECTS} redirects"
                    )));
                }
                Redirect::Follow => {
                    *redirects += 1;
                    hop = next_hop(hop, response.status(), &location)?;
                }
            }
        }
    }

    async fn send(&self, allowed: &AllowList, hop: &Hop) -> Result<Response, HostError> {
        let client = self.client_for(allowed, &hop.url)?;
        let mut request = client.request(hop.method.clone(), hop.url.clone()).headers(hop.headers.clone());
        if let Some(body) = &hop.body {
            request = request.body(body.clone());
        }
        request.send().await.map_err(|error| failure(&error, &hop.url))
    }

    /// Checks a hop against the gate, and returns its client.
    fn client_for(&self, allowed: &AllowList, url: &Url) -> Result<&reqwest::Client, HostError> {
        if self.is_test_host(url) {
            return Ok(&self.unguarded);
        }
        check_origin(allowed, url)?;
        Ok(&self.guarded)
    }

    fn is_test_host(&self, url: &Url) -> bool {
        if self.test_hosts.is_empty() {
            return false;
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else { return false };
        self.test_hosts.contains(&format!("{host}:{port}"))
    }
}

/// Checks a request without sending it. Returns its address and method.
///
/// # Errors
/// `Egress` for a host or port that the list does not have, `Argument` for an invalid request, `Limit` for a body
/// that is too large.
pub(crate) fn check(allowed: &AllowList, request: FetchRequest) -> Result<(Url, Method), HostError> {
    let hop = first_hop(request)?;
    check_origin(allowed, &hop.url)?;
    Ok((hop.url, hop.method))
}

/// Returns the refusal of a response that is too large.
pub(crate) fn answer_too_large() -> HostError {
    HostError::limit(format!("ctx.fetch: the answer is larger than {MAX_RESPONSE_BODY_BYTES} bytes"))
}

fn check_origin(allowed: &AllowList, url: &Url) -> Result<(), HostError> {
    if url.scheme() != "https" {
        return Err(HostError::egress(format!("ctx.fetch: {} is not https", origin(url))));
    }
    if !allowed.allows(url) {
        return Err(HostError::egress(format!(
            "ctx.fetch: {} is not in egress.allowHosts and allowPorts of the manifest",
            origin(url)
        )));
    }
    Ok(())
}

fn client() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .referer(false)
        .no_proxy()
        .pool_max_idle_per_host(4)
        .pool_idle_timeout(Duration::from_secs(30))
        .user_agent(concat!("lumio-extension/", env!("CARGO_PKG_VERSION")))
}

fn first_hop(request: FetchRequest) -> Result<Hop, HostError> {
    if request.url.len() > MAX_URL_BYTES {
        return Err(HostError::argument(format!("ctx.fetch: the URL is longer than {MAX_URL_BYTES} bytes")));
    }
    let url = Url::parse(&request.url)
        .map_err(|error| HostError::argument(format!("ctx.fetch: the URL cannot be read: {error}")))?;
    let method =
        METHODS.iter().find(|method| method.as_str() == request.method).cloned().ok_or_else(|| {
            HostError::argument("ctx.fetch: method must be GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")
        })?;
    let body_bytes = request.body.as_ref().map_or(0, Vec::len);
    if body_bytes > MAX_REQUEST_BODY_BYTES {
        return Err(HostError::limit(format!(
            "ctx.fetch: the body has {body_bytes} bytes; the limit is {MAX_REQUEST_BODY_BYTES}"
        )));
    }
    let headers = headers::request_headers(&request.headers)?;
    Ok(Hop { url: without_credentials(url)?, method, headers, body: request.body })
}

/// Returns the hop of a redirect. As in browsers, 303, and 301 or 302 after a POST, become a GET without a
/// body.
fn next_hop(hop: Hop, status: StatusCode, location: &str) -> Result<Hop, HostError> {
    let url = hop
        .url
        .join(location)
        .map_err(|error| HostError::network(format!("ctx.fetch: the redirect cannot be read: {error}")))?;
    let mut next = Hop { url: without_credentials(url)?, ..hop };
    let becomes_get = match status {
        StatusCode::SEE_OTHER => next.method != Method::HEAD,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => next.method == Method::POST,
        _ => false,
    };
    if becomes_get {
        next.method = Method::GET;
        next.body = None;
        next.headers.remove(CONTENT_TYPE);
    }
    if next.url.origin() != hop.url.origin() {
        next.headers = cross_origin_headers(&next.headers);
    }
    Ok(next)
}

fn without_credentials(mut url: Url) -> Result<Url, HostError> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err(HostError::argument("ctx.fetch: the URL must not hold a user name or password"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn redirect_of(response: &Response) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

async fn read(
    mut response: Response,
    url: Url,
    redirected: bool,
    budget: &Budget,
) -> Result<FetchResponse, HostError> {
    let announced =
        response.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > MAX_RESPONSE_BODY_BYTES) {
        return Err(answer_too_large());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error, &url))? {
        if body.len() + chunk.len() > MAX_RESPONSE_BODY_BYTES {
            return Err(answer_too_large());
        }
        budget.take(chunk.len())?;
        body.extend_from_slice(&chunk);
    }
    Ok(FetchResponse {
        status: response.status().as_u16(),
        status_text: response.status().canonical_reason().unwrap_or_default().to_owned(),
        url: url.into(),
        redirected,
        headers: headers::response_headers(response.headers()),
        body,
    })
}

/// Describes the step at which a request failed, without the machine's knowledge of the network.
fn failure(error: &reqwest::Error, url: &Url) -> HostError {
    let origin = origin(url);
    if refusal(error) == Some(NoAddress::NotPublic) {
        return HostError::egress(format!("ctx.fetch: {origin} is not on the public internet"));
    }
    let part = if error.is_timeout() {
        "timed out"
    } else if error.is_connect() {
        "cannot be reached"
    } else {
        "broke the connection"
    };
    HostError::network(format!("ctx.fetch: {origin} {part}"))
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

#[cfg(test)]
mod tests;
