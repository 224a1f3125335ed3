//! Access rule of an operation, declared once and checked in one order
//! (reference/permissions.md#access-rules).

use std::marker::PhantomData;

use shared::catalogue::{AccountPermission, AdminPermission, Feature, TeamPermission, UserPermission};

use super::{
    callers::{
        AccountCaller, Admin, Authenticated, Developer, ExtensionHolder, Member, Participant, PopoutHolder,
        SessionHolder, SignedIn, System, TeamCaller, Visitor,
    },
    grants::Grants,
    rule::{Needs, Rule, Who},
};

/// Declared access rule of one operation. Its type parameter is the caller that it yields.
#[derive(Debug)]
pub struct Operation<C> {
    rule: Rule,
    caller: PhantomData<fn() -> C>,
}

/// Access of lists and tests to the rule of an operation.
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
        let rule =
            Rule { name, who, needs, grants, or_own: false, feature: None, in_team: &[], rest_only: false };
        Self { rule, caller: PhantomData }
    }

    /// Rule, for the check.
    pub(super) const fn declared(&self) -> &Rule {
        &self.rule
    }

    /// Adds a feature of the caller's account to the rule.
    #[must_use]
    pub const fn feature(mut self, feature: Feature) -> Self {
        self.rule.feature = Some(feature);
        self
    }

    /// Names the permissions of which a member of a team needs one, where the object belongs to the team
    /// (reference/teams.md#extensions-of-a-team).
    #[must_use]
    pub const fn in_team(mut self, permissions: &'static [TeamPermission]) -> Self {
        self.rule.in_team = permissions;
        self
    }

    /// Leaves the operation out of GraphQL: raw bytes, uploads, internal feeds, the developer API
    /// (reference/graphql.md#parity).
    #[must_use]
    pub const fn rest_only(mut self) -> Self {
        self.rule.rest_only = true;
        self
    }
}

impl Operation<Visitor> {
    /// Rule that admits any caller.
    #[must_use]
    pub const fn public(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::Everybody, Needs::Nothing, grants)
    }

    /// Rule that admits any caller, also with a surface token or a system key. The credential decides what
    /// the caller reaches.
    #[must_use]
    pub const fn any_credential(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::AnyCredential, Needs::Nothing, grants)
    }
}

impl Operation<ExtensionHolder> {
    /// Rule that admits an installed extension, by the token of its surface.
    #[must_use]
    pub const fn extension_token(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::ExtensionToken, Needs::Nothing, grants).rest_only()
    }
}

impl Operation<Authenticated> {
    /// Rule that admits credentials that act for a person or an account.
    #[must_use]
    pub const fn authenticated(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::Anyone, Needs::Nothing, grants)
    }
}

impl Operation<SignedIn> {
    /// Rule that admits a person, by session or own API key.
    #[must_use]
    pub const fn first_party(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::FirstParty, Needs::Nothing, grants)
    }
}

impl Operation<TeamCaller> {
    /// Rule that admits a member of a team of developers who holds the permission in it. The request names
    /// the team, so [`TeamCaller::member_of`] checks membership and permission.
    #[must_use]
    pub const fn team(name: &'static str, permission: TeamPermission, grants: Grants) -> Self {
        Self::new(name, Who::FirstParty, Needs::Team(permission), grants)
    }

    /// Rule that admits the owner of a team of developers.
    #[must_use]
    pub const fn team_owner(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::FirstParty, Needs::TeamOwnership, grants)
    }

    /// Admits every member of the team for their own membership, without the permission.
    #[must_use]
    pub const fn or_own(mut self) -> Self {
        self.rule.or_own = true;
        self
    }
}

impl Operation<SessionHolder> {
    /// Rule that admits a person by session.
    #[must_use]
    pub const fn session(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::Session, Needs::Nothing, grants)
    }
}

impl Operation<PopoutHolder> {
    /// Rule that admits a popout, by the session that its token was exchanged for
    /// (reference/credentials.md#popout-sessions).
    #[must_use]
    pub const fn popout_session(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::PopoutSession, Needs::Nothing, grants)
    }
}

impl Operation<Member> {
    /// Rule that admits a person who holds the permission in the active account.
    #[must_use]
    pub const fn member(name: &'static str, permission: AccountPermission, grants: Grants) -> Self {
        Self::new(name, Who::FirstParty, Needs::Account(permission), grants)
    }

    /// Rule that admits a person, by session, who holds the permission in the active account.
    #[must_use]
    pub const fn session_member(name: &'static str, permission: AccountPermission, grants: Grants) -> Self {
        Self::new(name, Who::Session, Needs::Account(permission), grants)
    }

    /// Admits every member for their own objects. The operation demands the permission with [`Cx::require`]
    /// for those of others (reference/permissions.md#access-rules).
    ///
    /// [`Cx::require`]: super::Cx::require
    #[must_use]
    pub const fn or_own(mut self) -> Self {
        self.rule.or_own = true;
        self
    }
}

impl Operation<AccountCaller> {
    /// Rule that admits holders of the permission in the account, also service keys and popouts.
    #[must_use]
    pub const fn account(name: &'static str, permission: AccountPermission, grants: Grants) -> Self {
        Self::new(name, Who::Anyone, Needs::Account(permission), grants)
    }

    /// Rule that admits holders of one of the permissions in the account; [`Cx::require`] decides where the
    /// input does.
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
    /// Rule that admits a person who holds the platform-wide permission. Callers without it, also anonymous
    /// ones, get 403 for the permission: routes of such operations are open
    /// (reference/permissions.md#access-rules).
    #[must_use]
    pub const fn user(name: &'static str, permission: UserPermission, grants: Grants) -> Self {
        Self::new(name, Who::Everybody, Needs::User(permission), grants)
    }

    /// Rule that admits holders of one of several permissions, each also in the admin scope;
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
    /// Rule that admits operator staff. An admin permission never follows from an account permission of the
    /// same text. Keys and popouts hold none: they get 403 for the permission.
    #[must_use]
    pub const fn admin(name: &'static str, permission: AdminPermission, grants: Grants) -> Self {
        Self::new(name, Who::Anyone, Needs::Admin(permission), grants)
    }

    /// Rule that admits operator staff with one of the permissions; [`Cx::require_admin`] decides where the
    /// input does.
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
    /// Rule that admits a personal API key that carries the permission
    /// (reference/developers.md#developer-rest-api).
    #[must_use]
    pub const fn developer(name: &'static str, permission: AccountPermission, grants: Grants) -> Self {
        Self::new(name, Who::PersonalKey, Needs::Account(permission), grants).rest_only()
    }
}

impl Operation<System> {
    /// Rule that admits services of the deployment (reference/credentials.md#system-keys).
    #[must_use]
    pub const fn internal(name: &'static str, grants: Grants) -> Self {
        Self::new(name, Who::SystemKey, Needs::Nothing, grants).rest_only()
    }

    /// Adds a GraphQL twin, which internal feeds lack.
    #[must_use]
    pub const fn on_both_protocols(mut self) -> Self {
        self.rule.rest_only = false;
        self
    }
}
