//! The access rule of an operation, declared once and checked in one order (specification A §5, C §1).

use std::marker::PhantomData;

use shared::catalogue::{AccountPermission, AdminPermission, Feature};

use super::callers::{
    AccountCaller, Admin, Authenticated, Developer, Member, SessionHolder, SignedIn, System, Visitor,
};

/// Which credentials may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Anybody, also without a credential.
    Everybody,
    /// Whoever acts for a person or an account: sessions, personal and service keys, popouts.
    Anyone,
    /// A session or the person's own API key (A §5.2, rule 2).
    FirstParty,
    /// A session only.
    Session,
    /// A personal API key (B §5, developer API).
    PersonalKey,
    /// A system key (C §2.3).
    SystemKey,
}

/// The permission that is needed. Scopes are separate types: the same text in another scope is another permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Account(AccountPermission),
    Admin(AdminPermission),
}

impl Needs {
    /// `resource:action`, if one is needed.
    #[must_use]
    pub const fn text(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Account(permission) => Some(permission.text()),
            Self::Admin(permission) => Some(permission.text()),
        }
    }

    /// `account`, `admin` or `none`.
    #[must_use]
    pub const fn scope(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Account(_) => "account",
            Self::Admin(_) => "admin",
        }
    }
}

/// What is known of an operation without its caller type.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Function, OpenAPI operationId and GraphQL field, in camelCase.
    pub name: &'static str,
    pub who: Who,
    pub needs: Needs,
    pub feature: Option<Feature>,
    /// Whether the operation has no GraphQL twin (C §12.1).
    pub rest_only: bool,
}

/// The declared access rule of one operation. Its type says which caller it yields.
#[derive(Debug)]
pub struct Operation<C> {
    rule: Rule,
    caller: PhantomData<fn() -> C>,
}

/// What lists and tests may know about an operation.
pub trait AnyOperation: Sync {
    /// The declared rule.
    fn rule(&self) -> &Rule;
}

impl<C> AnyOperation for Operation<C> {
    fn rule(&self) -> &Rule {
        &self.rule
    }
}

impl<C> Operation<C> {
    const fn new(name: &'static str, who: Who, needs: Needs) -> Self {
        Self { rule: Rule { name, who, needs, feature: None, rest_only: false }, caller: PhantomData }
    }

    /// The rule, for the check.
    pub(super) const fn declared(&self) -> &Rule {
        &self.rule
    }

    /// Also needs a feature of the caller's account.
    #[must_use]
    pub const fn feature(mut self, feature: Feature) -> Self {
        self.rule.feature = Some(feature);
        self
    }

    /// Has no GraphQL twin: raw bytes, uploads, internal feeds, the developer API (C §12.1).
    #[must_use]
    pub const fn rest_only(mut self) -> Self {
        self.rule.rest_only = true;
        self
    }
}

impl Operation<Visitor> {
    /// Anybody may call.
    #[must_use]
    pub const fn public(name: &'static str) -> Self {
        Self::new(name, Who::Everybody, Needs::Nothing)
    }
}

impl Operation<Authenticated> {
    /// Whoever acts for a person or an account may call.
    #[must_use]
    pub const fn authenticated(name: &'static str) -> Self {
        Self::new(name, Who::Anyone, Needs::Nothing)
    }
}

impl Operation<SignedIn> {
    /// A person may call, by session or own API key.
    #[must_use]
    pub const fn first_party(name: &'static str) -> Self {
        Self::new(name, Who::FirstParty, Needs::Nothing)
    }
}

impl Operation<SessionHolder> {
    /// A person may call, by session.
    #[must_use]
    pub const fn session(name: &'static str) -> Self {
        Self::new(name, Who::Session, Needs::Nothing)
    }
}

impl Operation<Member> {
    /// A person may call who holds the permission in the active account.
    #[must_use]
    pub const fn member(name: &'static str, permission: AccountPermission) -> Self {
        Self::new(name, Who::FirstParty, Needs::Account(permission))
    }
}

impl Operation<AccountCaller> {
    /// Whoever holds the permission in the account may call, also service keys and popouts.
    #[must_use]
    pub const fn account(name: &'static str, permission: AccountPermission) -> Self {
        Self::new(name, Who::Anyone, Needs::Account(permission))
    }
}

impl Operation<Admin> {
    /// Operator staff may call. An admin permission never follows from an account permission of the same text.
    #[must_use]
    pub const fn admin(name: &'static str, permission: AdminPermission) -> Self {
        Self::new(name, Who::FirstParty, Needs::Admin(permission))
    }
}

impl Operation<Developer> {
    /// A personal API key may call that carries the permission (B §5, C B7.5).
    #[must_use]
    pub const fn developer(name: &'static str, permission: AccountPermission) -> Self {
        Self::new(name, Who::PersonalKey, Needs::Account(permission)).rest_only()
    }
}

impl Operation<System> {
    /// Our own services may call (B §4.4, C §2.3).
    #[must_use]
    pub const fn internal(name: &'static str) -> Self {
        Self::new(name, Who::SystemKey, Needs::Nothing).rest_only()
    }
}
