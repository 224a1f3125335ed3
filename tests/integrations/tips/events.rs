//! Events that tips become.

use lumio_tests::world::{count, eventually, published, stored_events, workers};
use lumio_worker::Daemon;
use platforms_stand_in::stream_elements::{NewToken, TIPS, tip};
use serde_json::{Value, json};

use super::{PATH, QUIET, Stage, held, moderate, owner, store, triggered};

#[tokio::test]
async fn tip_that_arrives_repeatedly_becomes_one_event() {
    let stage = Stage::start().await;
    let running = stage.workers().await;
    stage.receives().await;
    let tip = stage.tip("hello\0");
    assert_eq!(stage.app.platforms.send_stream_elements(&stage.channel, TIPS, &tip, 3), 1);
    moderate(&stage, &tip);
    stage.has_stored(1).await;
    tokio::time::sleep(QUIET).await;
    let stored = stage.has_stored(1).await.remove(0);
    let data = json!({ "user_name": "Styler", "user_id": null, "amount": 420, "currency": "USD",
        "message": "hello\u{fffd}" });
    assert_eq!(stored["data"], data);
    assert_eq!(
        (&stored["event_type"], &stored["platform"]),
        (&json!("streamelements:tip"), &json!("streamelements"))
    );
    assert_eq!((&stored["amount"], &stored["currency"]), (&json!(420), &json!("USD")));
    assert_eq!((&stored["display_name"], &stored["platform_user_id"]), (&json!("Styler"), &Value::Null));
    assert_eq!((&stored["message"], &stored["is_test"]), (&json!("hello\u{fffd}"), &json!(false)));

    let live = published(&stage.app, &format!("events:{}", stage.owner.account_id)).await;
    assert_eq!(live.len(), 1);
    assert_eq!((&live[0]["event_type"], &live[0]["data"]["id"]), (&json!("event:new"), &stored["id"]));
    assert!(!live[0].to_string().contains("tipper@example.com"), "nothing else about the tipper");
    assert_eq!(triggered(&stage.app).await, 1);
    let kept = "webhook_inbox WHERE body::text LIKE '%tipper@example.com%'";
    assert_eq!(count(&stage.app, kept).await, 0);
    stage.end(running).await;
}

#[tokio::test]
async fn tip_has_minor_units_of_its_currency() {
    let stage = Stage::start().await;
    let running = stage.workers().await;
    stage.receives().await;
    let cases = [
        (json!(5), "EUR", json!(500), json!("EUR")),
        (json!("7.5"), "EUR", json!(750), json!("EUR")),
        (json!(500), "JPY", json!(500), json!("JPY")),
        (json!(1.5), "KWD", json!(1500), json!("KWD")),
        (json!(10), "elixir", Value::Null, Value::Null),
        (json!(-1), "USD", Value::Null, json!("USD")),
    ];
    for (number, (amount, currency, minor, name)) in cases.iter().enumerate() {
        let message = format!("tip {number}");
        stage.send(&tip(&stage.channel, "Styler", amount, currency, &message));
        let stored = stage.has_stored(number + 1).await;
        let event = stored.iter().find(|row| row["message"] == message.as_str()).unwrap();
        assert_eq!((&event["amount"], &event["currency"]), (minor, name), "{amount} {currency}");
    }
    stage.end(running).await;
}

#[tokio::test]
async fn tip_that_waits_for_a_moderator_becomes_an_event_when_it_is_released() {
    let stage = Stage::start().await;
    let running = stage.workers().await;
    stage.receives().await;
    let (released, rejected) = (stage.tip("fine"), stage.tip("not fine"));
    for tip in [&released, &rejected] {
        stage.send(&held(tip));
        moderate(&stage, &held(tip));
    }
    let mut refused = rejected.clone();
    refused["approved"] = json!("rejected");
    moderate(&stage, &refused);
    let mut unpaid = stage.tip("unpaid");
    unpaid["status"] = json!("failed");
    stage.send(&unpaid);
    tokio::time::sleep(QUIET).await;
    assert_eq!(stage.stored().await, Vec::<Value>::new());
    moderate(&stage, &released);
    let stored = stage.has_stored(1).await;
    assert_eq!(stored[0]["message"], "fine");
    stage.end(running).await;
}

