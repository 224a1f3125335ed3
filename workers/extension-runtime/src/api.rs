//! Client of the API's internal feeds (reference/telemetry.md#internal-feeds).

use std::{borrow::Cow, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use extension_model::feeds::{
    CommandFeed, CommandReply, FireTrigger, HandlerFeed, NodeFeed, NodeInstall, PollFeed, PollState, Secrets,
    TelemetryBatch, TriggerFeed, TriggerFired,
};
use foundation::{http::traced, jobs::RedeemReward, readiness::Readiness};
use reqwest::{Method, RequestBuilder, Response, StatusCode, header};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use shared::config::WorkersConfig;
use url::Url;
use uuid::Uuid;

use super::{api_failure::ApiFailure, system_key::Credential};

/// Maximum wait for a call that a chat line depends on.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum wait for the full snapshot, which holds the code of every install.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_secs(60);
/// Number of triggers of one page, without their states.
const POLLS_PAGE: usize = 2000;
/// Maximum length of an unexpected response in the log, in bytes.
const MAX_PROBLEM_LENGTH: usize = 300;

/// Codes of the API's errors while its stores cannot serve, as they stand in a response.
const STORE_ERRORS: [&str; 2] = ["\"DATABASE_ERROR\"", "\"REDIS_ERROR\""];

/// Client that calls the API with the system key. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    client: reqwest::Client,
    base: Arc<Url>,
    credential: Credential,
}

/// Body of `POST /v1/internal/actions`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionRequest {
    /// Install whose handler requests the action.
    pub install_id: Uuid,
    /// Invocation and the index of the action in its result.
    pub invocation_id: String,
    /// Name of the action.
    pub action: Cow<'static, str>,
    /// Payload of the action.
    pub payload: Value,
    /// Time after which the API must not execute the action; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}

/// Outcome of an action.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ActionResult {
    /// True when the action was executed.
    pub ok: bool,
    /// Result of the action; null when it has none.
    #[serde(default)]
    pub result: Option<Value>,
    /// Code of the failure; null on success.
    #[serde(default)]
    pub error_code: Option<String>,
    /// Message of the failure; null on success.
    #[serde(default)]
    pub error: Option<String>,
}

/// Result of a redemption.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Redeemed {
    /// Outcome of the action; null while another call runs it.
    pub outcome: Option<String>,
    /// True when the call must be repeated later.
    pub repeat: bool,
    /// Reason why the action failed; null without one.
    pub error: Option<String>,
}

/// Snapshot of the handler feed, with the tag to request a newer one.
pub struct Snapshot {
    /// Every install with a bot module.
    pub feed: HandlerFeed,
    /// Tag of this snapshot; null when the API sent none.
    pub etag: Option<String>,
}

impl Api {
    /// Opens the client.
    ///
    /// # Errors
    /// A missing system key, an unreadable key file, or TLS roots that cannot be loaded.
    pub fn new(config: &WorkersConfig, readiness: Readiness) -> shared::Result<Self> {
        let key = config.system_key.clone().ok_or_else(|| {
            shared::Error::Internal(
                "LUMIO_SYSTEM_KEY or LUMIO_SYSTEM_KEY_FILE must be set for the daemon extension-runtime; \
                 make a key with `lumio-api admin create-system-key`"
                    .into(),
            )
        })?;
        let credential = Credential::open(key, readiness)?;
        Ok(Self { client: foundation::http::client()?, base: Arc::new(config.api_url.clone()), credential })
    }

