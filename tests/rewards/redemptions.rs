//! Redemptions from the delivery of Twitch to the effect and back (reference/rewards.md#redemptions).

use std::time::Duration;

use foundation::jobs::{HousekeepingTask, Job, RedeemReward, RestoreLayer};
use lumio_tests::{
    Person, TestApp,
    world::{connect, count, eventually, jobs, open_deliveries, published},
};
use lumio_worker::{
    Daemon, Running,
    housekeeping::{Housekeeper, Progress, TimeBudget},
};
use platforms_stand_in::{DeliveryOptions, Failure, Platform, User, twitch};
use serde_json::{Value, json};
use shared::secret::Secret;

use super::{FEATURE, REWARDS, found, id_of, linked, make_automation, make_layer, make_sound, new, owner};

/// A streamer with a viewer and the workers.
struct Stage {
    app: TestApp,
    owner: Person,
    channel: User,
    viewer: User,
    running: Running,
}

impl Stage {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let owner = owner(&app).await;
        let channel = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
        let viewer = app.platforms.create_user(Platform::Twitch, "ada").0;
        let mut config = app.config();
        config.workers.system_key = Some(Secret::new(app.system_key().await.token()).into());
        let engine = sandbox::EngineConfig::default_dir().expect("LUMIO_ENGINE_DIR or a target folder");
        config.workers.engine_dir = engine.to_str().expect("a readable path").to_owned();
        let daemons = [Daemon::Ingest, Daemon::Outbox, Daemon::ExtensionRuntime];
        let running =
            lumio_worker::start_with(config, app.clock.clone(), &daemons).await.expect("the workers start");
        Self { app, owner, channel, viewer, running }
    }

    /// Creates a reward at Twitch; returns Twitch's id.
    async fn create(&self, title: &str, action: Value) -> String {
        let created = self.owner.post(REWARDS, new(title, action)).await;
        created.expect(201)["data"]["platform_reward_id"].as_str().expect("an id").to_owned()
    }

    /// Redeems a reward, delivers that and waits until it is handled; returns the event.
    async fn redeem(&self, reward_id: &str, input: &str) -> twitch::Event {
        let event = self.app.platforms.redeem_on_twitch(&self.channel, &self.viewer, reward_id, input);
        self.deliver(&event).await;
        event
    }

    async fn deliver(&self, event: &twitch::Event) {
        let callback = format!("{}/v1/webhooks/twitch", self.app.url());
        let secret = self.app.config().platforms.twitch_eventsub_secret.expect("a secret");
        let twice = DeliveryOptions { copies: 2, ..DeliveryOptions::default() };
        let delivery = self.app.platforms.deliver_twitch_to(&callback, secret.expose(), event, &twice).await;
        assert!(delivery.statuses().iter().all(|status| *status == Some(200)), "{delivery:?}");
        eventually("it is handled", async || open_deliveries(&self.app).await == 0).await;
    }

    /// Waits until a redemption has an outcome here.
    async fn ends(&self, event: &twitch::Event, outcome: &str) {
        let sql = format!(
            "SELECT outcome AS text FROM reward_redemptions WHERE redemption_id = '{}'",
            redemption(event)
        );
        eventually(&format!("the redemption is {outcome}"), async || {
            found(&self.app, &sql).await.as_deref() == Some(outcome)
        })
        .await;
        eventually("its job has ended", async || jobs(&self.app, RedeemReward::QUEUE).await == 0).await;
    }

    fn status(&self, event: &twitch::Event) -> String {
        self.app.platforms.twitch_redemption(redemption(event)).expect("a redemption")
    }

    fn sent(&self) -> Vec<String> {
        let sent = self.app.platforms.sent_messages(Platform::Twitch);
        sent.into_iter().map(|message| message.text).collect()
    }

    async fn stop(self) {
        self.running.stop().await.unwrap();
        self.app.stop().await;
    }
}

