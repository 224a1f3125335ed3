//! Revocation of ended connections at their platforms: deliveries are stopped and tokens revoked
//! (reference/connections.md#revocation). Best effort, after the commit, by a job.

mod grant;

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName,
    dsl::exists,
    insert_into,
    prelude::*,
    select, sql_query,
    sql_types::{Bool, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::applications::{self, Directory, Pin, Pinned};
use foundation::{
    crypto::{Keyring, SecretLocation, row},
    jobs::{RevokeTokens, SubscribeChannel},
    outbox,
};
use shared::connection::OAuthApp;
use shared::connection::{AppKind, CredentialSource};
use shared::{
    Error, Result, id,
    platform::Platform,
    schema::{channel_connections, token_revocations},
    secret::Secret,
};

pub use grant::Grant;

const TABLE: &str = "token_revocations";

/// Time for which a platform that does not respond is tried.
pub const RETRY_WINDOW: TimeDelta = TimeDelta::days(1);

/// Parts of a connection that are to end at its platform.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Platform of the connection.
    pub platform: Platform,
    /// The access token; `None` when no key decrypts it.
    pub access_token: Option<Secret>,
    /// The refresh token; `None` when no key decrypts it.
    pub refresh_token: Option<Secret>,
    /// Ids on the platform of the deliveries that are to stop.
    pub subscriptions: Vec<String>,
    /// True when another connection uses the same grant, which the platform would end with these tokens.
    pub is_shared: bool,
}

