//! Steps for viewers: an overlay that draws a raid, a sound that it plays, and a reward that answers in chat.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use stack::{browser::Browser, drawn, unix_millis, watch};

use crate::{
    api::text,
    socket::Socket,
    stand_in::{PlatformUser, Receiver, StandIn},
    steps::{Creator, count_sent, result, step, wait_for},
};

/// Half a second.
const TONE: &[u8] = include_bytes!("../../fixtures/media/tone.wav");
/// Keeps the addresses of what a page plays.
const KEEP_PLAYED: &str = "window.lumioPlayed = []; const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = function () { lumioPlayed.push(this.src); return play.call(this); };";
const LAYERS: [&str; 2] = ["alert_box", "chat_box"];
const RAIDERS: u32 = 77;

/// Platform and creator of a run.
pub struct Scene<'a> {
    pub stand_in: &'a StandIn,
    pub receiver: &'a Receiver,
    pub creator: &'a Creator,
    pub run: &'a str,
}

/// An overlay that is shown.
struct Overlay {
    id: String,
    /// Listens to the overlay's channel with its token.
    socket: Socket,
    /// Shows the page; `None` when no browser is installed.
    browser: Option<Browser>,
}

/// Shows an overlay, a sound and a reward.
///
/// # Errors
/// The step that failed and why.
pub async fn show(scene: &Scene<'_>) -> Result<()> {
    step(8, "An overlay is opened in a browser and draws a raid and a chat line");
    let mut overlay = scene.open_overlay().await.context("step 8")?;
    scene.draw(&mut overlay).await.context("step 8")?;

    step(9, "A sound is uploaded and played by the overlay");
    scene.play_sound(&mut overlay).await.context("step 9")?;

    step(10, "A reward of channel points answers in chat");
    scene.redeem().await.context("step 10")
}

