//! The end of a connection.

use connection_model::{
    self as connections, Update,
    applications::Directory,
    bots::{self, BotAction},
    revocations::{self, Grant},
};
use diesel::{delete, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::invalidation::Invalidation;
use shared::{
    connection::ConnectionKind,
    id::AccountId,
    platform::Platform,
    schema::{bot_connections, channel_connections},
};
use uuid::Uuid;

use api_core::{Cx, Result};

/// A connection that was ended in a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "it is announced after the commit"]
pub struct EndedConnection {
    /// Id of the ended connection.
    pub id: Uuid,
    /// `None` for the deployment's bot.
    account: Option<Uuid>,
    platform: Platform,
    kind: ConnectionKind,
}

impl EndedConnection {
    /// Announces the end, after the commit: to processes that keep public answers about the channel, and to bots. These
    /// also poll, so that a failure only delays them.
    pub async fn announce(&self, cx: &Cx) {
        let action = match self.kind {
            ConnectionKind::Channel => {
                cx.changed(Invalidation::PublicStats).await;
                BotAction::Leave
            }
            ConnectionKind::Bot => BotAction::Sync,
        };
        let Some(account) = self.account else { return };
        let published = bots::publish(&cx.state().redis, self.platform.slug(), account, action).await;
        if let Err(error) = published {
            tracing::warn!(platform = %self.platform, %error, "bots were not notified of an ended connection");
        }
    }
}

/// Ends an account's connection to its channel on a platform, in the caller's transaction. The row is
/// deleted; a job ends its deliveries and tokens at the platform after the commit (best effort,
/// reference/connections.md#revocation); clients of the account are notified. The caller writes the audit
/// row. `None` without such a connection.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn disconnect_channel(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: Platform,
) -> Result<Option<EndedConnection>> {
    let Some(grant) = Grant::of_channel(connection, account.uuid(), platform).await? else { return Ok(None) };
    delete(channel_connections::table.find(grant.id)).execute(connection).await?;
    Ok(Some(end(cx, connection, ConnectionKind::Channel, &grant).await?))
}

/// Ends the connection of an account's own bot, or of the deployment's (`None`), like [`disconnect_channel`].
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn disconnect_bot(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    platform: Platform,
) -> Result<Option<EndedConnection>> {
    let account = account.map(AccountId::uuid);
    let Some(grant) = Grant::of_bot(connection, account, platform).await? else { return Ok(None) };
    delete(bot_connections::table.find(grant.id)).execute(connection).await?;
    Ok(Some(end(cx, connection, ConnectionKind::Bot, &grant).await?))
}

/// Adds the revocations at the platforms of an account, in the transaction that ends the account: its deleted
/// rows hold the tokens.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn revoke_every_connection(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<()> {
    let state = cx.state();
    let directory = Directory {
        keyring: &state.keyring,
        platforms: &state.config.platforms,
        modes: &state.config.connections.modes,
    };
    Ok(revocations::end_account(connection, directory, account.uuid(), state.clock.now()).await?)
}

async fn end(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    kind: ConnectionKind,
    grant: &Grant,
) -> Result<EndedConnection> {
    let (state, platform) = (cx.state(), grant.platform()?);
    let now = state.clock.now();
    revocations::end(connection, &state.keyring, grant, now).await?;
    if let Some(account) = grant.account_id {
        connections::announce(connection, account, kind, platform.slug(), Update::Disconnected, now).await?;
    }
    Ok(EndedConnection { id: grant.id, account: grant.account_id, platform, kind })
}