/// State of a recorded revocation.
#[derive(Debug, Clone)]
pub enum Waiting {
    /// The platform can be called.
    Ready { application: OAuthApp, ended: Ended, since: DateTime<Utc> },
    /// The deployment lacks the application at present.
    Unconfigured { since: DateTime<Utc> },
    /// The platform cannot be called. The text is the reason.
    Hopeless(&'static str),
}

/// Records the end of a grant at its platform, and the job that carries it out. Call it in the transaction
/// that ends the connection. The static token of the Discord bot is not revoked.
///
/// # Errors
/// A failure of the database or the cipher.
pub async fn end(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    grant: &Grant,
    now: DateTime<Utc>,
) -> Result<()> {
    write_down(connection, keyring, grant, grant.account_id, None, now).await
}

/// Records deliveries of a channel that its platform is to stop, while the channel stays connected.
///
/// # Errors
/// Those of [`end`].
pub async fn end_deliveries(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    grant: &Grant,
    now: DateTime<Utc>,
) -> Result<()> {
    write_down(connection, keyring, &grant.without_tokens(), grant.account_id, None, now).await
}

/// Records the end of all connections of an account. Call it in the transaction that ends the account. Its
/// own applications are deleted too, so their secrets are kept with the tokens until then.
///
/// # Errors
/// Those of [`end`].
pub async fn end_account(
    connection: &mut AsyncPgConnection,
    directory: Directory<'_>,
    account: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    for grant in Grant::of_account(connection, account).await? {
        let pin = grant.pin()?;
        let secret = match (pin.source, applications::pinned(connection, directory, &pin).await?) {
            (CredentialSource::System, _) => None,
            (CredentialSource::Account, Pinned::Application(application)) => Some(application.client_secret),
            // The platform cannot be called without the application.
            (CredentialSource::Account, _) => continue,
        };
        write_down(connection, directory.keyring, &grant, None, secret.as_ref(), now).await?;
    }
    Ok(())
}

/// Writes the row. It is deleted with `account`.
async fn write_down(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    grant: &Grant,
    account: Option<Uuid>,
    client_secret: Option<&Secret>,
    now: DateTime<Utc>,
) -> Result<()> {
    let (pin, opened) = (grant.pin()?, grant.open(keyring)?);
    let is_nothing = opened.access_token.is_none() && grant.subscriptions.is_empty();
    if is_nothing || pin.platform == Platform::Discord && pin.app == AppKind::Bot {
        return Ok(());
    }
    let revocation_id = id::new();
    let text = row(revocation_id);
    let seal = |column, secret: Option<&Secret>| {
        secret.map(|secret| keyring.seal(place(column, &text), secret)).transpose()
    };
    insert_into(token_revocations::table)
        .values((
            token_revocations::id.eq(revocation_id),
            token_revocations::account_id.eq(account),
            token_revocations::platform.eq(pin.platform.slug()),
            token_revocations::owner_id.eq(&grant.owner_id),
            token_revocations::user_id.eq(grant.user_id),
            token_revocations::credential_source.eq(pin.source.as_str()),
            token_revocations::credential_app.eq(pin.app.as_str()),
            token_revocations::client_id.eq(&pin.client_id),
            token_revocations::client_secret.eq(seal("client_secret", client_secret)?),
            token_revocations::access_token.eq(seal("access_token", opened.access_token.as_ref())?),
            token_revocations::refresh_token.eq(seal("refresh_token", opened.refresh_token.as_ref())?),
            token_revocations::subscriptions.eq(&grant.subscriptions),
            token_revocations::created_at.eq(now),
        ))
        .execute(connection)
        .await?;
    outbox::add(connection, &RevokeTokens { revocation_id }, &revocation_id.to_string()).await
}

/// Reads a recorded revocation, with the application that the tokens were issued to; `None` when it is done.
///
/// # Errors
/// A failure of the database.
pub async fn load(
    connection: &mut AsyncPgConnection,
    directory: Directory<'_>,
    revocation_id: Uuid,
) -> Result<Option<Waiting>> {
    let stored = token_revocations::table.find(revocation_id).select(Stored::as_select());
    let Some(stored) = stored.first(connection).await.optional()? else { return Ok(None) };
    let since = stored.created_at;
    let (pin, ended) = (stored.pin()?, stored.ended(connection, directory.keyring).await?);
    let kept = stored.open(directory.keyring, "client_secret", stored.client_secret.as_ref())?;
    let application = match (kept, &pin.client_id) {
        (Some(client_secret), Some(client_id)) => {
            Pinned::Application(OAuthApp { client_id: client_id.clone(), client_secret })
        }
        _ => applications::pinned(connection, directory, &pin).await?,
    };
    Ok(Some(match application {
        Pinned::Application(application) => Waiting::Ready { application, ended, since },
        Pinned::Absent => Waiting::Unconfigured { since },
        Pinned::Gone => Waiting::Hopeless("the application is gone"),
        Pinned::Undecryptable => Waiting::Hopeless("the application's secret cannot be decrypted"),
    }))
}

/// Requests deliveries again that ended although a connection uses them: the same channel was connected with
/// the same application while they were being ended.
///
/// # Errors
/// A failure of the database.
pub async fn renew_deliveries(connection: &mut AsyncPgConnection, revocation_id: Uuid) -> Result<()> {
    #[derive(QueryableByName)]
    struct Lost {
        #[diesel(sql_type = SqlUuid)]
        connection_id: Uuid,
    }
    let sql = "
        WITH lost AS (
            DELETE FROM webhook_subscriptions s USING channel_connections c, token_revocations t
            WHERE t.id = $1 AND c.platform = t.platform AND c.client_id = t.client_id
                AND c.platform_channel_id = t.owner_id AND s.connection_id = c.id AND t.subscriptions <> '{}'
                AND s.refusal IS NULL AND s.platform_subscription_id IS NULL
            RETURNING s.connection_id
        )
        SELECT DISTINCT connection_id FROM lost";
    let lost: Vec<Lost> = sql_query(sql).bind::<SqlUuid, _>(revocation_id).load(connection).await?;
    for Lost { connection_id } in lost {
        let key = format!("{connection_id}:{revocation_id}");
        outbox::add(connection, &SubscribeChannel { connection_id }, &key).await?;
    }
    Ok(())
}

/// Deletes tokens that were revoked or given up.
///
/// # Errors
/// A failure of the database.
pub async fn forget(connection: &mut AsyncPgConnection, revocation_id: Uuid) -> Result<()> {
    diesel::delete(token_revocations::table.find(revocation_id)).execute(connection).await?;
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = token_revocations)]
struct Stored {
    id: Uuid,
    account_id: Option<Uuid>,
    platform: String,
    owner_id: Option<String>,
    user_id: Option<Uuid>,
    credential_source: String,
    credential_app: String,
    client_id: Option<String>,
    client_secret: Option<Vec<u8>>,
    access_token: Option<Vec<u8>>,
    refresh_token: Option<Vec<u8>>,
    subscriptions: Vec<String>,
    created_at: DateTime<Utc>,
}

