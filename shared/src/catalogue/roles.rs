//! Default roles (reference/permissions.md#default-roles) and the permissions that no key may carry
//! (reference/credentials.md#key-scopes).

use super::{AccountPermission as A, AdminPermission, Permission, PermissionSet, UserPermission};

/// Role that every new account starts with.
#[derive(Debug)]
pub struct AccountRoleSeed {
    /// Unique name within the account.
    pub slug: &'static str,
    /// Displayed name.
    pub name: &'static str,
    /// True for a role that cannot be edited or deleted.
    pub is_system: bool,
    /// Permissions of the role.
    pub permissions: PermissionSet<A>,
}

/// Role of operator staff.
#[derive(Debug)]
pub struct AdminRoleSeed {
    /// Name under which the role was seeded; it finds the role again after a change of `name`.
    pub slug: &'static str,
    /// Displayed name.
    pub name: &'static str,
    /// Displayed description.
    pub description: &'static str,
    /// Permissions of the role.
    pub permissions: PermissionSet<AdminPermission>,
}

/// Role of the platform-wide scope.
#[derive(Debug)]
pub struct UserRoleSeed {
    /// Unique name.
    pub slug: &'static str,
    /// Displayed name.
    pub name: &'static str,
    /// True for the role that every person has.
    pub is_default: bool,
    /// Permissions of the role.
    pub permissions: PermissionSet<UserPermission>,
}

/// The four roles of a new account, in seeding order.
#[must_use]
pub fn account_roles() -> [AccountRoleSeed; 4] {
    let mut administrator = PermissionSet::all();
    for kept_by_the_owner in [A::AccountDelete, A::PlanRead, A::PlanEdit, A::ExtensionDevPayouts] {
        administrator.remove(kept_by_the_owner);
    }
    [
        AccountRoleSeed { slug: "owner", name: "Owner", is_system: true, permissions: PermissionSet::all() },
        AccountRoleSeed {
            slug: "administrator",
            name: "Administrator",
            is_system: false,
            permissions: administrator,
        },
        AccountRoleSeed {
            slug: "moderator",
            name: "Moderator",
            is_system: false,
            permissions: MODERATOR.iter().copied().collect(),
        },
        AccountRoleSeed {
            slug: "viewer",
            name: "Viewer",
            is_system: false,
            permissions: VIEWER.iter().copied().collect(),
        },
    ]
}

const MODERATOR: &[A] = &[
    A::EventsRead,
    A::EventsCreate,
    A::EventsUserinfo,
    A::OverlaysRead,
    A::SpotifyRead,
    A::SpotifyPlayback,
    A::SpotifyQueue,
    A::SpotifyPlaylist,
    A::SpotifyDevice,
    A::ChatRead,
    A::ChatWrite,
    A::ChatUserinfo,
    A::ChatDelete,
    A::ChatBan,
    A::ChatTimeout,
    A::ChatNotes,
    A::ChatRaid,
    A::ChatRefreshUser,
    A::ChatPoll,
    A::ChatPrediction,
    A::ConnectionsRead,
    A::UploadsRead,
    A::RewardsRead,
    A::AutomationsRead,
    A::AutomationsExecute,
    A::MembersRead,
    A::RolesRead,
    A::ObsRead,
    A::CopyrightVote,
    A::CopyrightReport,
    A::CopyrightRecommend,
    A::BotModulesRead,
    A::BotConnectionsRead,
    A::BotCommandsRead,
    A::ExtensionStoreRead,
    A::ExtensionStoreReview,
    A::ExtensionDataRead,
    A::WidgetsRead,
    A::SoundsRead,
    A::SoundsPlay,
    A::HistoryRead,
    A::HistoryExport,
    A::PublicStatsRead,
];

const VIEWER: &[A] = &[
    A::EventsRead,
    A::EventsUserinfo,
    A::OverlaysRead,
    A::BotCommandsRead,
    A::ExtensionStoreRead,
    A::ExtensionStoreReview,
    A::ExtensionDataRead,
    A::WidgetsRead,
    A::SoundsRead,
];

/// The one seeded role of operator staff. It holds every admin permission.
#[must_use]
pub fn system_admin() -> AdminRoleSeed {
    AdminRoleSeed {
        slug: "system-admin",
        name: "System Admin",
        description: "Holds every admin permission.",
        permissions: PermissionSet::all(),
    }
}

/// The platform-wide roles (reference/permissions.md#user-roles).
#[must_use]
pub fn user_roles() -> [UserRoleSeed; 3] {
    let moderator: PermissionSet<UserPermission> = PermissionSet::all();
    let mut member = moderator;
    for moderation in moderator.iter().filter(|permission| permission.as_str().starts_with("ideas:moderate_"))
    {
        member.remove(moderation);
    }
    let restricted = [UserPermission::IdeasRead, UserPermission::IdeasCommentRead].into_iter().collect();
    [
        UserRoleSeed { slug: "member", name: "Member", is_default: true, permissions: member },
        UserRoleSeed { slug: "restricted", name: "Restricted", is_default: false, permissions: restricted },
        UserRoleSeed { slug: "moderator", name: "Moderator", is_default: false, permissions: moderator },
    ]
}

