//! Steps of the main use, each with its real result.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    api::{Api, text},
    automation,
    connect::connect,
    operator::Operator,
    socket::Socket,
    stand_in::{PlatformUser, Receiver, StandIn},
    surfaces, team,
};

/// Longest wait for an event that occurs beside the call that causes it.
const EFFECT_TIMEOUT: Duration = Duration::from_secs(20);

/// Addresses of the services.
pub struct Demo {
    api: String,
    metrics: String,
    stand_in: String,
    pub(super) operator: Operator,
    pub(super) extension: PathBuf,
}

/// The streamer.
pub struct Creator {
    pub api: Api,
    pub user_id: String,
    pub account_id: String,
    pub twitch: PlatformUser,
    pub kick: PlatformUser,
}

/// Installs that the demo created.
pub struct Installed {
    pub install_id: String,
    pub extension_id: String,
    pub developer: Api,
}

impl Demo {
    #[must_use]
    pub fn new(
        api: String,
        metrics: String,
        stand_in: String,
        lumio_api: PathBuf,
        extension: PathBuf,
    ) -> Self {
        Self { api, metrics, stand_in, operator: Operator { program: lumio_api }, extension }
    }

    /// Runs every step in order.
    ///
    /// # Errors
    /// The step that failed and why.
    pub async fn play(&self) -> Result<()> {
        let (api, stand_in) = (Api::new(&self.api)?, StandIn::new(&self.stand_in)?);
        let run = run_name();
        step(1, "The stack is up");
        let health = api.get("/v1/health").await.context("step 1")?;
        result("GET /v1/health", &health["data"]);
        ensure!(health["data"]["status"] == "healthy", "step 1: the stack is not healthy");

        step(2, "A creator signs in and connects two channels");
        let creator = self.sign_in(&api, &stand_in, &run).await.context("step 2")?;

        step(3, "Roles, members, keys and popouts: who may do what");
        team::show(&api, &stand_in, &creator, &run).await.context("step 3")?;

        step(
            4,
            "A person becomes a developer and uploads an extension; staff approves both, the creator installs it",
        );
        let installed = self.install(&api, &stand_in, &creator, &run).await.context("step 4")?;

        step(5, "Platform deliveries arrive: genuine, duplicated and forged");
        let receiver = stand_in.receiver(&self.api).await.context("step 5")?;
        let mut socket = self.listen(&creator).await.context("step 5")?;
        let viewers = deliver(&stand_in, &receiver, &creator, &run).await.context("step 5")?;

        step(6, "Chat lines reach the socket and the sandboxed handler, whose replies reach the platforms");
        self.watch(&stand_in, &receiver, &creator, &mut socket, &viewers).await.context("step 6")?;

        step(7, "Logs, errors, metrics and health show what ran");
        self.review_run(&creator, &installed).await.context("step 7")?;

        let scene =
            surfaces::Scene { stand_in: &stand_in, receiver: &receiver, creator: &creator, run: &run };
        surfaces::show(&scene).await?;

        step(11, "An automation greets a raid after a delay, by the number of its viewers");
        automation::show(&scene).await.context("step 11")?;
        println!("\nEvery step worked.");
        Ok(())
    }

    /// A creator with channels on Twitch and Kick.
    ///
    /// # Errors
    /// An error when a step fails.
    pub async fn sign_in(&self, api: &Api, stand_in: &StandIn, run: &str) -> Result<Creator> {
        let twitch = stand_in.create_user("twitch", &format!("creator_{run}")).await?;
        let kick = stand_in.create_user("kick", &format!("creator_{run}")).await?;
        let (signed_in, user_id) = exchange(api, &twitch).await?;
        let me = signed_in.get("/v1/users/me").await?;
        let account_id = text(&me, "/data/active_account_id")?.to_owned();
        result("POST /v1/auth/token", &json!({ "user_id": user_id, "account_id": account_id }));
        result("role", &me["data"]["memberships"][0]["role"]["name"]);

        let created = signed_in
            .post(
                "/v1/api-keys",
                json!({ "label": "demo", "permissions": ["account:read", "chat:read", "events:read"] }),
            )
            .await?;
        let key = text(&created, "/data/key")?;
        result("POST /v1/api-keys", &created["data"]["key_prefix"]);
        let by_key = signed_in.with(key);
        result("GET /v1/users/me with the key", &by_key.get("/v1/users/me").await?["data"]["display_name"]);
        let me = by_key.graphql("{ me { id displayName activeAccountId } }", json!({})).await?;
        result("query { me } with the key", &me["me"]);

        connect(&signed_in, "twitch", &twitch).await?;
        let (id, secret) = stand_in.application("kick").await?;
        let application = json!({ "client_id": id, "client_secret": secret });
        let path = "/v1/connections/app-credentials/kick";
        let saved = signed_in.call(Method::PUT, path, Some(application)).await?;
        result(&format!("PUT {path}"), &saved["data"]);
        connect(&signed_in, "kick", &kick).await?;
        Ok(Creator { api: signed_in, user_id, account_id, twitch, kick })
    }

