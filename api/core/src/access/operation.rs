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
    idempotency::{Answer, Idempotency, MAX_RUN_SECS},
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
        let rule = Rule {
            name,
            who,
            needs,
            grants,
            or_own: false,
            feature: None,
            in_team: &[],
            rest_only: false,
            idempotency: None,
            answer: Answer::Kept,
            is_polled: false,
        };
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

    /// Gives successful answers over REST an `ETag`, for clients that poll. Not for answers that differ at each call,
    /// such as those with a signed address (reference/conventions.md#conditional-reads).
    #[must_use]
    pub const fn polled(mut self) -> Self {
        self.rule.is_polled = true;
        self
    }

    /// Makes a POST operation idempotent by one transaction: all its effects are rows of the primary database, which it
    /// writes through its caller, and after-effects by [`Cx::after_commit`] (reference/conventions.md#idempotency).
    ///
    /// [`Cx::after_commit`]: super::Cx::after_commit
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.rule.idempotency = Some(Idempotency::Transaction);
        self
    }

    /// Makes a POST operation idempotent by a claim: it has effects elsewhere, before which it calls
    /// [`Cx::begin_effect`].
    ///
    /// [`Cx::begin_effect`]: super::Cx::begin_effect
    #[must_use]
    pub const fn idempotent_by_claim(mut self) -> Self {
        self.rule.idempotency = Some(Idempotency::Claim { repeatable: false, max_seconds: MAX_RUN_SECS });
        self
    }

    /// Lets a retry execute a lost claim again, because this has no second effect.
    #[must_use]
    pub const fn repeatable(mut self) -> Self {
        if let Some(Idempotency::Claim { max_seconds, .. }) = self.rule.idempotency {
            self.rule.idempotency = Some(Idempotency::Claim { repeatable: true, max_seconds });
        }
        self
    }

    /// Sets the time after which a claim without an answer counts as lost, for an operation that may run longer than
    /// two minutes.
    #[must_use]
    pub const fn running_for(mut self, max_seconds: i64) -> Self {
        if let Some(Idempotency::Claim { repeatable, .. }) = self.rule.idempotency {
            self.rule.idempotency = Some(Idempotency::Claim { repeatable, max_seconds });
        }
        self
    }

    /// Makes a POST operation idempotent by a claim that it takes itself with [`Cx::claim`].
    ///
    /// [`Cx::claim`]: super::Cx::claim
    #[must_use]
    pub const fn idempotent_by_late_claim(mut self) -> Self {
        self.rule.idempotency = Some(Idempotency::LateClaim);
        self
    }

    /// Exempts a POST operation from idempotency, for a reason that is published.
    #[must_use]
    pub const fn not_idempotent(mut self, reason: &'static str) -> Self {
        self.rule.idempotency = Some(Idempotency::Exempt(reason));
        self
    }

    /// Stores no answer of the operation, because it may hold a credential: its repetition is 409.
    #[must_use]
    pub const fn secret_answer(mut self) -> Self {
        self.rule.answer = Answer::Secret;
        self
    }

    /// Stores answers of the operation sealed, because they hold what its table keeps sealed.
    #[must_use]
    pub const fn sealed_answer(mut self) -> Self {
        self.rule.answer = Answer::Sealed;
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
