//! What an operation gets in exchange for its rule. Only a caller opens the database, and only the check makes one.

use diesel_async::AsyncPgConnection;
use shared::{
    db::Connection,
    id::{AccountId, UserId},
};

use super::{AccountAuthority, AccountScopes, Cx, Principal, rights::missing};
use crate::{ApiError, Result};

/// A caller that a rule can yield.
pub trait Caller: Sized + Send {
    /// Made from a request whose rule was checked.
    fn of(cx: &Cx) -> impl Future<Output = Result<Self>> + Send;
}

macro_rules! callers {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })+) => { $(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name { cx: Cx, $($(#[$field_doc])* pub $field: $ty,)* }

        impl $name {
            /// A connection to the primary database.
            ///
            /// # Errors
            /// 500 `DATABASE_ERROR` when none can be had in time.
            pub async fn db(&self) -> Result<Connection<'_>> {
                Ok(self.cx.state().databases.postgres.get().await?)
            }

            /// A connection to the time-series database.
            ///
            /// # Errors
            /// 500 `DATABASE_ERROR` when none can be had in time.
            pub async fn timeseries(&self) -> Result<Connection<'_>> {
                Ok(self.cx.state().databases.timescaledb.get().await?)
            }
        }
    )+ };
}

callers! {
    /// Anybody.
    Visitor {}
    /// Somebody who acts for a person or an account.
    Authenticated {
        /// The person who acts, as of [`Principal::identity`].
        user: Option<UserId>,
        /// The account acted in; `None` when the person no longer belongs to it.
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
        session: uuid::Uuid,
        account: Option<AccountId>,
    }
    /// A popout, by session.
    PopoutHolder {
        /// The popout token.
        popout: uuid::Uuid,
        user: UserId,
        account: AccountId,
        /// What the token carries, whatever its person holds of it.
        scopes: AccountScopes,
    }
    /// An installed extension, by the token of its surface.
    ExtensionHolder {
        /// The install that the token is bound to.
        install: uuid::Uuid,
        account: AccountId,
        /// Whom the token was issued to, if it was a person.
        user: Option<UserId>,
    }
    /// A person who holds the permission in an account.
    Member {
        user: UserId,
        account: AccountId,
        /// Everything the caller may do in the account, for rules about handing on permissions.
        permissions: AccountScopes,
    }
    /// Whoever holds the permission in an account.
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
    /// One of our own services.
    System {}
}

impl Member {
    /// Whether everything in `asked` may be handed on: a key cannot exceed its creator (A §4.4, rule 2).
    ///
    /// # Errors
    /// 403 that names what the caller lacks.
    pub fn must_hold(&self, asked: &AccountScopes) -> Result<()> {
        must_hold(&self.permissions, asked)
    }
}

impl AccountCaller {
    /// Whether everything in `asked` may be handed on: a role cannot exceed its author (C §5).
    ///
    /// # Errors
    /// 403 that names what the caller lacks.
    pub fn must_hold(&self, asked: &AccountScopes) -> Result<()> {
        must_hold(&self.permissions, asked)
    }

    /// What the caller may hand on and take away, read in the transaction that decides by it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn authority(&self, connection: &mut AsyncPgConnection) -> Result<AccountAuthority> {
        AccountAuthority::of(&self.cx, connection, self.account).await
    }
}

pub(super) fn must_hold(held: &AccountScopes, asked: &AccountScopes) -> Result<()> {
    match asked.iter().find(|permission| !held.contains(*permission)) {
        None => Ok(()),
        Some(lacking) => Err(missing(lacking.text())),
    }
}

impl Caller for Visitor {
    async fn of(cx: &Cx) -> Result<Self> {
        Ok(Self { cx: cx.clone() })
    }
}

impl Caller for Authenticated {
    async fn of(cx: &Cx) -> Result<Self> {
        Ok(Self { user: cx.principal().identity(), account: cx.active_account().await?, cx: cx.clone() })
    }
}

impl Caller for SignedIn {
    async fn of(cx: &Cx) -> Result<Self> {
        Ok(Self { user: person(cx)?, account: cx.active_account().await?, cx: cx.clone() })
    }
}

impl Caller for SessionHolder {
    async fn of(cx: &Cx) -> Result<Self> {
        let Principal::Session { user, session, .. } = cx.principal() else { return Err(impossible()) };
        Ok(Self { user: *user, session: *session, account: cx.active_account().await?, cx: cx.clone() })
    }
}

impl Caller for PopoutHolder {
    async fn of(cx: &Cx) -> Result<Self> {
        let Principal::Popout { id, user, account, scopes, .. } = cx.principal() else {
            return Err(impossible());
        };
        Ok(Self { popout: *id, user: *user, account: *account, scopes: *scopes, cx: cx.clone() })
    }
}

impl Caller for ExtensionHolder {
    async fn of(cx: &Cx) -> Result<Self> {
        let Principal::Surface { account, subject, user, .. } = cx.principal() else {
            return Err(impossible());
        };
        let install = subject.parse().map_err(ApiError::internal)?;
        Ok(Self { install, account: *account, user: *user, cx: cx.clone() })
    }
}

impl Caller for Member {
    async fn of(cx: &Cx) -> Result<Self> {
        let (user, account) = (person(cx)?, account(cx)?);
        Ok(Self { user, account, permissions: cx.account_permissions().await?, cx: cx.clone() })
    }
}

impl Caller for AccountCaller {
    async fn of(cx: &Cx) -> Result<Self> {
        let (user, account) = (cx.principal().identity(), account(cx)?);
        Ok(Self { user, account, permissions: cx.account_permissions().await?, cx: cx.clone() })
    }
}

impl Caller for Participant {
    async fn of(cx: &Cx) -> Result<Self> {
        Ok(Self { user: person(cx)?, cx: cx.clone() })
    }
}

impl Caller for Admin {
    async fn of(cx: &Cx) -> Result<Self> {
        Ok(Self { user: person(cx)?, cx: cx.clone() })
    }
}

impl Caller for Developer {
    async fn of(cx: &Cx) -> Result<Self> {
        Ok(Self { user: person(cx)?, account: account(cx)?, cx: cx.clone() })
    }
}

impl Caller for System {
    async fn of(cx: &Cx) -> Result<Self> {
        Ok(Self { cx: cx.clone() })
    }
}

fn person(cx: &Cx) -> Result<UserId> {
    cx.principal().user().ok_or_else(impossible)
}

fn account(cx: &Cx) -> Result<AccountId> {
    cx.principal().account().ok_or_else(impossible)
}

/// The check admits no credential that lacks what its caller needs.
fn impossible() -> ApiError {
    ApiError::internal("a rule admitted a credential that lacks what its caller needs")
}
