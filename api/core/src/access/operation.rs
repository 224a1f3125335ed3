//! The access rule of an operation, declared once and checked in one order (specification A §5, C §1).

use std::marker::PhantomData;

use shared::catalogue::{AccountPermission, AdminPermission, Feature, UserPermission};

use super::{
    callers::{
        AccountCaller, Admin, Authenticated, Developer, ExtensionHolder, Member, Participant, PopoutHolder,
        SessionHolder, SignedIn, System, Visitor,
    },
    grants::Grants,
};

/// Which credentials may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Anybody, also without a credential.
    Everybody,
    /// Anybody, with whatever credential: files of extensions, which surfaces load and our services read (B §4.4).
    AnyCredential,
    /// Whoever acts for a person or an account: sessions, personal and service keys, popouts.
    Anyone,
    /// A session or the person's own API key (A §5.2, rule 2).
    FirstParty,
    /// A session only.
    Session,
    /// A personal API key (B §5, developer API).
    PersonalKey,
    /// The session of an exchanged popout token (A §4.2).
    PopoutSession,
    /// The token of an installed extension (B §5, extension uploads).
    ExtensionToken,
    /// A system key (C §2.3).
    SystemKey,
}

/// The permission that is needed. Scopes are separate types: the same text in another scope is another permission.
/// Where one of several is enough to be let in, the operation decides by its input which one it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Account(AccountPermission),
    AnyAccount(&'static [AccountPermission]),
    Admin(AdminPermission),
    AnyAdmin(&'static [AdminPermission]),
    User(UserPermission),
    /// One of these in the user scope, or under the same text in the admin scope (A §5.2, rule 6).
    UserOrAdmin(&'static [UserPermission]),
}

impl Needs {
    /// `resource:action`, if one is needed; `a:b or c:d` where one of several is.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Account(permission) => Some(permission.text().to_owned()),
            Self::AnyAccount(any) => Some(one_of(any)),
            Self::Admin(permission) => Some(permission.text().to_owned()),
            Self::AnyAdmin(any) => Some(one_of(any)),
            Self::User(permission) => Some(permission.text().to_owned()),
            Self::UserOrAdmin(any) => Some(one_of(any)),
        }
    }

    /// The scope in which it is needed, or `none`.
    #[must_use]
    pub const fn scope(&self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Account(_) | Self::AnyAccount(_) => "account",
            Self::Admin(_) | Self::AnyAdmin(_) => "admin",
            Self::User(_) => "user",
            Self::UserOrAdmin(_) => "user or admin",
        }
    }

    /// The account permissions of which one is enough.
    #[must_use]
    pub const fn of_account(&self) -> &[AccountPermission] {
        match self {
            Self::Account(permission) => std::slice::from_ref(permission),
            Self::AnyAccount(any) => any,
            _ => &[],
        }
    }
}

fn one_of<P: ToString>(permissions: &[P]) -> String {
    permissions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

/// What is known of an operation without its caller type.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Function, OpenAPI operationId and GraphQL field, in camelCase.
    pub name: &'static str,
    pub who: Who,
    pub needs: Needs,
    /// The rights that a call can hand on. It has no default: an operation without it does not compile.
    pub grants: Grants,
    /// Whether the caller needs the permission only for what is another person's.
    pub or_own: bool,
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
    const fn new(name: &'static str, who: Who, needs: Needs, grants: Grants) -> Self {
        let rule = Rule { name, who, needs, grants, or_own: false, feature: None, rest_only: false };
        Self { rule, caller: PhantomData }
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
    pub const fn public(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::Everybody, Needs::Nothing, grants)
    }

    /// Anybody may call, also with a token of a surface or a system key; what they reach depends on it.
    #[must_use]
    pub const fn any_credential(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::AnyCredential, Needs::Nothing, grants)
    }
}

impl Operation<ExtensionHolder> {
    /// An installed extension may call, by the token of its surface.
    #[must_use]
    pub const fn extension_token(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::ExtensionToken, Needs::Nothing, grants).rest_only()
    }
}

impl Operation<Authenticated> {
    /// Whoever acts for a person or an account may call.
    #[must_use]
    pub const fn authenticated(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::Anyone, Needs::Nothing, grants)
    }
}

impl Operation<SignedIn> {
    /// A person may call, by session or own API key.
    #[must_use]
    pub const fn first_party(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::FirstParty, Needs::Nothing, grants)
    }
}

