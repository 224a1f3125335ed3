//! What bot handlers want done, carried out by the API: workers hold no platform credentials (specification C
//! B3.4, B3.5, B17).

use std::{
    borrow::Cow,
    sync::atomic::{AtomicU32, Ordering},
};

use chrono::{DateTime, Utc};
use sandbox::{HostError, HostErrorKind, RunAction, bot_result::BotAction};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::platforms::Platform;
use uuid::Uuid;

use super::{api::ApiFailure, effects::Effects, metrics::RuntimeMetrics, triggers::Source};

/// `POST /v1/internal/actions`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionRequest {
    pub install_id: Uuid,
    /// The invocation and the index of the action in its result.
    pub invocation_id: String,
    pub action: Cow<'static, str>,
    pub payload: Value,
    /// When the API is not to carry it out any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}

/// The invocation whose result is carried out.
#[derive(Debug, Clone, Copy)]
pub struct Acting<'a> {
    pub account_id: Uuid,
    pub install_id: Uuid,
    pub invocation_id: &'a str,
    pub source: &'a Source,
    pub expires_at: Option<DateTime<Utc>>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ActionResult {
    pub ok: bool,
    #[serde(default)]
    pub result: Option<Value>,
    #[serde(default)]
    pub error_code: Option<String>,
    #[serde(default)]
    pub error: Option<String>,
}

/// An action that was refused, for the extension's developer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedAction {
    pub code: String,
    pub message: String,
}

/// The way to have actions carried out. Cheap to clone.
#[derive(Clone)]
pub struct Actions {
    effects: Effects,
    metrics: RuntimeMetrics,
}

impl Actions {
    pub const fn new(effects: Effects, metrics: RuntimeMetrics) -> Self {
        Self { effects, metrics }
    }

    /// Carries out the actions of one invocation in their order, and answers those that were refused. Every action
    /// has one id for ever, so a second run of the same job repeats nothing.
    ///
    /// # Errors
    /// When the API stays away: whether the action happened is then not known, and the job must run again.
    pub async fn carry_out(
        &self,
        of: Acting<'_>,
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
            refused.extend(self.carry_out_one(of.account_id, &request).await?);
        }
        Ok(refused)
    }

    async fn carry_out_one(
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
            // The install is gone, or the API does not know the call: nothing that another try would change.
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

/// `ctx.actions.run` of one invocation: every call has an id of its own, which is the same in a second run.
pub struct ActionRunner {
    actions: Actions,
    account_id: Uuid,
    install_id: Uuid,
    invocation_id: String,
    /// Where the invocation was set off: where a chat action goes that names no platform.
    platform: Option<String>,
    next: AtomicU32,
}

impl ActionRunner {
    pub const fn new(
        actions: Actions,
        account_id: Uuid,
        install_id: Uuid,
        invocation_id: String,
        platform: Option<String>,
    ) -> Self {
        Self { actions, account_id, install_id, invocation_id, platform, next: AtomicU32::new(0) }
    }

    /// Has an action carried out and answers its result.
    ///
    /// # Errors
    /// `PermissionError` when it is not declared or not granted (B §5), `ActionError` when it was not carried out.
    pub async fn run(&self, asked: &RunAction) -> Result<Value, HostError> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let mut payload = asked.payload.clone();
        if let (Value::Object(fields), Some(platform), true) =
            (&mut payload, &self.platform, asked.action.starts_with("chat:"))
        {
            fields.entry("platform").or_insert_with(|| json!(platform));
        }
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
                let kind = match error_code.as_deref() {
                    Some("PERMISSION_ERROR") => HostErrorKind::Permission,
                    Some("UNKNOWN_ACTION" | "INVALID_PAYLOAD") => HostErrorKind::Argument,
                    _ => HostErrorKind::Action,
                };
                let (code, error) = (error_code.unwrap_or_default(), error.unwrap_or_default());
                let message = match kind {
                    HostErrorKind::Action => format!("{}: {code}: {error}", asked.action),
                    _ => format!("ctx.actions.run: {error}"),
                };
                ("refused", Err(HostError::new(kind, message)))
            }
            Err(error) => {
                tracing::warn!(%error, "an action of a handler was not carried out");
                ("failed", Err(HostError::internal("ctx.actions.run: the action cannot be carried out now")))
            }
        };
        self.actions.metrics.acted(label_of(&asked.action), label);
        answer
    }
}

/// The name of an action in metrics: handlers may write anything.
fn label_of(action: &str) -> &'static str {
    const KNOWN: [&str; 6] =
        ["chat:send", "chat:delete", "chat:ban", "chat:unban", "chat:timeout", "events:emit"];
    KNOWN.into_iter().find(|known| *known == action).unwrap_or("other")
}

/// Fills in what the result left out, the triggering message and user, and takes no more of a text or a time-out than the
/// platform does: one result may be for several.
fn request(of: Acting<'_>, index: usize, action: &BotAction) -> Result<ActionRequest, RefusedAction> {
    let Acting { install_id, invocation_id, source, expires_at, .. } = of;
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
            let longest = known.map_or(u32::MAX, Platform::longest_timeout_secs);
            let payload = json!({
                "userId": user, "platform": platform, "reason": reason,
                "durationSeconds": duration_secs.map(|secs| secs.min(longest)),
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
    use shared::ingest::AccountEvent;

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
        let of = Acting {
            account_id: Uuid::nil(),
            install_id: Uuid::nil(),
            invocation_id: "i",
            source,
            expires_at: None,
        };
        request(of, 0, action).map(|request| (label_of(&request.action), request.payload))
    }

    #[test]
    fn what_a_result_leaves_out_is_the_trigger_and_what_it_names_stays() {
        let ban = |user: Option<&str>| BotAction::Ban { user_id: user.map(str::to_owned), reason: None };
        let (action, payload) = asked(&ban(None), &event(Some("u1"))).unwrap();
        assert_eq!(
            (action, payload["userId"].as_str(), payload["platform"].as_str()),
            ("chat:ban", Some("u1"), Some("twitch"))
        );
        assert_eq!(asked(&ban(Some("u2")), &event(Some("u1"))).unwrap().1["userId"], "u2");
    }

    #[test]
    fn a_text_and_a_time_out_are_as_long_as_the_platform_takes() {
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
    fn a_target_that_nothing_names_is_refused_by_field() {
        let delete = BotAction::Delete { message_id: None };
        assert!(asked(&delete, &event(None)).unwrap_err().message.starts_with("message_id is required"));
        let timeout = BotAction::Timeout { user_id: None, duration_secs: None, reason: None };
        assert!(asked(&timeout, &event(None)).unwrap_err().message.starts_with("user_id is required"));
    }
}
