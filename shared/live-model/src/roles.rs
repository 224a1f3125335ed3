//! Roles of a chatter in the channel (reference/extensions.md#roles).

use extension_model::feeds::MinRole;

use crate::Badge;

/// Roles that a chatter holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Roles {
    /// Owner of the channel.
    pub broadcaster: bool,
    /// Moderator of the channel.
    pub moderator: bool,
    /// VIP of the channel.
    pub vip: bool,
    /// Subscriber or member of the channel.
    pub subscriber: bool,
    /// Follower of the channel.
    pub follower: bool,
}

impl Roles {
    /// Reads the badges of a chat message, under the names of the platforms. Not every platform shows
    /// followers, so a follower without another badge may count as everyone.
    pub fn from_badges(badges: &[Badge]) -> Self {
        let mut roles = Self::default();
        for badge in badges {
            match badge.id.as_str() {
                "broadcaster" | "owner" | "streamer" => roles.broadcaster = true,
                "moderator" | "lead_moderator" => roles.moderator = true,
                "vip" => roles.vip = true,
                "subscriber" | "founder" | "member" | "sponsor" => roles.subscriber = true,
                "follower" => roles.follower = true,
                _ => {}
            }
        }
        roles
    }

    /// True when this very role is held.
    pub fn hold(self, role: MinRole) -> bool {
        match role {
            MinRole::Everyone => true,
            MinRole::Follower => self.follower,
            MinRole::Subscriber => self.subscriber,
            MinRole::Vip => self.vip,
            MinRole::Moderator => self.moderator,
            MinRole::Broadcaster => self.broadcaster,
        }
    }

    /// Returns the highest role held.
    pub fn highest(self) -> MinRole {
        if self.broadcaster {
            MinRole::Broadcaster
        } else if self.moderator {
            MinRole::Moderator
        } else if self.vip {
            MinRole::Vip
        } else if self.subscriber {
            MinRole::Subscriber
        } else if self.follower {
            MinRole::Follower
        } else {
            MinRole::Everyone
        }
    }

    /// Returns the names of the roles held, highest first.
    pub fn names(self) -> Vec<&'static str> {
        [
            (self.broadcaster, "broadcaster"),
            (self.moderator, "moderator"),
            (self.vip, "vip"),
            (self.subscriber, "subscriber"),
            (self.follower, "follower"),
        ]
        .into_iter()
        .filter_map(|(held, name)| held.then_some(name))
        .collect()
    }

    /// Returns `ctx.auth.role` of the chatter (reference/handlers.md#auth).
    pub fn auth_role(self) -> &'static str {
        if self.broadcaster {
            "owner"
        } else if self.moderator {
            "editor"
        } else {
            "viewer"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn highest(badges: &[&str]) -> MinRole {
        let badge = |id: &&str| Badge { id: (*id).to_owned(), version: "1".to_owned(), info: None };
        Roles::from_badges(&badges.iter().map(badge).collect::<Vec<_>>()).highest()
    }

    #[test]
    fn role_is_that_of_the_highest_badge() {
        assert_eq!(highest(&[]), MinRole::Everyone);
        assert_eq!(highest(&["premium", "bits"]), MinRole::Everyone);
        assert_eq!(highest(&["subscriber", "moderator"]), MinRole::Moderator);
        assert_eq!(highest(&["founder"]), MinRole::Subscriber);
        assert_eq!(highest(&["vip", "broadcaster", "subscriber"]), MinRole::Broadcaster);
    }

    #[test]
    fn roles_are_ordered_as_in_the_manifest() {
        let order = [
            MinRole::Everyone,
            MinRole::Follower,
            MinRole::Subscriber,
            MinRole::Vip,
            MinRole::Moderator,
            MinRole::Broadcaster,
        ];
        assert!(order.is_sorted());
    }
}
