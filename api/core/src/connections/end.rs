//! The end of a connection.

use diesel::{delete, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    connections::{
        self, ConnectionKind, Update,
        applications::Directory,
        bots::{self, BotAction},
        revocations::{self, Grant},
    },
    db::schema::{bot_connections, channel_connections},
    id::AccountId,
    platforms::Platform,
};
use uuid::Uuid;

use crate::{Cx, Result};

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

/// Ends an account's connection to its channel on a platform, in the caller's transaction: the row goes, a job ends its
/// deliveries and tokens at the platform after the commit (best effort), whoever shows connections is told. The audit row is the
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
    let Some(grant) = Grant::of_channel(connection, account.0, platform).await? else { return Ok(None) };
    delete(channel_connections::table.find(grant.id)).execute(connection).await?;
    Ok(Some(end(cx, connection, ConnectionKind::Channel, &grant).await?))
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
    let account = account.map(|account| account.0);
    let Some(grant) = Grant::of_bot(connection, account, platform).await? else { return Ok(None) };
    delete(bot_connections::table.find(grant.id)).execute(connection).await?;
    Ok(Some(end(cx, connection, ConnectionKind::Bot, &grant).await?))
}

/// Writes down what the platforms of an account are to be told, in the transaction that ends the account: its rows,
/// which go with it, hold the tokens.
///
/// # Errors
/// When the database fails.
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
    Ok(revocations::end_account(connection, directory, account.0, state.clock.now()).await?)
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
    let action = match kind {
        ConnectionKind::Channel => BotAction::Leave,
        ConnectionKind::Bot => BotAction::Sync,
    };
    Ok(EndedConnection { id: grant.id, account: grant.account_id, platform, action })
}
