//! The end of a connection.

use diesel::{delete, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    connections::{
        self, AppKind, ConnectionKind, CredentialSource, Update,
        applications::Pin,
        bots::{self, BotAction},
        revocations::{self, Ended},
    },
    crypto::{Place, row},
    db::schema::{bot_connections, channel_connections},
    id::AccountId,
    platforms::Platform,
};
use uuid::Uuid;

use crate::{ApiError, Cx, Result};

/// A connection that was ended in a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "bots are told after the commit"]
pub struct EndedConnection {
    pub id: Uuid,
    /// `None` for the deployment's bot.
    account: Option<Uuid>,
    platform: Platform,
    action: BotAction,
}

impl EndedConnection {
    /// Tells bots, after the commit. They also look by themselves, so that a failure only delays.
    pub async fn tell_bots(&self, cx: &Cx) {
        let Some(account) = self.account else { return };
        let told = bots::tell(&cx.state().redis, self.platform.slug(), account, self.action).await;
        if let Err(error) = told {
            tracing::warn!(platform = %self.platform, %error, "bots learn later of a connection that ended");
        }
    }
}

/// Ends an account's connection to its channel on a platform, in the caller's transaction: the row goes, its tokens
/// are revoked by a job after the commit (best effort), whoever shows connections is told. The audit row is the
/// caller's. `None`: there is none.
///
/// # Errors
/// When the database fails.
pub async fn disconnect_channel(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: Platform,
) -> Result<Option<EndedConnection>> {
    let own = channel_connections::table.filter(
        channel_connections::account_id.eq(account).and(channel_connections::platform.eq(platform.slug())),
    );
    let gone: Option<HeldTokens> = delete(own)
        .returning((
            channel_connections::id,
            channel_connections::account_id.nullable(),
            channel_connections::credential_source,
            channel_connections::credential_app,
            channel_connections::client_id,
            channel_connections::access_token,
            channel_connections::refresh_token,
        ))
        .get_result(connection)
        .await
        .optional()?;
    end(cx, connection, ConnectionKind::Channel, platform, gone).await
}

/// Ends the connection of an account's own bot, or of the deployment's (`None`), like [`disconnect_channel`].
///
/// # Errors
/// When the database fails.
pub async fn disconnect_bot(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    platform: Platform,
) -> Result<Option<EndedConnection>> {
    let of_platform = bot_connections::table.filter(bot_connections::platform.eq(platform.slug()));
    let columns = (
        bot_connections::id,
        bot_connections::account_id,
        bot_connections::credential_source,
        bot_connections::credential_app,
        bot_connections::client_id,
        bot_connections::access_token,
        bot_connections::refresh_token,
    );
    let gone: Option<HeldTokens> = match account {
        Some(account) => {
            let own = of_platform.filter(bot_connections::account_id.eq(account));
            delete(own).returning(columns).get_result(connection).await.optional()?
        }
        None => {
            let common = of_platform.filter(bot_connections::account_id.is_null());
            delete(common).returning(columns).get_result(connection).await.optional()?
        }
    };
    end(cx, connection, ConnectionKind::Bot, platform, gone).await
}

async fn end(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    kind: ConnectionKind,
    platform: Platform,
    gone: Option<HeldTokens>,
) -> Result<Option<EndedConnection>> {
    let Some(gone) = gone else { return Ok(None) };
    let now = cx.state().clock.now();
    let (id, account) = (gone.id, gone.account);
    if let Some(ended) = gone.open(cx, kind, platform)? {
        revocations::enqueue(connection, &cx.state().keyring, &ended, now).await?;
    }
    if let Some(account) = account {
        connections::announce(connection, account, kind, platform.slug(), Update::Disconnected, now).await?;
    }
    let action = match kind {
        ConnectionKind::Channel => BotAction::Leave,
        ConnectionKind::Bot => BotAction::Sync,
    };
    Ok(Some(EndedConnection { id, account, platform, action }))
}

/// What a deleted row held.
#[derive(Queryable)]
struct HeldTokens {
    id: Uuid,
    account: Option<Uuid>,
    credential_source: String,
    credential_app: String,
    client_id: Option<String>,
    access_token: Option<Vec<u8>>,
    refresh_token: Option<Vec<u8>>,
}

impl HeldTokens {
    /// The tokens to revoke; `None` when there are none or they cannot be read, and for Discord's bot, whose static
    /// token is not ours to revoke.
    fn open(self, cx: &Cx, kind: ConnectionKind, platform: Platform) -> Result<Option<Ended>> {
        if platform == Platform::Discord {
            return Ok(None);
        }
        let table = match kind {
            ConnectionKind::Channel => "channel_connections",
            ConnectionKind::Bot => "bot_connections",
        };
        let text = row(self.id);
        let open = |column, sealed: Option<Vec<u8>>| {
            let place = Place { table, column, row: &text };
            // Best effort: what no key opens cannot be revoked.
            sealed.and_then(|sealed| cx.state().keyring.open(place, &sealed).ok())
        };
        let Some(access_token) = open("access_token", self.access_token) else { return Ok(None) };
        let unknown = || ApiError::internal(format!("{table} {} has an unknown credential source", self.id));
        let pin = Pin {
            platform,
            account: self.account,
            source: CredentialSource::parse(&self.credential_source).ok_or_else(unknown)?,
            app: AppKind::parse(&self.credential_app).ok_or_else(unknown)?,
            client_id: self.client_id,
        };
        Ok(Some(Ended { pin, access_token, refresh_token: open("refresh_token", self.refresh_token) }))
    }
}
