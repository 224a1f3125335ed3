//! Storage of a grant (reference/connections.md#reconnecting). There is one connection for each platform and
//! kind: connecting again replaces the former one, stores new tokens, pins the application anew and clears
//! the reconnect flag. Tokens of another channel or bot are revoked. Tokens of the same one stay, because
//! platforms that have one grant for each person and application would end the new ones with them.

use api_core::{ApiError, Result, State};
use chrono::{DateTime, TimeDelta, Utc};
use connection_access::{BotConnection, BotConnectionRow, ChannelConnection};
use connection_model::{
    Update,
    revocations::{self, Grant},
};
use diesel::{
    insert_into,
    prelude::*,
    query_dsl::methods,
    sql_query,
    sql_types::{Array, BigInt, Bytea, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::crypto::{SecretLocation, row};
use platforms::{TokenGrant, TokenOwner};
use shared::{
    connection::{AppKind, ConnectionKind, CredentialSource},
    platform::Platform,
    schema::{
        accounts, bot_connections, channel_connections, channel_statuses, discord_guilds, token_refreshes,
        webhook_subscriptions,
    },
    secret::Secret,
};
use uuid::Uuid;

use super::{OauthConnection, pending::Pending};
use crate::stored_guilds::{DiscordGuildRow, with_channels};

/// Maker of a connection, and the platform.
#[derive(Debug, Clone, Copy)]
pub(super) struct Maker {
    /// Platform.
    pub platform: Platform,
    /// Person; `None` for a key and for an operator at the console.
    pub user_id: Option<Uuid>,
}

/// Grant, with its owner at the platform and the application it was given to.
pub(super) struct Granted {
    /// Tokens; `None` for a channel that was connected at the console without a token.
    pub tokens: Option<TokenGrant>,
    /// Owner at the platform.
    pub owner: TokenOwner,
    /// Owner of the application.
    pub source: CredentialSource,
    /// Kind of the application.
    pub app: AppKind,
    /// Client id of the application; `None` for tokens that were set at the console. Then any application of
    /// the kind fits.
    pub client_id: Option<String>,
}

/// Result of the storage.
pub(super) struct Stored {
    /// Identifier of the connection.
    pub id: Uuid,
    /// Id of the channel, the bot or the server at the platform.
    pub platform_id: String,
    /// Kind in the event `connections:updated`; `None` for Discord servers, which have no event.
    pub kind: Option<ConnectionKind>,
    /// New or replaced connection.
    pub update: Update,
    /// Version of the stored tokens.
    pub token_version: i64,
    /// Connection as the API returns it.
    pub connection: OauthConnection,
}

/// Locks an account against dissolution until the commit. `None` when it was dissolved.
pub(super) async fn lock_account(connection: &mut AsyncPgConnection, account: Uuid) -> Result<Option<()>> {
    let found: Option<Uuid> = accounts::table
        .filter(accounts::id.eq(account))
        .select(accounts::id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    Ok(found.map(|_| ()))
}

/// Stores a channel.
pub(super) async fn channel(
    state: &State,
    connection: &mut AsyncPgConnection,
    account: Uuid,
    maker: Maker,
    granted: &Granted,
) -> Result<Stored> {
    let (platform, now) = (maker.platform, state.clock.now());
    lock_connection(connection, &CHANNELS, Some(account), platform).await?;
    let old = Grant::of_channel(connection, account, platform).await?;
    let written = write(state, connection, &CHANNELS, Some(account), maker, granted, old.as_ref()).await?;
    if old.as_ref().is_none_or(|old| old.owner_id != granted.owner.channel_id) {
        // Earlier messages were not written in this channel.
        diesel::update(channel_connections::table.find(written.id))
            .set(channel_connections::channel_since.eq(now))
            .execute(connection)
            .await?;
    }
    if let Some(old) = &old {
        let (keyring, owner) = (&state.keyring, &granted.owner);
        let is_same_channel = old.owner_id == owner.channel_id;
        let still_delivers = is_same_channel && old.client_id == granted.client_id && !old.reconnect_required;
        if !still_delivers {
            delete_deliveries(connection, account, old.id).await?;
        }
        if !is_same_channel {
            delete_status(connection, account, platform).await?;
            revocations::end(connection, keyring, old, now).await?;
        } else if old.client_id != granted.client_id {
            revocations::end_deliveries(connection, keyring, old, now).await?;
        }
    }
    let stored = channel_connections::table.find(written.id).select(ChannelConnection::as_select());
    Ok(written.stored(ConnectionKind::Channel, OauthConnection::Channel(stored.first(connection).await?)))
}

/// Stores a bot of an account, or of the deployment.
pub(super) async fn bot(
    state: &State,
    connection: &mut AsyncPgConnection,
    account: Option<Uuid>,
    maker: Maker,
    granted: &Granted,
) -> Result<Stored> {
    let (platform, now) = (maker.platform, state.clock.now());
    lock_connection(connection, &BOTS, account, platform).await?;
    let old = Grant::of_bot(connection, account, platform).await?;
    let written = write(state, connection, &BOTS, account, maker, granted, old.as_ref()).await?;
    if let Some(other) = old.filter(|old| old.owner_id != granted.owner.id) {
        revocations::end(connection, &state.keyring, &other, now).await?;
    }
    let stored = bot_connections::table.find(written.id).select(BotConnectionRow::as_select());
    let stored = BotConnection::from(stored.first(connection).await?);
    Ok(written.stored(ConnectionKind::Bot, OauthConnection::Bot(stored)))
}

/// Table of connections and the column of the platform's id.
struct Table {
    name: &'static str,
    identity: &'static str,
    username: &'static str,
    /// Returns the id out of the platform's data.
    of: fn(&TokenOwner) -> &str,
}

const CHANNELS: Table = Table {
    name: "channel_connections",
    identity: "platform_channel_id",
    username: "channel_name",
    of: |owner| &owner.channel_id,
};
const BOTS: Table = Table {
    name: "bot_connections",
    identity: "bot_user_id",
    username: "bot_username",
    of: |owner| &owner.id,
};

/// Connection that was written.
struct Written {
    id: Uuid,
    identity: String,
    update: Update,
    token_version: i64,
}

impl Written {
    fn stored(self, kind: ConnectionKind, connection: OauthConnection) -> Stored {
        Stored {
            id: self.id,
            platform_id: self.identity,
            kind: Some(kind),
            update: self.update,
            token_version: self.token_version,
            connection,
        }
    }
}

/// Writes a connection and replaces the former one. The tables differ in the names of two columns only.
async fn write(
    state: &State,
    connection: &mut AsyncPgConnection,
    table: &Table,
    account: Option<Uuid>,
    maker: Maker,
    granted: &Granted,
    old: Option<&Grant>,
) -> Result<Written> {
    let now = state.clock.now();
    let id = old.map_or_else(shared::id::new, |old| old.id);
    let token_version = old.map_or(0, |old| old.token_version + 1);
    let sealed = Sealed::of(state, table.name, id, granted, now)?;
    let (owner, identity) = (&granted.owner, (table.of)(&granted.owner).to_owned());
    let scopes = granted.tokens.as_ref().map(|tokens| tokens.scopes.as_slice()).unwrap_or_default();
    let sql = format!(
        "INSERT INTO {name} (id, account_id, platform, {identity}, {username}, display_name, avatar_url, scopes,
            credential_source, credential_app, client_id, access_token, refresh_token, expires_at, token_version,
            reconnect_required, flagged_at, connected_by, connected_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, false, NULL, $16, $17, $17)
        ON CONFLICT (account_id, platform) DO UPDATE SET {identity} = excluded.{identity},
            {username} = excluded.{username}, display_name = excluded.display_name, avatar_url = excluded.avatar_url,
            scopes = excluded.scopes, credential_source = excluded.credential_source,
            credential_app = excluded.credential_app, client_id = excluded.client_id,
            access_token = excluded.access_token, refresh_token = excluded.refresh_token,
            expires_at = excluded.expires_at, token_version = excluded.token_version, reconnect_required = false,
            flagged_at = NULL, connected_by = excluded.connected_by, connected_at = excluded.connected_at,
            updated_at = excluded.updated_at",
        name = table.name,
        identity = table.identity,
        username = table.username,
    );
    sql_query(sql)
        .bind::<SqlUuid, _>(id)
        .bind::<Nullable<SqlUuid>, _>(account)
        .bind::<Text, _>(maker.platform.slug())
        .bind::<Text, _>(&identity)
        .bind::<Text, _>(&owner.username)
        .bind::<Text, _>(&owner.display_name)
        .bind::<Nullable<Text>, _>(&owner.avatar_url)
        .bind::<Array<Text>, _>(scopes)
        .bind::<Text, _>(granted.source.as_str())
        .bind::<Text, _>(granted.app.as_str())
        .bind::<Nullable<Text>, _>(&granted.client_id)
        .bind::<Nullable<Bytea>, _>(sealed.access_token)
        .bind::<Nullable<Bytea>, _>(sealed.refresh_token)
        .bind::<Nullable<Timestamptz>, _>(sealed.expires_at)
        .bind::<BigInt, _>(token_version)
        .bind::<Nullable<SqlUuid>, _>(maker.user_id)
        .bind::<Timestamptz, _>(now)
        .execute(connection)
        .await?;
    if old.is_some() {
        delete_pause(connection, id).await?;
    }
    let update = if old.is_some() { Update::Reconnected } else { Update::Connected };
    Ok(Written { id, identity, update, token_version })
}

/// Links a Discord server, which Discord named in its response. A server belongs to one account.
pub(super) async fn guild(
    state: &State,
    connection: &mut AsyncPgConnection,
    account: Uuid,
    pending: &Pending,
    granted: &Granted,
) -> Result<Stored> {
    use discord_guilds::dsl;
    let guild = granted.tokens.as_ref().and_then(|tokens| tokens.guild.as_ref());
    let guild = guild.ok_or_else(|| ApiError::bad_request("Discord named no server in its answer"))?;
    let icon_url = guild.icon_url();
    let now = state.clock.now();
    let upsert = insert_into(dsl::discord_guilds)
        .values((
            dsl::id.eq(shared::id::new()),
            dsl::account_id.eq(account),
            dsl::guild_id.eq(&guild.id),
            dsl::name.eq(&guild.name),
            dsl::icon_url.eq(&icon_url),
            dsl::connected_by.eq(pending.user_id),
            dsl::connected_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .on_conflict(dsl::guild_id)
        .do_update()
        .set((
            dsl::name.eq(&guild.name),
            dsl::icon_url.eq(&icon_url),
            dsl::connected_by.eq(pending.user_id),
            dsl::updated_at.eq(now),
        ));
    let stored: Option<DiscordGuildRow> = methods::FilterDsl::filter(upsert, dsl::account_id.eq(account))
        .returning(DiscordGuildRow::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    let taken = || ApiError::conflict("Discord server is already linked to another account");
    let stored = stored.ok_or_else(taken)?;
    Ok(Stored {
        id: stored.id,
        platform_id: guild.id.clone(),
        kind: None,
        update: Update::Connected,
        token_version: 0,
        connection: OauthConnection::DiscordGuild(with_channels(connection, stored).await?),
    })
}

/// Tokens in their stored form.
struct Sealed {
    access_token: Option<Vec<u8>>,
    refresh_token: Option<Vec<u8>>,
    expires_at: Option<DateTime<Utc>>,
}

impl Sealed {
    fn of(state: &State, table: &str, id: Uuid, granted: &Granted, now: DateTime<Utc>) -> Result<Self> {
        let text = row(id);
        let seal =
            |column, token: &Secret| state.keyring.seal(SecretLocation { table, column, row: &text }, token);
        let Some(tokens) = &granted.tokens else {
            return Ok(Self { access_token: None, refresh_token: None, expires_at: None });
        };
        Ok(Self {
            access_token: Some(seal("access_token", &tokens.access_token)?),
            refresh_token: tokens
                .refresh_token
                .as_ref()
                .map(|token| seal("refresh_token", token))
                .transpose()?,
            // A time beyond the range of the calendar means that it never expires.
            expires_at: tokens
                .expires_in
                .and_then(|lifetime| now.checked_add_signed(TimeDelta::from_std(lifetime).ok()?)),
        })
    }
}

/// Serialises writers of the same connection. A row that does not exist yet cannot be locked.
async fn lock_connection(
    connection: &mut AsyncPgConnection,
    table: &Table,
    account: Option<Uuid>,
    platform: Platform,
) -> Result<()> {
    let name = format!("{}:{}:{platform}", table.name, account.unwrap_or_default());
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(name)
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the pause between refreshes, which belongs to the former grant.
async fn delete_pause(connection: &mut AsyncPgConnection, id: Uuid) -> Result<()> {
    diesel::delete(token_refreshes::table.find(id)).execute(connection).await?;
    Ok(())
}

/// Deletes the recorded deliveries. Another channel, another application and a grant that ended have none, so
/// that they are requested anew.
async fn delete_deliveries(connection: &mut AsyncPgConnection, account: Uuid, id: Uuid) -> Result<()> {
    let of_connection =
        webhook_subscriptions::connection_id.eq(id).and(webhook_subscriptions::account_id.eq(account));
    diesel::delete(webhook_subscriptions::table.filter(of_connection)).execute(connection).await?;
    Ok(())
}

/// Deletes the known status of the channel that was replaced.
async fn delete_status(connection: &mut AsyncPgConnection, account: Uuid, platform: Platform) -> Result<()> {
    let statuses = channel_statuses::table
        .filter(channel_statuses::account_id.eq(account).and(channel_statuses::platform.eq(platform.slug())));
    diesel::delete(statuses).execute(connection).await?;
    Ok(())
}
