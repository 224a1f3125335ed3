//! Who a request comes from, as far as its credential tells (specification A §5.1).

use shared::{
    audit::Actor,
    catalogue::PermissionSet,
    id::{AccountId, UserId},
    token::TokenKind,
};
use uuid::Uuid;

use super::{AccountScopes, UserScopes, Who};

/// A resolved credential.
#[derive(Debug, Clone)]
pub enum Principal {
    /// None, an expired key, or one that is not valid: `refused` tells the last from the others.
    Anonymous { refused: bool },
    /// A session JWT. `account` is the account that the token names; whether the person still belongs to it is
    /// decided with the permissions.
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
    /// The person whose rights count. Nobody may be named or written for as this person unless [`Self::identity`] says
    /// so too.
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

    /// The person who acts: whose name, sign-ins and possessions the request may use. A popout that another member made
    /// is in two hands, and whoever sends it may not be its person.
    #[must_use]
    pub fn identity(&self) -> Option<UserId> {
        match self {
            Self::Popout { user, maker, .. } if user != maker => None,
            other => other.user(),
        }
    }

    /// Whom records name as who did it: of a popout its maker, who knows its text.
    #[must_use]
    pub const fn author(&self) -> Option<UserId> {
        match self {
            Self::Popout { maker, .. } => Some(*maker),
            other => other.user(),
        }
    }

    /// Whose rights bound what the credential may do: the person who acts, and who made a popout for them.
    #[must_use]
    pub const fn people(&self) -> [Option<UserId>; 2] {
        match self {
            Self::Popout { user, maker, .. } => [Some(*user), Some(*maker)],
            other => [other.user(), None],
        }
    }

    /// The account that the credential acts in.
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

    /// The id of a key or token, for whatever is counted by it.
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

    /// Whether nobody is behind the request.
    #[must_use]
    pub const fn is_anonymous(&self) -> bool {
        matches!(self, Self::Anonymous { .. })
    }

    /// Whether the kind of credential is one that the rule admits.
    #[must_use]
    pub const fn is_admitted(&self, who: Who) -> bool {
        match who {
            // Nobody needs a credential here, but one that is made for something else is refused: tokens of surfaces
            // never call the API (A §5.2, rule 1), system keys only internal routes (C §2.3).
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

    /// What the credential itself limits its holder to; a session limits nothing.
    #[must_use]
    pub const fn scopes(&self) -> Option<&AccountScopes> {
        match self {
            Self::PersonalKey { scopes, .. }
            | Self::ServiceKey { scopes, .. }
            | Self::Popout { scopes, .. } => Some(scopes),
            _ => None,
        }
    }

    /// The name of the kind, as `GET /v1/tokens/me` answers it and logs show it.
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

    /// Who the audit trail names.
    #[must_use]
    pub fn actor(&self) -> Actor {
        match self {
            Self::ServiceKey { id, .. } => Actor::ServiceKey(*id),
            Self::Popout { id, user, maker, .. } => Actor::Popout { id: *id, maker: maker.0, user: user.0 },
            Self::Surface { kind: TokenKind::Extension, id, .. } => Actor::Extension(*id),
            other => other.user().map_or(Actor::System, |user| Actor::User(user.0)),
        }
    }

    /// The permissions of a credential that carries its own and needs no member behind it.
    #[must_use]
    pub(super) fn own_permissions(&self) -> AccountScopes {
        match self {
            Self::ServiceKey { scopes, .. } => *scopes,
            _ => PermissionSet::empty(),
        }
    }
}
