//! Action and logic nodes of extensions, which run in the sandbox of the runtime.

use std::time::Duration;

use automation_model::effects::ExtensionCall;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::{
    calls::{CallerOfFunction, FunctionCall, FunctionReply, NoReply, NodeCall, Refusal},
    limits::{self, LimitKey},
};
use serde_json::json;
use shared::{Result, schema::extension_installs::dsl};
use uuid::Uuid;

use super::{Effects, Failure, Performed, RunIdentity, features::must_be_on};

/// Time after which a call that no runtime has begun is dropped
/// (reference/automations.md#nodes-of-extensions).
const START_TIMEOUT: TimeDelta = TimeDelta::seconds(10);
/// Time to dispatch a node and to return its result, beside its run
/// (reference/automations.md#nodes-of-extensions).
const DISPATCH_TIMEOUT: Duration = Duration::from_secs(15);
/// Characters of a handler's own message that a failure has.
const MAX_MESSAGE_LENGTH: usize = 500;

impl Effects {
    /// Calls the node of an install of the account.
    pub(super) async fn extension(
        &self,
        run: &RunIdentity,
        given: ExtensionCall,
    ) -> std::result::Result<Performed, Failure> {
        let mut connection = self.context.databases.postgres.get().await?;
        must_be_on(&mut connection, run, "extension").await?;
        let install = install(&mut connection, run, &given).await?;
        let function_timeout =
            limits::of_install(&mut connection, given.install_id, LimitKey::FunctionTimeoutMs).await?;
        drop(connection);
        let (extension_id, revision) = install.ok_or_else(|| Failure::new("Extension install not found"))?;
        let call = FunctionCall {
            id: shared::id::new(),
            account_id: run.account_id,
            install_id: given.install_id,
            extension_id,
            revision,
            function: String::new(),
            node: Some(NodeCall { automation_id: run.automation_id, is_test: run.is_test }),
            args: json!({ "config": given.config, "input": given.input }),
            caller: CallerOfFunction {
                user_id: None,
                role: "anonymous".to_owned(),
                surface: "automation".to_owned(),
            },
            expires_at: self.context.clock.now() + START_TIMEOUT,
        };
        match self.calls.run(&call, wait_timeout(function_timeout)).await {
            Ok(reply) => performed(reply),
            Err(NoReply::Full) => Err(Failure::new("Too many calls of extensions are waiting")),
            Err(NoReply::NotStarted) => Err(Failure::new("No runtime of extensions is available")),
            Err(NoReply::Lost) => Err(Failure::unknown("The runtime of the extension was lost")),
            Err(NoReply::Failed(error)) => {
                tracing::warn!(run_id = %run.run_id, %error, "a node of an extension was not called");
                Err(Failure::unknown("The service is not available"))
            }
        }
    }
}

/// Maximum wait for the result of a node whose extension has this limit of a function, in milliseconds.
fn wait_timeout(function_timeout: i64) -> Duration {
    Duration::from_millis(function_timeout.try_into().unwrap_or(0)) + DISPATCH_TIMEOUT
}

/// Extension and last change of an install of the account; `None` when it has no such install.
async fn install(
    connection: &mut AsyncPgConnection,
    run: &RunIdentity,
    call: &ExtensionCall,
) -> Result<Option<(Uuid, DateTime<Utc>)>> {
    Ok(dsl::extension_installs
        .filter(dsl::account_id.eq(run.account_id).and(dsl::id.eq(call.install_id)))
        .select((dsl::extension_id, dsl::updated_at))
        .first(connection)
        .await
        .optional()?)
}

fn performed(reply: FunctionReply) -> std::result::Result<Performed, Failure> {
    match reply {
        FunctionReply::Returned { mut value } => Ok(Performed {
            branch: value["branch"].as_str().map(str::to_owned),
            output: value.get_mut("output").map(serde_json::Value::take).unwrap_or_default(),
        }),
        FunctionReply::Failed { code, message } => {
            let message: String = message.chars().take(MAX_MESSAGE_LENGTH).collect();
            Err(Failure::new(format!("{code}: {message}")))
        }
        FunctionReply::Refused { reason: Refusal::Internal, .. } => {
            Err(Failure::new("The runtime of extensions failed"))
        }
        FunctionReply::Refused { message, .. } => Err(Failure::new(message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EXTENSION_TIMEOUT;

    #[test]
    fn wait_timeout_exceeds_the_limit_of_a_function_and_fits_into_an_action() {
        let (default, max) = {
            let limit = LimitKey::FunctionTimeoutMs.definition();
            (limit.default, limit.max)
        };
        assert_eq!(wait_timeout(default), Duration::from_secs(45));
        assert!(wait_timeout(max) > Duration::from_secs(120));
        assert!(wait_timeout(max) < EXTENSION_TIMEOUT);
    }
}
