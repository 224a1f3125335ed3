//! Samples by minute and platform (reference/history.md#samples).

use chrono::TimeDelta;
use connection_model::status::Seen;
use diesel_async::AsyncConnection;
use foundation::db::Reader;
use history_model::{minutes, samples::samples};
use lumio_tests::{
    TestApp,
    world::{connect_to, eventually, workers},
};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform as Channel, kick};
use serde_json::{Value, json};
use shared::platform::Platform;

use crate::stage::{Stage, select};

#[tokio::test]
async fn samples_of_viewers_are_taken_once_a_minute_and_their_sums_are_the_figures() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.viewers(0, 100)).await;
    stage.step_at(1).await;
    stage.status(Platform::Kick, stage.viewers(61, 50)).await;
    stage.status(Platform::Twitch, stage.viewers(62, 31)).await;
    stage.step_at(65).await;
    // Later numbers of the same minute, a daemon that was started anew, and another copy.
    stage.status(Platform::Kick, stage.viewers(66, 500)).await;
    stage.step_at(70).await;
    stage.restart();
    stage.step_at(75).await;
    stage.copy(None).step().await.unwrap();
    assert_eq!(
        stage.samples().await,
        [
            json!([0, "twitch", 100, 0, 0, 0]),
            json!([1, "kick", 50, 0, 0, 0]),
            json!([1, "twitch", 31, 0, 0, 0])
        ]
    );
    let session = &stage.sessions().await[0];
    // 100, then 50 and 31 together.
    assert_eq!((&session["peak"], &session["average"]), (&json!(100), &json!(90.5)));
    stage.status(Platform::Twitch, stage.viewers(119, 60)).await;
    stage.status(Platform::Kick, stage.viewers(119, 70)).await;
    stage.step_at(121).await;
    let session = &stage.sessions().await[0];
    assert_eq!((&session["peak"], &session["average"]), (&json!(130), &json!(103.67)));
    let broadcasts =
        "SELECT jsonb_build_array(platform, peak_viewers, avg_viewers) AS row FROM stream_broadcasts
        ORDER BY platform";
    assert_eq!(
        select(&stage.app.databases.postgres, broadcasts).await,
        [json!(["kick", 70, 60]), json!(["twitch", 100, 63.67])]
    );
    stage.app.stop().await;
}

#[tokio::test]
async fn samples_of_viewers_have_gaps_where_the_platform_reported_none() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.viewers(0, 100)).await;
    for minute in 0..6 {
        stage.step_at(minute * 60 + 2).await;
    }
    let of = |minute: i64| json!([minute, "twitch", 100, 0, 0, 0]);
    assert_eq!(stage.samples().await, [of(0), of(1), of(2)], "a number is believed for three minutes");
    stage.status(Platform::Twitch, stage.viewers(358, 90)).await;
    stage.write(&[stage.line("twitch", "ada", 200)]).await;
    stage.step_at(362).await;
    assert_eq!(
        stage.samples().await[3..],
        [json!([3, "twitch", null, 1, 1, 0]), json!([6, "twitch", 90, 0, 0, 0])]
    );
    stage.app.stop().await;
}

#[tokio::test]
async fn samples_survive_steps_of_the_clock() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.viewers(0, 100)).await;
    stage.step_at(1).await;
    // Ahead, and back again: statuses have the times of the moved clock.
    stage.status(Platform::Twitch, stage.viewers(600, 80)).await;
    stage.step_at(601).await;
    stage.step_at(121).await;
    stage.step_at(2).await;
    stage.step_at(602).await;
    stage.status(Platform::Twitch, stage.viewers(660, 70)).await;
    stage.step_at(661).await;
    let of = |minute: i64, viewers: i64| json!([minute, "twitch", viewers, 0, 0, 0]);
    assert_eq!(stage.samples().await, [of(0, 100), of(10, 80), of(11, 70)]);
    assert_eq!(stage.sessions().await[0]["average"], json!(83.33));
    let minutes = "SELECT to_jsonb(viewer_minutes) AS row FROM stream_broadcasts";
    assert_eq!(select(&stage.app.databases.postgres, minutes).await, [json!(3)]);
    stage.app.stop().await;
}

