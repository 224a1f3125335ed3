//! Consumers: who used something.

use uuid::Uuid;

/// Account with the part of it that acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Consumer {
    /// Account.
    pub account_id: Uuid,
    /// Part of the account.
    pub actor: Actor,
}

/// Part of an account that acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Actor {
    /// A person, the bot, or a token of a page: only the account is counted.
    Account,
    /// An extension.
    Extension(Uuid),
    /// The extension of an install.
    Install(Uuid),
    /// A personal or service key.
    Key(Uuid),
}

impl Consumer {
    /// Account without a part.
    #[must_use]
    pub const fn account(account_id: Uuid) -> Self {
        Self { account_id, actor: Actor::Account }
    }

    /// Extension in an account.
    #[must_use]
    pub const fn extension(account_id: Uuid, extension_id: Uuid) -> Self {
        Self { account_id, actor: Actor::Extension(extension_id) }
    }

    /// Extension of an install in an account.
    #[must_use]
    pub const fn install(account_id: Uuid, install_id: Uuid) -> Self {
        Self { account_id, actor: Actor::Install(install_id) }
    }

    /// Key in an account.
    #[must_use]
    pub const fn key(account_id: Uuid, key_id: Uuid) -> Self {
        Self { account_id, actor: Actor::Key(key_id) }
    }
}
