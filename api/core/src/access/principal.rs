//! Caller of a request, as identified by its credential (reference/credentials.md#kinds).

use crate::token::{PAGE_SURFACE, TokenKind};
use foundation::audit::Actor;
use shared::{
    catalogue::PermissionSet,
    id::{AccountId, UserId},
};
use uuid::Uuid;

use super::{
    rights::{AccountScopes, UserScopes},
    rule::Who,
};

/// A resolved credential.
#[derive(Debug, Clone)]
pub enum Principal {
    /// No credential, an expired key, or an invalid credential. `refused` is true for the last.
    Anonymous { refused: bool },
    /// A session JWT. `account` is the account that the token names. The person's membership is checked with
    /// the permissions.
    Session { user: UserId, session: Uuid, account: Option<AccountId> },
    /// `lm_usr_`
    PersonalKey { id: Uuid, user: UserId, account: AccountId, scopes: AccountScopes, user_scopes: UserScopes },
    /// `lm_svc_`
    ServiceKey { id: Uuid, account: AccountId, scopes: AccountScopes },
    /// `lm_sys_`
    SystemKey { id: Uuid },
    /// `lm_pop_`, or the session that it was exchanged for (`exchanged`). `maker` knows its text.
    Popout {
        id: Uuid,
        user: UserId,
        maker: UserId,
        account: AccountId,
        scopes: AccountScopes,
        exchanged: bool,
    },
    /// `lm_overlay_`, `lm_share_`, `lm_ext_`, `lm_widget_`: opens one subject and holds no permission.
    Surface {
        id: Uuid,
        kind: TokenKind,
        account: AccountId,
        subject: String,
        surface: Option<String>,
        user: Option<UserId>,
    },
}

impl Principal {
    /// Person whose rights count. No record or message may name this person as its author unless
    /// [`Self::identity`] returns it too.
    #[must_use]
    pub const fn user(&self) -> Option<UserId> {
        match self {
            Self::Session { user, .. } | Self::PersonalKey { user, .. } | Self::Popout { user, .. } => {
                Some(*user)
            }
            Self::Surface { user, .. } => *user,
            Self::Anonymous { .. } | Self::ServiceKey { .. } | Self::SystemKey { .. } => None,
        }
    }

    /// Person who acts: the request may use the person's name, logins and possessions. A popout that another
    /// member made is known to two people, and its sender may not be its person.
    #[must_use]
    pub fn identity(&self) -> Option<UserId> {
        match self {
            Self::Popout { user, maker, .. } if user != maker => None,
            other => other.user(),
        }
    }

    /// Author that records name: of a popout its maker, who knows its text.
    #[must_use]
    pub const fn author(&self) -> Option<UserId> {
        match self {
            Self::Popout { maker, .. } => Some(*maker),
            other => other.user(),
        }
    }

    /// People whose rights bound the credential: the person who acts, and the maker of a popout.
    #[must_use]
    pub const fn people(&self) -> [Option<UserId>; 2] {
        match self {
            Self::Popout { user, maker, .. } => [Some(*user), Some(*maker)],
            other => [other.user(), None],
        }
    }

    /// Account that the credential acts in.
    #[must_use]
    pub const fn account(&self) -> Option<AccountId> {
        match self {
            Self::Session { account, .. } => *account,
            Self::PersonalKey { account, .. }
            | Self::ServiceKey { account, .. }
            | Self::Popout { account, .. }
            | Self::Surface { account, .. } => Some(*account),
            Self::Anonymous { .. } | Self::SystemKey { .. } => None,
        }
    }

    /// Id of a key or token, for counts and limits.
    #[must_use]
    pub const fn credential_id(&self) -> Option<Uuid> {
        match self {
            Self::PersonalKey { id, .. }
            | Self::ServiceKey { id, .. }
            | Self::SystemKey { id }
            | Self::Popout { id, .. }
            | Self::Surface { id, .. } => Some(*id),
            Self::Anonymous { .. } | Self::Session { .. } => None,
        }
    }

    /// True when no caller is identified.
    #[must_use]
    pub const fn is_anonymous(&self) -> bool {
        matches!(self, Self::Anonymous { .. })
    }

    /// True for a token that a page of an overlay or widget got: it reads the bundle of its install and opens
    /// nothing else (reference/overlays.md#versions-that-are-not-public).
    #[must_use]
    pub fn is_of_page(&self) -> bool {
        matches!(self, Self::Surface { surface: Some(surface), .. } if surface == PAGE_SURFACE)
    }

    /// True when a rule with `who` admits this kind of credential.
    #[must_use]
    pub const fn is_admitted(&self, who: Who) -> bool {
        match who {
            // No credential is needed here, but a credential for another purpose is refused: surface tokens
            // never call the API (reference/credentials.md#surface-tokens), system keys only internal routes
            // (reference/credentials.md#system-keys).
            Who::Everybody => !matches!(self, Self::Surface { .. } | Self::SystemKey { .. }),
            Who::AnyCredential => true,
            Who::Anyone => matches!(
                self,
                Self::Session { .. }
                    | Self::PersonalKey { .. }
                    | Self::ServiceKey { .. }
                    | Self::Popout { .. }
            ),
            Who::FirstParty => matches!(self, Self::Session { .. } | Self::PersonalKey { .. }),
            Who::Session => matches!(self, Self::Session { .. }),
            Who::PersonalKey => matches!(self, Self::PersonalKey { .. }),
            Who::PopoutSession => matches!(self, Self::Popout { exchanged: true, .. }),
            Who::ExtensionToken => matches!(self, Self::Surface { kind: TokenKind::Extension, .. }),
            Who::SystemKey => matches!(self, Self::SystemKey { .. }),
        }
    }

    /// Scopes of the credential; `None` for one without scopes, such as a session.
    #[must_use]
    pub const fn scopes(&self) -> Option<&AccountScopes> {
        match self {
            Self::PersonalKey { scopes, .. }
            | Self::ServiceKey { scopes, .. }
            | Self::Popout { scopes, .. } => Some(scopes),
            _ => None,
        }
    }

    /// Name of the kind in `GET /v1/tokens/me` and in logs.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Anonymous { .. } => "anonymous",
            Self::Session { .. } => "session",
            Self::PersonalKey { .. } => "user_api_key",
            Self::ServiceKey { .. } => "service_key",
            Self::SystemKey { .. } => "system_key",
            Self::Popout { .. } => "popout",
            Self::Surface { kind: TokenKind::Overlay, .. } => "overlay",
            Self::Surface { kind: TokenKind::Share, .. } => "share",
            Self::Surface { kind: TokenKind::Widget, .. } => "widget",
            Self::Surface { .. } => "extension",
        }
    }

    /// Actor in the audit trail.
    #[must_use]
    pub fn actor(&self) -> Actor {
        match self {
            Self::ServiceKey { id, .. } => Actor::ServiceKey(*id),
            Self::Popout { id, user, maker, .. } => Actor::Popout { id: *id, maker: maker.0, user: user.0 },
            Self::Surface { kind: TokenKind::Extension, id, .. } => Actor::Extension(*id),
            other => other.user().map_or(Actor::System, |user| Actor::User(user.0)),
        }
    }

    /// Permissions of a credential that holds them without a member.
    #[must_use]
    pub(super) fn own_permissions(&self) -> AccountScopes {
        match self {
            Self::ServiceKey { scopes, .. } => *scopes,
            _ => PermissionSet::empty(),
        }
    }
}
