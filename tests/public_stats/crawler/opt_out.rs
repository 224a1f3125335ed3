//! Channels that accounts opted out, and channels that accounts measure.

use diesel::{
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, RunQueryDsl};
use lumio_tests::{eventually, world::connect_to};
use platforms_stand_in::{NewUser, Platform, User};
use serde_json::json;
use shared::platform::Platform as Slug;
use stats_model::{Source, channels, samples};

use super::{INTERVAL, Scene};

/// User at the platform behind a channel of the directory.
pub(super) fn owner_of(scene: &Scene, id: &str) -> User {
    let user = NewUser { id: Some(id.to_owned()), login: Some(format!("owner{id}")), ..NewUser::default() };
    scene.app.platforms.create_user_with(Platform::Twitch, user).user
}

/// Opts a channel out as the operation does.
pub(super) async fn opt_out(scene: &Scene, platform: Slug, id: &str, name: &str) {
    let owner = scene.app.owner().await;
    let mut postgres = scene.app.databases.postgres.get().await.unwrap();
    let now = scene.app.clock.now();
    postgres
        .transaction(async |connection| {
            sql_query(
                "INSERT INTO public_channel_settings (account_id, platform, platform_channel_id, channel_name, is_public)
                 VALUES ($1, $2, $3, $4, false)",
            )
            .bind::<SqlUuid, _>(owner.account_id)
            .bind::<Text, _>(platform.slug())
            .bind::<Text, _>(id)
            .bind::<Text, _>(name)
            .execute(connection)
            .await?;
            channels::hide(connection, platform, id, now).await?;
            channels::delete_crawled(connection, platform, id).await
        })
        .await
        .unwrap();
    let mut timeseries = scene.app.databases.timescaledb.get().await.unwrap();
    samples::delete_channel(&mut timeseries, platform, id, Source::ExternalCrawler).await.unwrap();
}

#[tokio::test]
async fn crawler_never_requests_channels_that_were_opted_out() {
    let scene = Scene::start(&[Platform::Twitch]).await;
    scene.app.platforms.seed_directory(Platform::Twitch, 5, 3);
    let [listed, watched, named, other] =
        [0, 3, 4, 1].map(|place| scene.app.platforms.directory_channel(Platform::Twitch, place));
    scene.watch("twitch", &watched.login).await;
    // Opted out before the crawler knows it: an entry names it, and the platform must not be requested for it.
    opt_out(&scene, Slug::Twitch, &named.id, &named.login).await;
    scene.watch("twitch", &named.login.to_uppercase()).await;
    let running = scene.crawl().await;
    scene.sampled(Platform::Twitch, 3).await;
    eventually("the watched one is visited", async || {
        !scene.schedule(Platform::Twitch, &watched.id).await["visited_at"].is_null()
    })
    .await;
    eventually("the profiles are read", async || {
        scene.rows("crawler_channels AS t WHERE profiled_at IS NULL").await.is_empty()
    })
    .await;
    for channel in [&listed, &watched] {
        opt_out(&scene, Slug::Twitch, &channel.id, &channel.login).await;
    }
    let requests = || {
        [&listed, &watched, &named].map(|channel| {
            let about = |name: &str| scene.app.platforms.requests_about(Platform::Twitch, name);
            about(&channel.id) + about(&channel.login)
        })
    };
    let before = requests();
    assert_eq!(before[2], 0, "its name is not resolved");
    for interval in 1..=2 {
        scene.app.clock.advance(INTERVAL);
        eventually("another channel is sampled", async || {
            scene.samples_of(Platform::Twitch, &other.id).await.len() == interval + 1
        })
        .await;
    }
    // Profiles are due again, too.
    scene.app.clock.advance(chrono::TimeDelta::hours(25));
    eventually("another profile is read", async || {
        scene.app.platforms.requests_about(Platform::Twitch, &other.id) >= 6
    })
    .await;
    assert_eq!(requests(), before, "no request names them");
    for channel in [&listed, &watched, &named] {
        assert!(scene.samples_of(Platform::Twitch, &channel.id).await.is_empty(), "their rows are gone");
        assert!(scene.schedule(Platform::Twitch, &channel.id).await.is_null());
        let shown = scene.channel(Platform::Twitch, &channel.id).await;
        assert_eq!((&shown["is_hidden"], &shown["is_live"]), (&json!(true), &json!(false)));
        let streams = format!("public_streams AS t WHERE platform_channel_id = '{}'", channel.id);
        assert_eq!(scene.rows(&streams).await.len(), 0);
    }
    scene.stop(running).await;
}

