//! Dissolution of an account with channels in the public statistics
//! (reference/public-stats.md#dissolution-of-accounts).

use lumio_tests::{TestApp, eventually, world::workers};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::platform::Platform;
use stats_model::{
    Source,
    samples::{self, ChannelSample},
};

use super::{
    channels::plant,
    passes::{Rollups, count, execute, lines, noon, sample, this_minute},
    settings::connect,
};

/// Tables with rows of a channel.
const TABLES: [&str; 8] = [
    "public_channels",
    "public_channel_days",
    "public_channel_ranges",
    "public_streams",
    "public_profile_changes",
    "public_panels",
    "public_emote_days",
    "crawler_channels",
];

/// Rows of a channel that an account measures, and of which the crawler reads the profile.
fn measured(platform: &str, id: &str) -> String {
    format!(
        "INSERT INTO public_channels (platform, platform_channel_id, login, source, is_live, current_viewers, current_game,
            live_seen_at, last_streamed_at, first_party_at, first_seen_at)
         VALUES ('{platform}', '{id}', 'login_{id}', 'first_party', true, 9, 'Chess', $NOW, $NOW, $NOW, $NOW);
         INSERT INTO public_channel_days (platform, platform_channel_id, day, source, live_secs, viewer_secs,
            peak_viewers, message_count, follower_count, sample_count)
         VALUES ('{platform}', '{id}', $DAY - 200, 'first_party', 60, 600, 10, 1, 5, 1),
            ('{platform}', '{id}', $DAY - 201, 'external_crawler', 0, 0, 0, 0, 5, 1);
         INSERT INTO public_streams (platform, broadcast_id, platform_channel_id, source, started_at, ended_at)
         VALUES ('{platform}', 'own-{id}', '{id}', 'first_party', $NOW - interval '2 hours', $NOW - interval '1 hour');
         INSERT INTO public_profile_changes (id, platform, platform_channel_id, change_type, changed_at)
         VALUES (gen_random_uuid(), '{platform}', '{id}', 'bio', $NOW);
         INSERT INTO public_panels (platform, platform_channel_id, panel_id, content, first_seen_at, last_seen_at)
         VALUES ('{platform}', '{id}', 'p', 'Text', $NOW, $NOW);
         INSERT INTO crawler_channels (platform, platform_channel_id, profile_next_at, profiled_at)
         VALUES ('{platform}', '{id}', $NOW, $NOW);
         INSERT INTO public_emote_days (provider, emote_id, platform, platform_channel_id, day, usage_count)
         VALUES ('7tv', 'e1', '{platform}', '{id}', $DAY, 3);
         INSERT INTO public_emote_marks (platform, provider, emote_id) VALUES ('{platform}', '7tv', 'e1')
         ON CONFLICT DO NOTHING"
    )
}

/// Rows that the crawler has made of a channel before an account connected it.
const CRAWLED: &str = "
    INSERT INTO public_streams (platform, broadcast_id, platform_channel_id, source, category, started_at, ended_at)
    VALUES ('trovo', 'by-crawler', 'crawled', 'external_crawler', 'Go', $NOW - interval '9 days',
        $NOW - interval '8 days');
    INSERT INTO public_channel_days (platform, platform_channel_id, day, source, live_secs, viewer_secs, peak_viewers,
        message_count, sample_count)
    VALUES ('trovo', 'crawled', $DAY - 202, 'external_crawler', 300, 900, 3, 0, 1);
    UPDATE crawler_channels SET visited_at = $NOW - interval '8 days' WHERE platform = 'trovo'";

/// Result of an opt-out.
const HIDDEN: &str = "
    UPDATE public_channels SET is_hidden = true, login = NULL, is_live = false, first_party_at = NULL,
        live_seen_at = NULL WHERE platform = 'youtube';
    DELETE FROM public_profile_changes WHERE platform = 'youtube';
    DELETE FROM public_panels WHERE platform = 'youtube';
    DELETE FROM crawler_channels WHERE platform = 'youtube'";

