//! Several copies of the crawler.

use std::time::{Duration, Instant};

use lumio_tests::eventually;
use platforms_stand_in::Platform;
use stats_daemons::crawler::budget::rate;

use super::Scene;

const WATCHED: usize = 300;

/// Puts channels of Twitch on the watch list, with their ids known.
async fn watch_all(scene: &Scene) {
    scene
        .execute(&format!(
            "INSERT INTO crawler_watchlist (id, platform, channel, platform_channel_id)
             SELECT gen_random_uuid(), 'twitch', 'channel' || n, (10000000 + n)::text
             FROM generate_series(0, {}) AS n",
            WATCHED - 1
        ))
        .await;
}

#[tokio::test]
async fn crawler_copies_visit_no_channel_twice_and_share_the_budget() {
    let scene = Scene::start(&[Platform::Twitch]).await;
    scene.app.platforms.seed_directory(Platform::Twitch, WATCHED, 0);
    watch_all(&scene).await;
    let began = Instant::now();
    let running = [scene.crawl().await, scene.crawl().await];
    let visited = "crawler_channels AS t WHERE visited_at IS NOT NULL";
    eventually("all are visited", async || scene.rows(visited).await.len() == WATCHED).await;
    // Profiles of all of them are more calls than the budget has.
    tokio::time::sleep(Duration::from_secs(2)).await;
    for running in running {
        running.stop().await.unwrap();
    }
    let elapsed = began.elapsed().as_secs_f64();
    let twice: Vec<String> = (0..WATCHED)
        .map(|place| scene.app.platforms.directory_channel(Platform::Twitch, place).id)
        .filter(|id| scene.app.platforms.visits_to(Platform::Twitch, id) != 1)
        .collect();
    assert_eq!(twice, Vec::<String>::new(), "each channel is visited once in the interval");
    let requests = scene.app.platforms.directory_requests(Platform::Twitch);
    let limits = rate(shared::platform::Platform::Twitch);
    let refilled = (f64::from(limits.per_minute) * elapsed / 60.0).ceil();
    let allowed = f64::from(limits.burst) + refilled + 1.0;
    let total = f64::from(u32::try_from(requests.total).unwrap());
    assert!(total <= allowed, "{total} requests, {allowed} allowed in {elapsed} s");
    assert!(total >= f64::from(limits.burst) / 2.0, "{total} requests: the budget was not reached");
    assert_eq!(requests.over_budget, 0);
    scene.app.stop().await;
}
