//! Connected channels and what their platforms were asked for.

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    Error, Result,
    connections::{AppKind, CredentialSource},
    db::schema::{channel_connections, webhook_subscriptions},
};
use uuid::Uuid;

/// A connected channel.
pub(super) struct Channel {
    pub id: Uuid,
    pub account_id: Uuid,
    pub platform: String,
    pub platform_channel_id: String,
    pub reconnect_required: bool,
    pub client_id: Option<String>,
    credential_source: String,
    credential_app: String,
    /// What its platform delivers.
    delivered: Vec<String>,
}

/// What a platform said to a wish.
pub(super) struct Subscription {
    event_type: String,
    platform_subscription_id: Option<String>,
    refusal: Option<String>,
}

impl Channel {
    pub fn has(&self, event_type: &str) -> bool {
        self.delivered.iter().any(|known| known == event_type)
    }

    pub fn source(&self) -> Result<CredentialSource> {
        CredentialSource::parse(&self.credential_source).ok_or_else(|| self.unreadable())
    }

    pub fn app(&self) -> Result<AppKind> {
        AppKind::parse(&self.credential_app).ok_or_else(|| self.unreadable())
    }

    fn unreadable(&self) -> Error {
        Error::Internal(format!("channel connection {} has an unknown credential source", self.id))
    }
}

impl Subscription {
    /// Without an id the platform said that there is one already.
    pub fn made(event_type: &str, id: Option<String>) -> Self {
        Self { event_type: event_type.to_owned(), platform_subscription_id: id, refusal: None }
    }

    pub fn refused(event_type: &str, refusal: String) -> Self {
        Self { event_type: event_type.to_owned(), platform_subscription_id: None, refusal: Some(refusal) }
    }
}

pub(super) async fn channel(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<Channel>> {
    type Row = (Uuid, Uuid, String, String, bool, Option<String>, String, String);
    let found: Option<Row> = channel_connections::table
        .find(id)
        .select((
            channel_connections::id,
            channel_connections::account_id,
            channel_connections::platform,
            channel_connections::platform_channel_id,
            channel_connections::reconnect_required,
            channel_connections::client_id,
            channel_connections::credential_source,
            channel_connections::credential_app,
        ))
        .first(connection)
        .await
        .optional()?;
    let Some(row) = found else { return Ok(None) };
    let (id, account_id, platform, platform_channel_id, reconnect_required, client_id, source, app) = row;
    let delivered = webhook_subscriptions::table
        .filter(webhook_subscriptions::connection_id.eq(id).and(webhook_subscriptions::refusal.is_null()))
        .select(webhook_subscriptions::event_type)
        .load(connection)
        .await?;
    Ok(Some(Channel {
        id,
        account_id,
        platform,
        platform_channel_id,
        reconnect_required,
        client_id,
        credential_source: source,
        credential_app: app,
        delivered,
    }))
}

/// Notes what the platform said. A channel that was disconnected meanwhile takes its notes with it.
pub(super) async fn remember(
    connection: &mut AsyncPgConnection,
    channel: &Channel,
    subscription: &Subscription,
    now: DateTime<Utc>,
) -> Result<()> {
    use webhook_subscriptions::dsl;
    let stored = insert_into(dsl::webhook_subscriptions)
        .values((
            dsl::connection_id.eq(channel.id),
            dsl::account_id.eq(channel.account_id),
            dsl::event_type.eq(&subscription.event_type),
            dsl::platform_subscription_id.eq(&subscription.platform_subscription_id),
            dsl::refusal.eq(&subscription.refusal),
            dsl::updated_at.eq(now),
        ))
        .on_conflict((dsl::connection_id, dsl::event_type))
        .do_update()
        .set((
            dsl::platform_subscription_id.eq(&subscription.platform_subscription_id),
            dsl::refusal.eq(&subscription.refusal),
            dsl::updated_at.eq(now),
        ))
        .execute(connection)
        .await;
    match stored {
        Err(diesel::result::Error::DatabaseError(
            diesel::result::DatabaseErrorKind::ForeignKeyViolation,
            _,
        )) => Ok(()),
        other => Ok(other.map(drop)?),
    }
}