    /// Returns every install with a bot module; `None` when `etag` is still current.
    pub async fn snapshot(&self, etag: Option<&str>) -> Result<Option<Snapshot>, ApiFailure> {
        let mut request =
            self.request(Method::GET, "/v1/internal/bot-modules/handlers").timeout(SNAPSHOT_TIMEOUT);
        if let Some(etag) = etag {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        let response = self.answer(request).await?;
        if response.status() == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        let etag = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        Ok(Some(Snapshot { feed: body(response).await?, etag }))
    }

    /// Returns the installs of one account.
    pub async fn handlers_of(&self, account_id: Uuid) -> Result<HandlerFeed, ApiFailure> {
        let path = format!("/v1/internal/bot-modules/handlers?account_id={account_id}");
        body(self.answer(self.request(Method::GET, &path)).await?).await
    }

    /// Returns the triggers of one account, in the order of its installs.
    pub async fn triggers_of(&self, account_id: Uuid) -> Result<TriggerFeed, ApiFailure> {
        let path = format!("/v1/internal/bot-modules/{account_id}/triggers");
        body(self.answer(self.request(Method::GET, &path)).await?).await
    }

    /// Returns the chat commands of one account with the tag of this response; `None` when `etag` is still
    /// current.
    pub async fn commands_of(
        &self,
        account_id: Uuid,
        etag: Option<&str>,
    ) -> Result<Option<(CommandFeed, Option<String>)>, ApiFailure> {
        let mut request = self.request(Method::GET, &format!("/v1/internal/bot-commands/{account_id}"));
        if let Some(etag) = etag {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        let response = self.answer(request).await?;
        if response.status() == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        let etag = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        Ok(Some((body(response).await?, etag)))
    }

    /// Sends the reply of a command. A repeated call for the same line returns the first result.
    pub async fn reply(&self, command_id: Uuid, reply: &CommandReply) -> Result<ActionResult, ApiFailure> {
        self.post(&format!("/v1/internal/bot-commands/{command_id}/replies"), reply).await
    }

    /// Returns the secrets of an extension.
    pub async fn secrets_of(&self, extension_id: Uuid) -> Result<Secrets, ApiFailure> {
        let path = format!("/v1/internal/secrets/{extension_id}");
        body(self.answer(self.request(Method::POST, &path)).await?).await
    }

    /// Executes an action. A repeated call with the same invocation id returns the first result.
    pub async fn act(&self, action: &ActionRequest) -> Result<ActionResult, ApiFailure> {
        self.post("/v1/internal/actions", action).await
    }

    /// Sends telemetry. A repeated batch is counted once.
    pub async fn report(&self, batch: &TelemetryBatch) -> Result<(), ApiFailure> {
        self.answer(self.request(Method::POST, "/v1/internal/telemetry").json(batch)).await.map(drop)
    }

    /// Returns the automation node of an install; `None` when it has none.
    pub async fn node(&self, install_id: Uuid) -> Result<Option<NodeInstall>, ApiFailure> {
        let path = format!("/v1/internal/automation-nodes/handlers?install_id={install_id}");
        let feed: NodeFeed = body(self.answer(self.request(Method::GET, &path)).await?).await?;
        Ok(feed.installs.into_iter().next())
    }

    /// Returns a page of the triggers to poll, without their states: a job reads the state when it asks a
    /// trigger.
    pub async fn polls(&self, after: Option<Uuid>) -> Result<PollFeed, ApiFailure> {
        let after = after.map(|after| format!("&after={after}")).unwrap_or_default();
        let path = format!("/v1/internal/automation-triggers/polls?brief=true&limit={POLLS_PAGE}{after}");
        body(self.answer(self.request(Method::GET, &path)).await?).await
    }

    /// Stores the state that a trigger gets with its next call.
    pub async fn keep_trigger_state(&self, id: Uuid, state: &PollState) -> Result<(), ApiFailure> {
        let path = format!("/v1/internal/automation-triggers/{id}/state");
        self.answer(self.request(Method::PUT, &path).json(state)).await.map(drop)
    }

    /// Runs the action of a redeemed reward. A repeated call for the same redemption runs nothing again.
    pub async fn redeem(&self, job: &RedeemReward) -> Result<Redeemed, ApiFailure> {
        self.post(&format!("/v1/internal/rewards/{}/redemptions", job.reward_id), job).await
    }

    /// Starts a run of an automation. A repeated call with the same key returns the first run.
    pub async fn fire(&self, fire: &FireTrigger) -> Result<TriggerFired, ApiFailure> {
        self.post("/v1/internal/automation-triggers/fire", fire).await
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, payload: &impl Serialize) -> Result<T, ApiFailure> {
        body(self.answer(self.request(Method::POST, path).json(payload)).await?).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        traced(self.client.request(method, url).timeout(CALL_TIMEOUT))
    }

    async fn answer(&self, request: RequestBuilder) -> Result<Response, ApiFailure> {
        let attempt = self.credential.attempt()?;
        let request = request.bearer_auth(attempt.key.expose());
        let response = request.send().await.map_err(|error| ApiFailure::Away(causes(&error)))?;
        let status = response.status();
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            // The key of this installation is wrong or was revoked: an operator must act, and no work may be
            // lost.
            self.credential.refused(&attempt, status.as_u16(), &problem(response).await);
            return Err(ApiFailure::KeyRefused);
        }
        if !status.is_server_error() {
            self.credential.accepted(&attempt);
        }
        if status.is_success() || status == StatusCode::NOT_MODIFIED {
            return Ok(response);
        }
        Err(failure(status, problem(response).await))
    }
}

/// Returns the text of a failed response.
async fn problem(response: Response) -> String {
    let mut problem = response.text().await.unwrap_or_default();
    problem.truncate(problem.floor_char_boundary(MAX_PROBLEM_LENGTH));
    problem
}

fn failure(status: StatusCode, problem: String) -> ApiFailure {
    let is_refused_for_load = matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::REQUEST_TIMEOUT
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    );
    // Other errors may be those of one account, whose actions must not slow the others down.
    if is_refused_for_load || STORE_ERRORS.iter().any(|code| problem.contains(code)) {
        return ApiFailure::Busy(format!("{status}: {problem}"));
    }
    if status.is_server_error() {
        return ApiFailure::Away(format!("{status}: {problem}"));
    }
    ApiFailure::Refused { status: status.as_u16(), problem }
}

async fn body<T: DeserializeOwned>(response: Response) -> Result<T, ApiFailure> {
    let bytes = response.bytes().await.map_err(|error| ApiFailure::Away(causes(&error)))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| ApiFailure::Away(format!("an answer that cannot be read: {error}")))
}

/// Describes an error of the client with its causes, without the URL, which only repeats the request.
fn causes(error: &reqwest::Error) -> String {
    let mut text = if error.is_timeout() { "timed out".to_owned() } else { "the request failed".to_owned() };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_of_the_api_is_one_of_load_only_when_its_stores_or_limits_say_so() {
        let kind = |status: u16, code: &str| {
            let problem = format!(r#"{{"error":"{code}","message":"m"}}"#);
            match failure(StatusCode::from_u16(status).unwrap(), problem) {
                ApiFailure::Busy(_) => "busy",
                ApiFailure::Away(_) => "away",
                ApiFailure::Refused { .. } => "refused",
                ApiFailure::KeyRefused => "key",
            }
        };
        for (status, code, expected) in [
            (500, "DATABASE_ERROR", "busy"),
            (500, "REDIS_ERROR", "busy"),
            (503, "SERVICE_UNAVAILABLE", "busy"),
            (429, "RATE_LIMIT_EXCEEDED", "busy"),
            (408, "BAD_REQUEST", "busy"),
            (500, "CREDENTIAL_DECRYPTION_FAILED", "away"),
            (502, "PLATFORM_ERROR", "away"),
            (404, "NOT_FOUND", "refused"),
        ] {
            assert_eq!(kind(status, code), expected, "{status} {code}");
        }
    }
}
