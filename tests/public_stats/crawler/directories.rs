//! Rounds through the directories of live channels.

use lumio_tests::eventually;
use platforms_stand_in::{DirectoryChannel, Platform};
use serde_json::json;

use super::{INTERVAL, Scene, ids};

const DIRECTORIES: [Platform; 3] = [Platform::Twitch, Platform::Kick, Platform::Trovo];

fn channels(scene: &Scene, platform: Platform, number: usize) -> Vec<DirectoryChannel> {
    (0..number).map(|place| scene.app.platforms.directory_channel(platform, place)).collect()
}

#[tokio::test]
async fn crawler_records_the_live_channels_of_each_directory() {
    let scene = Scene::start(&DIRECTORIES).await;
    for platform in DIRECTORIES {
        scene.app.platforms.seed_directory(platform, 160, 150);
    }
    let running = scene.crawl().await;
    for platform in DIRECTORIES {
        scene.sampled(platform, 150).await;
        let channel = scene.app.platforms.directory_channel(platform, 149);
        let samples = scene.samples_of(platform, &channel.id).await;
        assert_eq!(samples.len(), 1, "{platform}");
        let sample = &samples[0];
        assert_eq!(sample["source"], "external_crawler");
        assert_eq!((&sample["viewer_count"], &sample["weight_secs"]), (&json!(channel.viewers), &json!(60)));
        assert_eq!(sample["game_name"], json!(format!("Game {}", channel.game)));
        assert!(sample["at"].as_str().unwrap().contains(":00+00:00"), "{sample}: the start of the interval");
        eventually("it is shown", async || scene.channel(platform, &channel.id).await["is_live"] == true)
            .await;
        let shown = scene.channel(platform, &channel.id).await;
        assert_eq!(shown["login"], json!(channel.login));
        assert_eq!(shown["current_viewers"], json!(channel.viewers));
        assert_eq!(shown["language"], json!(channel.language));
        let broadcast = shown["current_broadcast_id"].as_str().unwrap();
        let streams = scene
            .rows(&format!(
                "public_streams AS t WHERE platform = '{platform}' AND broadcast_id = '{broadcast}'"
            ))
            .await;
        assert_eq!(streams.len(), 1, "{platform}");
        assert_eq!((&streams[0]["viewed_secs"], &streams[0]["ended_at"]), (&json!(60), &json!(null)));
    }
    scene.next_interval();
    // The pages of the second round are not read all at once.
    scene.app.clock.advance(INTERVAL / 2);
    for platform in DIRECTORIES {
        scene.sampled(platform, 300).await;
    }
    scene.stop(running).await;
}

#[tokio::test]
async fn crawler_keeps_to_the_scope_and_to_its_changes() {
    let scene = Scene::start(&[Platform::Twitch, Platform::Kick]).await;
    for platform in [Platform::Twitch, Platform::Kick] {
        scene.app.platforms.seed_directory(platform, 60, 60);
    }
    scene.scope("min_viewers = 5000, languages = '{en,fr}'").await;
    let within = |platform, least: u64, languages: &[&str]| {
        let all = channels(&scene, platform, 60);
        let is_within = |channel: &DirectoryChannel| {
            channel.viewers >= least && languages.contains(&channel.language.as_str())
        };
        let mut ids: Vec<String> = all.into_iter().filter(is_within).map(|channel| channel.id).collect();
        ids.sort();
        ids
    };
    let expected = within(Platform::Twitch, 5_000, &["en", "fr"]);
    assert!(!expected.is_empty());
    let running = scene.crawl().await;
    scene.sampled(Platform::Twitch, expected.len()).await;
    scene.sampled(Platform::Kick, within(Platform::Kick, 5_000, &["en", "fr"]).len()).await;
    let found = scene.samples("platform = 'twitch' AND viewer_count IS NOT NULL").await;
    assert_eq!(ids(&found), expected);

    // Another scope begins another round in the same interval.
    let more = within(Platform::Twitch, 2_000, &["fr", "es"]);
    let mut both: Vec<String> = expected.iter().chain(&more).cloned().collect();
    both.sort();
    both.dedup();
    scene.scope("min_viewers = 2000, languages = '{fr,es}'").await;
    scene.sampled(Platform::Twitch, both.len()).await;
    scene.next_interval();
    scene.sampled(Platform::Twitch, both.len() + more.len()).await;
    let newest = "at = (SELECT max(at) FROM channel_samples WHERE viewer_count IS NOT NULL)";
    let found =
        scene.samples(&format!("platform = 'twitch' AND viewer_count IS NOT NULL AND {newest}")).await;
    assert_eq!(ids(&found), more);
    scene.stop(running).await;
}

