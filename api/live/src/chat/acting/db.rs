//! Queries over an account's channels and the identities that may act in them.

use api_core::Result;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use platform_credentials::tokens::Holder;
use shared::{id::UserId, platform::Platform};
use uuid::Uuid;

/// Validity of a stored broadcast: twice the interval of its refresh.
const MAX_STATUS_AGE: TimeDelta = TimeDelta::minutes(2);

/// Channel of an account on a platform.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Channel {
    /// Id of the connection.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Slug of the platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// The platform's id of the channel.
    #[diesel(sql_type = Text)]
    pub platform_channel_id: String,
    /// True when the connection holds a token.
    #[diesel(sql_type = Bool)]
    pub has_token: bool,
    /// True when the account must connect the channel again.
    #[diesel(sql_type = Bool)]
    pub reconnect_required: bool,
    /// True when the account disabled the bot or staff paused it.
    #[diesel(sql_type = Bool)]
    pub is_without_bot: bool,
    /// Time since when the connection belongs to this channel; null when it never belonged to another.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub since: Option<DateTime<Utc>>,
    /// Client id of the application that issued the tokens.
    #[diesel(sql_type = Nullable<Text>)]
    pub client_id: Option<String>,
    /// True when that application belongs to the account.
    #[diesel(sql_type = Bool)]
    pub has_own_app: bool,
}

/// Identity that may act.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Identity {
    #[diesel(sql_type = Text)]
    held_in: String,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    /// The platform's id of the user.
    #[diesel(sql_type = Text)]
    pub platform_id: String,
    /// True when it must be connected again.
    #[diesel(sql_type = Bool)]
    pub reconnect_required: bool,
    /// True when an application of the account issued the tokens.
    #[diesel(sql_type = Bool)]
    pub has_own_app: bool,
}

#[derive(QueryableByName)]
struct ChannelWithBot {
    #[diesel(embed)]
    channel: Channel,
    #[diesel(embed)]
    bot: Option<Bot>,
}

/// Bot that has a token and does not have to be connected again. The account's own precedes the deployment's.
#[derive(QueryableByName)]
struct Bot {
    #[diesel(sql_type = SqlUuid)]
    bot_id: Uuid,
    #[diesel(sql_type = Text)]
    bot_user_id: String,
    #[diesel(sql_type = Bool)]
    bot_has_own_app: bool,
}

#[derive(QueryableByName)]
struct LiveChat {
    #[diesel(sql_type = Text)]
    live_chat_id: String,
}

impl Channel {
    /// True when the platform of the channel has a chat.
    pub fn has_chat(&self) -> bool {
        self.platform.parse::<Platform>().is_ok_and(|platform| platform.chat_message_limit().is_some())
    }
}

impl From<Bot> for Identity {
    fn from(bot: Bot) -> Self {
        Self {
            held_in: "bot".to_owned(),
            id: bot.bot_id,
            platform_id: bot.bot_user_id,
            reconnect_required: false,
            has_own_app: bot.bot_has_own_app,
        }
    }
}

impl Identity {
    /// Identity of the channel itself.
    pub fn channel(channel: &Channel) -> Self {
        Self {
            held_in: "channel".to_owned(),
            id: channel.id,
            platform_id: channel.platform_channel_id.clone(),
            reconnect_required: false,
            has_own_app: channel.has_own_app,
        }
    }

    /// Holder of its token.
    pub fn holder(&self) -> Holder {
        match self.held_in.as_str() {
            "login" => Holder::Login(self.id),
            "bot" => Holder::Bot(self.id),
            _ => Holder::Channel(self.id),
        }
    }
}

/// The account's channels by platform, each with the bots that could act in it.
pub(super) async fn channels(
    connection: &mut AsyncPgConnection,
    account: Uuid,
) -> Result<Vec<(Channel, Vec<Identity>)>> {
    let sql = "
        SELECT c.id, c.platform, c.platform_channel_id, c.access_token IS NOT NULL AS has_token, c.reconnect_required,
            NOT c.bot_enabled OR c.connected_at <= 'epoch' OR EXISTS (
                SELECT FROM bot_pauses p WHERE p.account_id = c.account_id AND p.platform = c.platform
            ) AS is_without_bot,
            c.channel_since AS since, c.client_id, c.credential_source = 'account' AS has_own_app,
            b.id AS bot_id, b.bot_user_id, b.credential_source = 'account' AS bot_has_own_app
        FROM (SELECT * FROM channel_connections WHERE account_id = $1 ORDER BY platform LIMIT 16) AS c
        LEFT JOIN LATERAL (
            SELECT * FROM bot_connections
            WHERE platform = c.platform AND (account_id = c.account_id OR account_id IS NULL)
                AND access_token IS NOT NULL AND NOT reconnect_required
            ORDER BY account_id NULLS LAST LIMIT 2
        ) AS b ON true
        ORDER BY c.platform, b.account_id NULLS LAST";
    let rows: Vec<ChannelWithBot> =
        sql_query(sql).bind::<SqlUuid, _>(account).prepared().load(connection).await?;
    let mut channels: Vec<(Channel, Vec<Identity>)> = Vec::new();
    for ChannelWithBot { channel, bot } in rows {
        let bot = bot.map(Identity::from);
        match channels.last_mut().filter(|(last, _)| last.id == channel.id) {
            Some((_, bots)) => bots.extend(bot),
            None => channels.push((channel, bot.into_iter().collect())),
        }
    }
    Ok(channels)
}

/// Login that is assigned to a member; `None` when it holds no token.
pub(super) async fn login(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    user: UserId,
    platform: Platform,
) -> Result<Vec<Identity>> {
    let sql = "
        SELECT 'login' AS held_in, l.id, l.provider_user_id AS platform_id, l.reconnect_required,
            false AS has_own_app
        FROM login_assignments a JOIN login_connections l ON l.id = a.login_connection_id
        WHERE a.account_id = $1 AND a.user_id = $2 AND a.platform = $3
            AND (l.access_token IS NOT NULL OR l.reconnect_required) LIMIT 1";
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(user.0)
        .bind::<Text, _>(platform.slug())
        .prepared()
        .load(connection)
        .await?)
}

/// True when a chat is known to belong to a broadcast of the channel.
pub(super) async fn is_live_chat_of(
    connection: &mut AsyncPgConnection,
    channel: Uuid,
    live_chat: &str,
) -> Result<bool> {
    use shared::schema::{channel_connections as c, channel_statuses as s};
    let own = s::table
        .inner_join(c::table.on(c::account_id.eq(s::account_id).and(c::platform.eq(s::platform))))
        .filter(c::id.eq(channel).and(s::live_chat_id.eq(live_chat)));
    Ok(diesel::select(diesel::dsl::exists(own)).get_result(connection).await?)
}

/// Chat of the current broadcast of a channel, when known.
pub(super) async fn live_chat(
    connection: &mut AsyncPgConnection,
    channel: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<String>> {
    let sql = "
        SELECT s.live_chat_id FROM channel_statuses s
        JOIN channel_connections c ON c.account_id = s.account_id AND c.platform = s.platform
        WHERE c.id = $1 AND s.is_online AND s.live_chat_id IS NOT NULL AND s.updated_at >= $2
        ORDER BY s.started_at DESC NULLS LAST LIMIT 1";
    let found: Option<LiveChat> = sql_query(sql)
        .bind::<SqlUuid, _>(channel)
        .bind::<Timestamptz, _>(now - MAX_STATUS_AGE)
        .prepared()
        .get_result(connection)
        .await
        .optional()?;
    Ok(found.map(|found| found.live_chat_id))
}
