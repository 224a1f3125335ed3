//! Revenue of developers from payments for their extensions (reference/programme.md#revenue).

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    Result, id,
    schema::{developer_profiles, developer_revenue as revenue, developer_teams, extensions},
};
use uuid::Uuid;

/// Part of a payment that a developer gets, in percent; the fee is the rest (reference/programme.md#revenue).
const SHARE_PERCENT: i64 = 70;

/// A payment for an extension of a developer.
#[derive(Debug, Clone, Copy)]
pub struct Sale<'a> {
    /// Developer profile that is paid.
    pub developer_id: Uuid,
    /// Team whose extension it is: the payment is part of its balance. `None` for one of the developer.
    pub team_id: Option<Uuid>,
    /// Extension.
    pub extension_id: Uuid,
    /// Reference of the payment at the provider. A payment counts once.
    pub payment_reference: &'a str,
    /// Paid amount in cents.
    pub amount: i64,
    /// Time of the payment.
    pub paid_at: DateTime<Utc>,
}

/// A recorded payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct Recorded {
    /// Developer profile that is paid.
    pub developer_id: Uuid,
    /// Team that is paid. `None` for the developer, also where the team is gone.
    pub team_id: Option<Uuid>,
    /// Extension; `None` for one that is gone.
    pub extension_id: Option<Uuid>,
    /// Paid amount in cents.
    pub amount: i64,
    /// Share of the developer or team, in cents.
    pub share: i64,
}

/// Those who are paid for an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payee {
    /// Profile of the developer, or of the owner of the team.
    pub developer_id: Uuid,
    /// Team whose extension it is.
    pub team_id: Option<Uuid>,
}

/// Payee of an extension; `None` for one that does not exist, is built in, or whose team's owner has no profile.
///
/// # Errors
/// Database failure.
pub async fn payee_of(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<Option<Payee>> {
    let row: Option<(Option<Uuid>, Option<Uuid>)> = extensions::table
        .find(extension)
        .select((extensions::owner_developer_id, extensions::owner_team_id))
        .first(connection)
        .await
        .optional()?;
    let Some((developer, team)) = row else { return Ok(None) };
    let Some(team) = team else {
        return Ok(developer.map(|developer_id| Payee { developer_id, team_id: None }));
    };
    let of_owner = developer_teams::table
        .inner_join(developer_profiles::table.on(developer_profiles::user_id.eq(developer_teams::owner_id)))
        .filter(developer_teams::id.eq(team))
        .select(developer_profiles::id);
    let owner: Option<Uuid> = of_owner.first(connection).await.optional()?;
    Ok(owner.map(|developer_id| Payee { developer_id, team_id: Some(team) }))
}

/// Share of the developer in a payment, in cents, rounded down.
#[must_use]
pub const fn share_of(amount: i64) -> i64 {
    amount / 100 * SHARE_PERCENT + amount % 100 * SHARE_PERCENT / 100
}

/// Records a payment. False when its reference is recorded already, and nothing changes.
///
/// # Errors
/// Database failure, or an amount that is not above zero.
pub async fn record(connection: &mut AsyncPgConnection, sale: &Sale<'_>, now: DateTime<Utc>) -> Result<bool> {
    let inserted = insert_into(revenue::table)
        .values((
            revenue::id.eq(id::new()),
            revenue::developer_id.eq(sale.developer_id),
            revenue::team_id.eq(sale.team_id),
            revenue::extension_id.eq(sale.extension_id),
            revenue::payment_reference.eq(sale.payment_reference),
            revenue::amount.eq(sale.amount),
            revenue::share.eq(share_of(sale.amount)),
            revenue::paid_at.eq(sale.paid_at),
            revenue::created_at.eq(now),
        ))
        .on_conflict(revenue::payment_reference)
        .do_nothing()
        .execute(connection)
        .await?;
    Ok(inserted > 0)
}

/// Recorded payment with a reference.
///
/// # Errors
/// Database failure.
pub async fn recorded(connection: &mut AsyncPgConnection, reference: &str) -> Result<Option<Recorded>> {
    Ok(revenue::table
        .filter(revenue::payment_reference.eq(reference))
        .select((
            revenue::developer_id,
            revenue::team_id,
            revenue::extension_id,
            revenue::amount,
            revenue::share,
        ))
        .first(connection)
        .await
        .optional()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_a_payment_is_rounded_down() {
        let shares = [1, 2, 99, 100, 101, 199, 9999].map(share_of);
        assert_eq!(shares, [0, 1, 69, 70, 70, 139, 6999]);
        assert_eq!(share_of(i64::MAX), i64::try_from(i128::from(i64::MAX) * 70 / 100).unwrap_or_default());
    }
}
