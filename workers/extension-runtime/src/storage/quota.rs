//! Quotas of an extension's storage (reference/handlers.md#storage), counted in the transaction that changes
//! them.

use std::{collections::BTreeMap, sync::Arc};

use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::limits::{LimitKey, ResolvedLimits};
use foundation::db::Prepare;
use sandbox::{HostError, ValueScope};
use uuid::Uuid;

use super::{Owner, problem::Problem};

const MIB: i64 = 1024 * 1024;

/// Subject of one quota.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct QuotaKey {
    scope: Scope,
    extension_id: Uuid,
    subject: Uuid,
    owner: String,
    account_id: Option<Uuid>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    Global,
    Install,
    User,
    /// Tables that the whole account shares.
    Account,
}

impl Scope {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Install => "install",
            Self::User => "user",
            Self::Account => "account",
        }
    }

    /// Returns the bytes of the scope. Viewers have a fixed quota.
    fn bytes(self, limits: &ResolvedLimits) -> i64 {
        match self {
            Self::Global => limits.value(LimitKey::StorageGlobalBytes),
            Self::Install | Self::Account => limits.value(LimitKey::StorageInstallBytes),
            Self::User => MIB,
        }
    }

    fn keys(self, limits: &ResolvedLimits) -> i64 {
        match self {
            Self::Global => limits.value(LimitKey::StorageKeysGlobal),
            Self::Install | Self::User | Self::Account => limits.value(LimitKey::StorageKeysInstall),
        }
    }
}

impl QuotaKey {
    /// Returns the quota of a scope of key-value storage.
    ///
    /// # Errors
    /// A scope that needs a person when there is none.
    pub fn of_values(owner: &Owner, scope: ValueScope) -> Result<Self, HostError> {
        let (extension_id, account_id) = (owner.extension_id, Some(owner.account_id));
        Ok(match scope {
            ValueScope::Global => Self {
                scope: Scope::Global,
                extension_id,
                subject: extension_id,
                owner: String::new(),
                account_id: None,
            },
            ValueScope::Install => {
                let (subject, owner) = (owner.install_id, String::new());
                Self { scope: Scope::Install, extension_id, subject, owner, account_id }
            }
            ValueScope::User => {
                let Some(viewer) = owner.viewer.clone() else {
                    return Err(HostError::argument(
                        "ctx.db: nobody is behind this invocation, so there is no scope user",
                    ));
                };
                Self {
                    scope: Scope::User,
                    extension_id,
                    subject: owner.install_id,
                    owner: viewer,
                    account_id,
                }
            }
        })
    }

    /// Returns the quota of rows: `install_id` is that of the rows, `None` where the account shares them.
    pub fn of_rows(owner: &Owner, install_id: Option<Uuid>) -> Self {
        let scope = if install_id.is_some() { Scope::Install } else { Scope::Account };
        Self {
            scope,
            extension_id: owner.extension_id,
            subject: install_id.unwrap_or(owner.account_id),
            owner: String::new(),
            account_id: Some(owner.account_id),
        }
    }

    /// Returns the name of the scope.
    pub const fn scope(&self) -> &'static str {
        self.scope.as_str()
    }

    /// Returns the id of the extension (scope `global`), the account or the install that the quota belongs
    /// to.
    pub const fn subject(&self) -> Uuid {
        self.subject
    }

    /// Returns the person of the scope `user`; empty for other scopes.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Returns the account of the quota; `None` for the scope `global`.
    pub const fn account_id(&self) -> Option<Uuid> {
        self.account_id
    }

    /// Returns the most bytes and keys of the quota.
    pub(crate) fn bounds(&self, limits: &ResolvedLimits) -> (i64, i64) {
        (self.scope.bytes(limits), self.scope.keys(limits))
    }

    /// Returns the refusal of a change that exceeds the quota.
    pub(crate) fn full(&self, limits: &ResolvedLimits) -> HostError {
        let (scope, keys) = (self.scope.as_str(), self.scope.keys(limits));
        let size = readable(self.scope.bytes(limits));
        HostError::limit(format!("ctx.db: the quota of the scope {scope} is used up: {size}, {keys} keys"))
    }
}

/// Returns a size in megabytes when it is a whole number of them.
fn readable(bytes: i64) -> String {
    if bytes % MIB == 0 { format!("{} MB", bytes / MIB) } else { format!("{bytes} bytes") }
}

