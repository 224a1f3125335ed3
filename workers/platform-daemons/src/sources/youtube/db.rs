//! Broadcasts that are on air, and the read position of their chats.

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use live_model::inbox::Inbound;
use shared::{Error, Result, schema::youtube_broadcasts};
use uuid::Uuid;

use super::super::Reader;

/// Broadcast on air.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = youtube_broadcasts)]
pub(super) struct Broadcast {
    pub broadcast_id: String,
    pub live_chat_id: Option<String>,
    pub title: String,
    pub started_at: DateTime<Utc>,
    pub found_at: DateTime<Utc>,
    pub page_token: Option<String>,
}

/// Returns the known broadcasts of a channel.
pub(super) async fn load(reader: &Reader) -> Result<Vec<Broadcast>> {
    let mut connection = reader.context.databases.postgres.get().await?;
    Ok(youtube_broadcasts::table
        .filter(youtube_broadcasts::connection_id.eq(reader.channel.connection_id))
        .order(youtube_broadcasts::broadcast_id)
        .select(Broadcast::as_select())
        .load(&mut connection)
        .await?)
}

/// Records broadcasts that began and ended, together with their deliveries; returns the new deliveries.
pub(super) async fn change(
    reader: &Reader,
    begun: &[Broadcast],
    ended: &[String],
    deliveries: &[Inbound],
) -> Result<Vec<Uuid>> {
    let mut connection = reader.context.databases.postgres.get().await?;
    connection
        .transaction(async |connection| {
            let connection_id = reader.channel.connection_id;
            let gone = youtube_broadcasts::table.filter(
                youtube_broadcasts::connection_id
                    .eq(connection_id)
                    .and(youtube_broadcasts::broadcast_id.eq_any(ended)),
            );
            diesel::delete(gone).execute(connection).await?;
            for broadcast in begun {
                insert(connection, connection_id, broadcast).await?;
            }
            reader.intake.write(connection, deliveries).await
        })
        .await
}

/// Inserts or updates a broadcast: a chat may be switched on, or replaced, while it lasts.
async fn insert(
    connection: &mut AsyncPgConnection,
    connection_id: Uuid,
    broadcast: &Broadcast,
) -> Result<()> {
    use youtube_broadcasts::dsl;
    insert_into(dsl::youtube_broadcasts)
        .values((
            dsl::connection_id.eq(connection_id),
            dsl::broadcast_id.eq(&broadcast.broadcast_id),
            dsl::live_chat_id.eq(&broadcast.live_chat_id),
            dsl::title.eq(&broadcast.title),
            dsl::started_at.eq(broadcast.started_at),
            dsl::found_at.eq(broadcast.found_at),
            dsl::page_token.eq(&broadcast.page_token),
        ))
        .on_conflict((dsl::connection_id, dsl::broadcast_id))
        .do_update()
        .set((dsl::live_chat_id.eq(&broadcast.live_chat_id), dsl::page_token.eq(&broadcast.page_token)))
        .execute(connection)
        .await
        .map(drop)
        .map_err(Error::from)
}

/// Writes the messages of a page and the position of the next one; returns the new deliveries.
pub(super) async fn advance_page(
    reader: &Reader,
    broadcast: &Broadcast,
    next: Option<&str>,
    deliveries: &[Inbound],
) -> Result<Vec<Uuid>> {
    let mut connection = reader.context.databases.postgres.get().await?;
    connection
        .transaction(async |connection| {
            let row = youtube_broadcasts::table
                .find((reader.channel.connection_id, broadcast.broadcast_id.as_str()));
            diesel::update(row).set(youtube_broadcasts::page_token.eq(next)).execute(connection).await?;
            reader.intake.write(connection, deliveries).await
        })
        .await
}