impl Operation<SessionHolder> {
    /// A person may call, by session.
    #[must_use]
    pub const fn session(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::Session, Needs::Nothing, grants)
    }
}

impl Operation<PopoutHolder> {
    /// A popout may call, by the session that its token was exchanged for (A §4.2).
    #[must_use]
    pub const fn popout_session(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::PopoutSession, Needs::Nothing, grants)
    }
}

impl Operation<Member> {
    /// A person may call who holds the permission in the active account.
    #[must_use]
    pub const fn member(name: &'static str, permission: AccountPermission, grants: Grants) -> Self {
        Self::new(name, Who::FirstParty, Needs::Account(permission), grants)
    }

    /// A person may call, by session, who holds the permission in the active account.
    #[must_use]
    pub const fn session_member(name: &'static str, permission: AccountPermission, grants: Grants) -> Self {
        Self::new(name, Who::Session, Needs::Account(permission), grants)
    }

    /// Every member may call for what is their own; the operation demands the permission with [`Cx::require`] for
    /// what is another's (A §4.3, "own always allowed").
    ///
    /// [`Cx::require`]: super::Cx::require
    #[must_use]
    pub const fn or_own(mut self) -> Self {
        self.rule.or_own = true;
        self
    }
}

impl Operation<AccountCaller> {
    /// Whoever holds the permission in the account may call, also service keys and popouts.
    #[must_use]
    pub const fn account(name: &'static str, permission: AccountPermission, grants: Grants) -> Self {
        Self::new(name, Who::Anyone, Needs::Account(permission), grants)
    }

    /// Whoever holds one of the permissions in the account may call; [`Cx::require`] decides where the input does.
    ///
    /// [`Cx::require`]: super::Cx::require
    #[must_use]
    pub const fn account_any(
        name: &'static str,
        permissions: &'static [AccountPermission],
        grants: Grants,
    ) -> Self {
        Self::new(name, Who::Anyone, Needs::AnyAccount(permissions), grants)
    }
}

impl Operation<Participant> {
    /// A person may call who holds the platform-wide permission. Whoever holds none, also nobody at all, is refused
    /// for that (A §5.2, rule 5): routes of such operations stand among those that anybody may call.
    #[must_use]
    pub const fn user(name: &'static str, permission: UserPermission, grants: Grants) -> Self {
        Self::new(name, Who::Everybody, Needs::User(permission), grants)
    }

    /// The same for one of several permissions, each also in the admin scope (A §5.2, rule 6);
    /// [`Cx::require_user_or_admin`] decides where the input does.
    ///
    /// [`Cx::require_user_or_admin`]: super::Cx::require_user_or_admin
    #[must_use]
    pub const fn user_or_admin(
        name: &'static str,
        permissions: &'static [UserPermission],
        grants: Grants,
    ) -> Self {
        Self::new(name, Who::Everybody, Needs::UserOrAdmin(permissions), grants)
    }
}

impl Operation<Admin> {
    /// Operator staff may call. An admin permission never follows from an account permission of the same text; no key
    /// or popout holds one, and is told what it lacks.
    #[must_use]
    pub const fn admin(name: &'static str, permission: AdminPermission, grants: Grants) -> Self {
        Self::new(name, Who::Anyone, Needs::Admin(permission), grants)
    }

    /// Operator staff with one of the permissions may call; [`Cx::require_admin`] decides where the input does.
    ///
    /// [`Cx::require_admin`]: super::Cx::require_admin
    #[must_use]
    pub const fn admin_any(
        name: &'static str,
        permissions: &'static [AdminPermission],
        grants: Grants,
    ) -> Self {
        Self::new(name, Who::Anyone, Needs::AnyAdmin(permissions), grants)
    }
}

impl Operation<Developer> {
    /// A personal API key may call that carries the permission (B §5, C B7.5).
    #[must_use]
    pub const fn developer(name: &'static str, permission: AccountPermission, grants: Grants) -> Self {
        Self::new(name, Who::PersonalKey, Needs::Account(permission), grants).rest_only()
    }
}

impl Operation<System> {
    /// Our own services may call (B §4.4, C §2.3).
    #[must_use]
    pub const fn internal(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::SystemKey, Needs::Nothing, grants).rest_only()
    }

    /// Has a GraphQL twin, unlike the feeds (C §2.3, `botChannels`).
    #[must_use]
    pub const fn on_both_protocols(mut self) -> Self {
        self.rule.rest_only = false;
        self
    }
}
