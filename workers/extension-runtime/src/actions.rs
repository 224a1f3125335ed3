//! Actions of bot handlers. The API executes them: workers hold no platform credentials
//! (reference/handlers.md#host-actions, reference/telemetry.md#actions-of-handlers).

use std::sync::atomic::{AtomicU32, Ordering};

use chrono::{DateTime, Utc};
use sandbox::{HostError, HostErrorKind, RunAction, bot_result::BotAction};
use serde_json::{Value, json};
use shared::platform::Platform;
use uuid::Uuid;

use super::{
    api::{ActionRequest, ActionResult},
    api_failure::ApiFailure,
    effects::Effects,
    metrics::RuntimeMetrics,
    triggers::Source,
};

/// Invocation whose result is executed.
#[derive(Debug, Clone, Copy)]
pub struct ActionContext<'a> {
    /// Account of the install.
    pub account_id: Uuid,
    /// Install whose handler ran.
    pub install_id: Uuid,
    /// Name of the invocation.
    pub invocation_id: &'a str,
    /// Trigger of the invocation.
    pub source: &'a Source,
    /// Time after which no action may be executed; null for none.
    pub expires_at: Option<DateTime<Utc>>,
}

/// Action that was refused, for the extension's developer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedAction {
    /// Code of the refusal.
    pub code: String,
    /// Message of the refusal.
    pub message: String,
}

/// Executes actions through the API. Cheap to clone.
#[derive(Clone)]
pub struct Actions {
    effects: Effects,
    metrics: RuntimeMetrics,
}

impl Actions {
    /// Returns an executor that counts in `metrics`.
    pub const fn new(effects: Effects, metrics: RuntimeMetrics) -> Self {
        Self { effects, metrics }
    }

    /// Executes the actions of one invocation in their order, and returns the refused ones. Every action has
    /// a permanent id, so a second run of the same job repeats nothing.
    ///
    /// # Errors
    /// `Away` while the API is away: it is unknown whether the action was executed, and the job must run
    /// again.
    pub async fn execute(
        &self,
        of: ActionContext<'_>,
        actions: &[BotAction],
    ) -> Result<Vec<RefusedAction>, ApiFailure> {
        let mut refused = Vec::new();
        for (index, action) in actions.iter().enumerate() {
            let request = match request(of, index, action) {
                Ok(request) => request,
                Err(refusal) => {
                    refused.push(refusal);
                    continue;
                }
            };
            refused.extend(self.execute_one(of.account_id, &request).await?);
        }
        Ok(refused)
    }

    async fn execute_one(
        &self,
        account_id: Uuid,
        request: &ActionRequest,
    ) -> Result<Option<RefusedAction>, ApiFailure> {
        let outcome = self.effects.act(account_id, request).await;
        let (label, answer) = match outcome {
            Ok(ActionResult { ok: true, .. }) => ("ok", Ok(None)),
            Ok(ActionResult { error_code, error, .. }) => {
                let code = error_code.unwrap_or_else(|| "ACTION_FAILED".to_owned());
                let message = format!("{}: {}", request.action, error.unwrap_or_default());
                ("refused", Ok(Some(RefusedAction { code, message })))
            }
            // The install is gone, or the API does not know the call: another attempt changes nothing.
            Err(ApiFailure::Refused { status, problem }) => {
                tracing::warn!(status, problem, "an action was refused by the API");
                let message = format!("{}: the action could not be carried out", request.action);
                ("failed", Ok(Some(RefusedAction { code: "ACTION_FAILED".to_owned(), message })))
            }
            Err(away) => ("failed", Err(away)),
        };
        self.metrics.acted(label_of(&request.action), label);
        answer
    }
}

/// `ctx.actions.run` of one invocation. Every call has an id of its own, which is the same in a second run.
pub struct ActionRunner {
    actions: Actions,
    account_id: Uuid,
    install_id: Uuid,
    invocation_id: String,
    /// Platform of the trigger: target of chat actions that name none.
    platform: Option<String>,
    next: AtomicU32,
}