#[tokio::test]
async fn crawler_requests_no_name_of_a_channel_that_was_opted_out() {
    const TROVO: Platform = Platform::Trovo;
    let scene = Scene::start(&[TROVO]).await;
    scene.app.platforms.seed_directory(TROVO, 4, 1);
    let [listed, written, gone, found] =
        [0, 1, 2, 3].map(|place| scene.app.platforms.directory_channel(TROVO, place));
    opt_out(&scene, Slug::Trovo, &listed.id, &listed.login).await;
    opt_out(&scene, Slug::Trovo, &written.id, &written.login).await;
    opt_out(&scene, Slug::Trovo, &gone.id, &gone.login).await;
    opt_out(&scene, Slug::Trovo, &found.id, "an earlier name").await;
    // As after a dissolution, or when the account has settings for another channel.
    let settings = format!("DELETE FROM public_channel_settings WHERE platform_channel_id = '{}'", gone.id);
    Scene::execute(&scene, &settings).await;
    scene.app.platforms.change_directory(TROVO, &listed.id, |channel| channel.login = "renamed".into());
    let about = |name: &str| scene.app.platforms.requests_about(TROVO, name);
    let remembers = async |name: &str| {
        !scene.rows(&format!("public_channels AS t WHERE hidden_names @> ARRAY['{name}']")).await.is_empty()
    };
    let is_postponed = async |name: &str| {
        let later = (scene.app.clock.now() + chrono::TimeDelta::hours(5)).to_rfc3339();
        let entry =
            format!("crawler_watchlist AS t WHERE channel = '{name}' AND resolve_next_at > '{later}'");
        scene.rows(&entry).await.len() == 1
    };
    let handle = format!("@{}", written.login.to_uppercase());
    scene.watch("trovo", &handle).await;
    scene.watch("trovo", &gone.login).await;
    scene.watch("trovo", &found.login).await;
    let running = scene.crawl().await;
    eventually("the list has its new name", async || remembers("renamed").await).await;
    scene.watch("trovo", "Renamed").await;
    for name in [handle.as_str(), &gone.login, "Renamed"] {
        eventually("the entry is postponed", async || is_postponed(name).await).await;
        assert_eq!(about(name), 0, "{name}");
    }
    // Its name was not known before the platform stated it.
    eventually("the answer is remembered", async || remembers(&found.login).await).await;
    for _ in 0..2 {
        eventually("the entry is postponed", async || is_postponed(&found.login).await).await;
        assert_eq!(about(&found.login), 1);
        let entry = format!("crawler_watchlist AS t WHERE channel = '{}'", found.login);
        assert!(scene.rows(&entry).await[0]["platform_channel_id"].is_null(), "nothing of it is stored");
        // The next attempt.
        scene.app.clock.advance(chrono::TimeDelta::hours(7));
    }
    for channel in [&listed, &written, &gone, &found] {
        assert_eq!(about(&channel.id), 0);
        assert!(scene.schedule(TROVO, &channel.id).await.is_null());
    }
    scene.stop(running).await;
}

#[tokio::test]
async fn crawler_leaves_connected_channels_to_their_accounts_and_reads_their_followers() {
    let scene = Scene::start(&[Platform::Twitch]).await;
    scene.app.platforms.seed_directory(Platform::Twitch, 3, 3);
    let connected = scene.app.platforms.directory_channel(Platform::Twitch, 0);
    let owner = scene.app.owner().await;
    let user = owner_of(&scene, &connected.id);
    connect_to(&scene.app, owner.account_id, &user, None).await;
    scene.watch("twitch", &connected.id).await;
    let running = scene.crawl().await;
    scene.sampled(Platform::Twitch, 2).await;
    eventually("its followers are known", async || {
        scene.channel(Platform::Twitch, &connected.id).await["followers"] == connected.followers
    })
    .await;
    scene.next_interval();
    scene.sampled(Platform::Twitch, 4).await;
    assert!(scene.samples_of(Platform::Twitch, &connected.id).await.is_empty());
    assert_eq!(scene.app.platforms.visits_to(Platform::Twitch, &connected.id), 0);
    let followers = format!("platform_channel_id = '{}' AND follower_count IS NOT NULL", connected.id);
    assert_eq!(scene.samples(&followers).await.len(), 1, "for the trend of followers");
    scene.stop(running).await;
}
