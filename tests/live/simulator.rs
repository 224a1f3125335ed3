//! Scenarios of the simulator (reference/events.md#simulator).

use clap::Parser;
use lumio_tests::TestApp;
use serde_json::{Value, json};
use uuid::Uuid;

use lumio_tests::world::{messages, published, stored_events};

/// The arguments behind `lumio-api admin`.
#[derive(Parser)]
struct Console {
    #[command(subcommand)]
    command: lumio_api::cli::AdminCommand,
}

async fn simulate(app: &TestApp, account: Uuid, arguments: &[&str]) -> Result<(), String> {
    let account = account.to_string();
    let arguments = [&["admin", "simulate", "--account", &account], arguments].concat();
    let console = Console::try_parse_from(arguments).map_err(|error| error.to_string())?;
    lumio_api::cli::admin(&app.state, &app.databases, console.command)
        .await
        .map_err(|error| format!("{error:#}"))
}

/// Content of the events, without their ids and times.
fn content(events: &[Value]) -> Vec<Value> {
    events
        .iter()
        .map(|event| {
            let data = &event["data"];
            let mut event_data = data["data"].clone();
            for time in ["followed_at", "subscribed_at", "started_at"] {
                if let Some(value) = event_data.get_mut(time) {
                    *value = Value::Null;
                }
            }
            json!([event["event_type"], data["event_type"], event_data, data["text"], data["username"]])
        })
        .collect()
}

#[tokio::test]
async fn simulator_plays_a_seed_alike_for_every_account_and_only_as_tests() {
    let app = TestApp::start().await;
    let (one, two) = (app.owner().await.account_id, app.owner().await.account_id);
    for account in [one, two] {
        let storm = [
            "--scenario",
            "raid-storm",
            "--platform",
            "kick",
            "--seed",
            "7",
            "--rate",
            "50",
            "--seconds",
            "1",
        ];
        simulate(&app, account, &storm).await.unwrap();
    }
    let of = async |account: Uuid| {
        (
            published(&app, &format!("events:{account}")).await,
            published(&app, &format!("chat:{account}")).await,
        )
    };
    let ((events, chat), (same_events, same_chat)) = (of(one).await, of(two).await);
    assert_eq!(events.len() + chat.len(), 50);
    assert!(events.len() > 10 && chat.len() > 10, "{} and {}", events.len(), chat.len());
    assert_eq!(content(&events), content(&same_events));
    assert_eq!(content(&chat), content(&same_chat));
    assert!(events.iter().any(|event| event["data"]["event_type"] == "kick:raid"));
    assert!(
        events.iter().all(|event| event["event_type"] == "event:test" && event["data"]["is_test"] == true)
    );
    assert!(chat.iter().all(|line| line["event_type"] == "chat:message" && line["data"]["is_test"] == true));
    // Events are in the history as tests; lines of chat are not stored.
    let stored = stored_events(&app, one).await;
    assert!(stored.len() == events.len() && stored.iter().all(|row| row["is_test"] == true));
    assert!(messages(&app, one).await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn simulator_keeps_the_pace_and_plays_any_type() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    let began = std::time::Instant::now();
    simulate(&app, account, &["--event-type", "shopify:order", "--rate", "2", "--seconds", "2"])
        .await
        .unwrap();
    let took = began.elapsed();
    assert!(
        (1.5..10.0).contains(&took.as_secs_f64()),
        "the last of four comes after a second and a half: {took:?}"
    );
    simulate(
        &app,
        account,
        &["--event-type", "custom:dice", "--platform", "trovo", "--rate", "5", "--seconds", "1"],
    )
    .await
    .unwrap();
    let played: Vec<Value> = published(&app, &format!("events:{account}"))
        .await
        .into_iter()
        .map(|event| json!([event["data"]["event_type"], event["data"]["platform"]]))
        .collect();
    assert_eq!(
        played,
        [vec![json!(["shopify:order", "shopify"]); 4], vec![json!(["custom:dice", "trovo"]); 5]].concat()
    );
    app.stop().await;
}

#[tokio::test]
async fn simulator_reports_wrong_arguments_and_plays_nothing() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    for (arguments, message) in [
        (&["--scenario", "flood"][..], "[possible values: raid-storm, gift-bomb, busy-chat, hype]"),
        (&["--scenario", "hype", "--rate", "51"], "51 is not in 1..=50"),
        (&["--scenario", "hype", "--rate", "0"], "0 is not in 1..=50"),
        (&["--scenario", "hype", "--seconds", "601"], "601 is not in 1..=600"),
        (&["--scenario", "hype", "--event-type", "twitch:raid"], "cannot be used with"),
        (&[], "--scenario <SCENARIO>"),
        (
            &["--scenario", "hype", "--platform", "spotify"],
            "platform must be one of twitch, youtube, kick, trovo",
        ),
        (&["--event-type", "twitch:dance"], "Unknown event type: twitch:dance"),
    ] {
        let error = simulate(&app, account, arguments).await.unwrap_err();
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
    let refusal = simulate(&app, Uuid::now_v7(), &["--scenario", "hype"]).await.unwrap_err();
    assert_eq!(refusal, "Account not found");
    assert!(published(&app, &format!("events:{account}")).await.is_empty());
    app.stop().await;
}