fn redemption(event: &twitch::Event) -> &str {
    event.event["id"].as_str().expect("an id")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redemptions_send_their_message_once_and_are_fulfilled() {
    let stage = Stage::start().await;
    let template = "{user} spent {cost} on {reward}: {input} {unknown} {random:x}";
    let reward = stage.create("Hello", json!({ "type": "chat", "template": template })).await;
    let event = stage.redeem(&reward, "{cost} hugs").await;
    stage.ends(&event, "fulfilled").await;
    let name = &stage.viewer.display_name;
    assert_eq!(stage.sent(), [format!("{name} spent 500 on Hello: {{cost}} hugs {{unknown}} x")]);
    assert_eq!(stage.status(&event), "FULFILLED");
    // Twitch delivers its end, and may deliver the redemption once more under another id.
    stage.deliver(&event.redemption_update("fulfilled")).await;
    stage.deliver(&event).await;
    let second = stage.redeem(&reward, "more").await;
    stage.ends(&second, "fulfilled").await;
    assert_eq!(stage.sent().len(), 2);
    assert_eq!(count(&stage.app, "reward_redemptions").await, 2);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redemptions_of_a_failed_action_return_the_points() {
    let stage = Stage::start().await;
    let automation = make_automation(&stage.app, stage.owner.account_id, false).await;
    let reward = stage.create("Start", json!({ "type": "automation", "automation_id": automation })).await;
    // Twitch is away at first: the points are returned later.
    stage.app.platforms.fail_next_at(Platform::Twitch, "redemptions", Failure::ServerError);
    let event = stage.redeem(&reward, "").await;
    stage.ends(&event, "refunded").await;
    assert_eq!(stage.status(&event), "CANCELED");
    assert_eq!(count(&stage.app, "automation_runs").await, 0);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redemptions_of_a_linked_reward_do_not_end_at_twitch() {
    let stage = Stage::start().await;
    let of_streamer = stage.app.platforms.add_twitch_reward(&stage.channel, "Own", 10);
    let action = json!({ "type": "chat", "template": "hi" });
    stage.owner.post(REWARDS, linked(&of_streamer.id, action)).await.expect(201);
    let event = stage.redeem(&of_streamer.id, "").await;
    stage.ends(&event, "fulfilled").await;
    assert_eq!((stage.sent(), stage.status(&event)), (vec!["hi".to_owned()], "UNFULFILLED".to_owned()));
    assert!(stage.app.platforms.engagement_calls(Platform::Twitch).is_empty());
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redemptions_show_a_layer_for_a_time() {
    let stage = Stage::start().await;
    let layer = make_layer(&stage.app, stage.owner.account_id).await;
    let action = json!({ "type": "layer", "layer_id": layer, "visible": true, "duration_secs": 2 });
    let reward = stage.create("Show", action).await;
    let visible = async || found(&stage.app, "SELECT visible::text AS text FROM overlay_layers").await;
    let version = async || found(&stage.app, "SELECT version::text AS text FROM overlays").await;
    let event = stage.redeem(&reward, "").await;
    stage.ends(&event, "fulfilled").await;
    assert_eq!((visible().await.as_deref(), version().await.as_deref()), (Some("true"), Some("2")));
    eventually("it waits to be hidden", async || jobs(&stage.app, RestoreLayer::QUEUE).await == 1).await;
    stage.app.clock.advance(chrono::Duration::seconds(3));
    eventually("it is hidden again", async || visible().await.as_deref() == Some("false")).await;
    assert_eq!(version().await.as_deref(), Some("3"));
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redemptions_start_an_automation_once() {
    let stage = Stage::start().await;
    let automation = make_automation(&stage.app, stage.owner.account_id, true).await;
    let reward = stage.create("Start", json!({ "type": "automation", "automation_id": automation })).await;
    let event = stage.redeem(&reward, "now").await;
    stage.ends(&event, "fulfilled").await;
    let run = found(&stage.app, "SELECT trigger::text AS text FROM automation_runs").await.expect("a run");
    let run: Value = serde_json::from_str(&run).unwrap();
    assert_eq!((&run["type"], &run["payload"]["input"]), (&json!("reward_redeemed"), &json!("now")));
    assert_eq!(run["payload"]["user_id"], json!(stage.viewer.id));
    let key = found(&stage.app, "SELECT dedupe_key AS text FROM automation_runs").await;
    assert_eq!(key, Some(format!("redemption:{}", redemption(&event))));
    assert_eq!((count(&stage.app, "automation_runs").await, stage.status(&event)), (1, "FULFILLED".into()));
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redemptions_play_a_sound_and_fail_without_it() {
    let stage = Stage::start().await;
    let sound = make_sound(&stage.app, stage.owner.account_id).await;
    let reward = stage.create("Horn", json!({ "type": "sound", "sound_id": sound, "volume": 0.25 })).await;
    let event = stage.redeem(&reward, "").await;
    stage.ends(&event, "fulfilled").await;
    let played = published(&stage.app, &format!("sounds:{}", stage.owner.account_id)).await;
    assert_eq!((played.len(), &played[0]["event_type"]), (1, &json!("sound:play")));
    assert_eq!((&played[0]["data"]["sound_id"], &played[0]["data"]["volume"]), (&json!(sound), &json!(0.25)));
    super::make(&stage.app, stage.owner.account_id, "DELETE FROM sounds WHERE account_id = $1 RETURNING id")
        .await;
    let event = stage.redeem(&reward, "").await;
    stage.ends(&event, "refunded").await;
    assert_eq!(stage.status(&event), "CANCELED");
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redemptions_without_an_action_or_the_feature_run_nothing() {
    let stage = Stage::start().await;
    let none = stage.create("None", json!({ "type": "none" })).await;
    let empty = stage.create("Empty", json!({})).await;
    let off = stage.create("Off", json!({ "type": "chat", "template": "hi" })).await;
    let listed = stage.owner.get(REWARDS).await.data().clone();
    let last = format!("{REWARDS}/{}", id_of(&listed[2]));
    stage.owner.patch(&last, json!({ "enabled": false })).await.data();
    for reward in [none, empty, off.clone()] {
        let event = stage.redeem(&reward, "").await;
        assert_eq!(stage.status(&event), "UNFULFILLED");
    }
    stage.owner.patch(&last, json!({ "enabled": true })).await.data();
    stage.app.override_feature(stage.owner.account_id, FEATURE, false).await;
    stage.redeem(&off, "").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(count(&stage.app, "reward_redemptions").await, 0);
    assert_eq!((count(&stage.app, "outbox").await, stage.sent().len()), (0, 0));
    stage.stop().await;
}

#[tokio::test]
async fn redemptions_are_deleted_after_thirty_days() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    owner.post(REWARDS, linked("r1", json!({}))).await.expect(201);
    let sql = "INSERT INTO reward_redemptions (reward_id, account_id, redemption_id, created_at)
        SELECT id, $1, days::text, now() - make_interval(days => days) FROM rewards, (VALUES (31), (29)) AS t (days)
        RETURNING reward_id AS id";
    super::make_each(&app, owner.account_id, sql).await;
    let context = worker_core::Context::new(app.config(), app.clock.clone()).unwrap();
    let house = Housekeeper::new(&context).unwrap();
    let progress = house.take(HousekeepingTask::ForgetHandled, &mut TimeBudget::of(100)).await.unwrap();
    assert_eq!(progress, Progress::Completed);
    assert_eq!(
        found(&app, "SELECT redemption_id AS text FROM reward_redemptions").await.as_deref(),
        Some("29")
    );
    assert_eq!(count(&app, "reward_redemptions").await, 1);
    app.stop().await;
}
