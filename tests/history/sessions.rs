//! Sessions, made of the live states of channels (reference/history.md#sessions).

use chrono::TimeDelta;
use connection_model::status::{self, BroadcastState, Seen};
use foundation::jobs::{DeleteSamples, Job};
use history_model::{
    sessions::{MAX_SESSION, apply, delete, delete_samples},
    transitions,
};
use lumio_tests::world::connect;
use platforms_stand_in as stand_in;
use serde_json::{Value, json};
use shared::{config::Config, platform::Platform};

use crate::stage::{Stage, select};

/// Start, end and kind.
fn shape(sessions: &[Value]) -> Vec<Value> {
    sessions.iter().map(|session| json!([session["from"], session["to"], session["type"]])).collect()
}

#[tokio::test]
async fn session_opens_with_the_first_broadcast_and_closes_ten_minutes_after_the_last() {
    let mut stage = Stage::start().await;
    let titled = |title: &str, category: &str, second| Seen {
        stream_title: Some(title.into()),
        category: Some(category.into()),
        ..stage.live(second)
    };
    let (first, second) = (titled("Late show", "Chess", 5), titled("Later show", "Go", 65));
    stage.status(Platform::Twitch, first).await;
    stage.step_at(10).await;
    let open = &stage.sessions().await[0];
    assert_eq!((&open["from"], &open["to"], &open["is_due"]), (&json!(5), &Value::Null, &json!(false)));
    assert_eq!((&open["title"], &open["category"]), (&json!("Late show"), &json!("Chess")));
    stage.status(Platform::Twitch, second).await;
    // An older report, and an equal one, are no transitions.
    stage.status(Platform::Twitch, stage.offline(60)).await;
    stage.status(Platform::Twitch, stage.live(70)).await;
    stage.status(Platform::Twitch, stage.offline(300)).await;
    stage.step_at(840).await;
    assert_eq!(shape(&stage.sessions().await), [json!([5, null, "single"])], "it may resume");
    stage.step_at(900).await;
    let closed = stage.sessions().await;
    assert_eq!(shape(&closed), [json!([5, 300, "single"])]);
    assert_eq!((&closed[0]["secs"], &closed[0]["is_due"]), (&json!(295), &json!(true)));
    assert_eq!(
        (&closed[0]["title"], &closed[0]["categories"]),
        (&json!("Later show"), &json!(["Chess", "Go"]))
    );
    let changes =
        "SELECT jsonb_build_array(kind, value, is_first) AS row FROM stream_changes ORDER BY at, id";
    assert_eq!(
        select(&stage.app.databases.postgres, changes).await,
        [
            json!(["title", "Late show", true]),
            json!(["category", "Chess", true]),
            json!(["title", "Later show", false]),
            json!(["category", "Go", false])
        ]
    );
    assert_eq!(stage.change("DELETE FROM stream_transitions").await, 0, "every transition was applied");
    // A stream after that is another session.
    stage.status(Platform::Twitch, stage.live(901)).await;
    stage.step_at(905).await;
    assert_eq!(shape(&stage.sessions().await), [json!([5, 300, "single"]), json!([901, null, "single"])]);
    stage.app.stop().await;
}

#[tokio::test]
async fn session_is_multi_when_platforms_overlap_and_single_in_succession() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.live(0)).await;
    stage.status(Platform::Twitch, stage.offline(100)).await;
    stage.status(Platform::Kick, stage.live(110)).await;
    stage.step_at(120).await;
    let open = &stage.sessions().await[0];
    assert_eq!((&open["type"], &open["platforms"]), (&json!("single"), &json!(["kick", "twitch"])));
    stage.status(Platform::Kick, stage.offline(200)).await;
    stage.step_at(800).await;
    assert_eq!(shape(&stage.sessions().await), [json!([0, 200, "single"])]);

    stage.status(Platform::Twitch, stage.live(1000)).await;
    stage.status(Platform::Kick, stage.live(1010)).await;
    stage.status(Platform::Twitch, stage.offline(1100)).await;
    stage.status(Platform::Kick, stage.offline(1200)).await;
    stage.step_at(1800).await;
    assert_eq!(shape(&stage.sessions().await)[1], json!([1000, 1200, "multi"]));
    let broadcasts =
        "SELECT jsonb_build_array(platform, broadcast_id = id::text, ended_at IS NOT NULL) AS row
        FROM stream_broadcasts ORDER BY started_at";
    let expected = ["twitch", "kick", "twitch", "kick"].map(|platform| json!([platform, true, true]));
    assert_eq!(select(&stage.app.databases.postgres, broadcasts).await, expected);
    stage.app.stop().await;
}

