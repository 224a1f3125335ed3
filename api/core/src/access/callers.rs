//! Callers that operations receive for their checked rule. Only a caller opens the database, and only the
//! check creates one.

mod team;

use diesel_async::AsyncPgConnection;
use foundation::db::Connection;
use shared::id::{AccountId, Trust, UserId};
use uuid::Uuid;

use super::{
    Cx,
    authority::AccountAuthority,
    databases::{DatabaseAccess, GuardedDatabases},
    principal::Principal,
    rights::{AccountScopes, must_hold},
    rule::Rule,
    teams::TeamMembership,
};
use crate::{ApiError, Result};

pub use team::{TeamCaller, TeamNeed};

/// A caller that a rule can yield. Only the check of a rule makes one, so no code outside forges a caller:
///
/// ```compile_fail,E0451
/// use api_core::{Cx, access::Participant};
/// use shared::id::UserId;
///
/// fn forged(cx: Cx, user: UserId) -> Participant {
///     Participant { cx, user }
/// }
/// ```
///
/// It gets one in exchange for a rule:
///
/// ```
/// use api_core::{Cx, Operation, Result, access::Participant};
/// use shared::id::UserId;
///
/// async fn checked(cx: Cx, rule: &'static Operation<Participant>) -> Result<UserId> {
///     let Participant { user, .. } = cx.authorize(rule).await?;
///     Ok(user)
/// }
/// ```
pub trait Caller: Sized + Send {
    /// Builds the caller from a request whose rule was checked.
    fn of(cx: &Cx, checked: Checked) -> impl Future<Output = Result<Self>> + Send;
}

/// Evidence that the rule of an operation was checked. Only the check makes it.
pub struct Checked {
    rule: &'static Rule,
    /// Permissions by which the check decided, where the rule needs one in the account.
    permissions: Option<AccountScopes>,
}

impl Checked {
    pub(super) const fn rule(rule: &'static Rule, permissions: Option<AccountScopes>) -> Self {
        Self { rule, permissions }
    }

    async fn account_permissions(&self, cx: &Cx) -> Result<AccountScopes> {
        match self.permissions {
            Some(permissions) => Ok(permissions),
            None => cx.account_permissions().await,
        }
    }
}

macro_rules! callers {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })+) => { $(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name { cx: Cx, $($(#[$field_doc])* pub $field: $ty,)* }

        impl $name {
            /// A connection to the primary database, or that of the transaction that an `Idempotency-Key` opened.
            ///
            /// # Errors
            /// 500 `DATABASE_ERROR` when no connection is free in time.
            pub async fn db(&self) -> Result<Connection<'_>> {
                self.cx.primary().await
            }

            /// A connection to the time-series database.
            ///
            /// # Errors
            /// 500 `DATABASE_ERROR` when no connection is free in time.
            pub async fn timeseries(&self) -> Result<Connection<'_>> {
                self.cx.state().databases.timeseries().await
            }
        }

        impl DatabaseAccess for $name {
            async fn db(&self) -> Result<Connection<'_>> {
                self.cx.primary().await
            }

            async fn timeseries(&self) -> Result<Connection<'_>> {
                self.cx.state().databases.timeseries().await
            }

            fn guarded(&self) -> &GuardedDatabases {
                &self.cx.state().databases
            }
        }
    )+ };
}

callers! {
    /// Any caller, also without a credential.
    Visitor {}
    /// A caller that acts for a person or an account.
    Authenticated {
        /// The person who acts, as of [`Principal::identity`].
        user: Option<UserId>,
        /// The active account; `None` when the person no longer belongs to it.
        account: Option<AccountId>,
    }
    /// A person.
    SignedIn {
        user: UserId,
        account: Option<AccountId>,
    }
    /// A person, by session.
    SessionHolder {
        user: UserId,
        session: Uuid,
        account: Option<AccountId>,
    }
    /// A popout, by session.
    PopoutHolder {
        /// The popout token.
        popout: Uuid,
        user: UserId,
        account: AccountId,
        /// Permissions of the token, including those that its person does not hold.
        scopes: AccountScopes,
    }
    /// An installed extension, by the token of its surface.
    ExtensionHolder {
        /// The install that the token is bound to.
        install: Uuid,
        account: AccountId,
        /// Person that the token was issued to, if any.
        user: Option<UserId>,
    }
    /// A person who holds the permission in an account.
    Member {
        user: UserId,
        account: AccountId,
        /// All permissions of the caller in the account, for rules about granting.
        permissions: AccountScopes,
    }
    /// A person or key that holds the permission in an account.
    AccountCaller {
        /// The person who acts, as of [`Principal::identity`].
        user: Option<UserId>,
        account: AccountId,
        permissions: AccountScopes,
    }
    /// A person who holds a platform-wide permission.
    Participant {
        user: UserId,
    }
    /// Operator staff.
    Admin {
        user: UserId,
    }
    /// A person at the developer API.
    Developer {
        user: UserId,
        account: AccountId,
    }
    /// A member of a team of developers.
    TeamMember {
        user: UserId,
        team: Uuid,
        /// Membership at the time of the check. A transaction that decides by it reads it with
        /// [`TeamMember::lock`].
        membership: TeamMembership,
        /// Need of the rule.
        needs: TeamNeed,
    }
    /// A service of the deployment.
    System {}
}