#[tokio::test]
async fn samples_count_lines_chatters_and_followers_of_a_minute() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.viewers(0, 5)).await;
    stage.step_at(1).await;
    let line = |user: &str, second| stage.line("twitch", user, second);
    stage.write(&[line("ada", 10), line("ada", 11), line("bob", 12), line("ada", 60)]).await;
    stage.event("twitch:follower", 13, false).await;
    stage.event("twitch:follower", 14, true).await;
    stage.event("twitch:subscriber", 15, false).await;
    stage.event("custom:thing", 16, false).await;
    stage.step_at(65).await;
    let now = [json!([0, "twitch", 5, 3, 2, 1]), json!([1, "twitch", 5, 1, 1, 0])];
    assert_eq!(stage.samples().await, now);
    let session = &stage.sessions().await[0];
    assert_eq!((&session["messages"], &session["followers"]), (&json!(4), &json!(1)));
    // A process that dies while it counts leaves the marks, and what was counted is not counted twice.
    stage.write(&[stage.line("twitch", "eve", 20)]).await;
    let mut db = stage.app.databases.timescaledb.get().await.unwrap();
    let died = db.transaction(async |db| {
        let taken = minutes::take_marks(db, 100).await?;
        assert_eq!(taken.marks, 1);
        minutes::count(db, &taken.minutes.iter().collect::<Vec<_>>()).await?;
        Err::<(), _>(shared::Error::Internal("killed".into()))
    });
    died.await.unwrap_err();
    drop(db);
    assert_eq!(stage.samples().await, now);
    stage.step_at(125).await;
    assert_eq!(stage.samples().await[0], json!([0, "twitch", 5, 4, 3, 1]));
    assert_eq!(stage.counted("stream_minute_marks").await, 0);
    stage.app.stop().await;
}

#[tokio::test]
async fn samples_of_late_lines_are_counted_for_a_day_and_make_the_report_due() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.live(0)).await;
    stage.status(Platform::Twitch, stage.offline(90)).await;
    stage.write(&[stage.line("twitch", "ada", 10), stage.line("twitch", "ada", 200)]).await;
    stage.step_at(700).await;
    let one = json!([0, "twitch", null, 1, 1, 0]);
    assert_eq!(stage.samples().await, std::slice::from_ref(&one), "the session has two minutes");
    let made = "UPDATE stream_sessions SET report_due_at = NULL, report_made_at = now()";
    stage.change(made).await;
    stage.write(&[stage.line("twitch", "bob", 20)]).await;
    stage.step_at(760).await;
    assert_eq!(stage.samples().await, [json!([0, "twitch", null, 2, 2, 0])]);
    assert_eq!(stage.sessions().await[0]["is_due"], true);
    stage.change(made).await;
    stage.event("twitch:cheer", 30, false).await;
    stage.step_at(820).await;
    assert_eq!(stage.sessions().await[0]["is_due"], true, "late events count too");
    stage.change(made).await;
    stage.write(&[stage.line("twitch", "eve", 25)]).await;
    stage.step_at(90 + 24 * 3600 + 60).await;
    assert_eq!(stage.sessions().await[0]["is_due"], false, "the report is frozen");
    assert_eq!(stage.samples().await, [json!([0, "twitch", null, 2, 2, 0])]);
    stage.app.stop().await;
}

#[tokio::test]
async fn samples_of_a_pause_count_when_the_stream_resumes() {
    let mut stage = Stage::start().await;
    stage.status(Platform::Twitch, stage.live(0)).await;
    stage.status(Platform::Twitch, stage.offline(60)).await;
    stage.write(&[stage.line("twitch", "ada", 130)]).await;
    stage.step_at(190).await;
    assert_eq!(stage.samples().await, Vec::<Value>::new());
    stage.status(Platform::Twitch, stage.live(240)).await;
    stage.step_at(250).await;
    assert_eq!(stage.samples().await, [json!([2, "twitch", null, 1, 1, 0])]);
    stage.app.stop().await;
}

#[tokio::test]
async fn samples_are_read_in_pages_by_time_and_platform() {
    let mut stage = Stage::start().await;
    for minute in 0..3 {
        stage.status(Platform::Twitch, stage.viewers(minute * 60, 10 + minute)).await;
        stage.status(Platform::Kick, stage.viewers(minute * 60, 20 + minute)).await;
        stage.step_at(minute * 60 + 1).await;
    }
    let mut db = stage.app.databases.timescaledb.get().await.unwrap();
    let reader = &mut Reader::of(&mut db);
    let (from, to) = (stage.at(0), stage.at(180));
    let (mut after, mut seen) = (None, Vec::new());
    loop {
        let page = samples(reader, stage.account, from, to, None, after, 4).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.at, last.platform.clone()));
        seen.extend(page.into_iter().map(|sample| (sample.platform, sample.viewer_count)));
    }
    let expected = [("kick", 20), ("twitch", 10), ("kick", 21), ("twitch", 11), ("kick", 22), ("twitch", 12)];
    assert_eq!(seen, expected.map(|(platform, viewers)| (platform.to_owned(), Some(viewers))));
    let kick = samples(reader, stage.account, stage.at(60), to, Some("kick"), None, 10).await.unwrap();
    assert_eq!(kick.iter().map(|sample| sample.viewer_count).collect::<Vec<_>>(), [Some(21), Some(22)]);
    let stranger = samples(reader, shared::id::new(), from, to, None, None, 10).await.unwrap();
    assert!(stranger.is_empty());
    drop(db);
    stage.app.stop().await;
}

