//! Storing what was granted. One connection a platform and kind: connecting again takes the place of the old one,
//! stores new tokens, pins the application anew and clears the prompt to reconnect (C §3).

use api_core::{
    ApiError, Cx, Result,
    connections::{BotConnection, BotConnectionRow, ChannelConnection},
};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{insert_into, prelude::*, query_dsl::methods, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    connections::{
        AppKind, ConnectionKind, CredentialSource, Update,
        applications::Pin,
        revocations::{self, Ended},
    },
    crypto::{Place, row},
    db::schema::{
        accounts, bot_connections, channel_connections, channel_statuses, discord_guilds, token_refreshes,
        webhook_subscriptions,
    },
    secret::Secret,
};
use uuid::Uuid;

use super::{OauthConnection, exchange::Granted, pending::Pending};
use crate::discord_guilds::{DiscordGuildRow, with_channels};

/// What was stored.
pub(super) struct Stored {
    pub id: Uuid,
    /// The platform's id of the channel, the bot or the server.
    pub platform_id: String,
    /// What is told as `connections:updated`; none for Discord servers.
    pub kind: Option<ConnectionKind>,
    pub update: Update,
    pub token_version: i64,
    pub connection: OauthConnection,
}

/// Keeps an account from being dissolved before the commit; `None` when it was.
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
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: Uuid,
    pending: &Pending,
    granted: &Granted,
) -> Result<Stored> {
    use channel_connections::dsl;
    let slug = pending.platform.slug();
    one_at_a_time(connection, "channel_connections", Some(account), slug).await?;
    let old: Option<Replaced> = dsl::channel_connections
        .filter(dsl::account_id.eq(account).and(dsl::platform.eq(slug)))
        .select((
            dsl::id,
            dsl::platform_channel_id,
            dsl::token_version,
            dsl::credential_source,
            dsl::credential_app,
            dsl::client_id,
            dsl::access_token,
            dsl::refresh_token,
            dsl::reconnect_required,
        ))
        .for_update()
        .first(connection)
        .await
        .optional()?;
    let now = cx.state().clock.now();
    let id = old.as_ref().map_or_else(shared::id::new, |old| old.id);
    let token_version = old.as_ref().map_or(0, |old| old.token_version + 1);
    let sealed = Sealed::of(cx, "channel_connections", id, granted, now)?;
    let owner = &granted.owner;
    let values = (
        dsl::platform_channel_id.eq(&owner.channel_id),
        dsl::channel_name.eq(&owner.username),
        dsl::display_name.eq(&owner.display_name),
        dsl::avatar_url.eq(&owner.avatar_url),
        dsl::scopes.eq(&granted.tokens.scopes),
        dsl::credential_source.eq(granted.source.as_str()),
        dsl::credential_app.eq(granted.app.as_str()),
        dsl::client_id.eq(&granted.client_id),
        dsl::access_token.eq(&sealed.access_token),
        dsl::refresh_token.eq(&sealed.refresh_token),
        dsl::expires_at.eq(sealed.expires_at),
        dsl::token_version.eq(token_version),
        dsl::reconnect_required.eq(false),
        dsl::flagged_at.eq(None::<DateTime<Utc>>),
        dsl::connected_by.eq(pending.user_id),
        dsl::connected_at.eq(now),
        dsl::updated_at.eq(now),
    );
    let stored: ChannelConnection = match &old {
        Some(_) => {
            diesel::update(dsl::channel_connections.filter(dsl::id.eq(id).and(dsl::account_id.eq(account))))
                .set(values)
                .returning(ChannelConnection::as_returning())
                .get_result(connection)
                .await?
        }
        None => {
            insert_into(dsl::channel_connections)
                .values((dsl::id.eq(id), dsl::account_id.eq(account), dsl::platform.eq(slug), values))
                .returning(ChannelConnection::as_returning())
                .get_result(connection)
                .await?
        }
    };
    let update = if old.is_some() { Update::Reconnected } else { Update::Connected };
    if let Some(old) = &old {
        forget_pause(connection, id).await?;
        let still_delivers = old.platform_id == owner.channel_id
            && old.client_id.as_ref() == Some(&granted.client_id)
            && !old.reconnect_required;
        if !still_delivers {
            forget_deliveries(connection, account, id).await?;
        }
    }
    if let Some(other) = old.filter(|old| old.platform_id != owner.channel_id) {
        forget_status(connection, account, slug).await?;
        revoke(cx, connection, "channel_connections", Some(account), pending, other).await?;
    }
    Ok(Stored {
        id,
        platform_id: owner.channel_id.clone(),
        kind: Some(ConnectionKind::Channel),
        update,
        token_version,
        connection: OauthConnection::Channel(stored),
    })
}

