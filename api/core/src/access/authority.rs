//! What somebody may hand on and take away in an account (specification C §4, §5; E, 3). It is read in the transaction
//! that decides by it, past the caches and under a lock: of two changes of rights in an account the second sees what the
//! first did.

use diesel::{sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::id::AccountId;

use super::{
    AccountScopes, Cx, Principal, Rights,
    callers::must_hold,
    permissions::{fresh_member_access, service_key_rights},
};
use crate::Result;

/// Holds back other changes of who may do what in the account until the transaction ends.
///
/// # Errors
/// When the database fails.
pub async fn lock_account_rights(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("account_roles:{account}"))
        .execute(connection)
        .await?;
    Ok(())
}

/// What the caller may hand on and take away.
#[derive(Debug, Clone, Copy)]
pub struct AccountAuthority {
    rights: Rights,
    /// The owner in person, who may change whatever there is. A key of theirs is no more than its scopes.
    is_owner: bool,
}

impl AccountAuthority {
    /// The caller's authority now, which no other change of rights in the account alters until the transaction ends.
    pub(super) async fn of(cx: &Cx, connection: &mut AsyncPgConnection, account: AccountId) -> Result<Self> {
        lock_account_rights(connection, account).await?;
        let principal = cx.principal();
        if let Principal::ServiceKey { id, .. } = principal {
            let rights = service_key_rights(connection, account, *id, cx.state().clock.now()).await?;
            return Ok(Self { rights: rights.unwrap_or(Rights::NONE), is_owner: false });
        }
        let Some(user) = principal.user() else { return Ok(Self { rights: Rights::NONE, is_owner: false }) };
        let Some(member) = fresh_member_access(connection, account, user).await? else {
            return Ok(Self { rights: Rights::NONE, is_owner: false });
        };
        let own = principal.scopes().map_or(member.rights(), |scopes| member.rights().within(scopes));
        let rights = match principal {
            Principal::Popout { maker, .. } if *maker != user => {
                let maker = fresh_member_access(connection, account, *maker).await?;
                maker.map_or(Rights::NONE, |maker| own.shared_with(&maker.rights()))
            }
            _ => own,
        };
        Ok(Self { rights, is_owner: member.is_owner && matches!(principal, Principal::Session { .. }) })
    }

    /// Whether a role may be made to hold `asked`: it cannot exceed its author (C §5).
    ///
    /// # Errors
    /// 403 that names what the caller lacks.
    pub fn must_hold(&self, asked: &AccountScopes) -> Result<()> {
        must_hold(&self.rights.permissions, asked)
    }

    /// Whether a role that holds `asked` may be handed on. What the account's overrides deny counts for nobody now, but
    /// whoever is given the role gains it when the override is lifted: so the caller must stand to gain it too.
    ///
    /// # Errors
    /// 403 that names what the caller lacks.
    pub fn may_hand_on(&self, asked: &AccountScopes) -> Result<()> {
        self.rights.must_cover(asked)
    }

    /// Whether a role that holds `present`, or the membership of somebody who has it, may be changed or ended.
    ///
    /// # Errors
    /// 403 that names what the caller lacks.
    pub fn may_change(&self, present: &AccountScopes) -> Result<()> {
        if self.is_owner { Ok(()) } else { self.rights.must_cover(present) }
    }
}