#[tokio::test]
async fn tip_that_is_emulated_is_a_test_event() {
    let stage = Stage::start().await;
    let running = stage.workers().await;
    stage.receives().await;
    let mut emulated = stage.tip("try");
    emulated["isMock"] = json!(true);
    stage.send(&emulated);
    assert_eq!(stage.has_stored(1).await[0]["is_test"], true);
    let live = published(&stage.app, &format!("events:{}", stage.owner.account_id)).await;
    assert_eq!((live.len(), &live[0]["event_type"]), (1, &json!("event:test")));
    stage.end(running).await;
}

#[tokio::test]
async fn tip_reaches_every_account_with_a_token_of_the_channel_once() {
    let stage = Stage::start().await;
    let (second, other) = (owner(&stage.app).await, owner(&stage.app).await);
    let token = stage.app.platforms.stream_elements_token(&stage.channel, &NewToken::jwt());
    store(&second, "twitch", &token).await;
    // Two platforms of an account with one channel.
    store(&stage.owner, "youtube", &token).await;
    let running = stage.workers().await;
    let subscribed = || stage.app.platforms.change_stream_elements(|gateway| gateway.subscribed);
    eventually("both topics of three tokens on two sockets", async || {
        subscribed() == 6 && stage.connections() == 2
    })
    .await;
    let tip = stage.tip("hello");
    assert_eq!(stage.app.platforms.send_stream_elements(&stage.channel, TIPS, &tip, 1), 2);
    stage.has_stored(1).await;
    let of_second = async || stored_events(&stage.app, second.account_id).await.len();
    eventually("the second account has it", async || of_second().await == 1).await;
    tokio::time::sleep(QUIET).await;
    assert_eq!((stage.stored().await.len(), of_second().await), (1, 1));
    assert!(stored_events(&stage.app, other.account_id).await.is_empty());
    stage.end(running).await;
}

#[tokio::test]
async fn tip_has_no_effect_where_its_type_or_the_token_is_gone() {
    let stage = Stage::start().await;
    let running = stage.workers().await;
    stage.receives().await;
    let key = "event:streamelements:tip";
    stage.app.override_feature(stage.owner.account_id, key, false).await;
    stage.send(&stage.tip("off"));
    eventually("the tip is handled", async || {
        count(&stage.app, "webhook_inbox WHERE handled_at IS NOT NULL").await == 1
    })
    .await;
    stage.app.override_feature(stage.owner.account_id, key, true).await;
    stage.stop(running).await;

    // Without ingest the tip waits in the inbox.
    let running = workers(&stage.app, &[Daemon::Tips]).await;
    stage.receives().await;
    stage.send(&stage.tip("late"));
    eventually("the tip waits", async || count(&stage.app, "webhook_inbox").await == 2).await;
    stage.owner.delete(&format!("{PATH}/{}", stage.token_id)).await.expect(204);
    stage.stop(running).await;
    let running = stage.workers().await;
    eventually("the tip is handled", async || {
        count(&stage.app, "webhook_inbox WHERE handled_at IS NOT NULL").await == 2
    })
    .await;
    assert!(stage.stored().await.is_empty());
    stage.end(running).await;
}

#[tokio::test]
async fn tip_and_token_of_a_dissolved_account_leave_no_row_or_key() {
    let stage = Stage::start().await;
    let daemons = [Daemon::Ingest, Daemon::Tips, Daemon::Outbox, Daemon::Housekeeping];
    let running = workers(&stage.app, &daemons).await;
    stage.receives().await;
    stage.send(&stage.tip("hello"));
    stage.has_stored(1).await;
    let account = stage.owner.account_id;
    let dissolve = json!({ "confirm_name": "Test account" });
    stage.owner.post(&format!("/v1/accounts/{account}/dissolve"), dissolve).await.expect(200);
    eventually("the socket is closed", async || stage.connections() == 0).await;
    let lease = stage.app.state.redis.key(format_args!("tips:{account}"));
    eventually("nothing is left", async || {
        let mut redis = stage.app.state.redis.get().await.unwrap();
        let held: bool = redis::cmd("EXISTS").arg(&lease).query_async(&mut *redis).await.unwrap();
        let inbox = "webhook_inbox WHERE body <> '{}'";
        !held
            && count(&stage.app, "se_tokens").await == 0
            && count(&stage.app, inbox).await == 0
            && stage.stored().await.is_empty()
    })
    .await;
    stage.end(running).await;
}