/// Stores an account's own bot, or the deployment's.
pub(super) async fn bot(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: Option<Uuid>,
    pending: &Pending,
    granted: &Granted,
) -> Result<Stored> {
    use bot_connections::dsl;
    let slug = pending.platform.slug();
    one_at_a_time(connection, "bot_connections", account, slug).await?;
    let old: Option<Replaced> = dsl::bot_connections
        .filter(dsl::account_id.is_not_distinct_from(account).and(dsl::platform.eq(slug)))
        .select((
            dsl::id,
            dsl::bot_user_id,
            dsl::token_version,
            dsl::credential_source,
            dsl::credential_app,
            dsl::client_id,
            dsl::access_token,
            dsl::refresh_token,
            dsl::reconnect_required,
        ))
        .for_update()
        .first(connection)
        .await
        .optional()?;
    let now = cx.state().clock.now();
    let id = old.as_ref().map_or_else(shared::id::new, |old| old.id);
    let token_version = old.as_ref().map_or(0, |old| old.token_version + 1);
    let sealed = Sealed::of(cx, "bot_connections", id, granted, now)?;
    let owner = &granted.owner;
    let values = (
        dsl::bot_user_id.eq(&owner.id),
        dsl::bot_username.eq(&owner.username),
        dsl::display_name.eq(&owner.display_name),
        dsl::avatar_url.eq(&owner.avatar_url),
        dsl::scopes.eq(&granted.tokens.scopes),
        dsl::credential_source.eq(granted.source.as_str()),
        dsl::credential_app.eq(granted.app.as_str()),
        dsl::client_id.eq(&granted.client_id),
        dsl::access_token.eq(&sealed.access_token),
        dsl::refresh_token.eq(&sealed.refresh_token),
        dsl::expires_at.eq(sealed.expires_at),
        dsl::token_version.eq(token_version),
        dsl::reconnect_required.eq(false),
        dsl::flagged_at.eq(None::<DateTime<Utc>>),
        dsl::connected_by.eq(pending.user_id),
        dsl::connected_at.eq(now),
        dsl::updated_at.eq(now),
    );
    let stored: BotConnectionRow = match &old {
        Some(_) => {
            let own = dsl::id.eq(id).and(dsl::account_id.is_not_distinct_from(account));
            diesel::update(dsl::bot_connections.filter(own))
                .set(values)
                .returning(BotConnectionRow::as_returning())
                .get_result(connection)
                .await?
        }
        None => {
            insert_into(dsl::bot_connections)
                .values((dsl::id.eq(id), dsl::account_id.eq(account), dsl::platform.eq(slug), values))
                .returning(BotConnectionRow::as_returning())
                .get_result(connection)
                .await?
        }
    };
    let update = if old.is_some() { Update::Reconnected } else { Update::Connected };
    if old.is_some() {
        forget_pause(connection, id).await?;
    }
    if let Some(other) = old.filter(|old| old.platform_id != owner.id) {
        revoke(cx, connection, "bot_connections", account, pending, other).await?;
    }
    Ok(Stored {
        id,
        platform_id: owner.id.clone(),
        kind: Some(ConnectionKind::Bot),
        update,
        token_version,
        connection: OauthConnection::Bot(BotConnection::from(stored)),
    })
}