impl Scene<'_> {
    /// Creates an overlay and opens its page.
    async fn open_overlay(&self) -> Result<Overlay> {
        let owner = &self.creator.api;
        let made = owner.post("/v1/overlays", json!({ "name": format!("Stage {}", self.run) })).await?;
        let (id, key) = (text(&made, "/data/id")?.to_owned(), text(&made, "/data/key")?.to_owned());
        let of_overlay = &made["data"];
        result(
            "POST /v1/overlays",
            &json!({ "name": of_overlay["name"], "key": key, "width": of_overlay["width"],
                     "height": of_overlay["height"], "version": of_overlay["version"] }),
        );
        let layers: Vec<Value> = (0..)
            .zip(LAYERS)
            .map(|(at, kind)| json!({ "type": kind, "name": kind, "x": 960 * at, "width": 960, "height": 1080 }))
            .collect();
        let layers = json!({ "layers": layers });
        let stored =
            owner.call(Method::PUT, &format!("/v1/overlays/{id}/layers"), Some(layers)).await?["data"].take();
        result("PUT /v1/overlays/{id}/layers", &types(&stored));
        let token = owner.get(&format!("/v1/overlays/{id}/token")).await?;
        result("GET /v1/overlays/{id}/token", &token["data"]["token_prefix"]);

        let (mut socket, _) = Socket::connect(owner.origin(), text(&token, "/data/token")?).await?;
        socket.subscribe(&format!("overlay:{key}")).await?;
        let snapshot = socket.event("overlay:snapshot", |_| true).await?;
        let shown = types(&snapshot["data"]["layers"]);
        ensure!(shown == json!(LAYERS), "the overlay shows {shown}");
        result("overlay:snapshot", &json!({ "version": snapshot["data"]["version"], "layers": shown }));
        Ok(Overlay { id, socket, browser: open_page(text(&token, "/data/url")?).await })
    }

    /// Delivers a raid and a chat line, and waits until the overlay shows them.
    async fn draw(&self, overlay: &mut Overlay) -> Result<()> {
        let raider = self.stand_in.create_user("twitch", &format!("captain_{}", self.run)).await?;
        let channel = &self.creator.twitch.id;
        let raid = json!({ "kind": "raid", "from": raider.id, "to": channel, "viewers": RAIDERS });
        let amount = RAIDERS.to_string();
        let is_raid = |data: &Value| data["event_type"] == "twitch:raid" && data["amount"] == RAIDERS;
        let heard = ("event:new", is_raid);
        self.deliver(overlay, raid, "alert_box", &[&raider.login, &amount], heard).await?;

        let line = format!("hello from {}", raider.login);
        let message =
            json!({ "kind": "chat_message", "broadcaster": channel, "user": raider.id, "text": line });
        let is_line = |data: &Value| data["text"] == line.as_str();
        self.deliver(overlay, message, "chat_box", &[&line], ("chat:message", is_line)).await
    }

    /// Delivers an event of Twitch; waits until the overlay's channel has it, and until a layer draws it.
    async fn deliver(
        &self,
        overlay: &mut Overlay,
        event: Value,
        layer: &str,
        wanted: &[&str],
        (event_type, is_wanted): (&str, impl Fn(&Value) -> bool),
    ) -> Result<()> {
        let kind = event["kind"].as_str().unwrap_or_default().to_owned();
        if let Some(browser) = &mut overlay.browser {
            watch(browser, &format!("[data-type={layer}]"), wanted).await;
        }
        let (began, began_at) = (Instant::now(), unix_millis());
        let (statuses, heard) = tokio::join!(self.stand_in.twitch(self.receiver, event, json!({})), async {
            let heard = overlay.socket.event(event_type, is_wanted).await?;
            anyhow::Ok((heard, began.elapsed()))
        });
        let (statuses, (heard, after)) = (statuses?, heard?);
        ensure!(statuses.iter().all(|status| *status == 200), "the delivery was answered {statuses:?}");
        result(
            &format!("{event_type} on overlay:{{key}}"),
            &json!({ "id": heard["id"], "after_ms": tenths(after.as_secs_f64() * 1000.0) }),
        );
        if let Some(browser) = &mut overlay.browser {
            let seen = drawn(browser).await?;
            result(
                &format!("{kind} in the page's {layer}"),
                &json!({ "text": seen.text, "text_after_ms": tenths(seen.text_at - began_at),
                         "frame_after_ms": tenths(seen.frame_at - began_at) }),
            );
        }
        Ok(())
    }

    async fn play_sound(&self, overlay: &mut Overlay) -> Result<()> {
        let owner = &self.creator.api;
        let form = Form::new()
            .text("name", "Horn")
            .part("file", Part::bytes(TONE).file_name("horn.wav").mime_str("audio/wav")?);
        let made = owner.upload("/v1/sounds", form).await?;
        let (id, sound) = (text(&made, "/data/id")?, &made["data"]);
        result(
            "POST /v1/sounds",
            &json!({ "name": sound["name"], "content_type": sound["content_type"],
                     "size_bytes": sound["size_bytes"], "duration_ms": sound["duration_ms"] }),
        );
        let target = json!({ "volume": 0.5, "target": { "type": "overlay", "id": overlay.id } });
        owner.post(&format!("/v1/sounds/{id}/play"), target).await?;
        let played = overlay.socket.event("sound:play", |data| data["sound_id"] == *id).await?;
        result(
            "sound:play on overlay:{key}",
            &json!({ "sound_id": played["data"]["sound_id"], "volume": played["data"]["volume"] }),
        );
        let address = text(&played, "/data/url")?;
        let path = address.find("/v1/media/").map(|at| &address[at..]);
        let path = path.with_context(|| format!("an unexpected address: {address}"))?;
        let bytes = owner.anonymous().bytes(path).await?;
        ensure!(bytes == TONE, "the address of the sound returned {} other bytes", bytes.len());
        result("its address, without a credential: bytes", &json!(bytes.len()));
        if let Some(browser) = &mut overlay.browser {
            let place = json!(format!("/v1/media/sound/{id}?"));
            browser.until(&format!("lumioPlayed.some((address) => address.includes({place}))")).await;
            result("played by the page", &json!(true));
        }
        Ok(())
    }

    /// Creates a reward at Twitch and redeems it there. The redemption is delivered twice and answered once.
    async fn redeem(&self) -> Result<()> {
        let viewer = self.stand_in.create_user("twitch", &format!("hugger_{}", self.run)).await?;
        let action = json!({ "type": "chat", "template": "{user} spent {cost} points: {input}" });
        let title = format!("Hug {}", self.run);
        let reward = json!({ "platform": "twitch", "title": title, "cost": 500, "action": action });
        let made = self.creator.api.post("/v1/rewards", reward).await?;
        let at_twitch = text(&made, "/data/platform_reward_id")?;
        result(
            "POST /v1/rewards",
            &json!({ "title": made["data"]["title"], "cost": made["data"]["cost"],
                     "platform_reward_id": at_twitch }),
        );
        let redemption = self.redemption(&viewer, at_twitch);
        let statuses = self.stand_in.twitch(self.receiver, redemption, json!({ "copies": 2 })).await?;
        ensure!(statuses.iter().all(|status| *status == 200), "the redemption was answered {statuses:?}");
        result("redemption, delivered twice", &json!(statuses));

        let answer = format!("{} spent 500 points: a big one", viewer.login);
        wait_for(&format!("the answer `{answer}`"), async || {
            Ok(count_sent(self.stand_in, "twitch", &answer).await? > 0)
        })
        .await?;
        result("sent to twitch", &json!(answer));
        let status = async || anyhow::Ok(self.stand_in.redemption_of(at_twitch).await?["status"].take());
        wait_for("the end of the redemption", async || Ok(status().await? == "FULFILLED")).await?;
        result("redemption at twitch", &status().await?);
        let sent = count_sent(self.stand_in, "twitch", &answer).await?;
        ensure!(sent == 1, "the answer was sent {sent} times");
        Ok(())
    }

    fn redemption(&self, viewer: &PlatformUser, reward: &str) -> Value {
        json!({ "kind": "redemption", "broadcaster": self.creator.twitch.id, "user": viewer.id, "reward": reward,
                "input": "a big one" })
    }
}

/// Starts a browser as OBS does; `None` without one that starts. Then the reason is printed with what happens instead.
pub async fn start_browser(instead: &str) -> Option<Browser> {
    // A task of its own: a program that only prints how to install a browser ends it by a panic.
    let started = tokio::spawn(Browser::start_as_obs()).await;
    let reason = match started {
        Ok(Some(browser)) => return Some(browser),
        Ok(None) => "no browser is installed",
        Err(_panic) => "the browser does not start",
    };
    println!("   {reason}: {instead}");
    None
}

/// Opens a page as OBS does, and waits until its layers are there. `None` without a browser that starts.
async fn open_page(address: &str) -> Option<Browser> {
    let instead = "the page is not opened, and a socket listens to overlay:{key} instead";
    let mut browser = start_browser(instead).await?;
    browser.before_each_document(KEEP_PLAYED).await;
    browser.open(address).await;
    let count = LAYERS.len();
    let all = "[...document.querySelectorAll('.layer')]";
    let is_drawn = format!("{all}.length === {count} && {all}.every((layer) => layer.childElementCount > 0)");
    browser.until(&is_drawn).await;
    result("the page in a browser shows layers", &json!(count));
    Some(browser)
}

fn types(layers: &Value) -> Value {
    layers.as_array().into_iter().flatten().map(|layer| layer["type"].clone()).collect()
}

/// Rounds to a tenth.
fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