impl Member {
    /// Checks that everything in `asked` may be granted: a key cannot exceed its creator
    /// (reference/credentials.md#key-scopes).
    ///
    /// # Errors
    /// 403 that names a permission that the caller lacks.
    pub fn must_hold(&self, asked: &AccountScopes) -> Result<()> {
        must_hold(&self.permissions, asked)
    }
}

impl Admin {
    /// Account that operator staff names: the rule of the operation admits the caller to every account.
    #[must_use]
    pub const fn account(&self, named: Uuid) -> AccountId {
        AccountId::trusted(named, Trust::Staff)
    }
}

impl System {
    /// Account that a service of the deployment names.
    #[must_use]
    pub const fn account(&self, named: Uuid) -> AccountId {
        AccountId::trusted(named, Trust::Service)
    }
}

impl AccountCaller {
    /// Checks that everything in `asked` may be granted: a role cannot exceed its author
    /// (reference/permissions.md#authority-in-an-account).
    ///
    /// # Errors
    /// 403 that names a permission that the caller lacks.
    pub fn must_hold(&self, asked: &AccountScopes) -> Result<()> {
        must_hold(&self.permissions, asked)
    }

    /// Reads the rights that the caller can grant or take, in the transaction that decides by them.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn authority(&self, connection: &mut AsyncPgConnection) -> Result<AccountAuthority> {
        AccountAuthority::of(&self.cx, connection, self.account).await
    }
}

impl Caller for Visitor {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        Ok(Self { cx: cx.clone() })
    }
}

impl Caller for Authenticated {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        Ok(Self { user: cx.principal().identity(), account: cx.active_account().await?, cx: cx.clone() })
    }
}

impl Caller for SignedIn {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        Ok(Self { user: person(cx)?, account: cx.active_account().await?, cx: cx.clone() })
    }
}

impl Caller for SessionHolder {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        let Principal::Session { user, session, .. } = cx.principal() else { return Err(impossible()) };
        Ok(Self { user: *user, session: *session, account: cx.active_account().await?, cx: cx.clone() })
    }
}

impl Caller for PopoutHolder {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        let Principal::Popout { id, user, account, scopes, .. } = cx.principal() else {
            return Err(impossible());
        };
        Ok(Self { popout: *id, user: *user, account: *account, scopes: *scopes, cx: cx.clone() })
    }
}

impl Caller for ExtensionHolder {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        let Principal::Surface { account, subject, user, .. } = cx.principal() else {
            return Err(impossible());
        };
        let install = subject.parse().map_err(ApiError::internal)?;
        Ok(Self { install, account: *account, user: *user, cx: cx.clone() })
    }
}

impl Caller for Member {
    async fn of(cx: &Cx, checked: Checked) -> Result<Self> {
        let (user, account) = (person(cx)?, account(cx)?);
        let permissions = checked.account_permissions(cx).await?;
        Ok(Self { user, account, permissions, cx: cx.clone() })
    }
}

impl Caller for AccountCaller {
    async fn of(cx: &Cx, checked: Checked) -> Result<Self> {
        let (user, account) = (cx.principal().identity(), account(cx)?);
        let permissions = checked.account_permissions(cx).await?;
        Ok(Self { user, account, permissions, cx: cx.clone() })
    }
}

impl Caller for Participant {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        Ok(Self { user: person(cx)?, cx: cx.clone() })
    }
}

impl Caller for Admin {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        Ok(Self { user: person(cx)?, cx: cx.clone() })
    }
}

impl Caller for Developer {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        Ok(Self { user: person(cx)?, account: account(cx)?, cx: cx.clone() })
    }
}

impl Caller for System {
    async fn of(cx: &Cx, _: Checked) -> Result<Self> {
        Ok(Self { cx: cx.clone() })
    }
}

fn person(cx: &Cx) -> Result<UserId> {
    cx.principal().user().ok_or_else(impossible)
}

fn account(cx: &Cx) -> Result<AccountId> {
    cx.principal().account().ok_or_else(impossible)
}

/// Error of a rule that admitted a credential without its caller's parts. The check admits none.
fn impossible() -> ApiError {
    ApiError::internal("a rule admitted a credential that lacks what its caller needs")
}
