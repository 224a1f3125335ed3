//! Query for the connection of an account to Spotify.

use api_core::Result;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{id::AccountId, platform::Platform, schema::channel_connections::dsl};
use uuid::Uuid;

/// Connection to Spotify.
pub(super) struct Connection {
    /// Identifier.
    pub id: Uuid,
    /// Client id of the application that the tokens were issued to; `None` when they were set by hand.
    pub client_id: Option<String>,
}

/// Finds the connection of an account to Spotify.
pub(super) async fn connection(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Option<Connection>> {
    let own = dsl::channel_connections
        .filter(dsl::account_id.eq(account).and(dsl::platform.eq(Platform::Spotify.slug())));
    let found: Option<(Uuid, Option<String>)> =
        own.select((dsl::id, dsl::client_id)).first(connection).await.optional()?;
    Ok(found.map(|(id, client_id)| Connection { id, client_id }))
}
