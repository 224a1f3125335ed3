//! Platforms that refuse and fail.

use std::time::Duration;

use lumio_tests::eventually;
use platforms_stand_in::{Platform, Storm, StormKind};

use super::Scene;

#[tokio::test]
async fn crawler_waits_as_long_as_a_platform_states_and_crawls_the_others() {
    let scene = Scene::start(&[Platform::Twitch, Platform::Kick]).await;
    for platform in [Platform::Twitch, Platform::Kick] {
        scene.app.platforms.seed_directory(platform, 50, 50);
    }
    let storm = Storm { kind: StormKind::RateLimited, percent: 100, retry_after_secs: 2 };
    scene.app.platforms.storm(Platform::Twitch, Some(storm));
    let running = [scene.crawl().await, scene.crawl().await];
    scene.sampled(Platform::Kick, 50).await;
    eventually("Twitch refuses", async || {
        scene.app.platforms.directory_requests(Platform::Twitch).failed > 0
    })
    .await;
    tokio::time::sleep(Duration::from_millis(1_400)).await;
    assert_eq!(scene.count_samples(Platform::Twitch).await, 0);
    let refused = scene.app.platforms.directory_requests(Platform::Twitch);
    assert_eq!(refused.impatient, 0, "no copy calls before the stated time");
    scene.app.platforms.storm(Platform::Twitch, None);
    scene.sampled(Platform::Twitch, 50).await;
    for running in running {
        running.stop().await.unwrap();
    }
    scene.app.stop().await;
}

#[tokio::test]
async fn crawler_reads_every_channel_in_a_storm_of_failures() {
    let scene = Scene::start(&[Platform::Twitch, Platform::Trovo]).await;
    for platform in [Platform::Twitch, Platform::Trovo] {
        scene.app.platforms.seed_directory(platform, 150, 150);
        let storm = Storm { kind: StormKind::ServerError, percent: 25, retry_after_secs: 0 };
        scene.app.platforms.storm(platform, Some(storm));
    }
    let running = scene.crawl().await;
    for platform in [Platform::Twitch, Platform::Trovo] {
        scene.sampled(platform, 150).await;
        assert_eq!(scene.app.platforms.directory_requests(platform).over_budget, 0);
    }
    scene.stop(running).await;
}