    async fn listen(&self, creator: &Creator) -> Result<Socket> {
        let issued = creator.api.post("/v1/auth/ws-token", json!({})).await?;
        let (mut socket, hello) =
            Socket::connect(creator.api.origin(), text(&issued, "/data/ws_token")?).await?;
        result("GET /v1/ws", &hello);
        for area in ["chat", "events", "extensions"] {
            socket.subscribe(&format!("{area}:{}", creator.account_id)).await?;
        }
        socket.subscribe(&format!("user:{}", creator.user_id)).await?;
        Ok(socket)
    }

    async fn watch(
        &self,
        stand_in: &StandIn,
        receiver: &Receiver,
        creator: &Creator,
        socket: &mut Socket,
        viewers: &Viewers,
    ) -> Result<()> {
        let line = socket.event("chat:message", |data| data["text"] == "!hello").await?;
        result(
            "chat:message (Twitch)",
            &json!({ "id": line["id"], "text": line["data"]["text"], "from": line["data"]["username"] }),
        );
        let line = socket.event("chat:message", |data| data["text"] == "good night").await?;
        result(
            "chat:message (Kick)",
            &json!({ "text": line["data"]["text"], "from": line["data"]["username"] }),
        );
        for event_type in ["twitch:follower", "twitch:raid", "kick:follower"] {
            let event = socket.event("event:new", |data| data["event_type"] == event_type).await?;
            result(
                "event:new",
                &json!({ "event_type": event["data"]["event_type"], "data": event["data"]["data"] }),
            );
        }
        let expected = [
            ("twitch", format!("Welcome, {}!", viewers.twitch.login)),
            ("twitch", format!("Welcome, 42 raiders of {}!", viewers.raider.login)),
            ("kick", format!("Sleep well, {}.", viewers.kick.login)),
        ];
        for (platform, message) in &expected {
            wait_for(&format!("the reply `{message}`"), async || {
                Ok(count_sent(stand_in, platform, message).await? > 0)
            })
            .await?;
            result(&format!("sent to {platform}"), &json!(message));
        }
        let spin = json!({ "kind": "chat_message", "broadcaster": creator.twitch.id, "user": viewers.twitch.id, "text": "!spin" });
        stand_in.twitch(receiver, spin, json!({})).await?;
        socket.event("chat:message", |data| data["text"] == "!spin").await?;
        socket.listen(Duration::from_millis(700)).await?;
        let repeated = socket.count_waiting(|frame| frame["data"]["text"] == "!hello");
        ensure!(repeated == 0, "a duplicated delivery reached the socket {repeated} more times");
        let greetings = count_sent(stand_in, "twitch", &expected[0].1).await?;
        ensure!(greetings == 1, "the greeting was sent {greetings} times");
        result("second effects of the duplicates", &json!(repeated));
        Ok(())
    }

    async fn review_run(&self, creator: &Creator, installed: &Installed) -> Result<()> {
        let logs = format!("/v1/extension-installs/{}/logs", installed.install_id);
        wait_for("the handlers' log", async || {
            Ok(creator.api.get(&logs).await?["data"].as_array().is_some_and(|logs| logs.len() >= 2))
        })
        .await?;
        for entry in creator.api.get(&logs).await?["data"].as_array().into_iter().flatten() {
            result(
                "log",
                &json!({ "level": entry["level"], "message": entry["message"], "trigger_type": entry["trigger_type"] }),
            );
        }
        let errors = format!("/v1/developer/extensions/{}/errors", installed.extension_id);
        wait_for("the runtime error of the endless handler", async || {
            Ok(installed.developer.get(&errors).await?["data"]
                .as_array()
                .is_some_and(|errors| !errors.is_empty()))
        })
        .await?;
        let errors = installed.developer.get(&errors).await?;
        result(
            "error",
            &json!({ "error_type": errors["data"][0]["error_type"], "message": errors["data"][0]["message"] }),
        );
        let metrics = installed
            .developer
            .get(&format!("/v1/developer/extensions/{}/metrics", installed.extension_id))
            .await?;
        result(
            "metrics",
            &json!({ "total_invocations": metrics["data"]["total_invocations"],
                                   "total_errors": metrics["data"]["total_errors"],
                                   "p99_execution_ms": metrics["data"]["p99_execution_ms"] }),
        );
        let (status, exposition) = Api::new(&self.metrics)?.send(Method::GET, "/metrics", None).await?;
        ensure!(status == 200, "/metrics answered {status}");
        for name in ["lumio_build_info", "websocket_sessions", "db_pool_connections"] {
            if let Some(line) = exposition.lines().find(|line| !line.starts_with('#') && line.contains(name))
            {
                println!("   /metrics  {line}");
            }
        }
        result("GET /v1/health", &Api::new(&self.api)?.get("/v1/health").await?["data"]["websocket"]);
        Ok(())
    }
}

