//! The internal feeds of the API, as this daemon calls them (specification B §4.4; C B17).

use std::{sync::Arc, time::Duration};

use reqwest::{Method, RequestBuilder, Response, StatusCode, header};
use serde::{Serialize, de::DeserializeOwned};
use shared::{
    config::WorkersConfig,
    feeds::{
        CommandFeed, CommandReply, FireTrigger, HandlerFeed, NodeFeed, NodeInstall, PollFeed, PollState,
        Secrets, TelemetryBatch, TriggerFeed, TriggerFired,
    },
    readiness::Readiness,
};
use url::Url;
use uuid::Uuid;

use super::{
    actions::{ActionRequest, ActionResult},
    system_key::Credential,
};

/// Longest wait for a call on the way of a chat line.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest wait for the full snapshot, which holds the code of every install.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_secs(60);
/// Triggers that are read at once, without what they keep.
const POLLS_PAGE: usize = 2000;
/// How much of an answer that was not expected is kept for the log.
const MAX_PROBLEM_LENGTH: usize = 300;

/// The API, called with the system key. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    client: reqwest::Client,
    base: Arc<Url>,
    credential: Credential,
}

/// A snapshot and the tag that asks for a newer one.
pub struct Snapshot {
    pub feed: HandlerFeed,
    pub etag: Option<String>,
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ApiFailure {
    /// Worth another try: the API is away, busy or broken, or does not know this installation's key yet.
    #[error("the API cannot be reached: {0}")]
    Away(String),
    /// Worth another try, but not now: the API does not accept the system key, which the log says once for each try.
    #[error("the API does not accept the system key")]
    KeyRefused,
    /// Another try would end the same way.
    #[error("the API refused with {status}: {problem}")]
    Refused { status: u16, problem: String },
}

impl ApiFailure {
    /// Whether the log says so already.
    pub const fn is_logged(&self) -> bool {
        matches!(self, Self::KeyRefused)
    }
}

impl Api {
    /// # Errors
    /// When no system key is configured, its file cannot be read, or the TLS roots cannot be loaded.
    pub fn new(config: &WorkersConfig, readiness: Readiness) -> shared::Result<Self> {
        let key = config.system_key.clone().ok_or_else(|| {
            shared::Error::Internal(
                "LUMIO_SYSTEM_KEY or LUMIO_SYSTEM_KEY_FILE must be set for the daemon extension-runtime; \
                 make a key with `lumio-api admin create-system-key`"
                    .into(),
            )
        })?;
        let credential = Credential::open(key, readiness)?;
        Ok(Self { client: shared::http::client()?, base: Arc::new(config.api_url.clone()), credential })
    }

    /// Every install with a bot module; `None` when `etag` is still the newest.
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

    /// The installs of one account.
    pub async fn handlers_of(&self, account_id: Uuid) -> Result<HandlerFeed, ApiFailure> {
        let path = format!("/v1/internal/bot-modules/handlers?account_id={account_id}");
        body(self.answer(self.request(Method::GET, &path)).await?).await
    }

    /// The triggers of one account, in the order of its installs.
    pub async fn triggers_of(&self, account_id: Uuid) -> Result<TriggerFeed, ApiFailure> {
        let path = format!("/v1/internal/bot-modules/{account_id}/triggers");
        body(self.answer(self.request(Method::GET, &path)).await?).await
    }

    /// The chat commands of one account and the tag of this answer; `None` when `etag` is still the newest.
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

    /// Has a command answered; repeating it for the same line answers the first result.
    pub async fn reply(&self, command_id: Uuid, reply: &CommandReply) -> Result<ActionResult, ApiFailure> {
        self.post(&format!("/v1/internal/bot-commands/{command_id}/replies"), reply).await
    }

    /// The secrets of an extension.
    pub async fn secrets_of(&self, extension_id: Uuid) -> Result<Secrets, ApiFailure> {
        let path = format!("/v1/internal/secrets/{extension_id}");
        body(self.answer(self.request(Method::POST, &path)).await?).await
    }

    /// Carries out an action; repeating it with the same invocation id answers the first result.
    pub async fn act(&self, action: &ActionRequest) -> Result<ActionResult, ApiFailure> {
        self.post("/v1/internal/actions", action).await
    }

    /// Hands over telemetry; repeating a batch counts nothing twice.
    pub async fn report(&self, batch: &TelemetryBatch) -> Result<(), ApiFailure> {
        self.answer(self.request(Method::POST, "/v1/internal/telemetry").json(batch)).await.map(drop)
    }

    /// The automation node of an install; `None` when it has none.
    pub async fn node(&self, install_id: Uuid) -> Result<Option<NodeInstall>, ApiFailure> {
        let path = format!("/v1/internal/automation-nodes/handlers?install_id={install_id}");
        let feed: NodeFeed = body(self.answer(self.request(Method::GET, &path)).await?).await?;
        Ok(feed.installs.into_iter().next())
    }

    /// A page of the triggers that are polled, without what they keep: a job reads that when it asks one.
    pub async fn polls(&self, after: Option<Uuid>) -> Result<PollFeed, ApiFailure> {
        let after = after.map(|after| format!("&after={after}")).unwrap_or_default();
        let path = format!("/v1/internal/automation-triggers/polls?brief=true&limit={POLLS_PAGE}{after}");
        body(self.answer(self.request(Method::GET, &path)).await?).await
    }

    /// Keeps what a trigger wants to find next time.
    pub async fn keep_trigger_state(&self, id: Uuid, state: &PollState) -> Result<(), ApiFailure> {
        let path = format!("/v1/internal/automation-triggers/{id}/state");
        self.answer(self.request(Method::PUT, &path).json(state)).await.map(drop)
    }

    /// Starts a run of an automation; repeating it with the same key answers the first run.
    pub async fn fire(&self, fire: &FireTrigger) -> Result<TriggerFired, ApiFailure> {
        self.post("/v1/internal/automation-triggers/fire", fire).await
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, payload: &impl Serialize) -> Result<T, ApiFailure> {
        body(self.answer(self.request(Method::POST, path).json(payload)).await?).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        self.client.request(method, url).timeout(CALL_TIMEOUT)
    }

    async fn answer(&self, request: RequestBuilder) -> Result<Response, ApiFailure> {
        let attempt = self.credential.attempt()?;
        let request = request.bearer_auth(attempt.key.expose());
        let response = request.send().await.map_err(|error| ApiFailure::Away(causes(&error)))?;
        let status = response.status();
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            // The key of this installation is wrong or was revoked: an operator has to act, and no work may be lost.
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

/// What an answer says that is no success.
async fn problem(response: Response) -> String {
    let mut problem = response.text().await.unwrap_or_default();
    problem.truncate(problem.floor_char_boundary(MAX_PROBLEM_LENGTH));
    problem
}

fn failure(status: StatusCode, problem: String) -> ApiFailure {
    let busy = status.is_server_error()
        || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT);
    if busy {
        return ApiFailure::Away(format!("{status}: {problem}"));
    }
    ApiFailure::Refused { status: status.as_u16(), problem }
}

async fn body<T: DeserializeOwned>(response: Response) -> Result<T, ApiFailure> {
    let bytes = response.bytes().await.map_err(|error| ApiFailure::Away(causes(&error)))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| ApiFailure::Away(format!("an answer that cannot be read: {error}")))
}

/// An error of the client with its causes; the URL, which only repeats what was asked, is left out.
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
