//! Internal operation of actions with platform credentials (reference/automations.md#actions-of-the-api).

use lumio_tests::{Caller, world::connect};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::id;

use super::{Scene, make_run, make_step};

const PATH: &str = "/v1/internal/automation-actions";

struct Internal {
    scene: Scene,
    system: Caller,
}

impl Internal {
    async fn start() -> Self {
        let scene = Scene::start().await;
        connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
        let system = scene.app.system_key().await;
        make_step(&scene.app, &scene.run, 7).await;
        Self { scene, system }
    }

    fn body(&self, position: i32) -> Value {
        let run = self.scene.run;
        json!({
            "account_id": run.account_id, "automation_id": run.automation_id, "run_id": run.run_id,
            "position": position, "action": "send_chat", "arguments": { "message": "once" },
        })
    }

    fn sent(&self) -> usize {
        self.scene.app.platforms.sent_messages(Platform::Twitch).len()
    }
}

#[tokio::test]
async fn internal_run_automation_action_runs_once_and_returns_the_first_outcome_again() {
    let internal = Internal::start().await;
    let calls = (0..6).map(|_| internal.system.post(PATH, internal.body(7)));
    let answers = futures::future::join_all(calls).await;
    let first = answers[0].expect(200);
    assert_eq!(first["ok"], true, "{first}");
    assert!(answers.iter().all(|answer| answer.expect(200) == first));
    assert_eq!(internal.sent(), 1);
    internal.scene.app.stop().await;
}

#[tokio::test]
async fn internal_run_automation_action_never_repeats_a_call_with_an_unknown_outcome() {
    let internal = Internal::start().await;
    let now = internal.scene.app.clock.now().to_rfc3339();
    internal
        .scene
        .alter(&format!("UPDATE automation_steps SET claimed_at = '{now}' WHERE position = 7"))
        .await;
    for minutes in [0, 2] {
        internal.scene.app.clock.advance(chrono::Duration::minutes(minutes));
        let answer = internal.system.post(PATH, internal.body(7)).await;
        let answer = answer.expect(200);
        assert_eq!((&answer["ok"], &answer["unknown"]), (&json!(false), &json!(true)), "{answer}");
    }
    assert_eq!(internal.sent(), 0);
    internal.scene.app.stop().await;
}

#[tokio::test]
async fn internal_run_automation_action_is_for_system_keys() {
    let internal = Internal::start().await;
    let owner = internal.scene.owner.post(PATH, internal.body(7)).await;
    owner.expect(403);
    internal.scene.app.anonymous().post(PATH, internal.body(7)).await.expect(401);
    assert_eq!(internal.sent(), 0);
    internal.scene.app.stop().await;
}

#[tokio::test]
async fn internal_run_automation_action_refuses_foreign_and_ended_steps() {
    let internal = Internal::start().await;
    let other = internal.scene.app.owner().await;
    let foreign = make_run(&internal.scene.app, other.account_id).await;
    make_step(&internal.scene.app, &foreign, 1).await;
    let with = |key: &str, value: Value| {
        let mut body = internal.body(7);
        body[key] = value;
        body
    };
    for body in [
        internal.body(8),
        with("account_id", json!(other.account_id)),
        with("automation_id", json!(foreign.automation_id)),
        with("run_id", json!(foreign.run_id)),
        with("run_id", json!(id::new())),
    ] {
        let answer = internal.system.post(PATH, body).await;
        answer.refused("NOT_FOUND", "Automation step not found");
    }
    let unknown = internal.system.post(PATH, with("action", json!("dance"))).await;
    assert!(unknown.error().1.starts_with("action must be one of send_chat"), "{unknown:?}");
    let malformed = internal.system.post(PATH, with("arguments", json!({ "message": 7 }))).await;
    malformed.refused_with("VALIDATION_ERROR");
    internal.scene.alter("UPDATE automation_steps SET status = 'cancelled' WHERE position = 7").await;
    let ended = internal.system.post(PATH, internal.body(7)).await;
    ended.refused("CONFLICT", "The automation step has ended");
    assert_eq!(internal.sent(), 0);
    internal.scene.app.stop().await;
}