/// Samples of a channel: a minute of its account, and the followers that the crawler has read.
fn samples_of(platform: Platform, id: &str) -> [ChannelSample; 2] {
    let own = ChannelSample {
        platform,
        game_id: Some("g".to_owned()),
        game_name: Some("Chess".to_owned()),
        ..sample(id, noon(1), Source::FirstParty, 10)
    };
    let followers = ChannelSample {
        platform,
        viewer_count: None,
        follower_count: Some(7),
        weight_secs: 1,
        ..sample(id, noon(2), Source::ExternalCrawler, 0)
    };
    [own, followers]
}

/// Tables with the rows of a channel, those without rows left out.
async fn rows_of(copy: &mut Rollups, id: &str) -> Vec<(&'static str, Vec<String>)> {
    let mut found = Vec::new();
    for table in TABLES {
        let of_channel = format!("SELECT * FROM {table} WHERE platform_channel_id = '{id}'");
        found.push((table, lines(&mut copy.postgres, &of_channel).await));
    }
    let of_channel = format!("SELECT * FROM channel_samples WHERE platform_channel_id = '{id}'");
    found.push(("channel_samples", lines(&mut copy.timeseries, &of_channel).await));
    found.retain(|(_, rows)| !rows.is_empty());
    found
}

async fn channel(copy: &mut Rollups, id: &str) -> Value {
    let of_channel = format!("SELECT * FROM public_channels WHERE platform_channel_id = '{id}'");
    let rows = lines(&mut copy.postgres, &of_channel).await;
    serde_json::from_str(&rows.concat()).expect("one channel")
}

/// Two accounts; the first has channels of its own, one with the other, one that the crawler visited, one that it has
/// hidden, and a former one.
async fn scene(app: &TestApp) -> lumio_tests::Person {
    let (owner, other) = (app.owner().await, app.owner().await);
    let account = owner.account_id;
    for (platform, id) in [
        ("twitch", "own"),
        ("kick", "shared"),
        ("trovo", "crawled"),
        ("youtube", "hidden"),
        ("twitch", "former"),
    ] {
        plant(app, &measured(platform, id)).await;
        if id != "former" {
            connect(app, account, platform, id).await;
        }
    }
    connect(app, other.account_id, "kick", "shared").await;
    plant(app, CRAWLED).await;
    plant(app, HIDDEN).await;
    let former = format!(
        "INSERT INTO stream_sessions (id, account_id, session_type, platforms, started_at, ended_at, last_off_at,
            minutes_from, minutes_to)
         VALUES (gen_random_uuid(), '{account}', 'single', '{{twitch}}', $NOW - interval '40 days',
            $NOW - interval '39 days', $NOW - interval '39 days', $NOW - interval '40 days', $NOW - interval '39 days');
         INSERT INTO stream_broadcasts (id, account_id, session_id, platform, platform_channel_id, broadcast_id,
            started_at, ended_at, spans)
         SELECT gen_random_uuid(), account_id, id, 'twitch', 'former', 'own-former', started_at, ended_at, '[]'
         FROM stream_sessions WHERE account_id = '{account}'"
    );
    plant(app, &former).await;
    let mut written: Vec<ChannelSample> = [
        (Platform::Twitch, "own"),
        (Platform::Kick, "shared"),
        (Platform::Trovo, "crawled"),
        (Platform::Twitch, "former"),
    ]
    .into_iter()
    .flat_map(|(platform, id)| samples_of(platform, id))
    .collect();
    let [of_hidden, _] = samples_of(Platform::Youtube, "hidden");
    written.push(of_hidden);
    samples::write(&mut app.databases.timescaledb.get().await.unwrap(), &written).await.unwrap();
    owner
}

/// Makes the deletion of samples fail, as a database that is away between two steps.
const REFUSE: &str = "
    CREATE FUNCTION refuse_for_the_test() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused for the test'; END $$;
    CREATE TRIGGER refuse_for_the_test BEFORE DELETE ON channel_samples
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_for_the_test()";

