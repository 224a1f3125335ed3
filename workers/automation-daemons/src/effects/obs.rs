//! Commands to the OBS of the account.

use automation_model::effects::{ObsSetScene, ObsSetSource};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::audit::{self, Actor, Entry, Scope};
use live_model::obs::{
    Asked, COMMAND_TIMEOUT, MAX_SCENE_NAME_LENGTH, ObsCall, ObsCommand, ObsExchange, ObsReply, relay,
};
use serde_json::json;
use shared::{Result, schema::obs_configs::dsl};

use super::{Effects, Failure, Outcome, RunIdentity, features::must_be_on};

impl Effects {
    /// Puts a scene on air.
    pub(super) async fn obs_set_scene(&self, run: &RunIdentity, given: ObsSetScene) -> Outcome {
        let scene = name("scene", given.scene)?;
        self.obs(run, ObsCommand::SetScene { scene }, ("obs_set_scene", "obs_scene:set")).await
    }

    /// Shows or hides a source of a scene.
    pub(super) async fn obs_set_source(&self, run: &RunIdentity, given: ObsSetSource) -> Outcome {
        let (scene, source) = (name("scene", given.scene)?, name("source", given.source)?);
        let command = ObsCommand::SetSource { scene, source, visible: given.visible };
        self.obs(run, command, ("obs_set_source", "obs_source:set")).await
    }

    /// Executes a command of an action, which has an entry of its own in the audit log.
    async fn obs(
        &self,
        run: &RunIdentity,
        command: ObsCommand,
        (action, audited): (&'static str, &'static str),
    ) -> Outcome {
        let mut connection = self.context.databases.postgres.get().await?;
        must_be_on(&mut connection, run, action).await?;
        let is_remote = is_remote(&mut connection, run).await?;
        drop(connection);
        let entry = entry(run, &command, audited);
        let is_remote = is_remote.ok_or_else(not_connected)?;
        if is_remote {
            self.command(run, command).await?;
        } else {
            relay(&self.context.events, run.account(), &command, self.context.clock.now()).await?;
        }
        // The effect happened; a lost entry must not repeat it.
        if let Err(error) = self.record(entry).await {
            tracing::error!(run_id = %run.run_id, %error, "a command to OBS has no entry in the audit log");
        }
        Ok(json!({ "relayed": !is_remote }))
    }

    /// Has the daemon of OBS execute a command.
    async fn command(&self, run: &RunIdentity, command: ObsCommand) -> std::result::Result<(), Failure> {
        let exchange = ObsExchange::new(self.context.redis.clone());
        if !exchange.state(run.account_id).await?.is_some_and(|state| state.connected) {
            return Err(not_connected());
        }
        let expires_at = self.context.clock.now() + COMMAND_TIMEOUT;
        let call = ObsCall { id: shared::id::new(), account_id: run.account_id, command, expires_at };
        match exchange.command(&call).await.map_err(|error| Failure::unknown(error.to_string()))? {
            Asked::Replied(ObsReply::Done) => Ok(()),
            Asked::Replied(ObsReply::Refused { comment }) => Err(Failure::new(comment)),
            Asked::Replied(ObsReply::NotConnected) | Asked::NotTaken => Err(not_connected()),
            Asked::Replied(ObsReply::Lost) | Asked::Unknown => {
                Err(Failure::unknown("OBS did not answer in time"))
            }
            Asked::Full => Err(Failure::new("Too many commands to OBS are waiting")),
        }
    }

    async fn record(&self, entry: Entry<'_>) -> Result<()> {
        audit::record(&mut *self.context.databases.postgres.get().await?, entry).await
    }
}

/// True when the daemon connects to the OBS of the account; `None` when nothing is stored.
async fn is_remote(connection: &mut AsyncPgConnection, run: &RunIdentity) -> Result<Option<bool>> {
    let own = dsl::obs_configs.filter(dsl::account_id.eq(run.account_id));
    Ok(own.select(dsl::remote_enabled).first(connection).await.optional()?)
}

fn entry(run: &RunIdentity, command: &ObsCommand, action: &'static str) -> Entry<'static> {
    Entry {
        scope: Scope::Account(run.account_id),
        actor: Actor::Automation(run.automation_id),
        action,
        resource_type: "obs",
        resource_id: Some(run.account_id.to_string()),
        metadata: json!({
            "scene": command.scene(),
            "source": command.source().map(|(source, _)| source),
            "visible": command.source().map(|(_, visible)| visible),
        }),
        ip: None,
    }
}

/// Checks the name of a scene or source. Spaces at its ends belong to it.
fn name(field: &str, given: String) -> std::result::Result<String, Failure> {
    let length = given.chars().count();
    if given.trim().is_empty() || length > MAX_SCENE_NAME_LENGTH {
        return Err(Failure::new(format!("{field} must have 1 to {MAX_SCENE_NAME_LENGTH} characters")));
    }
    Ok(given)
}

fn not_connected() -> Failure {
    Failure::new("OBS is not connected")
}
