//! Parts of an access rule (reference/permissions.md#access-rules).

use shared::catalogue::{AccountPermission, AdminPermission, Feature, TeamPermission, UserPermission};

use super::{
    grants::Grants,
    idempotency::{Answer, Idempotency},
};

/// Credentials that may call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Any caller, also without a credential.
    Everybody,
    /// Any caller with any credential: files of extensions, which surfaces load and services read
    /// (reference/extensions.md#bundle-files).
    AnyCredential,
    /// Credentials that act for a person or an account: sessions, personal and service keys, popouts.
    Anyone,
    /// A session or the person's own API key (reference/credentials.md#first-party-callers).
    FirstParty,
    /// A session only.
    Session,
    /// A personal API key (reference/developers.md#developer-rest-api).
    PersonalKey,
    /// The session of an exchanged popout token (reference/credentials.md#popout-sessions).
    PopoutSession,
    /// The token of an installed extension (reference/extensions.md#uploads).
    ExtensionToken,
    /// A system key (reference/credentials.md#system-keys).
    SystemKey,
}

/// Permission that is needed. Scopes are separate types: the same text in another scope is another
/// permission. Where one of several is enough, the operation decides by its input which one it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// No permission.
    Nothing,
    /// A permission in the active account.
    Account(AccountPermission),
    /// One of several permissions in the active account.
    AnyAccount(&'static [AccountPermission]),
    /// A permission of operator staff.
    Admin(AdminPermission),
    /// One of several permissions of operator staff.
    AnyAdmin(&'static [AdminPermission]),
    /// A platform-wide permission.
    User(UserPermission),
    /// One of several platform-wide permissions, or the admin permission of the same text
    /// (reference/permissions.md#access-rules).
    UserOrAdmin(&'static [UserPermission]),
    /// A permission in the team of developers that the request names (reference/teams.md#access).
    Team(TeamPermission),
    /// Ownership of the team of developers that the request names.
    TeamOwnership,
}

impl Needs {
    /// Text `resource:action`, or `a:b or c:d` where one of several is enough; `None` when no permission is
    /// needed.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Nothing | Self::TeamOwnership => None,
            Self::Account(permission) => Some(permission.text().to_owned()),
            Self::AnyAccount(any) => Some(one_of(any)),
            Self::Admin(permission) => Some(permission.text().to_owned()),
            Self::AnyAdmin(any) => Some(one_of(any)),
            Self::User(permission) => Some(permission.text().to_owned()),
            Self::UserOrAdmin(any) => Some(one_of(any)),
            Self::Team(permission) => Some(permission.text().to_owned()),
        }
    }

    /// Scope of the permission, or `none`.
    #[must_use]
    pub const fn scope(&self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Account(_) | Self::AnyAccount(_) => "account",
            Self::Admin(_) | Self::AnyAdmin(_) => "admin",
            Self::User(_) => "user",
            Self::UserOrAdmin(_) => "user or admin",
            Self::Team(_) | Self::TeamOwnership => "team",
        }
    }

    /// True when the need is about the team that the request names.
    #[must_use]
    pub const fn is_in_team(&self) -> bool {
        matches!(self, Self::Team(_) | Self::TeamOwnership)
    }

    /// Account permissions of which one is enough; empty for other scopes.
    #[must_use]
    pub const fn of_account(&self) -> &[AccountPermission] {
        match self {
            Self::Account(permission) => std::slice::from_ref(permission),
            Self::AnyAccount(any) => any,
            _ => &[],
        }
    }
}

/// Text of a choice, `a:b or c:d`.
pub(super) fn one_of<P: ToString>(permissions: &[P]) -> String {
    permissions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

impl Rule {
    /// Permissions in a team, `a:b or c:d`; `None` when the operation reaches no objects of teams.
    #[must_use]
    pub fn in_team_text(&self) -> Option<String> {
        (!self.in_team.is_empty()).then(|| one_of(self.in_team))
    }
}

/// Rule of an operation, without its caller type.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Name of the function, OpenAPI operationId and GraphQL field, in camelCase.
    pub name: &'static str,
    /// Credentials that may call.
    pub who: Who,
    /// Permission that is needed.
    pub needs: Needs,
    /// Rights that a call can grant. There is no default: an operation without it does not compile.
    pub grants: Grants,
    /// True when the permission is needed only for what belongs to another person.
    pub or_own: bool,
    /// Feature that must be on; `None` when no feature is needed.
    pub feature: Option<Feature>,
    /// Permissions of which a member of a team needs one, where the object belongs to the team. The person who
    /// owns an object needs none (reference/teams.md#extensions-of-a-team).
    pub in_team: &'static [TeamPermission],
    /// True when the operation has no GraphQL twin (reference/graphql.md#parity).
    pub rest_only: bool,
    /// Protocol for requests with an `Idempotency-Key`; `None` for operations whose method is not POST
    /// (reference/conventions.md#idempotency).
    pub idempotency: Option<Idempotency>,
    /// Form in which an answer is stored for its repetition.
    pub answer: Answer,
    /// True when clients poll the operation: its answers over REST have an `ETag`
    /// (reference/conventions.md#conditional-reads).
    pub is_polled: bool,
}
