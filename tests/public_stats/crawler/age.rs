//! Age of what is known of each channel.

use chrono::{DateTime, TimeDelta, Utc};
use lumio_tests::eventually;
use platforms_stand_in::{Churn, Platform};

use super::{INTERVAL, Scene};

/// Steps of the clock in each of two intervals.
const STEPS: i32 = 10;

#[tokio::test]
async fn crawler_knows_each_of_2000_changing_channels_for_at_most_one_and_a_half_intervals() {
    let scene = Scene::start(&[Platform::Twitch, Platform::Kick]).await;
    for (platform, channels) in [(Platform::Twitch, 600), (Platform::Kick, 1_400)] {
        scene.app.platforms.seed_directory(platform, channels, channels * 9 / 10);
    }
    let running = scene.crawl().await;
    for (platform, live) in [(Platform::Twitch, 540), (Platform::Kick, 1_260)] {
        eventually("each channel is sampled", async || scene.count_samples(platform).await >= live).await;
    }
    for _step in 0..2 * STEPS {
        for platform in [Platform::Twitch, Platform::Kick] {
            scene.app.platforms.churn_directory(platform, Churn { viewers: 50, on: 1, off: 1, renames: 1 });
        }
        scene.app.clock.advance(INTERVAL / STEPS);
        // The clock moves faster than the crawler: it has the time between two steps to follow.
        eventually("no channel is too old", async || oldest(&scene).await <= INTERVAL * 3 / 2).await;
    }
    for platform in [Platform::Twitch, Platform::Kick] {
        let requests = scene.app.platforms.directory_requests(platform);
        assert_eq!(requests.over_budget, 0, "{requests:?}");
    }
    let renamed = scene.rows("public_channels AS t WHERE login LIKE 'renamed%'").await;
    assert!(!renamed.is_empty(), "new names are taken over");
    scene.stop(running).await;
}

/// Time since the oldest visit of a channel that is crawled.
async fn oldest(scene: &Scene) -> TimeDelta {
    let rows = scene
        .rows("crawler_channels AS t WHERE next_at IS NOT NULL ORDER BY visited_at NULLS FIRST LIMIT 1")
        .await;
    let Some(row) = rows.first() else { return TimeDelta::zero() };
    let visited: DateTime<Utc> = row["visited_at"].as_str().expect("a visit").parse().expect("a time");
    scene.app.clock.now() - visited
}