/// Viewers.
struct Viewers {
    twitch: PlatformUser,
    kick: PlatformUser,
    raider: PlatformUser,
}

async fn deliver(stand_in: &StandIn, receiver: &Receiver, creator: &Creator, run: &str) -> Result<Viewers> {
    let viewers = Viewers {
        twitch: stand_in.create_user("twitch", &format!("viewer_{run}")).await?,
        kick: stand_in.create_user("kick", &format!("viewer_{run}")).await?,
        raider: stand_in.create_user("twitch", &format!("raider_{run}")).await?,
    };
    let on_twitch = |text: &str| json!({ "kind": "chat_message", "broadcaster": creator.twitch.id, "user": viewers.twitch.id, "text": text });
    let forged =
        stand_in.twitch(receiver, on_twitch("never seen"), json!({ "forge_signature": true })).await?;
    ensure!(forged == [401], "a forged Twitch delivery was answered {forged:?}");
    result("forged Twitch delivery", &json!(forged));
    let doubled = stand_in.twitch(receiver, on_twitch("!hello"), json!({ "copies": 3 })).await?;
    ensure!(doubled.iter().all(|status| (200..300).contains(status)), "duplicates were answered {doubled:?}");
    result("chat line, delivered three times", &json!(doubled));
    let follow = json!({ "kind": "follow", "broadcaster": creator.twitch.id, "user": viewers.twitch.id });
    result("follow", &json!(stand_in.twitch(receiver, follow, json!({})).await?));
    let raid = json!({ "kind": "raid", "from": viewers.raider.id, "to": creator.twitch.id, "viewers": 42 });
    result("raid", &json!(stand_in.twitch(receiver, raid, json!({ "copies": 2 })).await?));

    let on_kick = |text: &str| json!({ "kind": "chat_message", "broadcaster": creator.kick.id, "user": viewers.kick.id, "text": text });
    let forged = stand_in.kick(receiver, on_kick("never seen"), json!({ "forge_signature": true })).await?;
    ensure!(forged == [401], "a forged Kick delivery was answered {forged:?}");
    result("forged Kick delivery", &json!(forged));
    result(
        "Kick chat line",
        &json!(stand_in.kick(receiver, on_kick("good night"), json!({ "copies": 2 })).await?),
    );
    let follow = json!({ "kind": "follow", "broadcaster": creator.kick.id, "user": viewers.kick.id });
    result("Kick follow", &json!(stand_in.kick(receiver, follow, json!({})).await?));
    Ok(viewers)
}

/// Exchanges a platform token for a session; returns the caller and the person's id.
///
/// # Errors
/// An error when the API refuses.
pub async fn exchange(api: &Api, user: &PlatformUser) -> Result<(Api, String)> {
    let body = json!({ "provider": "twitch", "provider_user_id": user.id, "access_token": user.access_token,
                       "profile": { "display_name": user.login, "username": user.login } });
    let answer = api.post("/v1/auth/token", body).await?;
    Ok((api.with(text(&answer, "/data/token")?), text(&answer, "/data/user_id")?.to_owned()))
}

pub async fn count_sent(stand_in: &StandIn, platform: &str, message: &str) -> Result<usize> {
    Ok(stand_in.sent(platform).await?.iter().filter(|sent| sent["text"] == message).count())
}

pub async fn wait_for(what: &str, mut happened: impl AsyncFnMut() -> Result<bool>) -> Result<()> {
    let until = tokio::time::Instant::now() + EFFECT_TIMEOUT;
    while !happened().await? {
        ensure!(
            tokio::time::Instant::now() < until,
            "{what} did not come within {} s",
            EFFECT_TIMEOUT.as_secs()
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// A name that is new to the stack.
fn run_name() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    format!("{:x}", seconds & 0xff_ffff)
}

/// Prints the title of a step.
pub fn step(number: u32, title: &str) {
    println!("\n{number}. {title}");
}

/// Prints a result.
pub fn result(what: &str, value: &Value) {
    println!("   {what}: {value}");
}
