//! Flag, scope and platforms.

use std::time::Duration;

use lumio_tests::TestApp;
use platforms_stand_in::Platform;

use super::Scene;

/// Time in which a crawler that is on has called a platform several times.
const WHILE_OFF: Duration = Duration::from_millis(1_200);

#[tokio::test]
async fn crawler_does_nothing_until_the_flag_and_the_scope_are_on() {
    let scene = Scene { app: TestApp::start().await };
    scene.app.begin_a_window(60);
    scene.app.platforms.seed_directory(Platform::Twitch, 5, 5);
    scene.app.platforms.seed_directory(Platform::Kick, 5, 5);
    // Names of platforms that cannot be crawled are left out.
    scene.scope("platforms = '{twitch,spotify,myspace}', interval_secs = 60").await;
    scene.watch("myspace", "tom").await;
    let total = || scene.app.platforms.directory_requests(Platform::Twitch).total;
    let running = scene.crawl().await;
    tokio::time::sleep(WHILE_OFF).await;
    assert_eq!(total(), 0, "the flag is off in a new deployment");

    scene.scope("enabled = false").await;
    scene.app.switch("system:crawler", true).await;
    tokio::time::sleep(WHILE_OFF).await;
    assert_eq!(total(), 0, "the scope is off");

    scene.scope("enabled = true").await;
    scene.sampled(Platform::Twitch, 5).await;
    scene.app.switch("system:crawler", false).await;
    tokio::time::sleep(WHILE_OFF).await;
    let before = total();
    scene.next_interval();
    tokio::time::sleep(WHILE_OFF).await;
    assert_eq!(total(), before, "it is off again");
    assert_eq!(scene.app.platforms.directory_requests(Platform::Kick).total, 0, "not in the scope");
    scene.stop(running).await;
}
