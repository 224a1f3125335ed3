//! Channels that accounts have connected. Their figures come from the accounts; profiles and followers are read
//! like those of others.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz},
};
use diesel_async::RunQueryDsl;
use foundation::{db::Prepare, lease::Lease};
use shared::Result;

use super::PlatformCrawler;

/// Interval at which connected channels are added.
const INTERVAL: Duration = Duration::from_secs(600);
/// Number of channels of one statement.
const BATCH_SIZE: i64 = 1_000;
/// Maximum number of statements.
const MAX_BATCHES: usize = 10_000;

#[derive(QueryableByName)]
struct Added {
    #[diesel(sql_type = Nullable<Text>)]
    last: Option<String>,
}

const ADD: &str = "
    WITH page AS MATERIALIZED (
        SELECT DISTINCT platform_channel_id FROM channel_connections
        WHERE platform = $1 AND platform_channel_id > $2 AND connected_at > 'epoch'
        ORDER BY platform_channel_id LIMIT $4
    ), added AS (
        INSERT INTO crawler_channels AS known (platform, platform_channel_id, profile_next_at)
        SELECT $1, page.platform_channel_id, $3 FROM page
        WHERE NOT EXISTS (SELECT FROM public_channels AS channel
            WHERE channel.platform = $1 AND channel.platform_channel_id = page.platform_channel_id
                AND channel.is_hidden)
        ORDER BY page.platform_channel_id
        ON CONFLICT (platform, platform_channel_id) DO UPDATE
            SET profile_next_at = greatest(excluded.profile_next_at, known.profiled_at + interval '1 day')
            WHERE known.profile_next_at IS NULL
    )
    SELECT max(platform_channel_id) AS last FROM page";

/// Adds connected channels to the profiles that are read, in one copy.
pub(super) async fn add(crawler: &PlatformCrawler) -> Result<()> {
    let redis = &crawler.context.redis;
    let key = redis.key(format_args!("crawler:{}:connected", crawler.platform));
    if Lease::take(redis, key, &crawler.owner, INTERVAL).await?.is_none() {
        return Ok(());
    }
    let now = crawler.context.clock.now();
    let mut after = String::new();
    for _ in 0..MAX_BATCHES {
        let Some(last) = add_after(crawler, &after, now).await? else { break };
        after = last;
    }
    Ok(())
}

async fn add_after(crawler: &PlatformCrawler, after: &str, now: DateTime<Utc>) -> Result<Option<String>> {
    let added: Added = sql_query(ADD)
        .bind::<Text, _>(crawler.platform.slug())
        .bind::<Text, _>(after)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(BATCH_SIZE)
        .prepared()
        .get_result(&mut *crawler.context.databases.postgres.get().await?)
        .await?;
    Ok(added.last)
}
