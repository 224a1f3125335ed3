//! New requests for subscriptions that a platform stopped by itself, for example because it could not reach
//! the API.

use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use foundation::{jobs::SubscribeChannel, outbox};
use shared::{
    Result,
    platform::Platform,
    schema::{channel_connections, webhook_subscriptions},
};
use uuid::Uuid;

use super::accounts::Listening;
use crate::PlatformContext;

/// Deletes the record that the type is delivered, and requests all missing types.
pub(super) async fn resubscribe(
    context: &PlatformContext,
    delivery_id: Uuid,
    accounts: &[Listening],
    platform: Platform,
    event_type: &str,
) -> Result<()> {
    let accounts: Vec<Uuid> = accounts.iter().map(|account| account.account_id).collect();
    let mut connection = context.databases.postgres.get().await?;
    let connections: Vec<Uuid> = channel_connections::table
        .filter(
            channel_connections::platform
                .eq(platform.slug())
                .and(channel_connections::account_id.eq_any(accounts)),
        )
        .select(channel_connections::id)
        .load(&mut connection)
        .await?;
    let stopped = webhook_subscriptions::table.filter(
        webhook_subscriptions::connection_id
            .eq_any(&connections)
            .and(webhook_subscriptions::event_type.eq(event_type)),
    );
    let job = |connection_id: &Uuid| {
        let key = format!("again:{delivery_id}:{connection_id}");
        (SubscribeChannel { connection_id: *connection_id }, key)
    };
    let jobs: Vec<_> = connections.iter().map(job).collect();
    connection
        .transaction(async |connection| {
            diesel::delete(stopped).execute(connection).await?;
            outbox::add_each(connection, &jobs).await
        })
        .await
}
