//! Effects of action nodes (reference/automations.md#effects).
//!
//! What an action names is looked up in the automation's account when it runs: an automation reaches nothing of
//! another account, whatever was saved. Actions that need the account's connections are executed by the API.

mod api;
mod automations;
mod extensions;
mod features;
mod http;
mod layers;
mod limits;
mod notices;
mod obs;
mod sounds;

use automation_model::{
    effects::{self, Action},
    machine::Effect,
};
use extension_model::calls::FunctionCalls;
use foundation::media_links::MediaLinks;
use serde_json::{Value, json};
use shared::{
    Result,
    id::{AccountId, Trust},
};
use uuid::Uuid;
use worker_core::Context;

use api::ActionApi;
use http::HttpEgress;

/// Actions that this process concludes with statements and messages. All others wait for something outside: the
/// API, a server, OBS, the runtime of extensions.
const LOCAL: [&str; 5] = ["play_sound", "stop_sound", "toggle_layer", "notify_members", "run_automation"];

/// Run whose action is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunIdentity {
    /// Account of the automation.
    pub account_id: Uuid,
    /// The automation.
    pub automation_id: Uuid,
    /// The run.
    pub run_id: Uuid,
    /// Number of runs that led to this one.
    pub depth: i16,
    /// True in a run that a test event started.
    pub is_test: bool,
}

/// Executed action.
#[derive(Debug, Clone, PartialEq)]
pub struct Performed {
    /// Output for `steps.<node_id>` of templates.
    pub output: Value,
    /// Handle whose edges follow; `None` for `out`. Only nodes of extensions choose one.
    pub branch: Option<String>,
}

/// Action that was not executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Message for the people who edit the automation.
    pub message: String,
    /// True when the effect may have happened.
    pub unknown: bool,
}

/// Executor of actions. Cheap to clone.
#[derive(Clone)]
pub struct Effects {
    context: Context,
    api: ActionApi,
    egress: HttpEgress,
    calls: FunctionCalls,
    links: MediaLinks,
}

impl Effects {
    /// Returns an executor.
    ///
    /// # Errors
    /// An unreadable key file, or TLS roots that cannot be loaded.
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            api: ActionApi::new(context)?,
            egress: HttpEgress::new(&context.config)?,
            calls: FunctionCalls::new(context.redis.clone()),
            links: MediaLinks::new(&context.config),
            context: context.clone(),
        })
    }

    /// Executes the action of a step. The step is stored as running before, so that a call is never repeated after
    /// its process has died.
    ///
    /// # Errors
    /// The failure that the step ends with.
    pub async fn perform(
        &self,
        run: &RunIdentity,
        position: u32,
        effect: &Effect,
    ) -> std::result::Result<Performed, Failure> {
        let action = effects::parse(effect)
            .map_err(|problem| Failure::new(format!("Invalid arguments: {problem}")))?;
        match action {
            Action::PlaySound(play) => self.play_sound(run, &play).await,
            Action::StopSound(stop) => self.stop_sound(run, &stop).await,
            Action::ToggleLayer(toggle) => self.toggle_layer(run, &toggle).await,
            Action::ObsSetScene(scene) => self.obs_set_scene(run, scene).await,
            Action::ObsSetSource(source) => self.obs_set_source(run, source).await,
            Action::HttpRequest(request) => self.http_request(run, &request).await,
            Action::NotifyMembers(notice) => self.notify_members(run, &notice).await,
            Action::RunAutomation(other) => self.run_automation(run, position, &other).await,
            Action::Extension(call) => return self.extension(run, call).await,
            _ => self.api.run(run, position, effect).await,
        }
        .map(|output| Performed { output, branch: None })
    }
}

/// True when this process concludes an action, so that it is work in the share of its account
/// (reference/automations.md#execution).
pub(crate) fn is_local(effect: &Effect) -> bool {
    LOCAL.contains(&effect.r#type)
}

/// Result of an action: its output, or the failure.
type Outcome = std::result::Result<Value, Failure>;

impl RunIdentity {
    const fn account(&self) -> AccountId {
        AccountId::trusted(self.account_id, Trust::Task)
    }
}

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), unknown: false }
    }

    fn unknown(message: impl Into<String>) -> Self {
        Self { message: message.into(), unknown: true }
    }
}

/// Failures of stores before the effect. Their texts are not for accounts.
impl From<shared::Error> for Failure {
    fn from(error: shared::Error) -> Self {
        tracing::warn!(%error, "an action of an automation failed");
        Self::new("The service is not available")
    }
}

impl From<diesel::result::Error> for Failure {
    fn from(error: diesel::result::Error) -> Self {
        shared::Error::from(error).into()
    }
}

/// Output of an action that returns nothing.
fn nothing() -> Value {
    json!({})
}

#[cfg(test)]
mod tests {
    use automation_model::node_types::{Kind, find};

    use super::*;

    #[test]
    fn is_local_names_actions() {
        for name in LOCAL {
            assert_eq!(find(name).map(|known| known.kind), Some(Kind::Action), "{name}");
        }
        let of_type = |r#type| Effect { r#type, install_id: None, arguments: Value::Null };
        assert!(is_local(&of_type("stop_sound")));
        for waiting in ["send_chat", "http_request", "obs_set_scene", "extension"] {
            assert!(!is_local(&of_type(waiting)), "{waiting}");
        }
    }
}
