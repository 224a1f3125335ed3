//! Reports of redemptions by workers (reference/rewards.md#redemptions).

use diesel::{sql_query, sql_types::Timestamptz};
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Person, TestApp,
    world::{connect, count},
};
use platforms_stand_in::{Failure, Platform, User};
use serde_json::{Value, json};
use shared::clock::rfc3339;
use uuid::Uuid;

use super::{REWARDS, found, id_of, linked, new, owner};

pub struct Scene {
    pub app: TestApp,
    pub owner: Person,
    channel: User,
    pub system: lumio_tests::Caller,
}

impl Scene {
    pub async fn start() -> Self {
        let app = TestApp::start().await;
        let owner = owner(&app).await;
        let channel = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
        let system = app.system_key().await;
        Self { app, owner, channel, system }
    }

    /// Creates a reward that sends `hi`; returns its path for workers and the id of a redemption of it.
    pub async fn redeemed(&self, input: Value) -> (String, String) {
        let reward = self.owner.post(REWARDS, input).await.expect(201)["data"].clone();
        let at_twitch = reward["platform_reward_id"].as_str().expect("an id");
        let viewer =
            self.app.platforms.create_user(Platform::Twitch, &format!("v{}", Uuid::now_v7().simple())).0;
        let event = self.app.platforms.redeem_on_twitch(&self.channel, &viewer, at_twitch, "");
        (path(&id_of(&reward)), event.event["id"].as_str().expect("an id").to_owned())
    }

    pub fn report(&self, redemption: &str) -> Value {
        json!({ "account_id": self.owner.account_id, "redemption_id": redemption, "platform_user_id": "4711",
            "user_name": "Ada", "input": "", "cost": 500, "redeemed_at": rfc3339(self.app.clock.now()) })
    }

    fn sent(&self) -> usize {
        self.app.platforms.sent_messages(Platform::Twitch).len()
    }
}

fn path(reward: &str) -> String {
    format!("/v1/internal/rewards/{reward}/redemptions")
}

fn hi() -> Value {
    json!({ "type": "chat", "template": "hi" })
}

pub fn outcome(outcome: &str) -> Value {
    json!({ "outcome": outcome, "repeat": false, "error": null })
}

