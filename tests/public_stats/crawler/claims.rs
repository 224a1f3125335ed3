//! Claims and opt-outs between the calls of a batch.

use chrono::TimeDelta;
use lumio_tests::eventually;
use platforms_stand_in::Platform;
use shared::platform::Platform as Slug;

use super::{Scene, opt_out::opt_out};

const TROVO: Platform = Platform::Trovo;

/// Lets visits to channels be due.
async fn make_due(scene: &Scene, condition: &str) {
    let now = scene.app.clock.now().to_rfc3339();
    scene.execute(&format!("UPDATE crawler_channels SET next_at = '{now}' WHERE {condition}")).await;
}

#[tokio::test]
async fn crawler_makes_no_call_about_a_channel_that_was_opted_out_or_claimed_after_the_batch_began() {
    let scene = Scene::start(&[TROVO]).await;
    // No visit is due again by itself.
    scene.scope("interval_secs = 3600").await;
    scene.app.begin_a_window(3_600);
    scene.app.platforms.seed_directory(TROVO, 6, 0);
    let ids: Vec<String> =
        (0..6).map(|place| scene.app.platforms.directory_channel(TROVO, place).id).collect();
    let (last, batch) = ids.split_last().unwrap();
    scene.watch_found(TROVO, ids.len()).await;
    // Profiles are not read, so all requests are visits.
    scene
        .execute("UPDATE crawler_channels SET profile_next_at = profile_next_at + interval '10 years'")
        .await;
    scene
        .execute(&format!(
            "UPDATE crawler_channels SET next_at = next_at + interval '10 years' WHERE platform_channel_id = '{last}'"
        ))
        .await;
    let visits = |id: &str| scene.app.platforms.visits_to(TROVO, id);

    let held = scene.app.platforms.hold_directory(TROVO);
    let running = scene.crawl().await;
    let first = held.arrived().await;
    let hidden = batch.iter().find(|id| **id != first).unwrap();
    opt_out(&scene, Slug::Trovo, hidden, "another").await;
    held.release();
    let visited = async || scene.rows("crawler_channels AS t WHERE visited_at IS NOT NULL").await.len();
    eventually("the others are visited", async || visited().await == batch.len() - 1).await;
    assert_eq!(scene.app.platforms.requests_about(TROVO, hidden), 0, "it was opted out before its call");

    let held = scene.app.platforms.hold_directory(TROVO);
    make_due(&scene, "visited_at IS NOT NULL").await;
    let second = held.arrived().await;
    // The call takes longer than the claims last.
    scene.app.clock.advance(TimeDelta::seconds(31));
    let other = scene.crawl().await;
    let shown: Vec<&String> = batch.iter().filter(|id| *id != hidden).collect();
    let expected: Vec<u64> = shown.iter().map(|id| if **id == second { 3 } else { 2 }).collect();
    let counted = || shown.iter().map(|id| visits(id)).collect::<Vec<u64>>();
    let due = format!(
        "crawler_channels AS t WHERE visited_at IS NOT NULL AND next_at <= '{}'",
        scene.app.clock.now().to_rfc3339()
    );
    eventually("another copy visits them", async || scene.rows(&due).await.is_empty()).await;
    assert_eq!(counted(), expected);
    other.stop().await.unwrap();
    held.release();
    // The first copy ends its batch before it takes another channel.
    make_due(&scene, &format!("platform_channel_id = '{last}'")).await;
    eventually("the next one is visited", async || visits(last) == 1).await;
    assert_eq!(counted(), expected, "the first copy leaves what it has lost");

    entries_are_found_once(&scene).await;
    scene.stop(running).await;
}

/// The same for entries of the watch list, with a copy that runs already.
async fn entries_are_found_once(scene: &Scene) {
    let login = |place| scene.app.platforms.directory_channel(TROVO, place).login;
    let about = |name: &str| scene.app.platforms.requests_about(TROVO, name);
    let (one, two, next) = (login(3), login(4), login(5));
    let held = scene.app.platforms.hold_directory(TROVO);
    scene
        .execute(&format!(
            "INSERT INTO crawler_watchlist (id, platform, channel)
             VALUES (gen_random_uuid(), 'trovo', '{one}'), (gen_random_uuid(), 'trovo', '{two}')"
        ))
        .await;
    let first = held.arrived().await;
    scene.app.clock.advance(TimeDelta::seconds(61));
    let other = scene.crawl().await;
    let expected = [&one, &two].map(|name| if *name == first { 2 } else { 1 });
    let counted = || [&one, &two].map(|name| about(name));
    let unknown = "crawler_watchlist AS t WHERE platform_channel_id IS NULL";
    eventually("another copy finds them", async || scene.rows(unknown).await.is_empty()).await;
    assert_eq!(counted(), expected);
    other.stop().await.unwrap();
    held.release();
    scene.watch("trovo", &next).await;
    eventually("the next one is found", async || about(&next) == 1).await;
    assert_eq!(counted(), expected, "the first copy leaves what it has lost");
}
