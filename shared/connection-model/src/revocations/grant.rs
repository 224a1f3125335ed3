//! Grants in the rows of connections, for operations that end or replace a connection.

use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Bytea, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::super::applications::Pin;
use foundation::crypto::{Keyring, SecretLocation, row};
use shared::connection::{AppKind, CredentialSource};
use shared::{Error, Result, platform::Platform, secret::Secret};

/// Bound of the lists. Connections of one account or person are fewer.
const MAX_ROWS: i64 = 500;

const CHANNELS: &str = "
    SELECT 'channel_connections' AS held_in, c.id, c.account_id, c.platform, c.platform_channel_id AS owner_id,
        c.connected_by AS user_id, c.credential_source, c.credential_app, c.client_id, c.access_token, c.refresh_token,
        c.token_version, c.reconnect_required, ARRAY(
            SELECT s.platform_subscription_id FROM webhook_subscriptions s
            WHERE s.connection_id = c.id AND s.platform_subscription_id IS NOT NULL
        ) AS subscriptions
    FROM channel_connections c";
const BOTS: &str = "
    SELECT 'bot_connections' AS held_in, c.id, c.account_id, c.platform, c.bot_user_id AS owner_id,
        c.connected_by AS user_id, c.credential_source, c.credential_app, c.client_id, c.access_token, c.refresh_token,
        c.token_version, c.reconnect_required, ARRAY[]::text[] AS subscriptions
    FROM bot_connections c";
/// A login is always made with the application of the deployment.
const LOGINS: &str = "
    SELECT 'login_connections' AS held_in, c.id, NULL::uuid AS account_id, c.platform,
        c.provider_user_id AS owner_id, c.user_id, 'system' AS credential_source, 'login' AS credential_app,
        c.client_id, c.access_token, c.refresh_token, c.token_version, c.reconnect_required,
        ARRAY[]::text[] AS subscriptions
    FROM login_connections c";

/// Grant of a connection, as its row holds it. The row is locked until the transaction ends.
#[derive(Debug, Clone, QueryableByName)]
pub struct Grant {
    #[diesel(sql_type = Text)]
    held_in: String,
    /// Id of the connection.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Account; `None` for logins and for the deployment's bots.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub account_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    platform: String,
    /// Id of the channel, bot or login on the platform.
    #[diesel(sql_type = Text)]
    pub owner_id: String,
    /// Owner of the login, or the person who made the connection.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub user_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    credential_source: String,
    #[diesel(sql_type = Text)]
    credential_app: String,
    /// Client id of the pinned application.
    #[diesel(sql_type = Nullable<Text>)]
    pub client_id: Option<String>,
    #[diesel(sql_type = Nullable<Bytea>)]
    access_token: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Bytea>)]
    refresh_token: Option<Vec<u8>>,
    /// Counter of writes of tokens.
    #[diesel(sql_type = BigInt)]
    pub token_version: i64,
    /// True when the connection is flagged.
    #[diesel(sql_type = Bool)]
    pub reconnect_required: bool,
    /// Ids on the platform of the deliveries for a channel.
    #[diesel(sql_type = Array<Text>)]
    pub subscriptions: Vec<String>,
}

/// Decrypted tokens. A token that no configured key decrypts is `None`.
pub(super) struct Opened {
    /// The access token.
    pub access_token: Option<Secret>,
    /// The refresh token.
    pub refresh_token: Option<Secret>,
}

