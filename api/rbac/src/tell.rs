//! What sockets learn of changed rights (specification C §11.5). Written in the transaction of the change.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde_json::json;
use shared::{
    events::{Channel, Event},
    id::{AccountId, UserId},
    jobs::PublishEvent,
    outbox,
};
use uuid::Uuid;

/// `roles:updated` on the account's channel. Without a role, what everybody in the account may do has changed.
pub(crate) async fn account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    role: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({ "role_id": role });
    publish(connection, Event::new(Channel::Account(account.0), "roles:updated", data, now)).await
}

/// `permissions:updated` on the person's channel: what they may do beyond accounts has changed.
pub(crate) async fn user(connection: &mut AsyncPgConnection, user: UserId, now: DateTime<Utc>) -> Result<()> {
    let data = json!({ "account_id": null });
    publish(connection, Event::new(Channel::User(user.0), "permissions:updated", data, now)).await
}

async fn publish(connection: &mut AsyncPgConnection, event: Event) -> Result<()> {
    let key = format!("{}:{}", event.event_type, event.id);
    Ok(outbox::add(connection, &PublishEvent { event }, &key).await?)
}
