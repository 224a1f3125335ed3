//! How much of its limits an account has used up.
//!
//! A count stands in a row of its own and is written in the transaction of what it counts. So taking is one statement
//! whatever there is, and two requests at once never pass a limit together.

use diesel::{
    prelude::*,
    query_dsl::methods::FilterDsl,
    sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
    upsert::excluded,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{EffectiveLimits, effective_limits};
use crate::{
    Error, Result,
    catalogue::UNLIMITED,
    db::schema::account_usage::{self, dsl},
    id::AccountId,
};

/// What is counted against a plan (specification C §8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quota {
    Overlays,
    /// Uploads, sounds and extension uploads together.
    StorageBytes,
    /// Enabled integrations.
    Integrations,
}

/// Whether there was room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    Taken,
    /// Nothing was taken.
    Full {
        limit: i64,
    },
}

/// How much of each quota is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub overlays: i64,
    pub storage_bytes: i64,
    pub integrations: i64,
}

impl Quota {
    /// The stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Overlays => "overlays",
            Self::StorageBytes => "storage_bytes",
            Self::Integrations => "integrations",
        }
    }

    /// How much of it an account may use. "Unlimited" is a count; for bytes the same number is a size.
    fn limit(self, limits: &EffectiveLimits) -> i64 {
        let counted = |limit: i64| if limit == UNLIMITED { i64::MAX } else { limit };
        match self {
            Self::Overlays => counted(limits.max_overlays.value),
            Self::StorageBytes => limits.max_storage_bytes.value,
            Self::Integrations => counted(limits.max_integrations.value),
        }
    }
}

/// Takes `amount` of a quota, if the account's limit leaves room for all of it. Call it in the transaction that makes
/// what is counted: it is undone with it, and others of the account wait until then.
///
/// # Errors
/// When the database fails, there is no such account, or the amount is negative.
pub async fn take(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    quota: Quota,
    amount: i64,
) -> Result<Taken> {
    if amount < 0 {
        return Err(Error::Internal(format!("a negative amount of {} was to be taken", quota.as_str())));
    }
    let limits = effective_limits(connection, account).await?;
    let limits = limits.ok_or_else(|| Error::Internal("an account without limits takes something".into()))?;
    let limit = quota.limit(&limits);
    if amount > limit {
        return Ok(Taken::Full { limit });
    }
    let added = diesel::insert_into(account_usage::table)
        .values((dsl::account_id.eq(account), dsl::quota.eq(quota.as_str()), dsl::used.eq(amount)))
        .on_conflict((dsl::account_id, dsl::quota))
        .do_update()
        .set(dsl::used.eq(dsl::used + excluded(dsl::used)));
    // Compared without a sum, which could be too large for its type.
    let taken = FilterDsl::filter(added, dsl::used.le(limit - amount)).execute(connection).await?;
    Ok(if taken == 0 { Taken::Full { limit } } else { Taken::Taken })
}

/// Gives back what was taken, in the transaction that removes what was counted.
///
/// # Errors
/// When the database fails, or more is given back than was taken.
pub async fn give_back(
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
    .bind::<SqlUuid, _>(account.0)
    .bind::<Text, _>(quota.as_str())
    .bind::<BigInt, _>(amount)
    .execute(connection)
    .await?;
    if given == 1 {
        return Ok(());
    }
    Err(Error::Internal(format!("more of {} was to be given back than was taken", quota.as_str())))
}

/// How much an account has used up.
///
/// # Errors
/// When the database fails.
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
