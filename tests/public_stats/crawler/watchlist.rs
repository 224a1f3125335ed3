//! The watch list of staff.

use lumio_tests::eventually;
use platforms_stand_in::Platform;

use super::{INTERVAL, Scene};

const WITHOUT_GOOGLE: [Platform; 3] = [Platform::Twitch, Platform::Kick, Platform::Trovo];

#[tokio::test]
async fn watchlist_entries_are_visited_in_each_interval_whatever_the_scope_is() {
    let scene = Scene::start(&WITHOUT_GOOGLE).await;
    for platform in WITHOUT_GOOGLE {
        scene.app.platforms.seed_directory(platform, 6, 2);
    }
    // No channel of the directories is within the scope.
    scene.scope("min_viewers = 1000000, languages = '{xx}'").await;
    let channel = |platform, place| scene.app.platforms.directory_channel(platform, place);
    for platform in WITHOUT_GOOGLE {
        let (live, off) = (channel(platform, 0), channel(platform, 5));
        scene.watch(platform.slug(), &live.login.to_uppercase()).await;
        scene.watch(platform.slug(), &off.id).await;
        scene.watch(platform.slug(), "nosuchchannel").await;
    }
    scene.watch("twitch", "a name/with a slash").await;
    let running = scene.crawl().await;
    for platform in WITHOUT_GOOGLE {
        let (live, off) = (channel(platform, 0), channel(platform, 5));
        eventually("the live one is sampled", async || scene.samples_of(platform, &live.id).await.len() == 1)
            .await;
        eventually("the other is visited", async || {
            !scene.schedule(platform, &off.id).await["visited_at"].is_null()
        })
        .await;
        assert_eq!(scene.count_samples(platform).await, 1, "{platform}: only the live one");
        let unknown = "crawler_watchlist AS t WHERE channel IN ('nosuchchannel', 'a name/with a slash')";
        eventually("unknown names are postponed", async || {
            let rows =
                scene.rows(&format!("{unknown} AND resolve_next_at > now() + interval '1 hour'")).await;
            rows.len() == 4
        })
        .await;
        assert!(scene.rows(unknown).await.iter().all(|entry| entry["platform_channel_id"].is_null()));
    }
    let visits =
        WITHOUT_GOOGLE.map(|platform| scene.app.platforms.visits_to(platform, &channel(platform, 5).id));
    // The next visit of each channel is somewhere in the next interval.
    scene.app.clock.advance(INTERVAL * 2);
    for (platform, before) in WITHOUT_GOOGLE.into_iter().zip(visits) {
        let off = channel(platform, 5);
        eventually("it is visited again", async || scene.app.platforms.visits_to(platform, &off.id) > before)
            .await;
    }
    scene.stop(running).await;
}

#[tokio::test]
async fn watchlist_channels_that_are_removed_are_left_with_their_rows() {
    let scene = Scene::start(&[Platform::Twitch]).await;
    scene.app.platforms.seed_directory(Platform::Twitch, 2, 2);
    scene.scope("min_viewers = 1000000").await;
    let channels = [0, 1].map(|place| scene.app.platforms.directory_channel(Platform::Twitch, place));
    for channel in &channels {
        scene.watch("twitch", &channel.login).await;
    }
    let running = scene.crawl().await;
    scene.sampled(Platform::Twitch, 2).await;
    // The entry keeps the channel also when it is renamed.
    scene.app.platforms.change_directory(Platform::Twitch, &channels[0].id, |channel| {
        channel.login = "another".into();
    });
    scene.execute(&format!("DELETE FROM crawler_watchlist WHERE channel = '{}'", channels[1].login)).await;
    eventually("it is not watched", async || {
        scene.schedule(Platform::Twitch, &channels[1].id).await["is_watched"] == false
    })
    .await;
    scene.app.clock.advance(INTERVAL * 2);
    eventually("the other is sampled again", async || {
        scene.samples_of(Platform::Twitch, &channels[0].id).await.len() >= 2
    })
    .await;
    eventually("it is dormant", async || {
        scene.schedule(Platform::Twitch, &channels[1].id).await["next_at"].is_null()
    })
    .await;
    assert_eq!(scene.samples_of(Platform::Twitch, &channels[1].id).await.len(), 1, "what is known stays");
    scene.stop(running).await;
}
