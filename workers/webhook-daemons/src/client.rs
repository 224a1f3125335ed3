//! HTTP client of deliveries (reference/webhooks.md#requests). It follows no redirect, and connects to public addresses
//! only.

use std::{sync::Arc, time::Duration};

use foundation::{
    egress::{NoAddress, PublicResolver, refusal},
    http::traced,
};
use reqwest::{Response, header::CONTENT_TYPE, redirect::Policy};
use shared::{Error, Result, config::Config, secret::Secret};
use tokio::time::{Instant, timeout_at};
use webhook_model::{
    signature::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Signed},
    target::TargetRule,
};

use crate::mask::masked;

/// Maximum time of an attempt, the answer included (reference/webhooks.md#requests).
pub(crate) const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which an idle connection is kept for the next delivery.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum size of an answer that is kept, in bytes (reference/webhooks.md#requests).
const MAX_ANSWER_BYTES: usize = 4096;
/// Bytes that are read beyond it: a secret that begins before the end is whole, also when it is escaped.
const MAX_SECRET_BYTES: usize = 512;

/// Client. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Client {
    guarded: reqwest::Client,
    /// Reaches test hosts only, without the check of addresses.
    unguarded: reqwest::Client,
    rule: TargetRule,
}

/// Answer of a receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Begin of the body.
    pub excerpt: String,
}

impl Client {
    /// Returns a client. The test hosts of the configuration are reached without a check, also by plain HTTP.
    ///
    /// # Errors
    /// TLS roots that cannot be loaded.
    pub fn new(config: &Config) -> Result<Self> {
        let build = |builder: reqwest::ClientBuilder| {
            builder.build().map_err(|error| Error::Internal(format!("HTTP client of webhooks: {error}")))
        };
        Ok(Self {
            guarded: build(client().dns_resolver(Arc::new(PublicResolver)).https_only(true))?,
            unguarded: build(client())?,
            rule: TargetRule::new(config),
        })
    }

    /// Sends a delivery in the present trace. The error is a text for the account, without the machine's knowledge of
    /// the network.
    pub async fn post(
        &self,
        url: &str,
        signed: &Signed,
        body: String,
        secrets: &[Secret],
    ) -> std::result::Result<Answer, String> {
        let target = self.rule.check(url).map_err(|refused| format!("The address {refused}"))?;
        let client = if target.is_test_host { &self.unguarded } else { &self.guarded };
        let deadline = Instant::now() + ATTEMPT_TIMEOUT;
        let request = traced(client.post(target.url))
            .header(CONTENT_TYPE, "application/json")
            .header(HEADER_WEBHOOK_ID, &signed.id)
            .header(HEADER_WEBHOOK_TIMESTAMP, &signed.timestamp)
            .header(HEADER_WEBHOOK_SIGNATURE, &signed.signature)
            .body(body);
        let sent = timeout_at(deadline, request.send()).await;
        let response = sent.map_err(|_elapsed| too_late())?.map_err(|error| failure(&error))?;
        let status = response.status().as_u16();
        Ok(Answer { status, excerpt: excerpt(response, deadline, secrets).await })
    }
}

fn client() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .redirect(Policy::none())
        .referer(false)
        .no_proxy()
        .user_agent(concat!("lumio-webhooks/", env!("CARGO_PKG_VERSION")))
}

/// Reads the begin of an answer. The status has decided already, so an answer that breaks off is what has arrived.
async fn excerpt(mut response: Response, deadline: Instant, secrets: &[Secret]) -> String {
    let mut body = Vec::new();
    while body.len() < MAX_ANSWER_BYTES + MAX_SECRET_BYTES {
        let Ok(Ok(Some(chunk))) = timeout_at(deadline, response.chunk()).await else { break };
        body.extend_from_slice(&chunk);
    }
    // PostgreSQL stores no such character.
    body.retain(|byte| *byte != 0);
    masked(&body, secrets, MAX_ANSWER_BYTES)
}

fn failure(error: &reqwest::Error) -> String {
    match refusal(error) {
        Some(NoAddress::NotPublic) => return "The host is not on the public internet".to_owned(),
        Some(NoAddress::Unknown) => return "The host has no address".to_owned(),
        None => {}
    }
    let text = if error.is_timeout() && !error.is_connect() {
        return too_late();
    } else if error.is_connect() {
        "The host cannot be reached"
    } else {
        "The connection broke"
    };
    text.to_owned()
}

fn too_late() -> String {
    format!("No answer within {} s", ATTEMPT_TIMEOUT.as_secs())
}
