//! Effects of an account on their way to the API: actions of its handlers, replies of its commands. A few of
//! an account run concurrently, all of them as many as the API can serve, and each is retried while it is away.

use std::time::Duration;

use extension_model::feeds::CommandReply;
use uuid::Uuid;

use super::{
    adaptive_limit::AdaptiveLimit,
    api::{ActionRequest, ActionResult, Api},
    api_failure::ApiFailure,
    shares::Shares,
};

/// Maximum number of attempts at one effect before its job is requeued.
const MAX_ATTEMPTS: u32 = 4;
/// Pause after the first failed attempt; it grows with each further one.
const INITIAL_BACKOFF: Duration = Duration::from_millis(100);
/// Code that the API returns while another call executes the same effect.
const IN_PROGRESS: &str = "IN_PROGRESS";

/// Sends effects. Cheap to clone; all clones count the same shares and have the same limit.
#[derive(Clone)]
pub struct Effects {
    api: Api,
    shares: Shares,
    limit: AdaptiveLimit,
}

impl Effects {
    /// Returns a sender without effects in progress.
    pub fn new(api: Api) -> Self {
        Self { api, shares: Shares::new(), limit: AdaptiveLimit::new() }
    }

    /// Executes an action of one of the account's handlers.
    ///
    /// # Errors
    /// `Refused` when the API refuses it; `Away` or `Busy` while it cannot serve. Then it is unknown whether the
    /// action was executed, and it must be repeated with the same invocation id, which repeats nothing.
    pub async fn act(&self, account_id: Uuid, request: &ActionRequest) -> Result<ActionResult, ApiFailure> {
        self.until_done(account_id, || self.api.act(request)).await
    }

    /// Sends the reply of one of the account's commands.
    ///
    /// # Errors
    /// As of [`act`](Self::act); the same line repeats nothing.
    pub async fn reply(&self, command_id: Uuid, reply: &CommandReply) -> Result<ActionResult, ApiFailure> {
        self.until_done(reply.account_id, || self.api.reply(command_id, reply)).await
    }

    async fn until_done<F>(&self, account_id: Uuid, ask: impl Fn() -> F) -> Result<ActionResult, ApiFailure>
    where
        F: Future<Output = Result<ActionResult, ApiFailure>>,
    {
        let mut pause = INITIAL_BACKOFF;
        for _ in 1..MAX_ATTEMPTS {
            match self.in_its_share(account_id, &ask).await {
                Ok(result) if result.error_code.as_deref() == Some(IN_PROGRESS) => {}
                Err(ApiFailure::Away(problem) | ApiFailure::Busy(problem)) => {
                    tracing::debug!(problem, "an effect is tried again");
                }
                outcome => return outcome,
            }
            tokio::time::sleep(pause).await;
            pause *= 4;
        }
        match self.in_its_share(account_id, &ask).await {
            Ok(result) if result.error_code.as_deref() == Some(IN_PROGRESS) => {
                Err(ApiFailure::Away("it is still being carried out".to_owned()))
            }
            outcome => outcome,
        }
    }

    async fn in_its_share<F>(&self, account_id: Uuid, ask: impl Fn() -> F) -> Result<ActionResult, ApiFailure>
    where
        F: Future<Output = Result<ActionResult, ApiFailure>>,
    {
        let _place = self.shares.place(account_id, self.limit.is_lowered()).await;
        self.limit.run(ask()).await
    }
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;
    use serde_json::{Value, json};
    use shared::config::Config;
    use tokio::net::TcpListener;

    use super::*;

    const STORMY: Uuid = Uuid::from_u128(1);
    const QUIET: Uuid = Uuid::from_u128(2);
    const SEND: &str = "chat:send";

    fn action() -> ActionRequest {
        ActionRequest {
            install_id: Uuid::nil(),
            invocation_id: "i:0".to_owned(),
            action: SEND.into(),
            payload: Value::Null,
            expires_at: None,
        }
    }

    fn reply(account_id: Uuid) -> CommandReply {
        serde_json::from_value(json!({
            "account_id": account_id, "event_id": Uuid::nil(), "platform": "twitch", "message_id": "m",
            "user_id": "u", "user_name": "Ada", "arguments": "", "response_type": "text", "response": "hi",
            "automation_id": null, "use_count": 1,
        }))
        .unwrap()
    }

    #[tokio::test]
    async fn effects_of_one_account_wait_without_delaying_other_accounts() {
        // An API that accepts every connection, each of which is one call, and answers none.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let variables = [
            ("LUMIO_API_URL", format!("http://{}", listener.local_addr().unwrap())),
            ("LUMIO_SYSTEM_KEY", "key".to_owned()),
        ];
        let config = Config::from_variables(variables.map(|(name, value)| (name.to_owned(), value))).unwrap();
        let api = Api::new(&config.workers, foundation::readiness::Readiness::default()).unwrap();
        let effects =
            Effects { shares: Shares::with_wait_timeout(Duration::from_secs(60)), ..Effects::new(api) };

        let (action, of_stormy, of_quiet) = (action(), reply(STORMY), reply(QUIET));
        let mut calls = Vec::new();
        let storm = join_all((0..3).map(|_| async {
            tokio::join!(effects.act(STORMY, &action), effects.reply(Uuid::nil(), &of_stormy))
        }));
        let quiet =
            async { tokio::join!(effects.act(QUIET, &action), effects.reply(Uuid::nil(), &of_quiet)) };
        let listen = async {
            while let Ok(Ok((call, _))) =
                tokio::time::timeout(Duration::from_secs(1), listener.accept()).await
            {
                calls.push(call);
            }
        };
        tokio::select! {
            _ = storm => unreachable!("nothing is answered"),
            _ = quiet => unreachable!("nothing is answered"),
            () = listen => {}
        }
        assert_eq!(calls.len(), 4, "two of each account");
    }
}
