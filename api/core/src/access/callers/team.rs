//! Callers of operations on teams of developers (reference/teams.md#access). The input of such an operation names
//! the team, so its rule is checked in two steps: [`TeamCaller`] is a person, [`TeamMember`] belongs to the team.

use diesel_async::AsyncPgConnection;
use shared::id::UserId;
use uuid::Uuid;

use super::{Caller, Checked, TeamMember, person};
use crate::{
    ApiError, Result,
    access::{
        Cx, Needs, Rule, TeamMembership,
        teams::{lock_team, team_membership, team_not_found},
    },
};

/// Need of a rule within a team, which only the check of the rule names.
#[derive(Debug, Clone, Copy)]
pub struct TeamNeed(Needs);

/// A person who names a team of developers. It opens no database: [`TeamCaller::member_of`] checks the
/// membership first, and then begins the protocol of an `Idempotency-Key`, so that a person who has left the team gets no
/// answer of an earlier request.
#[derive(Clone)]
pub struct TeamCaller {
    cx: Cx,
    /// Person.
    pub user: UserId,
    rule: &'static Rule,
}

impl Caller for TeamCaller {
    async fn of(cx: &Cx, checked: Checked) -> Result<Self> {
        Ok(Self { user: person(cx)?, rule: checked.rule, cx: cx.clone() })
    }
}

impl TeamNeed {
    fn check(self, membership: &TeamMembership) -> Result<()> {
        match self.0 {
            Needs::Team(permission) => membership.require(permission),
            Needs::TeamOwnership if !membership.is_owner => {
                Err(ApiError::forbidden("Only the owner of the team can do this"))
            }
            _ => Ok(()),
        }
    }
}

impl TeamCaller {
    /// Checks that the person belongs to the team and meets the rule in it.
    ///
    /// # Errors
    /// 404 when there is no such team or the person does not belong to it; 403 that names the missing
    /// permission. With an `Idempotency-Key` those of [`Cx::authorize`].
    pub async fn member_of(&self, team: Uuid) -> Result<TeamMember> {
        let member = self.found_in(team).await?;
        member.needs.check(&member.membership)?;
        self.cx.begin_idempotent(self.rule).await?;
        Ok(member)
    }

    /// Checks that the person belongs to the team, for a rule that admits members for what is their own.
    /// [`TeamMember::check_need`] demands the rule for the rest.
    ///
    /// # Errors
    /// 404 when there is no such team or the person does not belong to it. With an `Idempotency-Key` those of
    /// [`Cx::authorize`].
    pub async fn any_member_of(&self, team: Uuid) -> Result<TeamMember> {
        let member = self.found_in(team).await?;
        self.cx.begin_idempotent(self.rule).await?;
        Ok(member)
    }

    async fn found_in(&self, team: Uuid) -> Result<TeamMember> {
        // That of an open transaction, if any: a request that keeps a connection does not wait for another one.
        let membership = team_membership(&mut *self.cx.primary().await?, team, self.user).await?;
        let (membership, needs) = (membership.ok_or_else(team_not_found)?, TeamNeed(self.rule.needs));
        Ok(TeamMember { cx: self.cx.clone(), user: self.user, team, membership, needs })
    }
}

impl TeamMember {
    /// Locks the team until the transaction ends and reads the membership again: of two changes of rights in a
    /// team the second sees the first.
    ///
    /// # Errors
    /// 404 when the person has left the team meanwhile.
    pub async fn lock(&self, connection: &mut AsyncPgConnection) -> Result<TeamMembership> {
        if !lock_team(connection, self.team).await? {
            return Err(team_not_found());
        }
        team_membership(connection, self.team, self.user).await?.ok_or_else(team_not_found)
    }

    /// Checks that a membership, read under the lock, meets the rule.
    ///
    /// # Errors
    /// 403 that names the missing permission.
    pub fn check_need(&self, membership: &TeamMembership) -> Result<()> {
        self.needs.check(membership)
    }
}
