//! Kept answers of the public reads (reference/public-stats.md#answers).

use connections::oauth::{NewChannel, connect_manually};
use lumio_tests::{Caller, Statements, TestApp, eventually};
use reqwest::Method;
use serde_json::json;
use shared::platform::Platform;

use super::{
    channels::{everywhere, plant, reads},
    passes::{self, count, execute},
    settings::{connect, set},
};

const CHANNEL: &str = "/v1/public-stats/channels/twitch/100";

/// Number of messages of the channel, as a server shows it.
async fn messages(caller: &Caller) -> i64 {
    caller.get(CHANNEL).await.data()["total_messages"].as_i64().expect("a number")
}

/// Waits until a server keeps answers: announcements of changes reach it.
async fn is_kept(app: &TestApp, caller: &Caller) {
    eventually("answers are kept", async || {
        let before = messages(caller).await;
        plant(app, "UPDATE public_channel_days SET message_count = message_count + 1 WHERE day = $DAY").await;
        messages(caller).await == before
    })
    .await;
}

#[tokio::test]
async fn public_channel_stats_and_other_answers_have_a_tag_and_are_revalidated() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let anonymous = app.anonymous();
    for (name, path, _) in reads("100") {
        let first = anonymous.get(&path).await;
        first.expect(200);
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.ends_with('"'), "{name}: {tag}");
        assert_eq!(first.header("cache-control"), "no-cache", "{name}");
        for (known, status) in
            [(tag.as_str(), 304), (format!("\"x\", W/{tag}").as_str(), 304), ("\"x\"", 200)]
        {
            let request = anonymous.request(Method::GET, &path).header("if-none-match", known);
            let again = anonymous.send(request).await;
            assert_eq!((again.status, again.header("etag")), (status, tag.as_str()), "{name}: {known}");
            assert_eq!(again.header("cache-control"), "no-cache", "{name}");
            assert_eq!(again.text.is_empty(), status == 304, "{name}");
        }
    }
    let (one, two) = (
        anonymous.get("/v1/public-stats/games").await,
        anonymous.get("/v1/public-stats/games?limit=1").await,
    );
    assert_ne!(one.header("etag"), two.header("etag"));
    let refused = anonymous.get("/v1/public-stats/channels/twitch/not_known").await;
    assert_eq!((refused.status, refused.header("etag")), (404, ""));
    app.stop().await;
}

#[tokio::test]
async fn update_public_stats_channel_drops_kept_answers_of_every_process() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, "twitch", "100").await;
    let (_second_state, second_server) = app.second_server().await;
    let here = app.anonymous();
    let there = here.at(format!("http://{}", second_server.address));
    for caller in [&here, &there] {
        is_kept(&app, caller).await;
        for (_, path, _) in reads("100") {
            caller.get(&path).await.expect(200);
        }
    }
    let document = "{ publicChannelStats(platform: \"twitch\", channel: \"100\") { totalMessages } }";
    let (rest, graphql) = (messages(&here).await, here.graphql(document, json!({})).await);
    assert_eq!(graphql.field("publicChannelStats")["total_messages"], rest, "both protocols share an answer");
    // What is not there is not kept.
    let later = "/v1/public-stats/channels/twitch/later";
    assert_eq!(here.get(later).await.status, 404);
    plant(
        &app,
        "INSERT INTO public_channels (platform, platform_channel_id, source, first_seen_at)
         VALUES ('twitch', 'later', 'external_crawler', $NOW)",
    )
    .await;
    here.get(later).await.expect(200);

    set(&owner, false, false).await;
    for (name, path, _) in reads("100") {
        let is_list = ["publicStatsBrowse", "publicStatsGames", "publicStatsGame"].contains(&name);
        let hidden = async |caller: &Caller| {
            let answer = caller.get(&path).await;
            if is_list { !answer.text.contains("Name 100") } else { answer.status == 404 }
        };
        assert!(hidden(&here).await, "{name}: the process that made the change forgets at once");
        eventually(&format!("{name} of the other process forgets"), async || hidden(&there).await).await;
    }
    set(&owner, true, false).await;
    here.get(CHANNEL).await.expect(200);
    eventually("the other process shows it again", async || there.get(CHANNEL).await.status == 200).await;
    second_server.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn public_stream_stats_hides_chatters_when_another_account_connects_the_channel() {
    const STREAM: &str = "/v1/public-stats/streams/twitch/past-100";
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let (owner, other, anonymous) = (app.owner().await, app.owner().await, app.anonymous());
    connect(&app, owner.account_id, "twitch", "100").await;
    is_kept(&app, &anonymous).await;
    set(&owner, true, true).await;
    let shown = async || anonymous.get(STREAM).await.data()["top_chatters"].is_array();
    assert!(shown().await);
    let channel = NewChannel {
        account: other.account_id,
        platform: Platform::Twitch,
        channel_id: "100".to_owned(),
        channel_name: "login_100".to_owned(),
        access_token: None,
    };
    // From the console, which is another process.
    connect_manually(&app.state, channel).await.unwrap();
    eventually("the kept answer is dropped", async || !shown().await).await;
    other.delete("/v1/connections/channel/twitch").await.expect(204);
    assert!(shown().await, "the other account has disconnected it");
    app.stop().await;
}

