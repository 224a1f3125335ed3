//! Answers that have not the documented form, and channels that a platform refuses to report on.

use chrono::{DateTime, TimeDelta, Utc};
use lumio_tests::eventually;
use platforms_stand_in::{Platform, Storm, StormKind};
use serde_json::{Value, json};

use super::{INTERVAL, Scene};

/// Rows without the documented form, or without an id of the platform.
fn malformed(platform: Platform) -> Vec<Value> {
    let long = "1".repeat(5_000);
    match platform {
        Platform::Twitch => vec![
            json!(7),
            json!({ "id": 1, "user_id": "70" }),
            json!({ "id": "b", "user_id": "71", "viewer_count": "many" }),
            json!({ "id": "b", "user_id": "7\0" }),
            json!({ "id": "b", "user_id": long }),
        ],
        Platform::Kick => vec![
            Value::Null,
            json!({ "broadcaster_user": { "id": "x" } }),
            json!({ "broadcaster_user": { "id": 5 }, "started_at": "soon" }),
        ],
        _ => vec![json!({ "channel_id": 7 }), json!({ "channel_id": "7\0" }), json!({ "channel_id": long })],
    }
}

#[tokio::test]
async fn crawler_reads_the_channels_beside_malformed_rows_and_ends_an_endless_directory() {
    let platforms = [Platform::Twitch, Platform::Kick, Platform::Trovo];
    let scene = Scene::start(&platforms).await;
    for platform in platforms {
        scene.app.platforms.seed_directory(platform, 3, 3);
        scene.app.platforms.add_directory_rows(platform, malformed(platform));
    }
    for platform in [Platform::Twitch, Platform::Kick] {
        scene.app.platforms.make_directory_endless(platform);
    }
    let running = scene.crawl().await;
    for platform in platforms {
        scene.sampled(platform, 3).await;
    }
    scene.next_interval();
    scene.app.clock.advance(INTERVAL / 2);
    for platform in platforms {
        scene.sampled(platform, 6).await;
    }
    assert_eq!(scene.rows("public_channels AS t").await.len(), 9);
    for platform in [Platform::Twitch, Platform::Kick] {
        let requests = scene.app.platforms.directory_requests(platform);
        assert!(requests.pages <= 4, "two pages in each round: {requests:?}");
    }
    scene.stop(running).await;
}

#[tokio::test]
async fn crawler_postpones_the_channels_that_a_platform_refuses_and_no_others() {
    const CHANNELS: usize = 8;
    let scene = Scene::start(&[Platform::Twitch]).await;
    scene.app.platforms.seed_directory(Platform::Twitch, CHANNELS, 0);
    scene.watch_found(Platform::Twitch, CHANNELS).await;
    let refused = scene.app.platforms.directory_channel(Platform::Twitch, 3).id;
    scene.app.platforms.refuse_in_directory(Platform::Twitch, &refused);
    let storm = Storm { kind: StormKind::Forbidden, percent: 100, retry_after_secs: 0 };
    scene.app.platforms.storm(Platform::Twitch, Some(storm));
    let running = scene.crawl().await;
    eventually("the application is refused", async || {
        scene.app.platforms.directory_requests(Platform::Twitch).failed >= 3
    })
    .await;
    let postponed = "crawler_channels AS t WHERE failures > 0 AND platform_channel_id <>";
    assert_eq!(scene.rows(&format!("{postponed} '{refused}'")).await.len(), 0, "no channel is to blame");
    scene.app.platforms.storm(Platform::Twitch, None);
    for done in ["visited_at IS NOT NULL", "profiled_at IS NOT NULL"] {
        eventually("all others are read", async || {
            scene.rows(&format!("crawler_channels AS t WHERE {done}")).await.len() == CHANNELS - 1
        })
        .await;
    }
    let schedule = async || scene.schedule(Platform::Twitch, &refused).await;
    let profile_next_at = |row: &Value| {
        let next_at = row["profile_next_at"].as_str().expect("a time");
        next_at.parse::<DateTime<Utc>>().expect("a time") - scene.app.clock.now()
    };
    eventually("the refused one is postponed", async || {
        let row = schedule().await;
        row["failures"] == 1 && profile_next_at(&row) > TimeDelta::days(6)
    })
    .await;
    let row = schedule().await;
    assert!(row["visited_at"].is_null() && row["profiled_at"].is_null(), "{row}");
    let others = scene.rows(&format!("{postponed} '{refused}'")).await;
    assert_eq!(others, Vec::<Value>::new());
    scene.stop(running).await;
}
