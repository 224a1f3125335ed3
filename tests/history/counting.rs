//! Lines of chat, counted as they come in (reference/history.md#counts).

use history_model::minutes::{chatter_hash, forget_chatter};
use live_model::{ChatMessage, Emote, Fragment};
use lumio_tests::{
    TestApp,
    world::{connect, connect_to, eventually, messages, workers},
};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform as Channel, kick};
use serde_json::{Value, json};
use shared::platform::Platform;

use crate::stage::{Stage, select};

#[tokio::test]
async fn counting_is_exact_whatever_is_repeated() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.live(0)).await;
    stage.step_at(1).await;
    let lines: Vec<ChatMessage> =
        (0..90).map(|second| stage.line("twitch", &format!("u{}", second % 7), second)).collect();
    assert_eq!(stage.write(&lines[..60]).await, 60);
    // A writer that died before it acknowledged its rows: they are read again, some with others.
    assert_eq!(stage.write(&lines[..60]).await, 0);
    assert_eq!(stage.write(&lines[30..]).await, 30);
    let twice: Vec<ChatMessage> = lines.iter().chain(&lines).cloned().collect();
    assert_eq!(stage.write(&twice).await, 0);
    stage.restart();
    stage.step_at(95).await;
    assert_eq!(
        stage.samples().await,
        [json!([0, "twitch", null, 60, 7, 0]), json!([1, "twitch", null, 30, 7, 0])]
    );
    assert_eq!(stage.sessions().await[0]["messages"], 90);
    // Lines of the same id on another platform are others.
    let other = ChatMessage { platform: "kick".into(), id: shared::id::new(), ..lines[0].clone() };
    assert_eq!(stage.write(&[other]).await, 1);
    stage.step_at(125).await;
    assert_eq!(stage.sessions().await[0]["messages"], 91);
    stage.app.stop().await;
}

#[tokio::test]
async fn counting_is_exact_while_lines_arrive_and_copies_count() {
    let stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.live(0)).await;
    stage.set_clock(1);
    let (mut one, mut other) = (stage.copy(None), stage.copy(None));
    one.step().await.unwrap();
    let lines: Vec<ChatMessage> =
        (0..1200).map(|n| stage.line("twitch", &format!("u{}", n % 50), n % 240)).collect();
    let writing = async |lines: &[ChatMessage]| {
        for batch in lines.chunks(25) {
            stage.write(batch).await;
        }
    };
    let (first, second) = lines.split_at(700);
    let counting = async {
        for second in 1..8 {
            stage.set_clock(second * 60 + 1);
            let (a, b) = futures::join!(one.step(), other.step());
            a.and(b).unwrap();
        }
    };
    futures::join!(writing(first), writing(second), counting);
    stage.set_clock(900);
    one.step().await.unwrap();
    let sums = "SELECT jsonb_build_array(count(*), sum(message_count), max(unique_chatters)) AS row FROM stream_samples";
    let found = select(&stage.app.databases.timescaledb, sums).await;
    assert_eq!(found, [json!([4, 1200, 50])]);
    assert_eq!(stage.sessions().await[0]["messages"], 1200);
    assert_eq!(stage.counted("stream_minute_marks").await, 0);
    stage.app.stop().await;
}

