//! The daily quota of an application (reference/platforms.md#quota).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use shared::schema::{channel_connections, platform_quotas};

use super::{DAEMONS, polls, stage_with};
use lumio_tests::world::eventually;

#[tokio::test]
async fn quota_of_the_day_is_not_exceeded() {
    let stage = stage_with(&[("LUMIO_YOUTUBE_QUOTA_PER_DAY", "100")]).await;
    stage.app.platforms.change_youtube(|chats| chats.polling_interval_ms = 50);
    let running = stage.workers(&DAEMONS).await;
    let reader = async || {
        let mut db = stage.app.databases.postgres.get().await.unwrap();
        let health = connection_model::health::of(&mut db, &[stage.connection_id]).await.unwrap();
        health.get(&stage.connection_id).and_then(|health| health.reader.clone()?.detail)
    };
    eventually("the budget is spent", async || {
        reader().await.as_deref() == Some("YouTube's quota of the day is spent")
    })
    .await;
    let used: i64 = platform_quotas::table
        .select(platform_quotas::used)
        .first(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let searches = stage.app.platforms.change_youtube(|chats| chats.searches);
    let spent = 5 * polls(&stage) + searches;
    assert!(used <= 100 && i64::try_from(spent).unwrap() <= used, "{used} counted, {spent} spent");
    stage.end(running).await;
}

#[tokio::test]
async fn quota_share_covers_reading_unless_the_application_is_the_accounts() {
    let limits = [("LUMIO_YOUTUBE_QUOTA_PER_DAY", "400"), ("LUMIO_YOUTUBE_SHARE_PERCENT", "25")];
    let stage = stage_with(&limits).await;
    stage.app.platforms.change_youtube(|chats| chats.polling_interval_ms = 50);
    let running = stage.workers(&DAEMONS).await;
    let reader = async || {
        let mut db = stage.app.databases.postgres.get().await.unwrap();
        let health = connection_model::health::of(&mut db, &[stage.connection_id]).await.unwrap();
        health.get(&stage.connection_id).and_then(|health| health.reader.clone()?.detail)
    };
    eventually("the share is spent", async || {
        reader().await.as_deref() == Some("The account's share of YouTube's quota of the day is spent")
    })
    .await;
    let used = async || -> i64 {
        platform_quotas::table
            .select(platform_quotas::used)
            .first(&mut *stage.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    };
    assert!((95..=100).contains(&used().await), "{}", used().await);
    drop(running);
    diesel::update(channel_connections::table.find(stage.connection_id))
        .set(channel_connections::credential_source.eq("account"))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let running = stage.workers(&DAEMONS).await;
    eventually("it goes on", async || used().await > 150).await;
    stage.end(running).await;
}
