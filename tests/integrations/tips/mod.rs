//! Tips of StreamElements, from the socket to the event (reference/tips.md#tips).

mod accounts;
mod events;
mod sockets;

use std::time::Duration;

use lumio_tests::{Person, TestApp};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::stream_elements::{Channel, MODERATION, NewToken, TIPS, tip};
use serde_json::{Value, json};

use super::se_tokens::owner;
use lumio_tests::world::{eventually, jobs, open_deliveries, stored_events, workers};

const PATH: &str = "/v1/se-tokens";
const DAEMONS: [Daemon; 2] = [Daemon::Ingest, Daemon::Tips];
/// Time after which something that must not happen would have happened.
const QUIET: Duration = Duration::from_millis(1500);

/// An account with a channel at StreamElements and its token.
struct Stage {
    app: TestApp,
    owner: Person,
    channel: Channel,
    token_id: String,
}

impl Stage {
    async fn with(token: NewToken) -> Self {
        let app = TestApp::start().await;
        let owner = owner(&app).await;
        let channel = app.platforms.stream_elements_channel("ada");
        let token = app.platforms.stream_elements_token(&channel, &token);
        let token_id = store(&owner, "twitch", &token).await;
        Self { app, owner, channel, token_id }
    }

    async fn start() -> Self {
        Self::with(NewToken::jwt()).await
    }

    async fn workers(&self) -> Running {
        workers(&self.app, &DAEMONS).await
    }

    /// Waits until the tips of the channel are subscribed to, over one connection.
    async fn receives(&self) {
        let tips = (TIPS.to_owned(), self.channel.id.clone());
        eventually("the tips are subscribed to", async || {
            let subscriptions = self.app.platforms.stream_elements_subscriptions();
            subscriptions.iter().filter(|one| **one == tips).count() == 1 && self.connections() == 1
        })
        .await;
    }

    /// Publishes a tip once; it reaches one connection.
    fn send(&self, tip: &Value) {
        assert_eq!(self.app.platforms.send_stream_elements(&self.channel, TIPS, tip, 1), 1);
    }

    fn tip(&self, message: &str) -> Value {
        tip(&self.channel, "Styler", &json!(4.2), "USD", message)
    }

    async fn stored(&self) -> Vec<Value> {
        stored_events(&self.app, self.owner.account_id).await
    }

    /// Waits until as many events are stored, and no delivery is left.
    async fn has_stored(&self, number: usize) -> Vec<Value> {
        eventually("the tips are stored", async || {
            self.stored().await.len() == number && open_deliveries(&self.app).await == 0
        })
        .await;
        self.stored().await
    }

    fn connections(&self) -> usize {
        self.app.platforms.stream_elements_connections()
    }

    /// Stops the only copy and waits until its socket is closed.
    async fn stop(&self, running: Running) {
        running.stop().await.unwrap();
        eventually("the socket is closed", async || self.connections() == 0).await;
    }

    async fn end(self, running: Running) {
        running.stop().await.unwrap();
        self.app.stop().await;
    }
}

/// Stores a token; returns its id.
async fn store(owner: &Person, platform: &str, token: &str) -> String {
    let answer = owner.post(PATH, json!({ "platform": platform, "token": token })).await;
    answer.data()["id"].as_str().expect("an id").to_owned()
}

/// The tip as it is while a moderator has to release it.
fn held(tip: &Value) -> Value {
    let mut held = tip.clone();
    held["approved"] = json!("pending");
    held
}

async fn triggered(app: &TestApp) -> u64 {
    jobs(app, "extension_triggers").await
}

/// Publishes on the topic of moderation.
fn moderate(stage: &Stage, tip: &Value) {
    stage.app.platforms.send_stream_elements(&stage.channel, MODERATION, tip, 1);
}
