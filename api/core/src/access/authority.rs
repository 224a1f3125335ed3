//! Rights that a caller can grant or take in an account (reference/permissions.md#authority-in-an-account).
//! They are read past the caches, under a lock, in the transaction that decides by them: of two changes of
//! rights in an account the second sees the first.

use diesel::{sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::id::AccountId;

use super::{
    Cx,
    permissions::{fresh_member_access, service_key_rights},
    principal::Principal,
    rights::{AccountScopes, Rights, must_hold},
};
use crate::Result;

/// Locks the rights of an account until the transaction ends: other changes of them wait.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn lock_account_rights(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("account_roles:{account}"))
        .execute(connection)
        .await?;
    Ok(())
}

/// Rights that the caller can grant or take in an account.
#[derive(Debug, Clone, Copy)]
pub struct AccountAuthority {
    rights: Rights,
    /// True for the owner by session, who may change every right. A key of the owner has only its scopes.
    is_owner: bool,
}

impl AccountAuthority {
    /// Reads the caller's authority. No other change of rights in the account alters it until the transaction
    /// ends.
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

    /// Checks that a role may hold `asked`: a role cannot exceed its author.
    ///
    /// # Errors
    /// 403 that names a permission that the caller lacks.
    pub fn must_hold(&self, asked: &AccountScopes) -> Result<()> {
        must_hold(&self.rights.permissions, asked)
    }

    /// Checks that a role that holds `asked` may be granted. A permission that the account's overrides deny
    /// is unusable now, but the holder gains it once the override is lifted: so the caller must cover it too.
    ///
    /// # Errors
    /// 403 that names a permission that the caller lacks.
    pub fn require_grantable(&self, asked: &AccountScopes) -> Result<()> {
        self.rights.must_cover(asked)
    }

    /// Checks that a role that holds `present`, or the membership of a person who has it, may be changed or
    /// ended.
    ///
    /// # Errors
    /// 403 that names a permission that the caller lacks.
    pub fn may_change(&self, present: &AccountScopes) -> Result<()> {
        if self.is_owner { Ok(()) } else { self.rights.must_cover(present) }
    }
}