#[tokio::test]
async fn session_close_time_is_a_setting_within_bounds() {
    for (secs, is_valid) in [("9", false), ("10", true), ("3600", true), ("3601", false)] {
        let read = Config::from_variables([("LUMIO_SESSION_CLOSE_SECS".to_owned(), secs.to_owned())]);
        assert_eq!(read.is_ok(), is_valid, "{secs}");
    }
    let stage = Stage::start().await;
    let (mut short, mut long) = (stage.copy(Some(10)), stage.copy(Some(3600)));
    stage.status(Platform::Twitch, stage.live(0)).await;
    stage.status(Platform::Twitch, stage.offline(20)).await;
    stage.set_clock(3500);
    long.step().await.unwrap();
    assert_eq!(shape(&stage.sessions().await), [json!([0, null, "single"])]);
    stage.set_clock(3620);
    long.step().await.unwrap();
    stage.status(Platform::Twitch, stage.live(4000)).await;
    stage.status(Platform::Twitch, stage.offline(4020)).await;
    stage.set_clock(4021);
    short.step().await.unwrap();
    assert_eq!(shape(&stage.sessions().await), [json!([0, 20, "single"]), json!([4000, null, "single"])]);
    stage.set_clock(4030);
    short.step().await.unwrap();
    assert_eq!(shape(&stage.sessions().await)[1], json!([4000, 4020, "single"]));
    stage.app.stop().await;
}

#[tokio::test]
async fn session_of_a_stream_that_began_unseen_has_its_start_and_its_lines() {
    let mut stage = Stage::start().await;
    // Lines of streams that nothing is known of yet.
    stage.write(&[stage.line("twitch", "ada", 30), stage.line("twitch", "ada", 90)]).await;
    stage.event("twitch:follower", 95, false).await;
    stage.step_at(130).await;
    assert_eq!(stage.counted("stream_minute_marks").await, 0);
    assert_eq!(stage.samples().await, Vec::<Value>::new(), "only sessions have samples");
    let seen = Seen { started_at: Some(stage.at(20)), ..stage.viewers(140, 7) };
    stage.status(Platform::Twitch, seen).await;
    stage.step_at(145).await;
    assert_eq!(shape(&stage.sessions().await), [json!([20, null, "single"])]);
    stage.step_at(190).await;
    assert_eq!(
        stage.samples().await,
        [
            json!([0, "twitch", null, 1, 1, 0]),
            json!([1, "twitch", null, 1, 1, 1]),
            json!([3, "twitch", 7, 0, 0, 0])
        ],
        "viewers that nothing reported are a gap"
    );
    // A broadcast that starts anew without an end.
    let anew = Seen { started_at: Some(stage.at(200)), ..stage.live(260) };
    stage.status(Platform::Twitch, anew).await;
    stage.step_at(265).await;
    let spans =
        "SELECT jsonb_build_array(ended_at IS NULL) AS row FROM stream_broadcasts ORDER BY started_at";
    assert_eq!(select(&stage.app.databases.postgres, spans).await, [json!([false]), json!([true])]);
    assert_eq!(stage.sessions().await.len(), 1);
    stage.app.stop().await;
}

