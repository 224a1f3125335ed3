//! Reply to a chat line that is a command (reference/bots.md#replies).

use std::sync::Arc;

use extension_model::feeds::{ChatCommand, CommandReply};
use uuid::Uuid;

use super::{Commands, Uses};
use crate::{
    api::ActionResult,
    api_failure::ApiFailure,
    cooldown::{CommandUse, Cooldowns},
    effects::Effects,
    invoker::TriggerContext,
    metrics::{Refusal, RuntimeMetrics},
    triggers::{CommandLine, Cooldown, Line},
};

/// Name in metrics.
const ACTION: &str = "command:reply";

/// Replies to commands. Cheap to clone.
#[derive(Clone)]
pub struct Answers {
    /// Sends replies through the API.
    pub effects: Effects,
    /// Cooldowns of commands.
    pub cooldowns: Cooldowns,
    /// Counts of uses.
    pub uses: Uses,
    /// Metrics of the runtime.
    pub metrics: RuntimeMetrics,
}

impl Answers {
    /// Replies to a line that is one of the account's commands. False when it is none: extensions may have
    /// one of the name. A command in its cooldown, or without the chatter's role, sends nothing and still
    /// counts as the account's.
    ///
    /// # Errors
    /// `Away` while the API is away: it is unknown whether the reply was sent, and the job must run again.
    pub async fn answer(
        &self,
        trigger: TriggerContext<'_>,
        commands: &Commands,
        line: &Line,
        invoked: &CommandLine<'_>,
    ) -> Result<bool, Arc<ApiFailure>> {
        let TriggerContext { account_id, event_id, .. } = trigger;
        let Some(command) = commands.find(invoked, &line.message.platform) else { return Ok(false) };
        if line.roles().highest() < command.min_role {
            return Ok(true);
        }
        if !line.is_test && !self.cooldown_elapsed((account_id, event_id), command, line).await {
            self.metrics.refused(Refusal::Cooldown);
            return Ok(true);
        }
        let use_count = match line.is_test {
            true => command.use_count,
            false => self.uses.count(account_id, command.id, event_id, command.use_count).await,
        };
        let reply = CommandReply {
            account_id,
            event_id,
            platform: line.message.platform.clone(),
            message_id: line.message.platform_message_id.clone(),
            user_id: line.message.platform_user_id.clone(),
            user_name: line.message.display_name.clone(),
            arguments: invoked.arguments.to_owned(),
            response_type: command.response_type,
            response: command.response.clone(),
            automation_id: command.automation_id,
            use_count,
            expires_at: trigger.answer_by,
        };
        self.send(command.id, &reply).await.map_err(Arc::new)?;
        Ok(true)
    }

    async fn cooldown_elapsed(
        &self,
        (account_id, event_id): (Uuid, Uuid),
        command: &ChatCommand,
        line: &Line,
    ) -> bool {
        let cooldown = Cooldown {
            command: command.id.to_string(),
            global_secs: command.cooldown_global,
            user_secs: command.cooldown_user,
        };
        if cooldown.global_secs == 0 && cooldown.user_secs == 0 {
            return true;
        }
        let (platform, user_id) = (&line.message.platform, &line.message.platform_user_id);
        self.cooldowns
            .claim(&CommandUse { account_id, event_id, platform, user_id, cooldown: &cooldown })
            .await
    }

    async fn send(&self, command_id: Uuid, reply: &CommandReply) -> Result<(), ApiFailure> {
        let (label, end) = match self.effects.reply(command_id, reply).await {
            Ok(ActionResult { ok: true, .. }) => ("ok", Ok(())),
            Ok(ActionResult { error_code, error, .. }) => {
                let account_id = reply.account_id;
                tracing::info!(%account_id, %command_id, error_code, error, "a command could not be answered");
                ("refused", Ok(()))
            }
            // Deleted meanwhile: another attempt changes nothing.
            Err(ApiFailure::Refused { status, problem }) => {
                tracing::info!(%command_id, status, problem, "the answer to a command was refused by the API");
                ("failed", Ok(()))
            }
            Err(away) => ("failed", Err(away)),
        };
        self.metrics.acted(ACTION, label);
        end
    }
}
