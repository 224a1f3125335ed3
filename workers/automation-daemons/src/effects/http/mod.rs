//! Requests to addresses of the internet (reference/automations.md#requests).
//!
//! Every hop passes the same gate: https, no host of the deployment, and a name of which every address is public.
//! The connection goes to exactly the addresses that were checked.

mod headers;

use std::{collections::HashSet, sync::Arc, time::Duration};

use automation_model::effects::HttpRequest;
use foundation::egress::{HostRule, NoAddress, PublicResolver, cross_origin_headers, refusal};
use reqwest::{
    Method, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION},
    redirect::Policy,
};
use serde_json::{Value, json};
use shared::{Error, Result, config::Config};
use url::{Host, Url};

use super::{
    Effects, Failure, Outcome, RunIdentity,
    limits::{Limited, MAX_REQUESTS_PER_MINUTE},
};

/// Maximum time of a request, redirects and answer included (reference/automations.md#requests).
const TOTAL_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of redirects (reference/automations.md#requests).
const MAX_REDIRECTS: usize = 3;
/// Maximum length of an address, in bytes (reference/automations.md#requests).
const MAX_URL_BYTES: usize = 2048;
/// Maximum size of the body of a request, in bytes (reference/automations.md#requests).
const MAX_REQUEST_BYTES: usize = 64 * 1024;
/// Maximum size of the body of an answer, in bytes (reference/automations.md#requests).
const MAX_ANSWER_BYTES: usize = 64 * 1024;

const METHODS: [Method; 6] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// Client of `http_request`. Cheap to clone.
#[derive(Clone)]
pub(super) struct HttpEgress {
    guarded: reqwest::Client,
    /// Reaches the hosts of `test_hosts` only, without the check of addresses.
    unguarded: reqwest::Client,
    rule: HostRule,
    test_hosts: Arc<HashSet<String>>,
    own_hosts: Arc<HashSet<String>>,
}

/// Hop of a request.
struct Hop {
    url: Url,
    method: Method,
    headers: HeaderMap,
    body: Option<String>,
}

impl HttpEgress {
    /// Returns a client. The test hosts of the configuration are reached without a check, also by plain HTTP.
    ///
    /// # Errors
    /// TLS roots that cannot be loaded.
    pub fn new(config: &Config) -> Result<Self> {
        let build = |builder: reqwest::ClientBuilder| {
            builder.build().map_err(|error| Error::Internal(format!("HTTP client of automations: {error}")))
        };
        Ok(Self {
            guarded: build(client().dns_resolver(Arc::new(PublicResolver)).https_only(true))?,
            unguarded: build(client())?,
            rule: HostRule::default(),
            test_hosts: Arc::new(config.workers.egress_test_hosts.iter().cloned().collect()),
            own_hosts: Arc::new(config.own_hosts()),
        })
    }

    async fn send(&self, request: &HttpRequest) -> Outcome {
        let hop = first_hop(request)?;
        // A request that was sent may have had its effect.
        tokio::time::timeout(TOTAL_TIMEOUT, self.follow(hop)).await.unwrap_or_else(|_elapsed| {
            Err(Failure::unknown(format!("No answer within {} s", TOTAL_TIMEOUT.as_secs())))
        })
    }

    /// Sends the request and follows redirects. After an answer of the first host every failure is unknown: the
    /// request may have had its effect.
    async fn follow(&self, hop: Hop) -> Outcome {
        let mut is_sent = false;
        let outcome = self.hops(hop, &mut is_sent).await;
        outcome.map_err(|failure| Failure { unknown: failure.unknown || is_sent, ..failure })
    }

    async fn hops(&self, mut hop: Hop, is_sent: &mut bool) -> Outcome {
        for redirects in 0.. {
            let client = self.client_for(&hop.url).await?;
            let mut request =
                client.request(hop.method.clone(), hop.url.clone()).headers(hop.headers.clone());
            if let Some(body) = &hop.body {
                request = request.body(body.clone());
            }
            let response = request.send().await.map_err(|error| failure(&error))?;
            *is_sent = true;
            let Some(location) = redirect_of(&response) else { return read(response).await };
            if redirects == MAX_REDIRECTS {
                break;
            }
            hop = next_hop(hop, response.status(), &location)?;
        }
        Err(Failure::new(format!("More than {MAX_REDIRECTS} redirects")))
    }

    /// Checks a hop against the gate, and returns its client.
    async fn client_for(&self, url: &Url) -> std::result::Result<&reqwest::Client, Failure> {
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(Failure::new("url must name a host"));
        };
        if self.test_hosts.contains(&format!("{host}:{port}")) {
            return Ok(&self.unguarded);
        }
        if url.scheme() != "https" {
            return Err(Failure::new("url must begin with https://"));
        }
        let host = match host {
            Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
            Host::Ipv4(address) => Host::Ipv4(address),
            Host::Ipv6(address) => Host::Ipv6(address),
        };
        if self.own_hosts.contains(&host.to_string()) || !self.rule.may_name(&host, port) {
            return Err(not_public());
        }
        // Names are checked once more by the resolver of the client, which gives the connection its addresses.
        match self.rule.resolve(&host, port).await {
            Ok(_addresses) => Ok(&self.guarded),
            Err(NoAddress::NotPublic) => Err(not_public()),
            Err(NoAddress::Unknown) => Err(Failure::new("The host has no address")),
        }
    }
}