#[tokio::test]
async fn samples_go_to_the_public_statistics_of_channels_that_are_not_hidden() {
    let mut stage = Stage::start().await;
    let (twitch, kick) = (channel(&stage, "twitch").await, channel(&stage, "kick").await);
    let mut db = stage.app.databases.postgres.get().await.unwrap();
    stats_model::channels::hide(&mut db, Platform::Kick, &kick, stage.at(0)).await.unwrap();
    drop(db);
    let chess = Seen { category: Some("Chess".into()), ..stage.viewers(0, 9) };
    stage.status(Platform::Twitch, chess).await;
    stage.status(Platform::Kick, stage.viewers(0, 8)).await;
    stage.step_at(1).await;
    stage.write(&[stage.line("twitch", "ada", 10)]).await;
    stage.step_at(61).await;
    let public = "SELECT jsonb_build_array(platform_channel_id, viewer_count, message_count, game_name, weight_secs) AS row
        FROM channel_samples WHERE source = 'first_party' ORDER BY at";
    assert_eq!(
        select(&stage.app.databases.timescaledb, public).await,
        [json!([twitch, 9, 1, "Chess", 60]), json!([twitch, 9, 0, "Chess", 60])]
    );
    let live = "SELECT jsonb_build_array(platform_channel_id, is_live, current_viewers, current_game) AS row
        FROM public_channels WHERE NOT is_hidden";
    assert_eq!(select(&stage.app.databases.postgres, live).await, [json!([twitch, true, 9, "Chess"])]);
    stage.status(Platform::Twitch, stage.offline(70)).await;
    stage.step_at(75).await;
    assert_eq!(select(&stage.app.databases.postgres, live).await[0][1], false);
    stage.app.stop().await;
}

async fn channel(stage: &Stage, platform: &str) -> String {
    let sql = format!(
        "SELECT to_jsonb(platform_channel_id) AS row FROM channel_connections
        WHERE account_id = '{}' AND platform = '{platform}'",
        stage.account
    );
    select(&stage.app.databases.postgres, &sql).await[0].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn samples_are_taken_by_the_daemon() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (streamer, token) = app.platforms.create_user(Channel::Kick, "streamer");
    connect_to(&app, owner.account_id, &streamer, Some(&token)).await;
    let now = app.clock.now();
    let seen = Seen {
        viewer_count: Some(12),
        started_at: Some(now - TimeDelta::minutes(5)),
        ..Seen::new(owner.account_id, connection_model::status::BroadcastState::Live, now)
    };
    let mut db = app.databases.postgres.get().await.unwrap();
    connection_model::status::record(&mut db, Platform::Kick, &[seen]).await.unwrap();
    drop(db);
    let running = workers(&app, &[Daemon::Ingest, Daemon::History]).await;
    let viewer = app.platforms.create_user(Channel::Kick, "viewer").0;
    let line = kick::Event::chat_message(&streamer, &viewer, "hello");
    let callback = format!("{}/v1/webhooks/kick", app.url());
    app.platforms.deliver_kick_to(&callback, &line, &DeliveryOptions::default()).await;
    let of = |what: &str| format!("SELECT to_jsonb(count(*)) AS row FROM {what}");
    let count = async |what: &str| select(&app.databases.timescaledb, &of(what)).await[0].as_i64().unwrap();
    eventually("the line is counted", async || count("stream_lines").await == 1).await;
    eventually("viewers are sampled", async || count("stream_samples WHERE viewer_count = 12").await > 0)
        .await;
    app.clock.advance(TimeDelta::seconds(60));
    eventually("lines are sampled", async || count("stream_samples WHERE message_count = 1").await == 1)
        .await;
    running.stop().await.unwrap();
    app.stop().await;
}