#[tokio::test]
async fn counting_of_an_account_that_stores_no_chat_is_whole_and_holds_no_text() {
    let app = TestApp::start().await;
    let (private, usual) = (app.owner().await, app.owner().await);
    private.patch("/v1/settings", json!({ "privacy": { "store_chat": false } })).await.expect(200);
    let streamer = connect(&app, private.account_id, Channel::Kick, "streamer").await;
    connect_to(&app, usual.account_id, &streamer, None).await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let viewer = app.platforms.create_user(Channel::Kick, "viewer").0;
    let text = "psst https://tenor.com/view/funny-cat-12345?ref=x [emote:4148074:HYPERCLAP] [emote:4148074:HYPERCLAP]";
    let line = kick::Event::chat_message(&streamer, &viewer, text);
    let callback = format!("{}/v1/webhooks/kick", app.url());
    let twice = DeliveryOptions { copies: 2, ..DeliveryOptions::default() };
    app.platforms.deliver_kick_to(&callback, &line, &twice).await;
    eventually("the row is written", async || messages(&app, usual.account_id).await.len() == 1).await;
    assert_eq!(messages(&app, private.account_id).await, Vec::<Value>::new());
    let sql = "SELECT to_jsonb(counted) - 'minute' - 'line' AS row FROM stream_lines counted";
    let rows = select(&app.databases.timescaledb, sql).await;
    let of = |account: uuid::Uuid| {
        let row = rows.iter().find(|row| row["account_id"] == json!(account)).unwrap();
        assert_eq!(row["chatter"], json!(chatter_hash(account, "kick", &viewer.id)));
        (row["platform"].clone(), row["emotes"].clone(), row["gifs"].clone())
    };
    assert_eq!(rows.len(), 2);
    assert_eq!(of(private.account_id), of(usual.account_id));
    assert_eq!(
        of(private.account_id).2,
        json!([{ "id": "12345", "url": "https://tenor.com/view/funny-cat-12345", "provider": "tenor",
            "alt": "funny cat", "count": 1 }])
    );
    assert!(!format!("{rows:?}").contains("psst"));
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn counting_holds_emotes_and_skips_what_is_too_old() {
    let stage = Stage::start().await;
    let kappa = Emote { id: "25".into(), name: "Kappa".into() };
    let parts = vec![Fragment::emote("Kappa", "25"), Fragment::text(" "), Fragment::emote("Kappa", "25")];
    let line = ChatMessage { emotes: vec![kappa], fragments: parts, ..stage.line("twitch", "ada", 0) };
    let hidden = ChatMessage { id: shared::id::new(), platform_message_id: "other".into(), ..line.clone() };
    assert_eq!(stage.write(&[line.clone(), hidden.counted_only(7, "")]).await, 2);
    let emotes = "SELECT emotes AS row FROM stream_lines";
    let expected = json!([{ "id": "25", "name": "Kappa", "provider": "twitch", "count": 2 }]);
    let found = select(&stage.app.databases.timescaledb, emotes).await;
    assert_eq!(found, [expected.clone(), expected]);
    let ensure =
        "SELECT to_jsonb(timeseries_ensure('chat_messages', now() - interval '14 days', now())) AS row";
    select(&stage.app.databases.timescaledb, ensure).await;
    let old = stage.line("twitch", "ada", -9 * 24 * 3600);
    assert_eq!(stage.write(&[old]).await, 1, "it is stored");
    assert_eq!((stage.counted("stream_lines").await, stage.counted("stream_minute_marks").await), (2, 1));
    stage.app.stop().await;
}

#[tokio::test]
async fn counting_forgets_a_chatter_and_stays_whole() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.live(0)).await;
    stage.step_at(1).await;
    let line = |user: &str, second| stage.line("twitch", user, second);
    stage.write(&[line("ada", 10), line("ada", 11), line("bob", 12), line("ada", 70)]).await;
    let (account, now) = (stage.account, stage.at(80));
    let hash = chatter_hash(account, "twitch", "ada");
    let known = format!("stream_lines WHERE chatter = {hash}");
    assert_eq!(stage.counted(&known).await, 3);
    let mut db = stage.app.databases.timescaledb.get().await.unwrap();
    let of_others = forget_chatter(&mut db, "kick", "ada", &[account], now).await.unwrap();
    assert_eq!(of_others.len(), 0, "the same id on another platform is another person");
    let forgotten = forget_chatter(&mut db, "twitch", "ada", &[account], now).await.unwrap();
    assert_eq!(forgotten.iter().map(|one| (one.account_id, one.rows)).collect::<Vec<_>>(), [(account, 3)]);
    assert_eq!(forget_chatter(&mut db, "twitch", "ada", &[account], now).await.unwrap().len(), 0);
    drop(db);
    assert_eq!((stage.counted(&known).await, stage.counted("stream_lines").await), (0, 4));
    stage.step_at(85).await;
    assert_eq!(
        stage.samples().await,
        [json!([0, "twitch", null, 3, 2, 0]), json!([1, "twitch", null, 1, 1, 0])]
    );
    stage.app.stop().await;
}
