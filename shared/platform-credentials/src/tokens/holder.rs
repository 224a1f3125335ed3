//! Tables that hold tokens of users, behind one interface: channels, bots and logins.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Bytea, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::REFRESH_MARGIN;
use connection_model::applications::Pin;
use foundation::{crypto::SecretLocation, db::Prepare};
use shared::{
    Error, Result,
    connection::{AppKind, CredentialSource},
    platform::Platform,
};

/// Connection that holds tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Holder {
    /// A row of `channel_connections`.
    Channel(Uuid),
    /// A row of `bot_connections`. Without an account it is the deployment's bot.
    Bot(Uuid),
    /// A row of `login_connections`.
    Login(Uuid),
}

/// Connection whose tokens are to be refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// The connection.
    pub holder: Holder,
    /// Version of the tokens, for [`super::Tokens::refresh`].
    pub version: i64,
}

/// Columns of a connection that a refresh needs.
#[derive(QueryableByName)]
pub struct Row {
    /// Slug of the platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// Account; `None` for logins and for the deployment's bots.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub account_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    credential_source: String,
    #[diesel(sql_type = Text)]
    credential_app: String,
    /// Client id of the pinned application; `None` when the tokens were set by hand.
    #[diesel(sql_type = Nullable<Text>)]
    pub client_id: Option<String>,
    /// Encrypted access token.
    #[diesel(sql_type = Nullable<Bytea>)]
    pub access_token: Option<Vec<u8>>,
    /// Encrypted refresh token.
    #[diesel(sql_type = Nullable<Bytea>)]
    pub refresh_token: Option<Vec<u8>>,
    /// Expiry of the access token; `None` when it does not expire.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub expires_at: Option<DateTime<Utc>>,
    /// True when the connection is flagged.
    #[diesel(sql_type = Bool)]
    pub reconnect_required: bool,
    /// Counter of writes of tokens.
    #[diesel(sql_type = BigInt)]
    pub token_version: i64,
    /// Name of the channel, bot or login on the platform.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Owner of the login, or the person who made the connection.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub person: Option<Uuid>,
}

impl Holder {
    /// Id of the row.
    #[must_use]
    pub const fn id(self) -> Uuid {
        match self {
            Self::Channel(id) | Self::Bot(id) | Self::Login(id) => id,
        }
    }

    /// Table of the row.
    #[must_use]
    pub const fn table(self) -> &'static str {
        match self {
            Self::Channel(_) => "channel_connections",
            Self::Bot(_) => "bot_connections",
            Self::Login(_) => "login_connections",
        }
    }

    /// Place of an encrypted token of the row; `row` is the text of the id.
    pub(super) const fn place<'a>(self, column: &'a str, row: &'a str) -> SecretLocation<'a> {
        SecretLocation { table: self.table(), column, row }
    }

    /// Columns that the tables do not share. A login is always made with the application of the deployment.
    const fn own_columns(self) -> &'static str {
        match self {
            Self::Channel(_) => {
                "account_id, credential_source, credential_app, channel_name AS name, connected_by AS person"
            }
            Self::Bot(_) => {
                "account_id, credential_source, credential_app, bot_username AS name, connected_by AS person"
            }
            Self::Login(_) => {
                "NULL::uuid AS account_id, 'system' AS credential_source, 'login' AS credential_app, \
                 username AS name, user_id AS person"
            }
        }
    }
}

impl Row {
    /// True when there is a refresh token and the access token is about to expire. A token without an expiry
    /// is never refreshed (reference/connections.md#refresh).
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.refresh_token.is_some() && self.expires_at.is_some_and(|at| at <= now + REFRESH_MARGIN)
    }

    /// Platform of the connection.
    pub fn platform(&self) -> Result<Platform> {
        self.platform.parse().map_err(|_unknown| {
            Error::Internal(format!("a connection is of unknown platform `{}`", self.platform))
        })
    }

    /// Application that the tokens were issued to.
    pub fn pin(&self) -> Result<Pin> {
        let unknown = |what: &str| Error::Internal(format!("a connection has the unknown {what}"));
        Ok(Pin {
            platform: self.platform()?,
            account: self.account_id,
            source: CredentialSource::parse(&self.credential_source).ok_or_else(|| unknown("source"))?,
            app: AppKind::parse(&self.credential_app).ok_or_else(|| unknown("application"))?,
            client_id: self.client_id.clone(),
        })
    }
}

