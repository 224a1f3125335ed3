//! Profiles of channels and their changes.

use chrono::TimeDelta;
use lumio_tests::eventually;
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::platform::Platform as Slug;
use stats_daemons::crawler::profiles::{Panel, Profile, store};

use super::Scene;

const DAY: TimeDelta = TimeDelta::hours(25);

/// Changes of a channel: type, old and new value.
async fn changes(scene: &Scene, platform: Platform, id: &str) -> Vec<(Value, Value, Value)> {
    let table = format!(
        "public_profile_changes AS t WHERE platform = '{platform}' AND platform_channel_id = '{id}'
         ORDER BY change_type, old_value"
    );
    let values =
        |row: Value| (row["change_type"].clone(), row["old_value"].clone(), row["new_value"].clone());
    scene.rows(&table).await.into_iter().map(values).collect()
}

#[tokio::test]
async fn profiles_are_read_daily_and_their_changes_recorded() {
    let platforms = [Platform::Twitch, Platform::Kick, Platform::Trovo];
    let scene = Scene::start(&platforms).await;
    for platform in platforms {
        scene.app.platforms.seed_directory(platform, 2, 2);
    }
    let running = scene.crawl().await;
    let channel = |platform| scene.app.platforms.directory_channel(platform, 0);
    let profiled = async |platform, day: TimeDelta| {
        let row = scene.schedule(platform, &channel(platform).id).await;
        let at = row["profiled_at"].as_str().and_then(|at| at.parse::<chrono::DateTime<chrono::Utc>>().ok());
        at.is_some_and(|at| scene.app.clock.now() - at < day)
    };
    for platform in platforms {
        eventually("the profile is read", async || profiled(platform, DAY).await).await;
        let before = channel(platform);
        assert_eq!(changes(&scene, platform, &before.id).await, [], "the first reading is no change");
        scene.app.platforms.change_directory(platform, &before.id, |channel| {
            channel.bio = "Another text".into();
            channel.followers = 4_711;
            channel.teams = vec!["crew".into()];
            channel.links = vec!["https://example.com/new".into()];
        });
    }
    let shown = scene.channel(Platform::Twitch, &channel(Platform::Twitch).id).await;
    assert_eq!(shown["broadcaster_type"], "partner");
    scene.app.clock.advance(DAY);
    let bio = |platform: Platform| {
        let old = format!("The channel {}", channel(platform).login);
        (json!("bio"), json!(old), json!("Another text"))
    };
    for platform in platforms {
        eventually("it is read again", async || profiled(platform, TimeDelta::hours(1)).await).await;
    }
    assert_eq!(
        changes(&scene, Platform::Twitch, &channel(Platform::Twitch).id).await,
        [bio(Platform::Twitch), (json!("team"), Value::Null, json!("crew"))]
    );
    assert_eq!(changes(&scene, Platform::Kick, &channel(Platform::Kick).id).await, [bio(Platform::Kick)]);
    assert_eq!(
        changes(&scene, Platform::Trovo, &channel(Platform::Trovo).id).await,
        [
            bio(Platform::Trovo),
            (json!("link"), json!("https://example.com/0"), Value::Null),
            (json!("link"), Value::Null, json!("https://example.com/new")),
        ]
    );
    for (platform, followers) in [(Platform::Twitch, json!(4_711)), (Platform::Kick, Value::Null)] {
        let shown = scene.channel(platform, &channel(platform).id).await;
        assert_eq!(shown["followers"], followers, "{platform}");
    }
    scene.stop(running).await;
}

/// Lets profiles be due.
async fn make_due(scene: &Scene, ids: &[String]) {
    let (now, ids) = (scene.app.clock.now().to_rfc3339(), ids.join("','"));
    scene
        .execute(&format!(
            "UPDATE crawler_channels SET profile_next_at = '{now}' WHERE platform_channel_id IN ('{ids}')"
        ))
        .await;
}

