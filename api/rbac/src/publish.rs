//! Socket events about changed rights (reference/realtime.md#changes-of-rights). They are written in the
//! transaction of the change.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use foundation::{
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use serde_json::json;
use shared::id::{AccountId, UserId};
use uuid::Uuid;

/// Publishes `roles:updated` on the account's channel. Without a role the change concerns everybody in the
/// account.
pub(crate) async fn account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    role: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({ "role_id": role });
    publish(connection, Event::new(Channel::Account(account.uuid()), "roles:updated", data, now)).await
}

/// Publishes `permissions:updated` on the person's channel: the rights of the person outside of accounts have
/// changed.
pub(crate) async fn user(connection: &mut AsyncPgConnection, user: UserId, now: DateTime<Utc>) -> Result<()> {
    let data = json!({ "account_id": null });
    publish(connection, Event::new(Channel::User(user.0), "permissions:updated", data, now)).await
}

async fn publish(connection: &mut AsyncPgConnection, event: Event) -> Result<()> {
    let key = format!("{}:{}", event.event_type, event.id);
    Ok(outbox::add(connection, &PublishEvent { event }, &key).await?)
}
