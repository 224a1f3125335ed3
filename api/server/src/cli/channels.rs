//! Channel connections.

use std::io::Read;

use anyhow::{Context, ensure};
use api_core::{State, validate};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncConnection, RunQueryDsl};
use shared::{
    audit,
    crypto::{self, Place},
    db::schema::{accounts, channel_connections},
    id,
    platforms::Platform,
    secret::Secret,
};
use uuid::Uuid;

use super::people::entry;

/// Longest token that is read.
const LONGEST_TOKEN: u64 = 8192;

/// A channel to connect.
pub struct NewChannel {
    pub account: Uuid,
    pub platform: Platform,
    pub channel_id: String,
    pub channel_name: String,
    pub access_token: Option<Secret>,
}

/// Reads an access token from standard input, so that it stands in no process list.
pub fn read_token() -> anyhow::Result<Secret> {
    let mut text = String::new();
    std::io::stdin().take(LONGEST_TOKEN).read_to_string(&mut text).context("standard input")?;
    let text = text.trim();
    ensure!(!text.is_empty(), "standard input holds no access token");
    Ok(Secret::new(text))
}

/// Connects a channel, in place of the account's channel on that platform (A §2.8, rule 5).
pub async fn connect(state: &State, channel: NewChannel) -> anyhow::Result<Uuid> {
    let channel_id = validate::text("channel-id", &channel.channel_id, 1, 200)?;
    let channel_name = validate::text("channel-name", &channel.channel_name, 1, 200)?;
    let (account, platform, now) = (channel.account, channel.platform.slug(), state.clock.now());
    let mut connection = state.databases.postgres.get().await?;
    let known: Option<Uuid> = accounts::table
        .find(account)
        .select(accounts::id.into_sql::<diesel::sql_types::Uuid>())
        .first(&mut connection)
        .await
        .optional()?;
    ensure!(known.is_some(), "there is no account {account}");
    let connection_id = connection
        .transaction(async |connection| {
            let existing: Option<Uuid> = channel_connections::table
                .filter(
                    channel_connections::account_id
                        .eq(account)
                        .and(channel_connections::platform.eq(platform)),
                )
                .select(channel_connections::id)
                .for_update()
                .first(connection)
                .await
                .optional()?;
            let fresh = id::new();
            let connection_id = existing.unwrap_or(fresh);
            let access_token = seal(state, connection_id, channel.access_token.as_ref())?;
            insert_into(channel_connections::table)
                .values((
                    channel_connections::id.eq(connection_id),
                    channel_connections::account_id.eq(account),
                    channel_connections::platform.eq(platform),
                    channel_connections::platform_channel_id.eq(&channel_id),
                    channel_connections::channel_name.eq(&channel_name),
                    channel_connections::display_name.eq(&channel_name),
                    channel_connections::credential_source.eq("system"),
                    channel_connections::access_token.eq(&access_token),
                    channel_connections::connected_at.eq(now),
                    channel_connections::updated_at.eq(now),
                ))
                .on_conflict(channel_connections::id)
                .do_update()
                .set((
                    channel_connections::platform_channel_id.eq(&channel_id),
                    channel_connections::channel_name.eq(&channel_name),
                    channel_connections::display_name.eq(&channel_name),
                    channel_connections::access_token.eq(&access_token),
                    channel_connections::refresh_token.eq(None::<Vec<u8>>),
                    channel_connections::expires_at.eq(None::<chrono::DateTime<chrono::Utc>>),
                    channel_connections::client_id.eq(None::<String>),
                    channel_connections::token_version.eq(channel_connections::token_version + 1),
                    channel_connections::reconnect_required.eq(false),
                    channel_connections::flagged_at.eq(None::<chrono::DateTime<chrono::Utc>>),
                    channel_connections::updated_at.eq(now),
                ))
                .execute(connection)
                .await?;
            audit::record(connection, entry("connection:connected", "channel_connection", connection_id))
                .await?;
            Ok::<_, shared::Error>(connection_id)
        })
        .await?;
    Ok(connection_id)
}

fn seal(state: &State, connection_id: Uuid, token: Option<&Secret>) -> shared::Result<Option<Vec<u8>>> {
    let row = crypto::row(connection_id);
    let place = Place { table: "channel_connections", column: "access_token", row: &row };
    token.map(|token| state.keyring.seal(place, token)).transpose()
}
