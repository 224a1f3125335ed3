//! Payees: the developer, or a team by its members with the permission (reference/programme.md#balances-of-teams).

use api_core::{
    Result,
    access::{team_membership, team_not_found},
};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::crypto::{SecretLocation, row};
use serde::Deserialize;
use shared::{catalogue::TeamPermission, id::UserId, schema::developer_teams};
use utoipa::IntoParams;
use uuid::Uuid;

use crate::developers::{self, Developer};

/// Payee of payout settings.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeveloperPayeeQuery {
    /// Team that is paid; the caller when absent.
    pub team_id: Option<Uuid>,
}

/// One who is paid.
pub(super) struct Payee {
    /// Profile of the developer, or of the team's owner. Its row is the lock of the balance.
    pub developer: Developer,
    /// Team; `None` for the developer alone.
    pub team: Option<Uuid>,
}

impl Payee {
    /// Payee of a call: the caller, or a team in which the caller holds a permission.
    ///
    /// # Errors
    /// 404 without a profile, and for a team that the caller does not belong to; 403 without the permission.
    pub(super) async fn find(
        connection: &mut AsyncPgConnection,
        caller: UserId,
        of: (Option<Uuid>, TeamPermission),
    ) -> Result<Self> {
        let person = person(connection, caller, of, false).await?;
        Ok(Self { developer: developers::of_person(connection, person).await?, team: of.0 })
    }

    /// Payee of a call, with its profile locked until the transaction ends.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub(super) async fn lock(
        connection: &mut AsyncPgConnection,
        caller: UserId,
        of: (Option<Uuid>, TeamPermission),
    ) -> Result<Self> {
        let person = person(connection, caller, of, true).await?;
        let developer = developers::lock_of_person(connection, person).await?;
        Ok(Self { developer: developer.ok_or_else(developers::not_found)?, team: of.0 })
    }

    /// People who are notified of what a person does: that person and the owner of the team.
    pub(super) fn notified(&self, caller: UserId) -> Vec<UserId> {
        let owner = self.developer.user_id;
        if owner == caller { vec![caller] } else { vec![owner, caller] }
    }

    /// Type and id of the payee in the audit log.
    pub(super) fn resource(&self) -> (&'static str, Uuid) {
        self.team.map_or(("developer_profile", self.developer.id), |team| ("developer_team", team))
    }

    /// Name of the row of the sealed accounts.
    pub(super) fn row(&self) -> String {
        row(self.team.unwrap_or(self.developer.id))
    }

    /// Place of the sealed accounts in the row.
    pub(super) const fn place<'a>(&self, row: &'a str) -> SecretLocation<'a> {
        let table = match self.team {
            Some(_) => "developer_team_payout_settings",
            None => "developer_payout_settings",
        };
        SecretLocation { table, column: "details", row }
    }
}

/// Person whose profile keeps the balance: the caller, or the owner of a team in which the caller holds a permission.
/// A locked team is not deleted until the transaction ends, and no member is removed.
async fn person(
    connection: &mut AsyncPgConnection,
    caller: UserId,
    (team, permission): (Option<Uuid>, TeamPermission),
    is_locked: bool,
) -> Result<UserId> {
    let Some(team) = team else { return Ok(caller) };
    let owner = developer_teams::table.find(team).select(developer_teams::owner_id);
    let owner: Option<UserId> = if is_locked {
        owner.for_key_share().first(connection).await.optional()?
    } else {
        owner.first(connection).await.optional()?
    };
    let owner = owner.ok_or_else(team_not_found)?;
    // After the lock, so that a removal which held it is seen.
    check_member(connection, caller, (team, permission)).await?;
    Ok(owner)
}

/// Checks that a person holds a permission in a team.
///
/// # Errors
/// 404 for a team that the person does not belong to; 403 without the permission.
async fn check_member(
    connection: &mut AsyncPgConnection,
    person: UserId,
    (team, permission): (Uuid, TeamPermission),
) -> Result<()> {
    let member = team_membership(connection, team, person).await?.ok_or_else(team_not_found)?;
    member.require(permission)
}