/// True when only the System Admin role may hold the permission
/// (reference/permissions.md#reserved-permissions).
#[must_use]
pub const fn is_reserved(permission: AdminPermission) -> bool {
    use AdminPermission as P;
    matches!(
        permission,
        P::AdminPrivacyErase
            | P::CopyrightModerate
            | P::CspReportsRead
            | P::CrawlerScopeRead
            | P::CrawlerScopeEdit
            | P::CrawlerWatchlistRead
            | P::CrawlerWatchlistCreate
            | P::CrawlerWatchlistDelete
    )
}

/// True when no personal or service key may carry the permission (reference/credentials.md#key-scopes).
#[must_use]
pub const fn key_denied(permission: A) -> bool {
    matches!(permission, A::ApikeysCreate | A::ApikeysEdit | A::TokensCreate | A::AccountDelete)
}

/// The ten platform-wide permissions of an ordinary member (reference/permissions.md#user-scope). Custom
/// roles and overrides may give no others.
#[must_use]
pub fn assignable_user_permissions() -> PermissionSet<UserPermission> {
    let [member, ..] = user_roles();
    member.permissions
}

/// The user-scope permissions that a personal key may carry: the ten of an ordinary member
/// (reference/credentials.md#key-scopes).
#[must_use]
pub fn key_user_permissions() -> PermissionSet<UserPermission> {
    assignable_user_permissions()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::TeamPermission;

    #[test]
    fn catalogue_sizes_are_those_of_the_reference() {
        assert_eq!(A::ALL.len(), 123);
        assert_eq!(AdminPermission::ALL.len(), 90);
        assert_eq!(TeamPermission::ALL.len(), 20);
        assert_eq!(user_roles()[0].permissions.len(), 10);
    }

    #[test]
    fn catalogue_shares_seventeen_strings_of_account_and_admin_scope() {
        let shared = A::ALL.iter().filter(|permission| AdminPermission::parse(permission.as_str()).is_some());
        assert_eq!(shared.count(), 17);
    }

    #[test]
    fn is_reserved_marks_the_permissions_of_the_reference() {
        let reserved: Vec<&str> = AdminPermission::ALL
            .iter()
            .filter(|permission| is_reserved(**permission))
            .map(|permission| permission.as_str())
            .collect();
        let crawler = AdminPermission::ALL.iter().filter(|permission| permission.resource() == "crawler");
        assert_eq!(crawler.count(), 5);
        assert_eq!(
            reserved,
            [
                "admin:privacy-erase",
                "csp-reports:read",
                "copyright:moderate",
                "crawler:scope-read",
                "crawler:scope-edit",
                "crawler:watchlist-read",
                "crawler:watchlist-create",
                "crawler:watchlist-delete",
            ]
        );
    }

    #[test]
    fn catalogue_permissions_are_distinct() {
        fn distinct<P: Permission>() {
            for (index, permission) in P::ALL.iter().enumerate() {
                assert_eq!(permission.index(), index);
                assert_eq!(P::parse(permission.as_str()), Some(*permission));
            }
        }
        distinct::<A>();
        distinct::<AdminPermission>();
        distinct::<UserPermission>();
        distinct::<TeamPermission>();
    }

    #[test]
    fn roles_hold_the_permissions_of_the_reference_by_default() {
        let sizes: Vec<(&str, usize)> =
            account_roles().iter().map(|role| (role.slug, role.permissions.len())).collect();
        assert_eq!(sizes, [("owner", 123), ("administrator", 119), ("moderator", 43), ("viewer", 9)]);
        let administrator = account_roles()[1].permissions;
        for always in ["history:share", "history:delete", "public-stats:edit", "audit-log:read"] {
            assert!(administrator.contains(A::parse(always).unwrap()), "{always}");
        }
        assert_eq!(user_roles()[1].permissions.to_strings(), ["ideas:comment_read", "ideas:read"]);
        assert_eq!(user_roles()[2].permissions.len(), 14);
        assert_eq!(system_admin().permissions.len(), 90);
    }

    #[test]
    fn catalogue_wildcard_covers_its_resource_and_a_bare_one_nothing() {
        let chat = PermissionSet::<A>::from_strings(["chat:*"]);
        assert_eq!(chat.len(), 11);
        assert!(chat.contains(A::ChatRefreshUser) && !chat.contains(A::EventsRead));
        assert!(PermissionSet::<A>::from_strings(["*", "*:*", "chat", "nothing:here"]).is_empty());
    }
}