impl ActionRunner {
    /// Returns the runner of one invocation.
    pub const fn new(
        actions: Actions,
        account_id: Uuid,
        install_id: Uuid,
        invocation_id: String,
        platform: Option<String>,
    ) -> Self {
        Self { actions, account_id, install_id, invocation_id, platform, next: AtomicU32::new(0) }
    }

    /// Executes an action and returns its result.
    ///
    /// # Errors
    /// `PermissionError` for an action that is not declared or not granted, `ActionError` for one that failed
    /// (reference/handlers.md#action-errors).
    pub async fn run(&self, asked: &RunAction) -> Result<Value, HostError> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let payload = payload_of(asked, self.platform.as_deref());
        let request = ActionRequest {
            install_id: self.install_id,
            invocation_id: format!("{}:run:{index}", self.invocation_id),
            action: asked.action.clone().into(),
            payload,
            expires_at: None,
        };
        let (label, answer) = match self.actions.effects.act(self.account_id, &request).await {
            Ok(ActionResult { ok: true, result, .. }) => ("ok", Ok(result.unwrap_or_default())),
            Ok(ActionResult { error_code, error, .. }) => {
                let (code, error) = (error_code.unwrap_or_default(), error.unwrap_or_default());
                ("refused", Err(refusal(&asked.action, &code, &error)))
            }
            Err(error) => {
                tracing::warn!(%error, "an action of a handler was not executed");
                ("failed", Err(HostError::internal("ctx.actions.run: the action cannot be carried out now")))
            }
        };
        self.actions.metrics.acted(label_of(&asked.action), label);
        answer
    }
}

/// Returns the payload of an action. A chat action without a platform is for that of the trigger.
pub(crate) fn payload_of(asked: &RunAction, platform: Option<&str>) -> Value {
    let mut payload = asked.payload.clone();
    if let (Value::Object(fields), Some(platform), true) =
        (&mut payload, platform, asked.action.starts_with("chat:"))
    {
        fields.entry("platform").or_insert_with(|| json!(platform));
    }
    payload
}

/// Returns the error that a handler catches for a refused action (reference/handlers.md#action-errors).
pub(crate) fn refusal(action: &str, code: &str, error: &str) -> HostError {
    let kind = match code {
        "PERMISSION_ERROR" => HostErrorKind::Permission,
        "UNKNOWN_ACTION" | "INVALID_PAYLOAD" => HostErrorKind::Argument,
        _ => HostErrorKind::Action,
    };
    let message = match kind {
        HostErrorKind::Action => format!("{action}: {code}: {error}"),
        _ => format!("ctx.actions.run: {error}"),
    };
    HostError::new(kind, message)
}

/// Returns the metric label of an action; handlers may write any text.
fn label_of(action: &str) -> &'static str {
    const KNOWN: [&str; 6] =
        ["chat:send", "chat:delete", "chat:ban", "chat:unban", "chat:timeout", "events:emit"];
    KNOWN.into_iter().find(|known| *known == action).unwrap_or("other")
}

/// Fills in the triggering message and user where the result omits them, and cuts texts and time-outs to the
/// platform's limits: one result may be for several platforms.
pub(crate) fn request(
    of: ActionContext<'_>,
    index: usize,
    action: &BotAction,
) -> Result<ActionRequest, RefusedAction> {
    let ActionContext { install_id, invocation_id, source, expires_at, .. } = of;
    let platform = source.platform();
    let known: Option<Platform> = platform.and_then(|slug| slug.parse().ok());
    let user = |given: &Option<String>| target("user_id", given.as_deref().or(source.user_id()));
    let (action, payload) = match action {
        BotAction::SendMessage { message, reply_to } => {
            let message = known.map_or_else(|| message.clone(), |known| known.cut_chat_message(message));
            ("chat:send", json!({ "message": message, "platform": platform, "reply_to": reply_to }))
        }
        BotAction::Delete { message_id } => {
            let message = target("message_id", message_id.as_deref().or(source.message_id()))?;
            ("chat:delete", json!({ "messageId": message, "platform": platform }))
        }
        BotAction::Timeout { user_id, duration_secs, reason } => {
            let user = user(user_id)?;
            let max = known.map_or(u32::MAX, Platform::max_timeout_secs);
            let payload = json!({
                "userId": user, "platform": platform, "reason": reason,
                "durationSeconds": duration_secs.map(|secs| secs.min(max)),
            });
            ("chat:timeout", payload)
        }
        BotAction::Ban { user_id, reason } => {
            ("chat:ban", json!({ "userId": user(user_id)?, "platform": platform, "reason": reason }))
        }
    };
    let invocation_id = format!("{invocation_id}:{index}");
    Ok(ActionRequest { install_id, invocation_id, action: action.into(), payload, expires_at })
}

