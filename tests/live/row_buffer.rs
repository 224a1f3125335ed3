//! Rows on the way to the time-series tables.

use foundation::events::{Removal, RemovalAction};
use live_model::{Bound, ChatMessage, Removals, RowBuffer};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use shared::id;
use uuid::Uuid;

use lumio_tests::world::{eventually, messages, rows, workers};

#[tokio::test]
async fn row_buffer_sheds_the_newest_rows_beyond_its_bound() {
    let app = TestApp::start().await;
    let buffer =
        RowBuffer::<ChatMessage>::bounded(app.state.redis.clone(), Bound { rows: 3, bytes: usize::MAX });
    let account = id::new();
    let lines: Vec<ChatMessage> = (0..5).map(|index| message(&app, account, &index.to_string())).collect();
    let pushed = buffer.push(&lines).await.unwrap();
    assert_eq!((pushed.kept, pushed.shed), (3, 2));
    assert_eq!(buffer.push(&lines[..1]).await.unwrap().shed, 1);
    assert_eq!(buffer.backlog().await.unwrap(), 3);
    app.stop().await;
}

#[tokio::test]
async fn row_buffer_sheds_rows_beyond_its_bytes() {
    let app = TestApp::start().await;
    let bound = Bound { rows: 100_000, bytes: 4_000_000 };
    let buffer = RowBuffer::<ChatMessage>::bounded(app.state.redis.clone(), bound);
    let account = id::new();
    let large =
        |index: usize| ChatMessage { text: "x".repeat(4000), ..message(&app, account, &index.to_string()) };
    // Pushed together: they count together.
    let lines: Vec<ChatMessage> = (0..1100).map(large).collect();
    let pushed = buffer.push(&lines).await.unwrap();
    assert!(pushed.shed > 100 && pushed.kept > 800, "{pushed:?}");
    assert_eq!(buffer.backlog().await.unwrap(), pushed.kept as u64);
    // One after the other.
    for lines in lines.chunks(100) {
        buffer.push(lines).await.unwrap();
    }
    let waiting = buffer.backlog().await.unwrap();
    assert!((1000..=1100).contains(&waiting), "{waiting}");
    assert_eq!(buffer.push(&lines[..1]).await.unwrap().shed, 1);
    app.stop().await;
}

#[tokio::test]
async fn row_buffer_skips_a_row_that_the_database_refuses() {
    let app = TestApp::start().await;
    let account = id::new();
    let buffer = RowBuffer::<ChatMessage>::new(app.state.redis.clone());
    let mut lines: Vec<ChatMessage> =
        (0..40).map(|index| message(&app, account, &index.to_string())).collect();
    // There is no partition for that time.
    lines[17].sent_at = "1990-01-01T00:00:00Z".parse().unwrap();
    buffer.push(&lines).await.unwrap();
    let running = workers(&app, &[Daemon::Ingest]).await;
    eventually("the others are written", async || messages(&app, account).await.len() == 39).await;
    eventually("nothing waits", async || buffer.backlog().await.unwrap() == 0).await;
    let metrics = app.anonymous().at(format!("http://{}", running.metrics_address)).get("/metrics").await;
    let refused = metrics.text.lines().find(|line| {
        let counts = ["lumio_ingest_rows_total", r#"outcome="refused""#, r#"table="chat_messages""#];
        counts.iter().all(|part| line.contains(part))
    });
    assert!(refused.is_some_and(|line| line.ends_with(" 1")), "{refused:?}");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn row_buffer_writes_messages_removed_before_as_removed() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    let now = app.clock.now();
    let message_of = |id: &str, user: &str, after: i64| ChatMessage {
        platform_user_id: user.to_owned(),
        sent_at: now + chrono::Duration::seconds(after),
        ..message(&app, account, id)
    };
    let waiting = [
        message_of("m1", "spammer", 0),
        message_of("m2", "other", 0),
        message_of("m3", "spammer", 10),
        message_of("m4", "other", 0),
    ];
    RowBuffer::new(app.state.redis.clone()).push(&waiting).await.unwrap();
    let everything = Removal::User {
        platform_user_id: "spammer".to_owned(),
        action: RemovalAction::Timeout,
        duration_secs: Some(5),
        moderator_platform_user_id: None,
        moderator_user_id: None,
    };
    let one = Removal::Message { message_id: "m4".to_owned() };
    for removal in [everything, one] {
        Removals::new(app.state.redis.clone())
            .note(account, &waiting[0].platform, &removal, now)
            .await
            .unwrap();
    }
    let running = workers(&app, &[Daemon::Ingest]).await;
    eventually("they are written", async || rows(&app).await == 4).await;
    let removed = async || {
        let all = messages(&app, account).await;
        let mut ids: Vec<String> = all
            .iter()
            .filter(|row| row["is_deleted"] == true)
            .map(|row| row["platform_message_id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    };
    eventually("two of them are removed", async || removed().await == ["m1", "m4"]).await;
    running.stop().await.unwrap();
    app.stop().await;
}

fn message(app: &TestApp, account_id: Uuid, platform_message_id: &str) -> ChatMessage {
    ChatMessage {
        id: id::new(),
        account_id,
        platform: "twitch".into(),
        platform_message_id: platform_message_id.into(),
        platform_user_id: "1".into(),
        username: "viewer".into(),
        display_name: "Viewer".into(),
        color: None,
        badges: Vec::new(),
        text: "hello".into(),
        fragments: Vec::new(),
        emotes: Vec::new(),
        reply_to: None,
        is_deleted: false,
        is_action: false,
        sent_at: app.clock.now(),
        forgets_user: false,
        counted_as: None,
    }
}