#[tokio::test]
async fn public_stats_browse_reads_once_for_a_storm_of_one_query() {
    let watched = Statements::watch();
    let app = TestApp::start().await;
    watched.to(&app);
    plant(&app, &everywhere("100")).await;
    let anonymous = app.anonymous();
    is_kept(&app, &anonymous).await;
    watched.take();
    let storm = (0..40).map(|n| {
        let caller = anonymous.clone();
        async move {
            // The order of the parameters and a default make no other query.
            let query = ["sort=followers&limit=5", "limit=5&sort=followers&page=1&order=desc"][n % 2];
            caller.get(&format!("/v1/public-stats/browse?{query}")).await.expect(200).clone()
        }
    });
    let answers = futures::future::join_all(storm).await;
    assert!(answers.iter().all(|answer| answer["data"] == answers[0]["data"]));
    let sent = || watched.take().into_iter().filter(|sql| sql.contains("public_channels")).count();
    assert_eq!(sent(), 1);
    for behind in ["page=401", "page=2147483647", "limit=100&page=101"] {
        let page = anonymous.get(&format!("/v1/public-stats/browse?sort=followers&{behind}")).await;
        assert_eq!((page.data(), &page.body["_meta"]["total"]), (&json!([]), &json!(1)), "{behind}");
    }
    assert_eq!(sent(), 1, "all pages behind the end are one");
    app.stop().await;
}

#[tokio::test]
async fn public_stats_browse_waits_for_no_queue_of_another_caller() {
    const BROWSE: &str = "/v1/public-stats/browse";
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let (stranger, neighbour) = (app.anonymous(), app.owner().await);
    is_kept(&app, &stranger).await;
    let mut lock = passes::connect(&app.database.url).await;
    execute(&mut lock, "BEGIN; LOCK TABLE public_games IN ACCESS EXCLUSIVE MODE").await;
    let send = |path: String| {
        let stranger = stranger.clone();
        tokio::spawn(async move { stranger.get(&path).await.status })
    };
    let mut queue: Vec<_> =
        (1..10).map(|limit| send(format!("/v1/public-stats/games?limit={limit}"))).collect();
    eventually("the reads of the stranger are used up", async || {
        let waiting = "pg_locks WHERE NOT granted AND relation = 'public_games'::regclass
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        count(&mut app.databases.postgres.get().await.unwrap(), waiting).await >= 3
    })
    .await;
    queue.push(send(BROWSE.to_owned()));
    neighbour.get("/v1/public-stats/channels").await.expect(200);
    neighbour.get(BROWSE).await.expect(200);
    assert!(queue.iter().all(|request| !request.is_finished()), "the stranger waits for its own reads");
    execute(&mut lock, "ROLLBACK").await;
    for request in queue {
        assert_eq!(request.await.unwrap(), 200);
    }
    app.stop().await;
}