#[tokio::test]
async fn dissolve_account_deletes_what_it_made_of_channels_that_no_other_account_connects() {
    let app = TestApp::start().await;
    let owner = scene(&app).await;
    let mut copy = Rollups::open(&app.database.url, &app.database.url).await;
    copy.drain(this_minute()).await;
    let anonymous = app.anonymous();
    let shown =
        async |channel: &str| anonymous.get(&format!("/v1/public-stats/channels/{channel}")).await.status;
    assert_eq!((shown("twitch/own").await, shown("trovo/crawled").await), (200, 200));
    let shared = rows_of(&mut copy, "shared").await;
    assert_eq!(shared.len(), TABLES.len() + 1, "a row in each table");
    let games = "SELECT DISTINCT platform FROM public_game_ranges";
    assert_eq!(lines(&mut copy.postgres, games).await.len(), 4);

    // The time-series database refuses after the primary one has committed.
    execute(&mut copy.timeseries, REFUSE).await;
    let dissolve = format!("/v1/accounts/{}/dissolve", owner.account_id);
    owner.post(&dissolve, json!({ "confirm_name": "Test account" })).await.expect(200);
    let running = workers(&app, &[Daemon::Outbox, Daemon::Housekeeping]).await;
    eventually("the rows of the first channel are gone", async || {
        count(&mut copy.postgres, "public_streams WHERE broadcast_id = 'own-crawled'").await == 0
    })
    .await;
    assert_eq!(count(&mut copy.timeseries, "channel_samples WHERE platform = 'trovo'").await, 2);
    execute(&mut copy.timeseries, "DROP TRIGGER refuse_for_the_test ON channel_samples").await;
    // The job is repeated, and ends with the former channel.
    eventually("the samples are gone", async || {
        count(&mut copy.timeseries, "channel_samples WHERE platform = 'twitch'").await == 0
    })
    .await;
    eventually("no process shows the channel", async || shown("twitch/own").await == 404).await;
    running.stop().await.unwrap();
    copy.drain(this_minute()).await;

    for id in ["own", "former"] {
        assert_eq!(rows_of(&mut copy, id).await, [], "{id}");
    }
    assert_eq!(rows_of(&mut copy, "shared").await, shared, "another account has connected it");
    let hidden = rows_of(&mut copy, "hidden").await;
    assert_eq!(hidden.iter().map(|(table, _)| *table).collect::<Vec<_>>(), ["public_channels"]);
    assert_eq!(channel(&mut copy, "hidden").await["is_hidden"], true);

    let crawled = rows_of(&mut copy, "crawled").await;
    let numbers: Vec<_> = crawled.iter().map(|(table, rows)| (*table, rows.len())).collect();
    let expected = [
        ("public_channels", 1),
        // Two that were planted, and the one of the followers.
        ("public_channel_days", 3),
        ("public_channel_ranges", 3),
        ("public_streams", 1),
        ("public_profile_changes", 1),
        ("public_panels", 1),
        ("crawler_channels", 1),
        ("channel_samples", 1),
    ];
    assert_eq!(numbers, expected, "the rows of the crawler stay");
    let left = channel(&mut copy, "crawled").await;
    assert_eq!(
        ["source", "login", "is_live", "current_viewers", "current_game", "first_party_at"]
            .map(|field| left[field].clone()),
        [
            json!("external_crawler"),
            json!("login_crawled"),
            json!(false),
            json!(null),
            json!("Go"),
            json!(null)
        ]
    );
    let ended =
        "public_channels AS channel JOIN public_streams AS stream USING (platform, platform_channel_id)
        WHERE platform_channel_id = 'crawled' AND last_streamed_at = ended_at";
    assert_eq!(count(&mut copy.postgres, ended).await, 1);
    assert_eq!(shown("trovo/crawled").await, 200);

    let kick = [json!({ "platform": "kick" }).to_string()];
    for of in ["public_game_ranges", "public_game_days", "public_emote_ranges"] {
        let platforms = format!("SELECT DISTINCT platform FROM {of}");
        assert_eq!(lines(&mut copy.postgres, &platforms).await, kick, "{of}");
    }
    assert_eq!(count(&mut copy.timeseries, "game_slots WHERE platform <> 'kick'").await, 0);
    app.stop().await;
}