impl Effects {
    /// Sends a request. Its output has `status` and `body`, whatever the status is.
    pub(super) async fn http_request(&self, run: &RunIdentity, request: &HttpRequest) -> Outcome {
        if !Limited::Requests.take(&self.context.redis, run.account_id, self.context.clock.now()).await? {
            return Err(Failure::new(format!("At most {MAX_REQUESTS_PER_MINUTE} requests in a minute")));
        }
        self.egress.send(request).await
    }
}

fn client() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .referer(false)
        .no_proxy()
        .user_agent(concat!("lumio-automation/", env!("CARGO_PKG_VERSION")))
}

fn first_hop(request: &HttpRequest) -> std::result::Result<Hop, Failure> {
    if request.url.len() > MAX_URL_BYTES {
        return Err(Failure::new(format!("url must have at most {MAX_URL_BYTES} bytes")));
    }
    let url = Url::parse(request.url.trim()).map_err(|_error| Failure::new("url must be an address"))?;
    let method = METHODS.iter().find(|method| method.as_str() == request.method).cloned();
    let method =
        method.ok_or_else(|| Failure::new("method must be GET, HEAD, POST, PUT, PATCH or DELETE"))?;
    let mut headers = headers::read(&request.headers)?;
    let body = match &request.body {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(json) => {
            headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
            Some(json.to_string())
        }
    };
    if body.as_ref().is_some_and(|body| body.len() > MAX_REQUEST_BYTES) {
        return Err(Failure::new(format!("body must have at most {MAX_REQUEST_BYTES} bytes")));
    }
    Ok(Hop { url: without_credentials(url)?, method, headers, body })
}

/// Hop of a redirect. As in browsers, 303, and 301 or 302 after a POST, become a GET without a body.
fn next_hop(hop: Hop, status: StatusCode, location: &str) -> std::result::Result<Hop, Failure> {
    let url = hop.url.join(location).map_err(|_error| Failure::new("The redirect cannot be read"))?;
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

fn without_credentials(mut url: Url) -> std::result::Result<Url, Failure> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::new("url must not hold a user name or password"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn redirect_of(response: &Response) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

async fn read(mut response: Response) -> Outcome {
    let too_large = || Failure::unknown(format!("The answer has more than {MAX_ANSWER_BYTES} bytes"));
    let announced =
        response.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > MAX_ANSWER_BYTES) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    let text = String::from_utf8_lossy(&body).replace('\0', "");
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|content_type| content_type.to_str().ok())
        .is_some_and(|content_type| content_type.contains("json"));
    let body = if is_json { serde_json::from_str(&text).unwrap_or(Value::String(text)) } else { json!(text) };
    Ok(json!({ "status": response.status().as_u16(), "body": body }))
}

/// Describes the step at which a request failed, without the machine's knowledge of the network.
fn failure(error: &reqwest::Error) -> Failure {
    if refusal(error) == Some(NoAddress::NotPublic) {
        return not_public();
    }
    if error.is_connect() {
        return Failure::new("The host cannot be reached");
    }
    Failure::unknown(if error.is_timeout() { "The request timed out" } else { "The connection broke" })
}

fn not_public() -> Failure {
    Failure::new("The host is not on the public internet")
}

#[cfg(test)]
mod tests;
