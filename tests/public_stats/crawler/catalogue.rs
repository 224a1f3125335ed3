//! Catalogues of games and emotes.

use lumio_tests::eventually;
use platforms_stand_in::Platform;
use redis::AsyncCommands;
use serde_json::json;

use super::{Scene, opt_out::owner_of};

#[tokio::test]
async fn catalogue_of_games_and_emotes_is_read_from_each_platform() {
    let platforms = [Platform::Twitch, Platform::Kick, Platform::Trovo];
    let scene = Scene::start(&platforms).await;
    for platform in platforms {
        scene.app.platforms.seed_directory(platform, 1, 0);
    }
    let running = scene.crawl().await;
    for platform in platforms {
        let games = format!("public_games AS t WHERE platform = '{platform}' AND box_art_url IS NOT NULL");
        eventually("every game has a picture", async || scene.rows(&games).await.len() == 200).await;
        let game = scene.rows(&format!("{games} AND game_id = '1150'")).await;
        assert_eq!(game[0]["name"], json!("Game 150"));
    }
    let games = scene.rows("public_games AS t WHERE platform = 'twitch' AND game_id = '1000'").await;
    assert_eq!(games[0]["box_art_url"], json!("https://example.com/0-285x380.jpg"));
    for (provider, name) in
        [("twitch", "Kappa"), ("7tv", "EZ"), ("bttv", ":tf:"), ("ffz", "LilZ"), ("kick", "KEKW")]
    {
        let emotes = format!("public_emotes AS t WHERE provider = '{provider}' AND name = '{name}'");
        eventually("the emote is known", async || scene.rows(&emotes).await.len() == 1).await;
    }
    scene.stop(running).await;
}

#[tokio::test]
async fn catalogue_continues_an_interrupted_reading_and_rests_for_a_day_only_when_it_is_complete() {
    const CHANNELS: usize = 12;
    let scene = Scene::start(&[Platform::Twitch]).await;
    scene.app.platforms.seed_directory(Platform::Twitch, CHANNELS, 0);
    let ids: Vec<String> = (0..CHANNELS)
        .map(|place| scene.app.platforms.directory_channel(Platform::Twitch, place).id)
        .collect();
    for id in &ids {
        // Each user has emotes of each provider.
        owner_of(&scene, id);
    }
    scene.watch_found(Platform::Twitch, CHANNELS).await;
    let emotes =
        async |id: &str| scene.rows(&format!("public_emotes AS t WHERE emote_id = '01{id}'")).await.len();
    let redis = &scene.app.state.redis;
    let [lease, position] =
        ["catalogue", "catalogue_position"].map(|name| redis.key(format_args!("crawler:twitch:{name}")));
    let rest = async || redis.get().await.unwrap().pttl::<_, i64>(&lease).await.unwrap();
    let running = scene.crawl().await;
    eventually("the first channel is read", async || emotes(&ids[0]).await == 1).await;
    // Its emotes come from several providers; the position names it after the last.
    eventually("the position names a channel", async || {
        let kept: Option<String> = redis.get().await.unwrap().get(&position).await.unwrap();
        kept.is_some_and(|kept| kept.contains(r#""channel":""#))
    })
    .await;
    scene.app.switch("system:crawler", false).await;
    eventually("another copy may continue", async || rest().await < 0).await;
    assert_eq!(emotes(&ids[CHANNELS - 1]).await, 0, "the reading was interrupted");
    // The rest is the last channel.
    scene.execute("DELETE FROM public_emotes").await;
    let others = format!("platform_channel_id <> '{}'", ids[CHANNELS - 1]);
    scene.execute(&format!("DELETE FROM crawler_watchlist WHERE {others} AND channel <> '{}'", ids[0])).await;
    scene
        .execute(&format!(
            "DELETE FROM crawler_channels WHERE {others} AND platform_channel_id <> '{}'",
            ids[0]
        ))
        .await;
    scene.app.switch("system:crawler", true).await;
    eventually("the last channel is read", async || emotes(&ids[CHANNELS - 1]).await == 1).await;
    eventually("the next reading is a day away", async || rest().await > 80_000_000).await;
    assert_eq!(emotes(&ids[0]).await, 0, "the first channel is not read again");
    assert_eq!(scene.rows("public_emotes AS t WHERE name = 'Kappa'").await.len(), 0, "nor are global emotes");
    eventually("the position is gone", async || {
        !redis.get().await.unwrap().exists::<_, bool>(&position).await.unwrap()
    })
    .await;
    scene.stop(running).await;
}