#[tokio::test]
async fn crawler_limits_the_number_of_channels_to_those_with_the_most_viewers() {
    let scene = Scene::start(&[Platform::Twitch, Platform::Kick]).await;
    for platform in [Platform::Twitch, Platform::Kick] {
        scene.app.platforms.seed_directory(platform, 40, 40);
    }
    // All channels of Kick have fewer viewers than those of Twitch.
    for channel in channels(&scene, Platform::Kick, 40) {
        scene.app.platforms.change_directory(Platform::Kick, &channel.id, |channel| channel.viewers = 3);
    }
    scene.scope("max_channels = 20").await;
    let running = scene.crawl().await;
    scene.sampled(Platform::Twitch, 10).await;
    scene.sampled(Platform::Kick, 10).await;
    let mut slots = 1;
    // The figures of the first round decide the next ones.
    let active = async |platform: Platform| {
        scene
            .rows(&format!("crawler_channels AS t WHERE platform = '{platform}' AND next_at IS NOT NULL"))
            .await
    };
    while active(Platform::Twitch).await.len() < 15 {
        assert!(slots < 12, "the number does not move to Twitch");
        slots += 1;
        scene.next_interval();
        eventually("the round ends", async || {
            scene.app.platforms.directory_requests(Platform::Kick).pages >= slots
                && scene.app.platforms.directory_requests(Platform::Twitch).pages >= slots
        })
        .await;
    }
    eventually("no more than the limit", async || {
        active(Platform::Twitch).await.len() + active(Platform::Kick).await.len() <= 20
    })
    .await;
    let mut of_twitch = channels(&scene, Platform::Twitch, 15);
    of_twitch.sort_by_key(|channel| channel.id.clone());
    let active = ids(&active(Platform::Twitch).await);
    assert!(of_twitch.iter().all(|channel| active.contains(&channel.id)), "{active:?}");
    scene.stop(running).await;
}

#[tokio::test]
async fn crawler_follows_renamed_channels_and_ends_those_that_go_off() {
    let scene = Scene::start(&[Platform::Twitch]).await;
    scene.app.platforms.seed_directory(Platform::Twitch, 3, 3);
    let [renamed, off] = [0, 1].map(|place| scene.app.platforms.directory_channel(Platform::Twitch, place));
    let running = scene.crawl().await;
    scene.sampled(Platform::Twitch, 3).await;
    scene.app.platforms.change_directory(Platform::Twitch, &renamed.id, |channel| {
        channel.login = "another".into();
    });
    scene.app.platforms.change_directory(Platform::Twitch, &off.id, |channel| channel.live = None);
    scene.next_interval();
    scene.sampled(Platform::Twitch, 5).await;
    eventually("it has its new name", async || {
        scene.channel(Platform::Twitch, &renamed.id).await["login"] == "another"
    })
    .await;
    assert_eq!(scene.samples_of(Platform::Twitch, &renamed.id).await.len(), 2, "the id is the same");
    assert_eq!(scene.rows("public_channels AS t").await.len(), 3);
    // A quarter of an interval later the one that is missing is visited by its id.
    scene.app.clock.advance(INTERVAL / 2);
    eventually("it is off", async || scene.channel(Platform::Twitch, &off.id).await["is_live"] == false)
        .await;
    eventually("it is dormant", async || {
        scene.schedule(Platform::Twitch, &off.id).await["next_at"].is_null()
    })
    .await;
    assert_eq!(scene.app.platforms.visits_to(Platform::Twitch, &off.id), 1);
    assert_eq!(scene.samples_of(Platform::Twitch, &off.id).await.len(), 1);
    // It comes back with another stream.
    scene.app.platforms.go_live_in_directory(Platform::Twitch, 1);
    scene.app.clock.advance(INTERVAL / 2);
    eventually("it is live again", async || {
        scene.channel(Platform::Twitch, &off.id).await["is_live"] == true
    })
    .await;
    let streams = format!("public_streams AS t WHERE platform_channel_id = '{}'", off.id);
    assert_eq!(scene.rows(&streams).await.len(), 2);
    scene.stop(running).await;
}
