//! Copies that are killed.

use std::collections::HashSet;

use lumio_tests::{Program, TestApp, eventually};
use platforms_stand_in::Platform;
use redis::AsyncCommands;

use super::Scene;

const CHANNELS: usize = 1_500;
const KILLS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_crawlers_lose_and_double_nothing() {
    let scene = Scene { app: TestApp::start().await };
    scene.app.switch("system:crawler", true).await;
    // Another process has the time of the machine: the interval must not end in the test.
    scene.scope("platforms = '{twitch}', interval_secs = 3600").await;
    scene.app.platforms.seed_directory(Platform::Twitch, CHANNELS, CHANNELS);
    let start = || Program::start("lumio-worker", &["crawler"], &scene.app.variables());
    let mut worker = start();
    for kill in 1..=KILLS {
        eventually("a part is sampled", async || {
            scene.count_samples(Platform::Twitch).await >= CHANNELS * kill / (KILLS + 2)
        })
        .await;
        worker.kill();
        // The right to walk, and claims, end by themselves; the test does not wait for it.
        let walk = scene.app.state.redis.key("crawler:twitch:walk");
        let () = scene.app.state.redis.get().await.unwrap().del(walk).await.unwrap();
        scene.execute("UPDATE crawler_channels SET lease_until = now() WHERE lease_until IS NOT NULL").await;
        worker = start();
    }
    eventually("every channel is sampled", async || {
        let streams = scene.rows("public_streams AS t").await;
        streams.len() == CHANNELS
    })
    .await;
    worker.terminate();
    assert!(worker.ended().await.success());
    let samples = scene.samples("viewer_count IS NOT NULL").await;
    let channels: HashSet<&str> =
        samples.iter().map(|sample| sample["platform_channel_id"].as_str().unwrap()).collect();
    let slots: HashSet<&str> = samples.iter().map(|sample| sample["at"].as_str().unwrap()).collect();
    assert_eq!(channels.len(), CHANNELS);
    // Two slots when an hour ended in between.
    assert!(slots.len() <= 2 && samples.len() <= CHANNELS * slots.len(), "{} samples", samples.len());
    let doubled = format!("public_streams AS t WHERE viewed_secs > {}", 3_600 * slots.len());
    assert_eq!(scene.rows(&doubled).await.len(), 0, "no visit counts twice");
    scene.app.stop().await;
}