fn target(field: &str, id: Option<&str>) -> Result<String, RefusedAction> {
    id.map(str::to_owned).ok_or_else(|| RefusedAction {
        code: "INVALID_RESULT".to_owned(),
        message: format!("{field} is required: nothing that triggered the handler has one"),
    })
}

#[cfg(test)]
mod tests {
    use live_model::AccountEvent;

    use super::*;

    fn event(user: Option<&str>) -> Source {
        Source::Event(Box::new(AccountEvent {
            id: Uuid::nil(),
            account_id: Uuid::nil(),
            event_type: "twitch:raid".to_owned(),
            platform: Some("twitch".to_owned()),
            platform_user_id: user.map(str::to_owned),
            username: None,
            display_name: None,
            avatar_url: None,
            amount: None,
            currency: None,
            message: None,
            data: json!({}),
            is_test: false,
            occurred_at: chrono::DateTime::UNIX_EPOCH,
        }))
    }

    fn asked(action: &BotAction, source: &Source) -> Result<(&'static str, Value), RefusedAction> {
        let of = ActionContext {
            account_id: Uuid::nil(),
            install_id: Uuid::nil(),
            invocation_id: "i",
            source,
            expires_at: None,
        };
        request(of, 0, action).map(|request| (label_of(&request.action), request.payload))
    }

    #[test]
    fn actions_default_to_the_target_of_the_trigger() {
        let ban = |user: Option<&str>| BotAction::Ban { user_id: user.map(str::to_owned), reason: None };
        let (action, payload) = asked(&ban(None), &event(Some("u1"))).unwrap();
        assert_eq!(
            (action, payload["userId"].as_str(), payload["platform"].as_str()),
            ("chat:ban", Some("u1"), Some("twitch"))
        );
        assert_eq!(asked(&ban(Some("u2")), &event(Some("u1"))).unwrap().1["userId"], "u2");
    }

    #[test]
    fn actions_shorten_texts_and_timeouts_to_the_platform_limit() {
        let mut source = event(Some("u1"));
        let send = BotAction::SendMessage { message: "é".repeat(500), reply_to: None };
        let timeout = BotAction::Timeout { user_id: None, duration_secs: Some(1_209_600), reason: None };
        for (platform, characters, seconds) in
            [("twitch", 500, 1_209_600), ("youtube", 200, 86_400), ("trovo", 300, 1_209_600)]
        {
            if let Source::Event(event) = &mut source {
                event.platform = Some(platform.to_owned());
            }
            let message = asked(&send, &source).unwrap().1["message"].as_str().unwrap().chars().count();
            assert_eq!(
                (message, asked(&timeout, &source).unwrap().1["durationSeconds"].as_u64()),
                (characters, Some(seconds))
            );
        }
    }

    #[test]
    fn actions_without_a_target_are_refused_by_field() {
        let delete = BotAction::Delete { message_id: None };
        assert!(asked(&delete, &event(None)).unwrap_err().message.starts_with("message_id is required"));
        let timeout = BotAction::Timeout { user_id: None, duration_secs: None, reason: None };
        assert!(asked(&timeout, &event(None)).unwrap_err().message.starts_with("user_id is required"));
    }
}
