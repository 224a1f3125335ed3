//! The end of an account (specification C §3, dissolve).

use chrono::{DateTime, Utc};
use diesel::{delete, prelude::*, sql_query, sql_types::Uuid as SqlUuid, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use uuid::Uuid;

use super::MAX_MEMBERS;
use crate::{
    Result,
    db::schema::{accounts, memberships, sessions, users},
    events::{Channel, Event},
    id::{AccountId, UserId},
    invalidation::Invalidation,
    jobs::{EraseAccount, PublishEvent},
    outbox,
};

/// Ends an account: its row with everything that hangs on it, and through a job its rows over time, event logs and
/// stored objects. `None` when there is no such account. The audit trail stays.
///
/// Call it in a transaction and announce the answer after the commit.
///
/// # Errors
/// When the database fails.
pub async fn end_account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Option<Invalidation>> {
    let found = accounts::table.find(account).select(accounts::id).for_update();
    if found.first::<AccountId>(connection).await.optional()?.is_none() {
        return Ok(None);
    }
    tell_members(connection, account, now).await?;
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
    delete(accounts::table.find(account)).execute(connection).await?;
    let job = EraseAccount { account_id: account.0, is_repeat: false };
    outbox::add(connection, &job, &format!("erase_account:{account}")).await?;
    Ok(Some(Invalidation::AccountEnded { account_id: account.0 }))
}

/// Everybody's clients learn that one of their accounts is gone.
async fn tell_members(
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
    let told: Vec<(PublishEvent, String)> = members
        .into_iter()
        .map(|user| {
            let data = json!({ "account_id": account });
            let event = Event::new(Channel::User(user.0), "permissions:updated", data, now);
            let key = format!("{}:{}", event.event_type, event.id);
            (PublishEvent { event }, key)
        })
        .collect();
    outbox::add_each(connection, &told).await
}

/// The store's numbers no longer count what the account installed. What every account has was never counted.
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