#[tokio::test]
async fn session_follows_the_status_when_the_journal_has_missed_something() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.live(0)).await;
    // As a stream from before the journal.
    assert_eq!(stage.change("DELETE FROM stream_transitions").await, 1);
    stage.step_at(65).await;
    assert_eq!(shape(&stage.sessions().await), [json!([0, null, "single"])]);
    // A connection that ends takes its status along.
    assert_eq!(stage.change("DELETE FROM channel_connections WHERE platform = 'twitch'").await, 1);
    stage.step_at(125).await;
    stage.step_at(900).await;
    let closed = stage.sessions().await;
    assert_eq!(shape(&closed)[0][2], "single");
    assert!((125..300).contains(&closed[0]["to"].as_i64().unwrap()), "{closed:?}");
    stage.app.stop().await;
}

#[tokio::test]
async fn sessions_of_broadcasts_with_ids_end_with_the_last_of_them() {
    let mut stage = Stage::start().await;
    connect(&stage.app, stage.account, stand_in::Platform::Youtube, "streamer").await;
    let seen = |id: &str, second| Seen {
        broadcast_id: Some(id.to_owned()),
        viewer_count: Some(10),
        ..Seen::new(stage.account, BroadcastState::Live, stage.at(second))
    };
    let both = [seen("a", 0), seen("b", 1)];
    let mut db = stage.app.databases.postgres.get().await.unwrap();
    status::record(&mut db, Platform::Youtube, &both).await.unwrap();
    drop(db);
    stage.step_at(5).await;
    assert_eq!(stage.samples().await, [json!([0, "youtube", 20, 0, 0, 0])]);
    for (left, second) in [("b", 30), ("none", 40)] {
        let mut db = stage.app.databases.postgres.get().await.unwrap();
        let (account, now) = (stage.account, stage.at(second));
        status::forget(&mut db, Platform::Youtube, account, &[left.to_owned()], now).await.unwrap();
    }
    stage.step_at(45).await;
    let ends =
        "SELECT jsonb_build_array(broadcast_id, peak_viewers, avg_viewers, ended_at IS NOT NULL) AS row
        FROM stream_broadcasts ORDER BY broadcast_id";
    let expected = ["a", "b"].map(|id| json!([id, 10, 10, true]));
    assert_eq!(select(&stage.app.databases.postgres, ends).await, expected);
    stage.step_at(700).await;
    assert_eq!(shape(&stage.sessions().await), [json!([0, 40, "single"])]);
    stage.app.stop().await;
}

#[tokio::test]
async fn session_is_divided_after_seven_days_and_shares_no_minute() {
    let mut stage = Stage::start().await;
    let week = MAX_SESSION.num_seconds();
    let began = Seen { started_at: Some(stage.at(90 - week)), ..stage.live(0) };
    stage.status(Platform::Twitch, began).await;
    stage.step_at(30).await;
    assert_eq!(stage.sessions().await.len(), 1);
    stage.step_at(61).await;
    let sessions = stage.sessions().await;
    assert_eq!(shape(&sessions), [json!([90 - week, 60, "single"]), json!([60, null, "single"])]);
    let minutes = "SELECT to_jsonb(count(*)) AS row FROM stream_sessions one
        JOIN stream_sessions other ON other.minutes_from = one.minutes_to";
    assert_eq!(select(&stage.app.databases.postgres, minutes).await, [json!(1)]);
    stage.app.stop().await;
}

