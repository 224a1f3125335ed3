//! Use of an account's limits.
//!
//! Each count is a row of its own and is written in the transaction of the counted object. So taking is one
//! statement, and two concurrent requests never exceed a limit together.

use diesel::{
    prelude::*,
    query_dsl::methods::FilterDsl,
    sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
    upsert::excluded,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{EffectiveLimits, effective_limits};
use shared::{
    Error, Result,
    catalogue::UNLIMITED,
    id::AccountId,
    schema::account_usage::{self, dsl},
};

/// Quantity that is counted against a plan (reference/billing.md#limits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quota {
    /// Overlays.
    Overlays,
    /// Uploads, sounds and extension uploads together, in bytes.
    StorageBytes,
    /// Enabled integrations.
    Integrations,
}

/// Result of taking from a quota, or of [`would_take`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// The amount was taken.
    Taken,
    /// Nothing was taken.
    Full { limit: i64 },
}

/// Used amount of each quota.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Overlays.
    pub overlays: i64,
    /// Bytes.
    pub storage_bytes: i64,
    /// Enabled integrations.
    pub integrations: i64,
}

impl Quota {
    /// Stored name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Overlays => "overlays",
            Self::StorageBytes => "storage_bytes",
            Self::Integrations => "integrations",
        }
    }

    /// Limit of the quota. [`UNLIMITED`] holds for counts; for bytes the same number is a size.
    fn limit(self, limits: &EffectiveLimits) -> i64 {
        let counted = |limit: i64| if limit == UNLIMITED { i64::MAX } else { limit };
        match self {
            Self::Overlays => counted(limits.max_overlays.value),
            Self::StorageBytes => limits.max_storage_bytes.value,
            Self::Integrations => counted(limits.max_integrations.value),
        }
    }
}

/// Takes `amount` of a quota, if the account's limit leaves room for all of it. Call it in the transaction
/// that creates the counted object: it is rolled back with it, and other requests of the account wait until
/// then.
///
/// # Errors
/// Database failure, no such account, or a negative amount.
pub async fn take(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    quota: Quota,
    amount: i64,
) -> Result<Taken> {
    let limit = limit_of(connection, account, quota, amount).await?;
    if amount > limit {
        return Ok(Taken::Full { limit });
    }
    let added = diesel::insert_into(account_usage::table)
        .values((dsl::account_id.eq(account), dsl::quota.eq(quota.as_str()), dsl::used.eq(amount)))
        .on_conflict((dsl::account_id, dsl::quota))
        .do_update()
        .set(dsl::used.eq(dsl::used + excluded(dsl::used)));
    // Compared without a sum, which could overflow its type.
    let taken = FilterDsl::filter(added, dsl::used.le(limit - amount)).execute(connection).await?;
    Ok(if taken == 0 { Taken::Full { limit } } else { Taken::Taken })
}

/// Finds out what [`take`] would return at present. Nothing is changed or locked: others may take the rest in between.
///
/// # Errors
/// Those of [`take`].
pub async fn would_take(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    quota: Quota,
    amount: i64,
) -> Result<Taken> {
    let limit = limit_of(connection, account, quota, amount).await?;
    let row = dsl::account_id.eq(account).and(dsl::quota.eq(quota.as_str()));
    let used: Option<i64> =
        QueryDsl::filter(account_usage::table, row).select(dsl::used).first(connection).await.optional()?;
    // Both are at least 0, so that the difference does not overflow.
    let has_room = amount <= limit && used.unwrap_or_default() <= limit - amount;
    Ok(if has_room { Taken::Taken } else { Taken::Full { limit } })
}

/// Limit of the account for the quota of which an amount is to be taken.
async fn limit_of(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    quota: Quota,
    amount: i64,
) -> Result<i64> {
    if amount < 0 {
        return Err(Error::Internal(format!("a negative amount of {} was to be taken", quota.as_str())));
    }
    let limits = effective_limits(connection, account).await?;
    let limits = limits.ok_or_else(|| Error::Internal("an account without limits takes something".into()))?;
    Ok(quota.limit(&limits))
}

/// Gives an amount back, in the transaction that removes the counted object.
///
/// # Errors
/// Database failure, or a larger amount than was taken.
pub async fn release(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    quota: Quota,
    amount: i64,
) -> Result<()> {
    if amount == 0 {
        return Ok(());
    }
    let given = sql_query(
        "UPDATE account_usage SET used = used - $3 WHERE account_id = $1 AND quota = $2 AND used >= $3 AND $3 > 0",
    )
    .bind::<SqlUuid, _>(account.uuid())
    .bind::<Text, _>(quota.as_str())
    .bind::<BigInt, _>(amount)
    .execute(connection)
    .await?;
    if given == 1 {
        return Ok(());
    }
    Err(Error::Internal(format!("more of {} was to be given back than was taken", quota.as_str())))
}

/// Used amounts of an account.
///
/// # Errors
/// Database failure.
pub async fn usage(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Usage> {
    let rows: Vec<(String, i64)> = QueryDsl::filter(account_usage::table, dsl::account_id.eq(account))
        .select((dsl::quota, dsl::used))
        .load(connection)
        .await?;
    let of = |quota: Quota| rows.iter().find(|(name, _)| name == quota.as_str()).map_or(0, |(_, used)| *used);
    Ok(Usage {
        overlays: of(Quota::Overlays),
        storage_bytes: of(Quota::StorageBytes),
        integrations: of(Quota::Integrations),
    })
}
