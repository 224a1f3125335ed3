//! YouTube, where channels of the watch list are visited within a part of the daily quota.

use chrono::TimeDelta;
use diesel::{ExpressionMethods, insert_into};
use diesel_async::RunQueryDsl;
use foundation::crypto::{SecretLocation, row};
use lumio_tests::eventually;
use platforms_stand_in::Platform;
use serde_json::json;
use shared::{id, schema::bot_connections, secret::Secret};

use super::Scene;

/// Connects the bot of the deployment, whose token the crawler uses.
async fn connect_bot(scene: &Scene) -> String {
    let (user, token) = scene.app.platforms.create_user(Platform::Youtube, "ourbot");
    let (connection_id, client_id) = (id::new(), scene.app.platforms.app(Platform::Youtube).client_id);
    let row = row(connection_id);
    let place = SecretLocation { table: "bot_connections", column: "access_token", row: &row };
    let sealed = scene.app.state.keyring.seal(place, &Secret::new(token)).unwrap();
    insert_into(bot_connections::table)
        .values((
            bot_connections::id.eq(connection_id),
            bot_connections::platform.eq("youtube"),
            bot_connections::bot_user_id.eq(&user.id),
            bot_connections::bot_username.eq(&user.login),
            bot_connections::display_name.eq(&user.display_name),
            bot_connections::credential_source.eq("system"),
            bot_connections::credential_app.eq("bot"),
            bot_connections::client_id.eq(&client_id),
            bot_connections::access_token.eq(sealed),
        ))
        .execute(&mut *scene.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    client_id
}

#[tokio::test]
async fn youtube_channels_of_the_watch_list_are_visited_with_the_token_of_the_bot() {
    let scene = Scene::start(&[Platform::Youtube]).await;
    scene.app.platforms.seed_directory(Platform::Youtube, 3, 1);
    let client_id = connect_bot(&scene).await;
    let [live, off] = [0, 1].map(|place| scene.app.platforms.directory_channel(Platform::Youtube, place));
    scene.watch("youtube", &format!("@{}", live.login)).await;
    scene.watch("youtube", &off.id).await;
    scene.watch("youtube", "@nosuchhandle").await;
    let running = scene.crawl().await;
    eventually("the live one is sampled", async || {
        scene.samples_of(Platform::Youtube, &live.id).await.len() == 1
    })
    .await;
    let sample = scene.samples_of(Platform::Youtube, &live.id).await.remove(0);
    assert_eq!(sample["viewer_count"], json!(live.viewers));
    eventually("its subscribers are known", async || {
        scene.channel(Platform::Youtube, &live.id).await["followers"] == live.followers
    })
    .await;
    eventually("the other is visited", async || {
        !scene.schedule(Platform::Youtube, &off.id).await["visited_at"].is_null()
    })
    .await;
    eventually("categories are known", async || {
        scene.rows("public_games AS t WHERE platform = 'youtube'").await.len() == 200
    })
    .await;
    let spent = scene.rows("platform_quotas AS t WHERE platform = 'youtube' ORDER BY client_id").await;
    let of = |client_id: &str| {
        spent.iter().find(|row| row["client_id"] == client_id).map(|row| row["used"].as_i64().unwrap())
    };
    let (own, whole) = (of(&format!("crawler:{client_id}")).unwrap(), of(&client_id).unwrap());
    let requests = scene.app.platforms.directory_requests(Platform::Youtube).total;
    assert!(own >= i64::try_from(requests).unwrap_or(0).min(5) && whole >= own, "{spent:?}");

    scene.app.platforms.change_directory(Platform::Youtube, &live.id, |channel| channel.live = None);
    scene.app.clock.advance(TimeDelta::minutes(2));
    eventually("it is off", async || scene.channel(Platform::Youtube, &live.id).await["is_live"] == false)
        .await;
    scene.app.platforms.go_live_in_directory(Platform::Youtube, 1);
    scene.app.clock.advance(TimeDelta::minutes(16));
    eventually("a new broadcast is found", async || {
        scene.channel(Platform::Youtube, &off.id).await["is_live"] == true
    })
    .await;
    scene.stop(running).await;
}

#[tokio::test]
async fn youtube_without_a_bot_is_not_crawled() {
    let scene = Scene::start(&[Platform::Youtube, Platform::Twitch]).await;
    for platform in [Platform::Youtube, Platform::Twitch] {
        scene.app.platforms.seed_directory(platform, 3, 3);
    }
    scene.watch("youtube", "@channel0").await;
    let running = scene.crawl().await;
    scene.sampled(Platform::Twitch, 3).await;
    assert_eq!(scene.app.platforms.directory_requests(Platform::Youtube).total, 0);
    scene.stop(running).await;
}
