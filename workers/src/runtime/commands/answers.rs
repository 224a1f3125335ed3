//! A chat line that is a command, answered.

use std::sync::Arc;

use shared::feeds::{ChatCommand, CommandReply};
use uuid::Uuid;

use super::{Commands, Uses};
use crate::runtime::{
    actions::ActionResult,
    api::ApiFailure,
    cooldown::{Cooldowns, Use},
    effects::Effects,
    invoker::Occasion,
    metrics::{Refusal, RuntimeMetrics},
    triggers::{CommandLine, Cooldown, Line},
};

/// What metrics call an answer.
const ACTION: &str = "command:reply";

/// Answers commands. Cheap to clone.
#[derive(Clone)]
pub struct Answers {
    pub effects: Effects,
    pub cooldowns: Cooldowns,
    pub uses: Uses,
    pub metrics: RuntimeMetrics,
}

impl Answers {
    /// Answers a line that is one of the account's commands. False when it is none: extensions may have one of the
    /// name. A command that rests, or that the chatter may not use, says nothing and is the account's all the same.
    ///
    /// # Errors
    /// When the API stays away: whether the answer was sent is then not known, and the job must run again.
    pub async fn answer(
        &self,
        occasion: Occasion<'_>,
        commands: &Commands,
        line: &Line,
        said: &CommandLine<'_>,
    ) -> Result<bool, Arc<ApiFailure>> {
        let Occasion { account_id, event_id, .. } = occasion;
        let Some(command) = commands.find(said, &line.message.platform) else { return Ok(false) };
        if line.roles().highest() < command.min_role {
            return Ok(true);
        }
        if !line.is_test && !self.is_rested((account_id, event_id), command, line).await {
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
            arguments: said.arguments.to_owned(),
            response_type: command.response_type,
            response: command.response.clone(),
            automation_id: command.automation_id,
            use_count,
            expires_at: occasion.answer_by,
        };
        self.send(command.id, &reply).await.map_err(Arc::new)?;
        Ok(true)
    }

    async fn is_rested(
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
        self.cooldowns.claim(&Use { account_id, event_id, platform, user_id, cooldown: &cooldown }).await
    }

    async fn send(&self, command_id: Uuid, reply: &CommandReply) -> Result<(), ApiFailure> {
        let (label, end) = match self.effects.reply(command_id, reply).await {
            Ok(ActionResult { ok: true, .. }) => ("ok", Ok(())),
            Ok(ActionResult { error_code, error, .. }) => {
                let account_id = reply.account_id;
                tracing::info!(%account_id, %command_id, error_code, error, "a command could not be answered");
                ("refused", Ok(()))
            }
            // Deleted meanwhile: nothing that another try would change.
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
