//! Calls of the API for actions that need the account's connections.

use std::time::Duration;

use automation_model::machine::Effect;
use extension_runtime::system_key::Credential;
use foundation::{http::traced, readiness::Readiness};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::{Result, config::WorkersConfig};
use worker_core::Context;

use super::{Failure, Outcome, RunIdentity};

/// Maximum wait for one call: an action may call several platforms.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// Number of attempts, 32 s together: the API may be restarted meanwhile. A repeated call returns the outcome of the first and has no effect of its own.
const MAX_ATTEMPTS: u32 = 8;
/// Pause after the first attempt; it doubles.
const INITIAL_BACKOFF: Duration = Duration::from_millis(250);
/// Maximum length of an unexpected response in the log, in characters.
const MAX_PROBLEM_LENGTH: usize = 300;

/// Client that calls the API with the system key. Cheap to clone.
#[derive(Clone)]
pub(super) struct ActionApi {
    http: reqwest::Client,
    url: String,
    /// `None` when no key is configured: such actions fail.
    credential: Option<Credential>,
}

/// Result of an action.
#[derive(Deserialize)]
struct Answer {
    ok: bool,
    #[serde(default)]
    output: Value,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    unknown: bool,
}

#[derive(Deserialize)]
struct Problem {
    message: String,
}

/// Attempt without an outcome.
struct NoAnswer {
    /// True when the action may have begun.
    has_begun: bool,
    problem: String,
}

impl ActionApi {
    /// Opens the client.
    ///
    /// # Errors
    /// An unreadable key file.
    pub fn new(context: &Context) -> Result<Self> {
        let WorkersConfig { api_url, system_key, .. } = &context.config.workers;
        let open = |key| Credential::open(key, Readiness::clone(&context.readiness));
        Ok(Self {
            http: context.http.clone(),
            url: format!("{}/v1/internal/automation-actions", api_url.as_str().trim_end_matches('/')),
            credential: system_key.clone().map(open).transpose()?,
        })
    }

    /// Has the API execute an action.
    pub async fn run(&self, run: &RunIdentity, position: u32, effect: &Effect) -> Outcome {
        let Some(credential) = &self.credential else {
            tracing::error!(
                "LUMIO_SYSTEM_KEY or LUMIO_SYSTEM_KEY_FILE must be set for the daemon automations"
            );
            return Err(Failure::new("The service is not available"));
        };
        let body = json!({
            "account_id": run.account_id,
            "automation_id": run.automation_id,
            "run_id": run.run_id,
            "position": position,
            "action": effect.r#type,
            "arguments": effect.arguments,
        });
        let (mut backoff, mut has_begun) = (INITIAL_BACKOFF, false);
        for attempt in 1..=MAX_ATTEMPTS {
            match self.call(credential, &body).await {
                Ok(outcome) => return outcome,
                Err(no_answer) => {
                    has_begun |= no_answer.has_begun;
                    let NoAnswer { problem, .. } = no_answer;
                    tracing::warn!(run_id = %run.run_id, attempt, problem, "an action of an automation has no answer");
                }
            }
            if attempt < MAX_ATTEMPTS {
                tokio::time::sleep(backoff).await;
                backoff *= 2;
            }
        }
        Err(Failure { message: "The service is not available".to_owned(), unknown: has_begun })
    }

    async fn call(&self, credential: &Credential, body: &Value) -> std::result::Result<Outcome, NoAnswer> {
        let refused = |problem: String| NoAnswer { has_begun: false, problem };
        let attempt = credential.attempt().map_err(|error| refused(error.to_string()))?;
        let request = self.http.post(&self.url).timeout(CALL_TIMEOUT).bearer_auth(attempt.key.expose());
        let response = traced(request.json(body)).send().await.map_err(|error| NoAnswer {
            has_begun: !error.is_connect(),
            problem: error.without_url().to_string(),
        })?;
        let status = response.status();
        let text = response
            .text()
            .await
            .map_err(|error| NoAnswer { has_begun: true, problem: error.without_url().to_string() })?;
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            credential.refused(&attempt, status.as_u16(), &cut(&text));
            return Err(refused(status.to_string()));
        }
        if status.is_server_error()
            || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT)
        {
            // The API released its claim before it answered with an error.
            return Err(refused(format!("{status}: {}", cut(&text))));
        }
        credential.accepted(&attempt);
        if !status.is_success() {
            let message =
                serde_json::from_str(&text).map_or_else(|_| cut(&text), |problem: Problem| problem.message);
            return Ok(Err(Failure::new(message)));
        }
        let answer: Answer = serde_json::from_str(&text)
            .map_err(|error| NoAnswer { has_begun: true, problem: error.to_string() })?;
        Ok(match answer {
            Answer { ok: true, output, .. } => Ok(output),
            Answer { error, unknown, .. } => {
                Err(Failure { message: error.unwrap_or_else(|| "The action failed".to_owned()), unknown })
            }
        })
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_PROBLEM_LENGTH).collect()
}
