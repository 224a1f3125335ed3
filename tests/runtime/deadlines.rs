//! Commands and moderation respond within 500 ms or not at all (reference/handlers.md#limits-of-a-call).

use platforms_stand_in::Platform;
use serde_json::json;

use super::stage::{Module, Stage};

/// Message of the stopped handler. Without the deadline it would be 5 s of processor time, or 30 s by the clock.
const DEADLINE: &str = "stopped after 500 ms: the time limit";

/// Handlers that do not return in time, without and with a pause after every step.
const LATE: [&str; 2] = ["for (;;) {}", "for (;;) { await null; }"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deadlines_of_moderation_let_a_line_pass() {
    for late in LATE {
        let stage = Stage::start().await;
        let ada = stage.streamer().await;
        let code = format!("export async function look() {{ {late} }}");
        let moderator = stage.install(&ada, Module::of(json!({ "moderate": "look" }), &code)).await;
        stage.install(&ada, Module::answering("hello", "hi")).await;
        stage.say(&ada, "!hello").await;
        assert_eq!(stage.sent(&ada, 1).await, ["hi"], "{late}");
        let errors = stage.errors(&moderator, 1).await;
        assert_eq!(errors, [("TIMEOUT".to_owned(), DEADLINE.to_owned())], "{late}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deadlines_of_moderation_discard_late_actions() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "export async function look() {
        const end = Date.now() + 1500;
        while (Date.now() < end) {}
        return { action: 'delete' };
    }";
    let mut module = Module::of(json!({ "moderate": "look" }), code);
    module.permissions = vec!["chat:read", "chat:delete"];
    let moderator = stage.install(&ada, module).await;
    stage.say(&ada, "rude").await;
    stage.done(1).await;
    let errors = stage.errors(&moderator, 1).await;
    assert_eq!(errors[0].0, "TIMEOUT", "{errors:?}");
    assert!(stage.app.platforms.moderation_actions(Platform::Twitch).is_empty());
    // An action in time is executed.
    let code = "export const look = async () => ({ action: 'delete' })";
    let mut module = Module::of(json!({ "moderate": "look" }), code);
    module.permissions = vec!["chat:read", "chat:delete"];
    let bob = stage.streamer().await;
    stage.install(&bob, module).await;
    let rude = stage.say(&bob, "rude").await;
    stage
        .eventually("it is removed", async || {
            let done = stage.app.platforms.moderation_actions(Platform::Twitch);
            done.iter().any(|action| action.target_id == rude.id.to_string())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deadlines_of_commands_stop_the_handler() {
    for late in LATE {
        let stage = Stage::start().await;
        let ada = stage.streamer().await;
        let code = format!("export async function run() {{ {late} }}");
        let spinner = stage.install(&ada, Module::command("spin", &code)).await;
        stage.say(&ada, "!spin").await;
        let errors = stage.errors(&spinner, 1).await;
        assert_eq!(errors, [("TIMEOUT".to_owned(), DEADLINE.to_owned())], "{late}");
    }
}