impl Stored {
    fn pin(&self) -> Result<Pin> {
        let unreadable = || Error::Internal(format!("token revocation {} is not readable", self.id));
        Ok(Pin {
            platform: self.platform.parse().map_err(|_unknown| unreadable())?,
            account: self.account_id,
            source: CredentialSource::parse(&self.credential_source).ok_or_else(unreadable)?,
            app: AppKind::parse(&self.credential_app).ok_or_else(unreadable)?,
            client_id: self.client_id.clone(),
        })
    }

    async fn ended(&self, connection: &mut AsyncPgConnection, keyring: &Keyring) -> Result<Ended> {
        let platform = self.pin()?.platform;
        Ok(Ended {
            platform,
            access_token: self.open(keyring, "access_token", self.access_token.as_ref())?,
            refresh_token: self.open(keyring, "refresh_token", self.refresh_token.as_ref())?,
            subscriptions: if self.are_needed(connection).await? {
                Vec::new()
            } else {
                self.subscriptions.clone()
            },
            is_shared: ends_whole_grants(platform) && self.is_shared(connection).await?,
        })
    }

    /// True when the same channel is connected with the same application, again or by another account. An
    /// application has one delivery of a kind, however many connections use it.
    async fn are_needed(&self, connection: &mut AsyncPgConnection) -> Result<bool> {
        let others = channel_connections::table.filter(
            channel_connections::platform
                .eq(&self.platform)
                .and(channel_connections::platform_channel_id.nullable().eq(&self.owner_id))
                .and(channel_connections::client_id.eq(&self.client_id)),
        );
        Ok(!self.subscriptions.is_empty() && select(exists(others)).get_result(connection).await?)
    }

    /// True when another working connection was made with the same application by the same user of the
    /// platform, as far as that is known: the same channel or login, or a connection of the same person. The
    /// id of a Google account has nothing in common with that of its channel.
    async fn is_shared(&self, connection: &mut AsyncPgConnection) -> Result<bool> {
        #[derive(QueryableByName)]
        struct Shared {
            #[diesel(sql_type = Bool)]
            is_shared: bool,
        }
        let of = |table: &str, owner: &str, user: &str| {
            format!(
                "SELECT 1 FROM {table} WHERE platform = $1 AND client_id = $2 AND NOT reconnect_required \
                 AND access_token IS NOT NULL AND ({owner} = $3 OR {user} = $4)"
            )
        };
        let sql = format!(
            "SELECT EXISTS ({} UNION ALL {} UNION ALL {}) AS is_shared",
            of("channel_connections", "platform_channel_id", "connected_by"),
            of("bot_connections", "bot_user_id", "connected_by"),
            of("login_connections", "provider_user_id", "user_id"),
        );
        let found: Shared = sql_query(sql)
            .bind::<Text, _>(&self.platform)
            .bind::<Nullable<Text>, _>(&self.client_id)
            .bind::<Nullable<Text>, _>(&self.owner_id)
            .bind::<Nullable<SqlUuid>, _>(self.user_id)
            .get_result(connection)
            .await?;
        Ok(found.is_shared)
    }

    /// Decrypts a column; `None` when it is empty, or no configured key decrypts it.
    fn open(&self, keyring: &Keyring, column: &str, sealed: Option<&Vec<u8>>) -> Result<Option<Secret>> {
        let Some(sealed) = sealed else { return Ok(None) };
        match keyring.open(place(column, &row(self.id)), sealed) {
            Ok(secret) => Ok(Some(secret)),
            Err(Error::Decryption(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// True when one token of a user ends every grant of the user to the application
/// (reference/connections.md#revocation).
const fn ends_whole_grants(platform: Platform) -> bool {
    matches!(platform, Platform::Youtube | Platform::Discord)
}

const fn place<'a>(column: &'a str, row: &'a str) -> SecretLocation<'a> {
    SecretLocation { table: TABLE, column, row }
}
