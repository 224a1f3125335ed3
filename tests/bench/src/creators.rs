//! Creators of the demonstration on the stack, each with the chat of its channel on Twitch.

use anyhow::Result;
use demo::{Api, Creator, Demo, StandIn};
use stack::{Stack, twitch::Twitch};

use crate::deliveries::Chat;

/// Signs creators in, as their browsers do.
pub struct Creators {
    demo: Demo,
    api: Api,
    pub stand_in: StandIn,
    twitch: Twitch,
}

impl Creators {
    pub fn new(stack: &Stack) -> Result<Self> {
        // It calls the operator's commands in this process's environment.
        let demo = Demo::new(
            stack.origin.clone(),
            String::new(),
            stack.environment["STAND_IN"].clone(),
            stack.program("lumio-api"),
            "tests/fixtures/extensions/greeter".into(),
        );
        Ok(Self {
            demo,
            api: Api::new(&stack.origin)?,
            stand_in: StandIn::new(&stack.environment["STAND_IN"])?,
            twitch: Twitch::new(&stack.environment["LUMIO_TWITCH_EVENTSUB_SECRET"])?,
        })
    }

    /// Signs a new creator in and connects its channels.
    pub async fn sign_in(&self, login: &str) -> Result<(Creator, Chat)> {
        let creator = self.demo.sign_in(&self.api, &self.stand_in, login).await?;
        let chat = Chat {
            twitch: self.twitch.clone(),
            origin: self.api.origin().to_owned(),
            channel: creator.twitch.id.clone(),
        };
        Ok((creator, chat))
    }

    /// The same, with the extension whose handlers reply.
    pub async fn sign_in_with_extension(&self, login: &str) -> Result<(Creator, Chat)> {
        let (creator, chat) = self.sign_in(login).await?;
        self.demo.install(&self.api, &self.stand_in, &creator, login).await?;
        Ok((creator, chat))
    }
}
