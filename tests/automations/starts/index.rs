//! Cost of lines without automations, and the time until a change is in force.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_enqueue_only_lines_that_an_automation_may_wait_for() {
    let app = TestApp::start().await;
    let stage = Stage::on(app, &[Daemon::Ingest]).await;
    let waiting = async || jobs(&stage.app, StartAutomations::QUEUE).await;
    for text in ["hello", "!hello"] {
        deliver(&stage.app, &twitch::Event::chat_message(&stage.streamer, &stage.viewer, text)).await;
    }
    assert_eq!(waiting().await, 0, "the account has no automation");
    let (automation, _) = stage.automate("chat_command", json!({ "command": "hello" })).await;
    for (text, expected) in [("hello", 0), ("!other", 0), ("!hello", 1)] {
        deliver(&stage.app, &twitch::Event::chat_message(&stage.streamer, &stage.viewer, text)).await;
        assert_eq!(waiting().await, expected, "{text}");
    }
    deliver(&stage.app, &twitch::Event::follow(&stage.streamer, &stage.viewer)).await;
    assert_eq!(waiting().await, 1, "no automation waits for follows");
    // Disabled, and announced.
    stage.run_sql(&format!("UPDATE automations SET enabled = false WHERE id = '{automation}'")).await;
    announce(&stage.app, stage.owner.account_id).await;
    deliver(&stage.app, &twitch::Event::chat_message(&stage.streamer, &stage.viewer, "!hello once more"))
        .await;
    assert_eq!(waiting().await, 1);
    stage.stop().await;
}
