//! Configurations of OBS.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::crypto::Keyring;
use live_model::obs::{DEFAULT_PORT, open_password};
use shared::{
    Result,
    id::AccountId,
    schema::obs_configs::{self, dsl},
};
use uuid::Uuid;

use super::{ended::Ended, handshake::Target};

/// Number of configurations of one page.
const PAGE_SIZE: i64 = 1000;

/// Configuration of an OBS that the daemon connects to.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = obs_configs)]
pub(super) struct Config {
    pub account_id: AccountId,
    port: i32,
    password: Option<Vec<u8>>,
    remote_host: Option<String>,
    /// Changes with each save.
    pub revision: Uuid,
}

/// Page of configurations in the order of accounts.
pub(super) struct Page {
    pub configs: Vec<Config>,
    /// Position of the next page; `None` when this was the last.
    pub next: Option<Uuid>,
}

impl Config {
    /// OBS of the configuration.
    pub fn target(&self, keyring: &Keyring) -> Target {
        let password = self.password.as_ref().map(|sealed| open_password(keyring, self.account_id, sealed));
        let password = password.transpose().map_err(|error| {
            tracing::warn!(account = %self.account_id, %error, "the password of OBS cannot be decrypted");
            Ended::PasswordUnreadable
        });
        Target {
            host: self.remote_host.clone().unwrap_or_default(),
            port: u16::try_from(self.port).unwrap_or(DEFAULT_PORT),
            password,
        }
    }
}

/// Returns the configurations after a position.
pub(super) async fn page(connection: &mut AsyncPgConnection, after: Option<Uuid>) -> Result<Page> {
    let configs: Vec<Config> = dsl::obs_configs
        .filter(dsl::remote_enabled.and(dsl::account_id.gt(after.unwrap_or_default())))
        .order(dsl::account_id)
        .limit(PAGE_SIZE)
        .select(Config::as_select())
        .load(connection)
        .await?;
    let is_full = i64::try_from(configs.len()).unwrap_or(i64::MAX) >= PAGE_SIZE;
    let next = configs.last().filter(|_| is_full).map(|last| last.account_id.uuid());
    Ok(Page { configs, next })
}

/// Returns the configuration of an account, when the daemon connects to its OBS.
pub(super) async fn of_account(connection: &mut AsyncPgConnection, account: Uuid) -> Result<Option<Config>> {
    let own = dsl::obs_configs.filter(dsl::remote_enabled.and(dsl::account_id.eq(account)));
    Ok(own.select(Config::as_select()).first(connection).await.optional()?)
}
