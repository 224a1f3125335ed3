//! Catalogues of games and emotes.

use lumio_tests::eventually;
use platforms_stand_in::Platform;
use serde_json::json;

use super::Scene;

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
