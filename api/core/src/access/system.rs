//! Connections without a caller (reference/permissions.md#access-rules). Each names the reason why no caller
//! exists or may be used there.

use foundation::db::{Connection, Database};

use super::databases::{DatabaseAccess, GuardedDatabases};
use crate::{Result, State};

/// Reason why code opens a database without a caller. It has no effect at run time: it makes every such place
/// explicit and searchable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemReason {
    /// A command at the console of the server. The operator's access to the machine is the credential.
    Console,
    /// Tokens of connections. A token is refreshed for whichever request needs it first, and serves others.
    PlatformTokens,
    /// Erasure of a person over all accounts. It runs on a task of its own, which outlives its request.
    PrivacyErasure,
    /// Action of a handler or an automation, or reply of a bot command. It runs on a task of its own: a worker that disconnects
    /// must not end it between the effect and the record of its outcome.
    HandlerAction,
    /// Call to a platform in an account's channel: choice of the identity, and spending of the quota. Requests
    /// and the tasks that act for handlers share it.
    ChannelCall,
    /// Moderation of a chat. It runs on a task of its own, for a caller or for a handler.
    Moderation,
    /// Event that a caller, a handler or the simulator emits.
    EventEmission,
    /// Simulation of events that the operator starts at the console. Without a request there is no caller.
    Simulation,
    /// Profile of a platform user. It is cached for every caller in the account.
    Enrichment,
    /// Emote sets. They are cached for all accounts.
    EmoteSets,
    /// Gate of a channel on an open socket. The handshake checked the credential, and no operation runs.
    Socket,
    /// Call of an extension's function, or change of its storage. REST and open sockets share it: an operation
    /// or the handshake checked the caller.
    ExtensionCall,
}

/// Access to the databases for a system reason. Cheap to copy.
#[derive(Clone, Copy)]
pub struct SystemAccess<'a> {
    state: &'a State,
    reason: SystemReason,
}

impl State {
    /// Access to the databases without a caller. Use the caller of the request wherever there is one.
    #[must_use]
    pub const fn system(&self, reason: SystemReason) -> SystemAccess<'_> {
        SystemAccess { state: self, reason }
    }
}

impl<'a> SystemAccess<'a> {
    /// Reason that was named.
    #[must_use]
    pub const fn reason(&self) -> SystemReason {
        self.reason
    }

    /// Connection to the primary database.
    ///
    /// # Errors
    /// 500 `DATABASE_ERROR` when none is free in time.
    pub async fn db(&self) -> Result<Connection<'a>> {
        self.state.databases.primary().await
    }

    /// Connection to the time-series database.
    ///
    /// # Errors
    /// 500 `DATABASE_ERROR` when none is free in time.
    pub async fn timeseries(&self) -> Result<Connection<'a>> {
        self.state.databases.timeseries().await
    }

    /// Pool of the primary database, for a part that lives as long as the process and connects by itself.
    #[must_use]
    pub fn pool(&self) -> Database {
        self.state.databases.primary_pool()
    }
}

impl DatabaseAccess for SystemAccess<'_> {
    async fn db(&self) -> Result<Connection<'_>> {
        self.state.databases.primary().await
    }

    async fn timeseries(&self) -> Result<Connection<'_>> {
        self.state.databases.timeseries().await
    }

    fn guarded(&self) -> &GuardedDatabases {
        &self.state.databases
    }
}