/// Links a Discord server, which the platform itself named in its answer. A server belongs to one account.
pub(super) async fn guild(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: Uuid,
    pending: &Pending,
    granted: &Granted,
) -> Result<Stored> {
    use discord_guilds::dsl;
    let guild = granted.tokens.guild.as_ref();
    let guild = guild.ok_or_else(|| ApiError::bad_request("Discord named no server in its answer"))?;
    let icon_url = guild.icon_url();
    let now = cx.state().clock.now();
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

/// A connection whose place is taken.
#[derive(Queryable)]
struct Replaced {
    id: Uuid,
    platform_id: String,
    token_version: i64,
    credential_source: String,
    credential_app: String,
    client_id: Option<String>,
    access_token: Option<Vec<u8>>,
    refresh_token: Option<Vec<u8>>,
    reconnect_required: bool,
}

/// Tokens as they are stored.
struct Sealed {
    access_token: Vec<u8>,
    refresh_token: Option<Vec<u8>>,
    expires_at: Option<DateTime<Utc>>,
}

impl Sealed {
    fn of(cx: &Cx, table: &str, id: Uuid, granted: &Granted, now: DateTime<Utc>) -> Result<Self> {
        let text = row(id);
        let seal =
            |column, token: &Secret| cx.state().keyring.seal(Place { table, column, row: &text }, token);
        let tokens = &granted.tokens;
        Ok(Self {
            access_token: seal("access_token", &tokens.access_token)?,
            refresh_token: tokens
                .refresh_token
                .as_ref()
                .map(|token| seal("refresh_token", token))
                .transpose()?,
            // What lies beyond the calendar never expires.
            expires_at: tokens
                .expires_in
                .and_then(|lifetime| now.checked_add_signed(TimeDelta::from_std(lifetime).ok()?)),
        })
    }
}

/// Holds back others who connect the same: a row that does not exist yet cannot be locked.
async fn one_at_a_time(
    connection: &mut AsyncPgConnection,
    table: &str,
    account: Option<Uuid>,
    platform: &str,
) -> Result<()> {
    let name = format!("{table}:{}:{platform}", account.unwrap_or_default());
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(name)
        .execute(connection)
        .await?;
    Ok(())
}

/// The pause between refreshes was the earlier grant's.
async fn forget_pause(connection: &mut AsyncPgConnection, id: Uuid) -> Result<()> {
    diesel::delete(token_refreshes::table.find(id)).execute(connection).await?;
    Ok(())
}

/// Another channel, another application and a grant that ended have no deliveries: they are asked for anew.
async fn forget_deliveries(connection: &mut AsyncPgConnection, account: Uuid, id: Uuid) -> Result<()> {
    let of_connection =
        webhook_subscriptions::connection_id.eq(id).and(webhook_subscriptions::account_id.eq(account));
    diesel::delete(webhook_subscriptions::table.filter(of_connection)).execute(connection).await?;
    Ok(())
}

/// What was known of the channel that another one takes the place of.
async fn forget_status(connection: &mut AsyncPgConnection, account: Uuid, platform: &str) -> Result<()> {
    let statuses = channel_statuses::table
        .filter(channel_statuses::account_id.eq(account).and(channel_statuses::platform.eq(platform)));
    diesel::delete(statuses).execute(connection).await?;
    Ok(())
}

/// Ends the tokens of somebody else's channel or bot. Those of the same one stay: platforms that know one grant a
/// person and application would end the new ones with them.
async fn revoke(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    table: &str,
    account: Option<Uuid>,
    pending: &Pending,
    old: Replaced,
) -> Result<()> {
    let text = row(old.id);
    let open = |column, sealed: Option<Vec<u8>>| {
        sealed.and_then(|sealed| cx.state().keyring.open(Place { table, column, row: &text }, &sealed).ok())
    };
    let Some(access_token) = open("access_token", old.access_token) else { return Ok(()) };
    let unknown = || ApiError::internal(format!("{table} {} has an unknown credential source", old.id));
    let pin = Pin {
        platform: pending.platform,
        account,
        source: CredentialSource::parse(&old.credential_source).ok_or_else(unknown)?,
        app: AppKind::parse(&old.credential_app).ok_or_else(unknown)?,
        client_id: old.client_id,
    };
    let ended = Ended { pin, access_token, refresh_token: open("refresh_token", old.refresh_token) };
    let now = cx.state().clock.now();
    Ok(revocations::enqueue(connection, &cx.state().keyring, &ended, now).await?)
}
