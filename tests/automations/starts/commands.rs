//! Starts by bot commands with the response type `automation`.

use super::*;

impl Stage {
    async fn command(&self, name: &str, automation: Uuid) -> Uuid {
        let new = json!({ "name": name, "response_type": "automation", "automation_id": automation });
        let created = self.owner.post("/v1/bot-commands", new).await;
        created.expect(201)["data"]["id"].as_str().expect("an id").parse().expect("a UUID")
    }

    /// Reports a line that is the command.
    async fn reply(&self, command: Uuid, automation: Uuid, platform: &str) -> Value {
        let system = self.app.system_key().await;
        let reply = json!({
            "account_id": self.owner.account_id, "event_id": id::new(), "platform": platform,
            "message_id": "m1", "user_id": "u1", "user_name": "Ada", "arguments": "two words",
            "response_type": "automation", "response": "", "automation_id": automation, "use_count": 1,
            "expires_at": null,
        });
        let path = format!("/v1/internal/bot-commands/{command}/replies");
        system.post(&path, reply).await.expect(200).clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn internal_reply_to_command_starts_at_the_trigger_of_the_command() {
    let stage = Stage::on(TestApp::start().await, &[Daemon::Outbox]).await;
    let config = json!({ "command": "go", "platforms": ["twitch"] });
    let (automation, node) = stage.automate("bot_command", config).await;
    let command = stage.command("go", automation).await;
    let started = stage.reply(command, automation, "twitch").await;
    assert_eq!((&started["ok"], &started["result"]["status"]), (&json!(true), &json!("queued")));
    let found = stage.runs().await;
    assert_eq!((found.len(), &found[0].trigger["node_id"]), (1, &json!(node)));
    assert_eq!(found[0].trigger["type"], "bot_command");
    let payload = &found[0].trigger["payload"];
    assert_eq!(
        (&payload["command"], &payload["arguments"], &payload["user"]["platform_user_id"]),
        (&json!("go"), &json!("two words"), &json!("u1"))
    );

    // Another platform, and another command of the same automation.
    let elsewhere = stage.reply(command, automation, "kick").await;
    assert_eq!(elsewhere["error"], "the automation of the command has no trigger for it");
    let other = stage.command("stop", automation).await;
    let refused = stage.reply(other, automation, "twitch").await;
    assert_eq!(refused["error"], "the automation of the command has no trigger for it");
    // A manual trigger takes every command.
    let (manual, node) = stage.automate("manual", json!({})).await;
    let run = stage.command("run", manual).await;
    assert_eq!(stage.reply(run, manual, "kick").await["ok"], true);
    assert_eq!(stage.runs().await.last().expect("a run").trigger["node_id"], json!(node));
    stage.stop().await;
}
