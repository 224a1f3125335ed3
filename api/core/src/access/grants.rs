//! Rights that an operation can grant (reference/permissions.md#grants).

/// Rights that a call can give, take, widen or narrow, of the caller or of others. Operations that read, and
/// actions that a permission allows but that change no rights, are [`Grants::Nothing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grants {
    /// No rights differ after the call.
    Nothing,
    /// Permissions in an account: roles, memberships, invites, overrides, keys, popouts, the account itself.
    AccountPermissions,
    /// Permissions in a team of developers: teams, their roles, members and invites.
    TeamPermissions,
    /// Permissions of operator staff: admin roles and their members.
    AdminPermissions,
    /// Platform-wide permissions of a person: user roles, their members, overrides.
    UserPermissions,
    /// Credentials that act as an existing holder of rights: sessions, socket and surface tokens, system
    /// keys.
    Credentials,
    /// Ways in which a person signs in: login connections, the e-mail address, the hosts that receive codes.
    SignIn,
    /// A person's login at a platform, which an account then acts with.
    PlatformLogins,
    /// A person with all rights of the person.
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
            Self::TeamPermissions => "team permissions",
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
