//! End of an account (reference/accounts.md#dissolution).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, delete,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
    update,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use uuid::Uuid;

use super::MAX_MEMBERS;
use foundation::{
    events::{Channel, Event},
    invalidation::Invalidation,
    jobs::{EraseAccount, PublishEvent},
    outbox,
};
use shared::{
    Result,
    id::{AccountId, UserId},
    schema::{accounts, idempotent_requests, memberships, sessions, users},
};

/// Maximum number of channels whose public statistics end with an account, the connected ones first.
const MAX_CHANNELS: i64 = 1_000;
/// Maximum number of installs, overlays and widgets whose event logs end with an account. Logs beyond it end by themselves,
/// within a day.
const MAX_RESOURCE_LOGS: i64 = 2_000;

#[derive(QueryableByName)]
struct PublicChannel {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
}

#[derive(QueryableByName)]
struct ResourceLog {
    #[diesel(sql_type = Text)]
    channel: String,
}

/// Ends an account. Its row and everything that references it are deleted here; a job deletes its rows over
/// time, event logs, stored objects and public statistics. `None` when there is no such account. The audit
/// trail stays.
///
/// Call it in a transaction and announce the result after the commit.
///
/// # Errors
/// Database failure.
pub async fn end_account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Option<Invalidation>> {
    let found = accounts::table.find(account).select(accounts::id).for_update();
    if found.first::<AccountId>(connection).await.optional()?.is_none() {
        return Ok(None);
    }
    publish_to_members(connection, account, now).await?;
    count_down_installs(connection, account).await?;
    update(sessions::table)
        .filter(sessions::active_account_id.eq(account))
        .set(sessions::active_account_id.eq(None::<Uuid>))
        .execute(connection)
        .await?;
    update(users::table)
        .filter(users::active_account_id.eq(account))
        .set(users::active_account_id.eq(None::<Uuid>))
        .execute(connection)
        .await?;
    let channels = channels(connection, account).await?;
    let resource_logs = resource_logs(connection, account).await?;
    // They have no foreign key. The job deletes those of requests that are in progress.
    let stored = idempotent_requests::table.filter(idempotent_requests::account_id.eq(account));
    delete(stored).execute(connection).await?;
    delete(accounts::table.find(account)).execute(connection).await?;
    let job = EraseAccount { account_id: account.uuid(), channels, resource_logs, is_repeat: false };
    outbox::add(connection, &job, &format!("erase_account:{account}")).await?;
    Ok(Some(Invalidation::AccountEnded { account_id: account.uuid() }))
}

/// Publishes `permissions:updated` to every member, so that clients drop the account.
async fn publish_to_members(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<()> {
    let members: Vec<UserId> = memberships::table
        .filter(memberships::account_id.eq(account))
        .limit(MAX_MEMBERS)
        .select(memberships::user_id)
        .load(connection)
        .await?;
    let events: Vec<(PublishEvent, String)> = members
        .into_iter()
        .map(|user| {
            let data = json!({ "account_id": account });
            let event = Event::new(Channel::User(user.0), "permissions:updated", data, now);
            let key = format!("{}:{}", event.event_type, event.id);
            (PublishEvent { event }, key)
        })
        .collect();
    outbox::add_each(connection, &events).await
}

/// Subtracts the account's installs from the counts of the store. Built-in extensions are not counted.
async fn count_down_installs(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    sql_query(
        "UPDATE extensions SET install_count = install_count - gone.installs
         FROM (SELECT extension_id, count(*)::integer AS installs FROM extension_installs
               WHERE account_id = $1 GROUP BY extension_id) AS gone
         WHERE extensions.id = gone.extension_id AND visibility <> 'system'",
    )
    .bind::<SqlUuid, _>(account)
    .execute(connection)
    .await?;
    Ok(())
}

/// Channels that the account has connected, and those that its sessions name, from before another one was
/// connected: slug of the platform, and id on it.
async fn channels(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<(String, String)>> {
    let channels: Vec<PublicChannel> = sql_query(
        "SELECT platform, platform_channel_id FROM (
             SELECT platform, platform_channel_id, true AS is_connected FROM channel_connections WHERE account_id = $1
             UNION ALL
             SELECT platform, platform_channel_id, false FROM stream_broadcasts WHERE account_id = $1
         ) AS own
         WHERE btrim(platform_channel_id) <> ''
         GROUP BY platform, platform_channel_id
         ORDER BY bool_or(is_connected) DESC, platform, platform_channel_id LIMIT $2",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<BigInt, _>(MAX_CHANNELS)
    .load(connection)
    .await?;
    Ok(channels.into_iter().map(|channel| (channel.platform, channel.platform_channel_id)).collect())
}

/// Names of the channels of the account's installs, overlays and widgets, which do not contain the account.
async fn resource_logs(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<String>> {
    let logs: Vec<ResourceLog> = sql_query(
        "SELECT 'ext-storage:' || id AS channel FROM extension_installs WHERE account_id = $1
         UNION ALL SELECT 'overlay:' || key FROM overlays WHERE account_id = $1
         UNION ALL SELECT 'overlay-editor:' || id FROM overlays WHERE account_id = $1
         UNION ALL SELECT 'widget:' || id FROM widgets WHERE account_id = $1
         LIMIT $2",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<BigInt, _>(MAX_RESOURCE_LOGS)
    .load(connection)
    .await?;
    Ok(logs.into_iter().map(|log| log.channel).collect())
}