#[tokio::test]
async fn sessions_are_made_once_by_concurrent_copies() {
    let stage = Stage::start().await;
    let mut accounts = vec![stage.account];
    for number in 0..5 {
        let account = stage.app.owner().await.account_id;
        connect(&stage.app, account, stand_in::Platform::Twitch, &format!("streamer{number}")).await;
        accounts.push(account);
    }
    for second in 0..4 {
        let state = |account| Seen::new(account, BroadcastState::Live, stage.at(second));
        let seen: Vec<Seen> = accounts
            .iter()
            .map(|account| Seen { stream_title: Some(format!("Title {second}")), ..state(*account) })
            .collect();
        let mut db = stage.app.databases.postgres.get().await.unwrap();
        status::record(&mut db, Platform::Twitch, &seen).await.unwrap();
    }
    stage.set_clock(10);
    let (mut one, mut other) = (stage.copy(None), stage.copy(None));
    let (first, second) = futures::join!(one.step(), other.step());
    first.and(second).unwrap();
    // Accounts that one copy had locked are done by now.
    let sql = "SELECT jsonb_build_array(count(*), (SELECT count(*) FROM stream_changes),
        (SELECT count(*) FROM stream_transitions)) AS row FROM stream_sessions WHERE ended_at IS NULL";
    let expected = json!([accounts.len(), accounts.len() * 4, 0]);
    assert_eq!(select(&stage.app.databases.postgres, sql).await, [expected]);
    stage.app.stop().await;
}

#[tokio::test]
async fn sessions_lose_no_transition_when_a_transaction_fails() {
    let stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.live(0)).await;
    stage.set_clock(5);
    let mut db = stage.app.databases.postgres.get().await.unwrap();
    // A process that dies takes its transaction along.
    stage.change("ALTER TABLE stream_changes RENAME TO gone").await;
    stage.status(Platform::Twitch, Seen { stream_title: Some("Title".into()), ..stage.live(1) }).await;
    let close = TimeDelta::seconds(600);
    assert!(apply(&mut db, stage.account, close, stage.at(5)).await.is_err());
    assert_eq!(transitions::waiting_accounts(&mut db, 10).await.unwrap(), [stage.account]);
    stage.change("ALTER TABLE gone RENAME TO stream_changes").await;
    let applied = apply(&mut db, stage.account, close, stage.at(5)).await.unwrap().unwrap();
    assert_eq!((applied.transitions, applied.opened, applied.closed), (2, 1, 0));
    drop(db);
    stage.app.stop().await;
}

#[tokio::test]
async fn sessions_are_deleted_with_their_samples_and_nothing_else() {
    let mut stage = Stage::start().await;
    for start in [0, 2000] {
        stage.status(Platform::Twitch, stage.viewers(start, 5)).await;
        stage.step_at(start + 1).await;
        // A minute is sampled before the platform reports an end that lies before it.
        stage.step_at(start + 61).await;
        stage.status(Platform::Twitch, stage.offline(start + 10)).await;
        stage.step_at(start + 620).await;
    }
    stage.status(Platform::Twitch, stage.viewers(4000, 5)).await;
    stage.step_at(4001).await;
    let sessions = stage.sessions().await;
    assert_eq!((sessions.len(), stage.samples().await.len()), (3, 5));
    let id = |index: usize| sessions[index]["id"].as_str().unwrap().parse().unwrap();
    let databases = &stage.app.databases;
    let mut postgres = databases.postgres.get().await.unwrap();
    let mut timeseries = databases.timescaledb.get().await.unwrap();
    let stranger = shared::id::new();
    assert!(!delete(&mut postgres, stranger, id(0)).await.unwrap());
    assert!(!delete(&mut postgres, stage.account, id(2)).await.unwrap(), "it is open");
    assert!(delete(&mut postgres, stage.account, id(0)).await.unwrap());
    assert!(!delete(&mut postgres, stage.account, id(0)).await.unwrap());
    let jobs =
        format!("SELECT payload AS row FROM outbox WHERE queue = '{}' ORDER BY id", DeleteSamples::QUEUE);
    let jobs = select(&databases.postgres, &jobs).await;
    assert_eq!(jobs.len(), 3, "two ends and the deletion: {jobs:?}");
    for job in jobs {
        let job: DeleteSamples = serde_json::from_value(job).unwrap();
        for samples in [1, 0] {
            assert_eq!(
                delete_samples(&mut postgres, &mut timeseries, &job).await.unwrap(),
                samples,
                "{job:?}"
            );
        }
    }
    drop((postgres, timeseries));
    assert_eq!((stage.sessions().await.len(), stage.samples().await.len()), (2, 2));
    stage.app.stop().await;
}
