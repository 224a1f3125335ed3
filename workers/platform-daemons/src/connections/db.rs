//! Connected channels and their recorded subscriptions.

use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    Error, Result,
    connection::{AppKind, CredentialSource},
    platform::Platform,
    schema::{channel_connections, webhook_subscriptions},
};
use uuid::Uuid;

/// Connected channel.
pub(super) struct Channel {
    pub id: Uuid,
    pub account_id: Uuid,
    pub platform: String,
    pub platform_channel_id: String,
    pub reconnect_required: bool,
    pub client_id: Option<String>,
    credential_source: String,
    credential_app: String,
    /// Event types that the platform delivers.
    delivered: Vec<String>,
}

/// Reply of a platform to a subscription request.
pub(super) struct Subscription {
    event_type: String,
    platform_subscription_id: Option<String>,
    refusal: Option<String>,
}

impl Channel {
    /// True when the platform delivers the event type.
    pub fn has(&self, event_type: &str) -> bool {
        self.delivered.iter().any(|known| known == event_type)
    }

    /// Returns the source of the credentials that the channel was connected with.
    pub fn source(&self) -> Result<CredentialSource> {
        CredentialSource::parse(&self.credential_source).ok_or_else(|| self.unreadable())
    }

    /// Returns the kind of application that the channel was connected with.
    pub fn app(&self) -> Result<AppKind> {
        AppKind::parse(&self.credential_app).ok_or_else(|| self.unreadable())
    }

    /// Returns the channel's platform.
    pub fn platform(&self) -> Result<Platform> {
        self.platform.parse().map_err(|_unknown| self.unreadable())
    }

    fn unreadable(&self) -> Error {
        Error::Internal(format!(
            "channel connection {} has an unknown platform or credential source",
            self.id
        ))
    }
}

impl Subscription {
    /// Returns a successful reply. Without an id, the platform reported that the subscription exists already.
    pub fn made(event_type: &str, id: Option<String>) -> Self {
        Self { event_type: event_type.to_owned(), platform_subscription_id: id, refusal: None }
    }

    /// Returns the platform's id of the subscription.
    pub fn id(&self) -> Option<&String> {
        self.platform_subscription_id.as_ref()
    }

    /// Returns a refusal with its reason.
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

/// Subscription as it is recorded: type of the event, and the platform's id.
pub(super) type Recorded = (String, Option<String>);

/// Returns the recorded subscriptions of a channel that the platform has accepted.
pub(super) async fn recorded(
    connection: &mut AsyncPgConnection,
    connection_id: Uuid,
) -> Result<Vec<Recorded>> {
    Ok(webhook_subscriptions::table
        .filter(webhook_subscriptions::connection_id.eq(connection_id))
        .filter(webhook_subscriptions::refusal.is_null())
        .select((webhook_subscriptions::event_type, webhook_subscriptions::platform_subscription_id))
        .load(connection)
        .await?)
}

/// Deletes recorded subscriptions, but none that was created anew meanwhile. Returns their number.
pub(super) async fn forget(
    connection: &mut AsyncPgConnection,
    connection_id: Uuid,
    dropped: &[Recorded],
) -> Result<usize> {
    use webhook_subscriptions::dsl;
    let types: Vec<&str> = dropped.iter().map(|(event, _)| event.as_str()).collect();
    let ids: Vec<&str> = dropped.iter().filter_map(|(_, id)| id.as_deref()).collect();
    let dropped = dsl::webhook_subscriptions
        .filter(dsl::connection_id.eq(connection_id).and(dsl::refusal.is_null()))
        .filter(dsl::event_type.eq_any(types))
        .filter(dsl::platform_subscription_id.is_null().or(dsl::platform_subscription_id.eq_any(ids)));
    Ok(diesel::delete(dropped).execute(connection).await?)
}

/// Records the platform's reply. `false` when the channel was disconnected meanwhile, or belongs to another
/// channel or application by now.
pub(super) async fn remember(
    connection: &mut AsyncPgConnection,
    channel: &Channel,
    subscription: &Subscription,
    now: DateTime<Utc>,
) -> Result<bool> {
    let sql = "
        INSERT INTO webhook_subscriptions AS s (connection_id, account_id, event_type, platform_subscription_id, refusal,
            updated_at)
        SELECT c.id, c.account_id, $2, $3, $4, $5 FROM channel_connections c
        WHERE c.id = $1 AND c.client_id IS NOT DISTINCT FROM $6 AND c.platform_channel_id = $7
        FOR KEY SHARE OF c
        ON CONFLICT (connection_id, event_type) DO UPDATE SET
            platform_subscription_id = excluded.platform_subscription_id, refusal = excluded.refusal,
            updated_at = excluded.updated_at";
    let stored = sql_query(sql)
        .bind::<SqlUuid, _>(channel.id)
        .bind::<Text, _>(&subscription.event_type)
        .bind::<Nullable<Text>, _>(&subscription.platform_subscription_id)
        .bind::<Nullable<Text>, _>(&subscription.refusal)
        .bind::<Timestamptz, _>(now)
        .bind::<Nullable<Text>, _>(&channel.client_id)
        .bind::<Text, _>(&channel.platform_channel_id)
        .execute(connection)
        .await?;
    Ok(stored > 0)
}
