//! The rights that an operation can hand on (specification E, 2 and 3).

/// The rights that a call can give, take, widen or narrow, of the caller or of somebody else. Reading, and actions that
/// a permission allows but that change nobody's rights, are [`Grants::Nothing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grants {
    /// Nobody's rights differ after the call.
    Nothing,
    /// Permissions in an account: roles, memberships, invites, overrides, keys, popouts, the account itself.
    AccountPermissions,
    /// Permissions of operator staff: admin roles and their members.
    AdminPermissions,
    /// Platform-wide permissions of a person: user roles, their members, overrides.
    UserPermissions,
    /// Credentials that act as somebody who holds rights already: sessions, socket and surface tokens, system keys.
    Credentials,
    /// Ways in which a person signs in: login connections, the e-mail address, the hosts that codes are sent to.
    SignIn,
    /// A person's login at a platform, which an account then acts with.
    PlatformLogins,
    /// A person with everything that they hold.
    People,
    /// Rights over an extension, or those that an extension has in an account.
    Extensions,
}

impl Grants {
    /// Name in lists.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::AccountPermissions => "account permissions",
            Self::AdminPermissions => "admin permissions",
            Self::UserPermissions => "user permissions",
            Self::Credentials => "credentials",
            Self::SignIn => "sign-in",
            Self::PlatformLogins => "platform logins",
            Self::People => "people",
            Self::Extensions => "extensions",
        }
    }
}