impl Grant {
    /// Grant of an account's channel on a platform.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn of_channel(
        connection: &mut AsyncPgConnection,
        account: Uuid,
        platform: Platform,
    ) -> Result<Option<Self>> {
        // Writers of deliveries lock the row, so the deliveries that they wrote are read afterwards.
        sql_query("SELECT FROM channel_connections WHERE account_id = $1 AND platform = $2 FOR UPDATE")
            .bind::<SqlUuid, _>(account)
            .bind::<Text, _>(platform.slug())
            .execute(connection)
            .await?;
        let sql = format!("{CHANNELS} WHERE c.account_id = $1 AND c.platform = $2");
        let query = sql_query(sql).bind::<SqlUuid, _>(account).bind::<Text, _>(platform.slug());
        Ok(query.get_result(connection).await.optional()?)
    }

    /// Grant of an account's own bot on a platform, or of the deployment's (`None`).
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn of_bot(
        connection: &mut AsyncPgConnection,
        account: Option<Uuid>,
        platform: Platform,
    ) -> Result<Option<Self>> {
        let sql =
            format!("{BOTS} WHERE c.account_id IS NOT DISTINCT FROM $1 AND c.platform = $2 FOR UPDATE OF c");
        let query = sql_query(sql).bind::<Nullable<SqlUuid>, _>(account).bind::<Text, _>(platform.slug());
        Ok(query.get_result(connection).await.optional()?)
    }

    /// Grants of a person's logins, or of one of them.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn of_logins(
        connection: &mut AsyncPgConnection,
        user: Uuid,
        only: Option<Uuid>,
    ) -> Result<Vec<Self>> {
        let sql = format!(
            "{LOGINS} WHERE c.user_id = $1 AND ($2 IS NULL OR c.id = $2) ORDER BY c.id LIMIT {MAX_ROWS} FOR UPDATE OF c"
        );
        let query = sql_query(sql).bind::<SqlUuid, _>(user).bind::<Nullable<SqlUuid>, _>(only);
        Ok(query.load(connection).await?)
    }

    /// Grants of all connections of an account.
    ///
    /// # Errors
    /// A failure of the database.
    pub(super) async fn of_account(connection: &mut AsyncPgConnection, account: Uuid) -> Result<Vec<Self>> {
        sql_query("SELECT FROM channel_connections WHERE account_id = $1 FOR UPDATE")
            .bind::<SqlUuid, _>(account)
            .execute(connection)
            .await?;
        let mut grants = Vec::new();
        for rows in [CHANNELS, BOTS] {
            let sql =
                format!("{rows} WHERE c.account_id = $1 ORDER BY c.id LIMIT {MAX_ROWS} FOR UPDATE OF c");
            let found: Vec<Self> = sql_query(sql).bind::<SqlUuid, _>(account).load(connection).await?;
            grants.extend(found);
        }
        Ok(grants)
    }

    /// Platform of the grant.
    ///
    /// # Errors
    /// A stored name that is no platform.
    pub fn platform(&self) -> Result<Platform> {
        self.platform.parse().map_err(|_unknown| self.unreadable())
    }

    /// Application of the grant.
    ///
    /// # Errors
    /// Stored names that are unknown.
    pub fn pin(&self) -> Result<Pin> {
        Ok(Pin {
            platform: self.platform()?,
            account: self.account_id,
            source: CredentialSource::parse(&self.credential_source).ok_or_else(|| self.unreadable())?,
            app: AppKind::parse(&self.credential_app).ok_or_else(|| self.unreadable())?,
            client_id: self.client_id.clone(),
        })
    }

    /// The same grant with its deliveries alone.
    pub(super) fn without_tokens(&self) -> Self {
        Self { access_token: None, refresh_token: None, ..self.clone() }
    }

    pub(super) fn open(&self, keyring: &Keyring) -> Result<Opened> {
        let text = row(self.id);
        let open = |column, sealed: Option<&Vec<u8>>| {
            let Some(sealed) = sealed else { return Ok(None) };
            match keyring.open(SecretLocation { table: &self.held_in, column, row: &text }, sealed) {
                Ok(token) => Ok(Some(token)),
                Err(Error::Decryption(_)) => Ok(None),
                Err(error) => Err(error),
            }
        };
        Ok(Opened {
            access_token: open("access_token", self.access_token.as_ref())?,
            refresh_token: open("refresh_token", self.refresh_token.as_ref())?,
        })
    }

    fn unreadable(&self) -> Error {
        Error::Internal(format!("{} {} names an unknown platform or application", self.held_in, self.id))
    }
}