#[tokio::test]
async fn profiles_of_a_batch_that_takes_longer_than_a_claim_are_read_by_one_copy() {
    const TROVO: Platform = Platform::Trovo;
    let scene = Scene::start(&[TROVO]).await;
    scene.app.platforms.seed_directory(TROVO, 6, 0);
    let ids: Vec<String> =
        (0..6).map(|place| scene.app.platforms.directory_channel(TROVO, place).id).collect();
    let (batch, others) = ids.split_at(4);
    scene.watch_found(TROVO, ids.len()).await;
    // No channel is visited, so all requests are about profiles.
    scene.execute("UPDATE crawler_channels SET next_at = next_at + interval '10 years'").await;
    scene.execute("UPDATE crawler_channels SET profile_next_at = next_at").await;
    let about = |ids: &[String]| -> Vec<u64> {
        ids.iter().map(|id| scene.app.platforms.requests_about(TROVO, id)).collect()
    };
    let profiled = async || scene.rows("crawler_channels AS t WHERE profiled_at IS NOT NULL").await.len();

    // The claim is renewed by the second call, and the copy that starts afterwards finds none that has ended.
    let held = scene.app.platforms.hold_directory(TROVO);
    make_due(&scene, batch).await;
    let running = scene.crawl().await;
    held.arrived().await;
    scene.app.clock.advance(TimeDelta::minutes(9));
    let second = scene.app.platforms.hold_directory(TROVO);
    held.release();
    second.arrived().await;
    scene.app.clock.advance(TimeDelta::minutes(5));
    make_due(&scene, &others[..1]).await;
    let other = scene.crawl().await;
    eventually("the other copy reads a profile", async || about(&others[..1]) == [1_u64]).await;
    assert_eq!(about(batch).iter().sum::<u64>(), 2, "those of the batch are left to the first one");
    other.stop().await.unwrap();
    second.release();
    eventually("all are read", async || profiled().await == 5).await;
    assert_eq!(about(batch), [1_u64; 4]);

    // A claim that has ended before a call is another copy's.
    let held = scene.app.platforms.hold_directory(TROVO);
    make_due(&scene, batch).await;
    let first = held.arrived().await;
    scene.app.clock.advance(TimeDelta::minutes(11));
    let other = scene.crawl().await;
    let expected: Vec<u64> = batch.iter().map(|id| if *id == first { 3 } else { 2 }).collect();
    eventually("the other copy reads them", async || about(batch) == expected).await;
    let unread = format!(
        "crawler_channels AS t WHERE profile_next_at <= '{}'",
        (scene.app.clock.now() + TimeDelta::minutes(10)).to_rfc3339()
    );
    eventually("and stores them", async || scene.rows(&unread).await.is_empty()).await;
    other.stop().await.unwrap();
    held.release();
    make_due(&scene, &others[1..]).await;
    eventually("the first copy reads the next one", async || about(&others[1..]) == [1_u64]).await;
    assert_eq!(about(batch), expected, "and leaves what it has lost");
    scene.stop(running).await;
}

#[tokio::test]
async fn profiles_of_a_source_with_panels_keep_their_history() {
    let scene = Scene::start(&[]).await;
    scene
        .execute("INSERT INTO crawler_channels (platform, platform_channel_id, next_at) VALUES ('twitch', '7', now())")
        .await;
    let panel = |id: &str, content: &str| Panel {
        panel_id: id.into(),
        content: content.into(),
        images: vec!["https://example.com/p.png".into()],
    };
    let mut connection = scene.app.databases.postgres.get().await.unwrap();
    let mut read = async |panels: Option<Vec<Panel>>| {
        scene.app.clock.advance(DAY);
        let profile = Profile { panels, ..Profile::default() };
        store(&mut connection, Slug::Twitch, "7", &profile, scene.app.clock.now()).await.unwrap()
    };
    assert!(read(Some(vec![panel("a", "One"), panel("b", "Two")])).await);
    assert!(read(Some(vec![panel("b", "Three")])).await);
    assert!(read(None).await, "a source without panels removes none");
    let panels = scene.rows("public_panels AS t ORDER BY panel_id").await;
    assert_eq!((&panels[0]["content"], panels[0]["removed_at"].is_null()), (&json!("One"), false));
    assert_eq!((&panels[1]["content"], panels[1]["removed_at"].is_null()), (&json!("Three"), true));
    assert_eq!(panels[1]["images"], json!(["https://example.com/p.png"]));
    drop(connection);
    let mut connection = scene.app.databases.postgres.get().await.unwrap();
    let unknown = store(&mut connection, Slug::Twitch, "8", &Profile::default(), scene.app.clock.now()).await;
    assert!(!unknown.unwrap(), "a channel that is not crawled");
    drop(connection);
    scene.app.stop().await;
}