/// Changes of quotas in a transaction.
#[derive(Debug)]
pub struct UsageChanges {
    limits: Arc<ResolvedLimits>,
    changes: BTreeMap<QuotaKey, Change>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Change {
    bytes: i64,
    keys: i64,
}

#[derive(QueryableByName)]
struct Used {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
    #[diesel(sql_type = BigInt)]
    keys: i64,
}

impl UsageChanges {
    /// Returns no changes yet, for an extension with these limits.
    pub fn new(limits: Arc<ResolvedLimits>) -> Self {
        Self { limits, changes: BTreeMap::new() }
    }

    /// Returns the maximum size of a value or row, in bytes of JSON.
    pub fn max_value_bytes(&self) -> usize {
        self.limits.size(LimitKey::ValueBytes)
    }

    /// Adds a change, and refuses one that exceeds the quota as known now. [`UsageChanges::apply`] decides
    /// finally.
    ///
    /// # Errors
    /// A quota that is used up.
    pub async fn add(
        &mut self,
        connection: &mut AsyncPgConnection,
        quota_key: QuotaKey,
        bytes: i64,
        keys: i64,
    ) -> Result<(), Problem> {
        if bytes > 0 || keys > 0 {
            let so_far = self.changes.get(&quota_key).copied().unwrap_or_default();
            let used = used(connection, &quota_key).await?;
            let (max_bytes, max_keys) = quota_key.bounds(&self.limits);
            let too_large = bytes > 0 && used.bytes + so_far.bytes + bytes > max_bytes;
            let too_many = keys > 0 && used.keys + so_far.keys + keys > max_keys;
            if too_large || too_many {
                return Err(quota_key.full(&self.limits).into());
            }
        }
        let change = self.changes.entry(quota_key).or_default();
        change.bytes += bytes;
        change.keys += keys;
        Ok(())
    }

    /// Writes the changes, always in the same order, so that two transactions never deadlock.
    ///
    /// # Errors
    /// A quota that is used up: the transaction must be rolled back.
    pub async fn apply(&mut self, connection: &mut AsyncPgConnection) -> Result<(), Problem> {
        for (quota_key, change) in std::mem::take(&mut self.changes) {
            if change == Change::default() {
                continue;
            }
            let (max_bytes, max_keys) = quota_key.bounds(&self.limits);
            let fits = sql_query(
                "INSERT INTO extension_usage AS used (extension_id, scope, subject, owner, account_id, bytes, keys)
                 VALUES ($1, $2, $3, $4, $5, greatest($6, 0), greatest($7, 0))
                 ON CONFLICT (extension_id, scope, subject, owner) DO UPDATE
                 SET bytes = greatest(used.bytes + $6, 0), keys = greatest(used.keys + $7, 0)
                 WHERE ($6 <= 0 OR used.bytes + $6 <= $8) AND ($7 <= 0 OR used.keys + $7 <= $9)",
            )
            .bind::<SqlUuid, _>(quota_key.extension_id)
            .bind::<Text, _>(quota_key.scope.as_str())
            .bind::<SqlUuid, _>(quota_key.subject)
            .bind::<Text, _>(&quota_key.owner)
            .bind::<Nullable<SqlUuid>, _>(quota_key.account_id)
            .bind::<BigInt, _>(change.bytes)
            .bind::<BigInt, _>(change.keys)
            .bind::<BigInt, _>(max_bytes)
            .bind::<BigInt, _>(max_keys)
            .prepared()
            .execute(connection)
            .await?;
            if fits == 0 || change.bytes > max_bytes || change.keys > max_keys {
                return Err(quota_key.full(&self.limits).into());
            }
        }
        Ok(())
    }
}

async fn used(connection: &mut AsyncPgConnection, quota_key: &QuotaKey) -> Result<Used, Problem> {
    let used: Option<Used> = sql_query(
        "SELECT bytes, keys FROM extension_usage
         WHERE extension_id = $1 AND scope = $2 AND subject = $3 AND owner = $4",
    )
    .bind::<SqlUuid, _>(quota_key.extension_id)
    .bind::<Text, _>(quota_key.scope.as_str())
    .bind::<SqlUuid, _>(quota_key.subject)
    .bind::<Text, _>(&quota_key.owner)
    .prepared()
    .get_result(connection)
    .await
    .optional()?;
    Ok(used.unwrap_or(Used { bytes: 0, keys: 0 }))
}