#[tokio::test]
async fn internal_redeem_reward_runs_an_action_once() {
    let scene = Scene::start().await;
    let (path, redemption) = scene.redeemed(new("Hello", hi())).await;
    let report = scene.report(&redemption);
    for _ in 0..3 {
        let answer = scene.system.post(&path, report.clone()).await;
        assert_eq!(*answer.expect(200), outcome("fulfilled"));
    }
    assert_eq!(scene.sent(), 1);
    assert_eq!(scene.app.platforms.twitch_redemption(&redemption).as_deref(), Some("FULFILLED"));

    let (path, redemption) = scene.redeemed(new("Many", hi())).await;
    let calls = (0..6).map(|_| scene.system.post(&path, scene.report(&redemption)));
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().any(|answer| *answer.expect(200) == outcome("fulfilled")));
    assert!(answers.iter().all(|answer| {
        answer.body["outcome"] == "fulfilled"
            || (answer.body["outcome"].is_null() && answer.body["repeat"] == true)
    }));
    assert_eq!(scene.sent(), 2);
    scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_repeats_the_end_at_the_platform() {
    let scene = Scene::start().await;
    let (path, redemption) = scene.redeemed(new("Hello", hi())).await;
    scene.app.platforms.fail_next_at(Platform::Twitch, "redemptions", Failure::ServerError);
    let first = scene.system.post(&path, scene.report(&redemption)).await;
    assert_eq!((&first.expect(200)["outcome"], &first.body["repeat"]), (&json!("fulfilled"), &json!(true)));
    assert_eq!(scene.app.platforms.twitch_redemption(&redemption).as_deref(), Some("UNFULFILLED"));
    let second = scene.system.post(&path, scene.report(&redemption)).await;
    assert_eq!(*second.expect(200), outcome("fulfilled"));
    assert_eq!(scene.app.platforms.twitch_redemption(&redemption).as_deref(), Some("FULFILLED"));
    assert_eq!(scene.sent(), 1);
    scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_returns_the_points_of_a_late_redemption() {
    let scene = Scene::start().await;
    let (path, redemption) = scene.redeemed(new("Hello", hi())).await;
    let mut report = scene.report(&redemption);
    report["redeemed_at"] = json!(rfc3339(scene.app.clock.now() - chrono::Duration::seconds(601)));
    let answer = scene.system.post(&path, report).await;
    assert_eq!(answer.expect(200)["outcome"], "refunded");
    assert_eq!(answer.body["error"], "the redemption is too old");
    assert_eq!(scene.app.platforms.twitch_redemption(&redemption).as_deref(), Some("CANCELED"));
    assert_eq!(scene.sent(), 0);
    scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_waits_for_an_open_call_and_gives_up_a_dead_one() {
    let scene = Scene::start().await;
    let (path, redemption) = scene.redeemed(new("Hello", hi())).await;
    let begun = async |at: chrono::DateTime<chrono::Utc>| {
        let sql = format!(
            "INSERT INTO reward_redemptions (reward_id, account_id, redemption_id, created_at)
             SELECT id, account_id, '{redemption}', $1 FROM rewards
             ON CONFLICT (reward_id, redemption_id) DO UPDATE SET created_at = $1"
        );
        let mut db = scene.app.databases.postgres.get().await.unwrap();
        sql_query(sql).bind::<Timestamptz, _>(at).execute(&mut *db).await.unwrap();
    };
    begun(scene.app.clock.now()).await;
    let waiting = scene.system.post(&path, scene.report(&redemption)).await;
    assert_eq!(*waiting.expect(200), json!({ "outcome": null, "repeat": true, "error": null }));
    begun(scene.app.clock.now() - chrono::Duration::seconds(90)).await;
    let ended = scene.system.post(&path, scene.report(&redemption)).await;
    assert_eq!(*ended.expect(200), outcome("refunded"));
    assert_eq!(scene.sent(), 0);
    scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_skips_a_reward_without_effect() {
    let scene = Scene::start().await;
    let (path, redemption) = scene.redeemed(new("None", json!({}))).await;
    assert_eq!(*scene.system.post(&path, scene.report(&redemption)).await.expect(200), outcome("skipped"));
    assert_eq!(count(&scene.app, "reward_redemptions").await, 0);
    // An account without a connection: the action fails, and there is nothing to return.
    let reward = scene.owner.post(REWARDS, linked("r1", hi())).await.expect(201)["data"].clone();
    let mut db = scene.app.databases.postgres.get().await.unwrap();
    sql_query("DELETE FROM channel_connections").execute(&mut *db).await.unwrap();
    drop(db);
    let failed = scene.system.post(&self::path(&id_of(&reward)), scene.report("x")).await;
    assert_eq!(failed.expect(200)["outcome"], "failed");
    assert_eq!(failed.body["error"], "The account is not connected to twitch");
    assert_eq!(
        found(&scene.app, "SELECT outcome AS text FROM reward_redemptions").await.as_deref(),
        Some("failed")
    );
    scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_refuses_other_callers_accounts_and_texts() {
    let scene = Scene::start().await;
    let (path, redemption) = scene.redeemed(new("Hello", hi())).await;
    let report = scene.report(&redemption);
    scene.owner.post(&path, report.clone()).await.refused("FORBIDDEN", "System key required");
    scene.app.anonymous().post(&path, report.clone()).await.expect(401);
    let with = |field: &str, value: Value| {
        let mut report = scene.report(&redemption);
        report[field] = value;
        report
    };
    for (wrong, message) in [
        (with("redemption_id", json!("")), "redemption_id must be between 1 and 128 characters"),
        (with("redemption_id", json!("x".repeat(129))), "redemption_id must be between 1 and 128 characters"),
        (
            with("platform_user_id", json!("x".repeat(256))),
            "platform_user_id must be between 0 and 255 characters",
        ),
        (with("user_name", json!("x".repeat(256))), "user_name must be between 0 and 255 characters"),
        (with("input", json!("x".repeat(501))), "input must be between 0 and 500 characters"),
        (with("cost", json!(-1)), "cost must not be negative"),
    ] {
        scene.system.post(&path, wrong).await.refused("VALIDATION_ERROR", message);
    }
    let stranger = owner(&scene.app).await;
    let foreign = with("account_id", json!(stranger.account_id));
    scene.system.post(&path, foreign).await.refused("NOT_FOUND", "Reward not found");
    let unknown = self::path(&Uuid::now_v7().to_string());
    scene.system.post(&unknown, report).await.refused("NOT_FOUND", "Reward not found");
    assert_eq!((scene.sent(), count(&scene.app, "reward_redemptions").await), (0, 0));
    scene.app.stop().await;
}
