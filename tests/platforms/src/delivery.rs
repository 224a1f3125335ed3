//! Webhook requests in the form of a platform, and their possible faults.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Time after which a receiver counts as silent.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum length of a receiver's response that is kept.
const MAX_ANSWER_BYTES: usize = 4096;

/// Differences of a delivery from an ordinary one.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryOptions {
    /// The message id; absent means a new one. Give an old one to resend.
    pub message_id: Option<String>,
    /// Number of times that the same message, with the same id and signature, is sent.
    pub copies: u32,
    /// Sign with a key that is not the platform's.
    pub forge_signature: bool,
    /// Claimed age of the message.
    pub age_secs: u64,
    /// Truncates the body to this many bytes after signing: the signature is that of the whole body.
    pub truncate_to: Option<usize>,
    /// Truncates the body to this many bytes before signing: a valid signature over broken JSON.
    pub truncate_before_signing_to: Option<usize>,
}

impl Default for DeliveryOptions {
    fn default() -> Self {
        Self {
            message_id: None,
            copies: 1,
            forge_signature: false,
            age_secs: 0,
            truncate_to: None,
            truncate_before_signing_to: None,
        }
    }
}

/// A signed request, ready to be sent.
#[derive(Debug, Clone)]
pub struct WebhookRequest {
    pub message_id: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// Result of a message.
#[derive(Debug, Clone, Serialize)]
pub struct Delivery {
    pub message_id: String,
    pub callback: String,
    pub attempts: Vec<Attempt>,
}

/// One request to the receiver.
#[derive(Debug, Clone, Serialize)]
pub struct Attempt {
    /// Absent when there was no response; `error` holds the reason then.
    pub status: Option<u16>,
    /// Beginning of the response.
    pub body: String,
    pub error: Option<String>,
    pub elapsed_ms: u64,
}

impl WebhookRequest {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Sends the request once.
    pub async fn post(&self, client: &reqwest::Client, callback: &str) -> Attempt {
        let started = Instant::now();
        let mut request = client.post(callback).timeout(DELIVERY_TIMEOUT).body(self.body.clone());
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let outcome = read(request).await;
        let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match outcome {
            Ok((status, body)) => Attempt { status: Some(status), body, error: None, elapsed_ms },
            Err(error) => {
                Attempt { status: None, body: String::new(), error: Some(error.to_string()), elapsed_ms }
            }
        }
    }

    /// Sends the request as often as the options require.
    pub(crate) async fn deliver(
        &self,
        client: &reqwest::Client,
        callback: &str,
        options: &DeliveryOptions,
    ) -> Delivery {
        let mut attempts = Vec::new();
        for _ in 0..options.copies {
            let attempt = self.post(client, callback).await;
            tracing::info!(callback, message_id = self.message_id, status = ?attempt.status, "webhook delivered");
            attempts.push(attempt);
        }
        Delivery { message_id: self.message_id.clone(), callback: callback.to_owned(), attempts }
    }
}

impl DeliveryOptions {
    /// A body as it is signed.
    pub(crate) fn cut_before_signing(&self, mut body: Vec<u8>) -> Vec<u8> {
        body.truncate(self.truncate_before_signing_to.unwrap_or(usize::MAX));
        body
    }

    /// A signed body as it is sent.
    pub(crate) fn truncate_in_transit(&self, mut body: Vec<u8>) -> Vec<u8> {
        body.truncate(self.truncate_to.unwrap_or(usize::MAX));
        body
    }

    pub(crate) fn age(&self) -> Duration {
        Duration::from_secs(self.age_secs)
    }
}

impl Delivery {
    /// The statuses of the attempts, in order.
    #[must_use]
    pub fn statuses(&self) -> Vec<Option<u16>> {
        self.attempts.iter().map(|attempt| attempt.status).collect()
    }
}

async fn read(request: reqwest::RequestBuilder) -> Result<(u16, String), reqwest::Error> {
    let mut response = request.send().await?;
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while body.len() < MAX_ANSWER_BYTES {
        let Some(chunk) = response.chunk().await? else { break };
        body.extend_from_slice(&chunk);
    }
    body.truncate(MAX_ANSWER_BYTES);
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}