/// Reads the row of a connection; `None` when there is none.
pub async fn find(connection: &mut AsyncPgConnection, holder: Holder) -> Result<Option<Row>> {
    let sql = format!(
        "SELECT platform, client_id, access_token, refresh_token, expires_at, reconnect_required, token_version, {} \
         FROM {} WHERE id = $1",
        holder.own_columns(),
        holder.table()
    );
    // The SQL is one of three texts, so preparing it is bounded.
    Ok(sql_query(sql).bind::<SqlUuid, _>(holder.id()).prepared().get_result(connection).await.optional()?)
}

/// Stores tokens. Returns false when others were written since `version`.
pub async fn store(
    connection: &mut AsyncPgConnection,
    holder: Holder,
    version: i64,
    access_token: &[u8],
    refresh_token: Option<&[u8]>,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let sql = format!(
        "UPDATE {} SET access_token = $3, refresh_token = coalesce($4, refresh_token), expires_at = $5, \
         updated_at = $6, token_version = token_version + 1 WHERE id = $1 AND token_version = $2",
        holder.table()
    );
    let stored = sql_query(sql)
        .bind::<SqlUuid, _>(holder.id())
        .bind::<BigInt, _>(version)
        .bind::<Bytea, _>(access_token)
        .bind::<Nullable<Bytea>, _>(refresh_token)
        .bind::<Nullable<Timestamptz>, _>(expires_at)
        .bind::<Timestamptz, _>(now)
        .execute(connection)
        .await?;
    Ok(stored > 0)
}

/// Flags the connection. Returns false when it was flagged already, or other tokens were written since
/// `version`.
pub async fn set_flag(
    connection: &mut AsyncPgConnection,
    holder: Holder,
    version: i64,
    now: DateTime<Utc>,
) -> Result<bool> {
    let sql = format!(
        "UPDATE {} SET reconnect_required = true, flagged_at = $3, updated_at = $3 \
         WHERE id = $1 AND token_version = $2 AND NOT reconnect_required",
        holder.table()
    );
    let flagged = sql_query(sql)
        .bind::<SqlUuid, _>(holder.id())
        .bind::<BigInt, _>(version)
        .bind::<Timestamptz, _>(now)
        .execute(connection)
        .await?;
    Ok(flagged > 0)
}

/// Connections of all tables whose tokens are to be refreshed, in one statement.
pub async fn due(connection: &mut AsyncPgConnection, now: DateTime<Utc>, limit: i64) -> Result<Vec<Due>> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Text)]
        held_in: String,
        #[diesel(sql_type = SqlUuid)]
        id: Uuid,
        #[diesel(sql_type = BigInt)]
        token_version: i64,
    }
    let of = |table: &str| {
        format!(
            "(SELECT '{table}' AS held_in, c.id, c.token_version, c.expires_at FROM {table} c \
             LEFT JOIN token_refreshes r ON r.connection_id = c.id \
             WHERE c.refresh_token IS NOT NULL AND NOT c.reconnect_required AND c.expires_at <= $1 \
             AND (r.claimed_until IS NULL OR r.claimed_until < clock_timestamp()) \
             AND (r.retry_at IS NULL OR r.retry_at <= $2) ORDER BY c.expires_at LIMIT $3)"
        )
    };
    let tables = [Holder::Channel, Holder::Bot, Holder::Login].map(|holder| of(holder(Uuid::nil()).table()));
    let sql = format!("{} ORDER BY expires_at LIMIT $3", tables.join(" UNION ALL "));
    let found: Vec<Found> = sql_query(sql)
        .bind::<Timestamptz, _>(now + REFRESH_MARGIN)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(limit)
        .load(connection)
        .await?;
    let holder = |found: &Found| match found.held_in.as_str() {
        "channel_connections" => Holder::Channel(found.id),
        "bot_connections" => Holder::Bot(found.id),
        _ => Holder::Login(found.id),
    };
    Ok(found.iter().map(|found| Due { holder: holder(found), version: found.token_version }).collect())
}
