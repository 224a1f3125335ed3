//! Types of notifications and the channels they arrive on (specification B §2.8, C B19).

use serde::{Deserialize, Serialize};

/// Where a notification arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    Off,
    InApp,
    Email,
    InAppEmail,
}

impl Channel {
    /// Every channel.
    pub const ALL: [Self; 4] = [Self::Off, Self::InApp, Self::Email, Self::InAppEmail];

    /// The text in columns and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::InApp => "in_app",
            Self::Email => "email",
            Self::InAppEmail => "in_app_email",
        }
    }

    /// The channel of a text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == text)
    }

    /// Whether the notification stands in the list.
    #[must_use]
    pub const fn is_in_app(self) -> bool {
        matches!(self, Self::InApp | Self::InAppEmail)
    }

    /// Whether it is mailed.
    #[must_use]
    pub const fn is_mailed(self) -> bool {
        matches!(self, Self::Email | Self::InAppEmail)
    }
}

macro_rules! kinds {
    ($($name:ident $text:literal $default:ident $locked:literal,)+) => {
        /// What a notification is about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum NotificationType { $($name,)+ }

        impl NotificationType {
            /// Every type, in the order of lists.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The text in columns, paths and JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// Where it arrives unless the person chose otherwise.
            #[must_use]
            pub const fn default_channel(self) -> Channel {
                match self { $(Self::$name => Channel::$default,)+ }
            }

            /// Whether nobody may choose otherwise.
            #[must_use]
            pub const fn is_locked(self) -> bool {
                match self { $(Self::$name => $locked,)+ }
            }
        }
    };
}

// Types of reviews and of lost connections are mailed as well: whoever is meant has to act.
kinds! {
    Invite "invite" InAppEmail true,
    ConnectionReconnectRequired "connection_reconnect_required" InAppEmail false,
    DeveloperApplication "developer_application" InAppEmail false,
    DeveloperVerification "developer_verification" InAppEmail false,
    ExtensionReview "extension_review" InAppEmail false,
    ExtensionUpdate "extension_update" InApp false,
    ExtensionError "extension_error" InApp false,
    LimitRequest "limit_request" InAppEmail false,
    Payout "payout" InApp false,
    IdeaStatus "idea_status" InApp false,
    IdeaComment "idea_comment" InApp false,
    IdeaMention "idea_mention" InApp false,
    PlanChanged "plan_changed" InApp false,
    MemberJoined "member_joined" InApp false,
    SystemAnnouncement "system_announcement" InApp true,
    LoginLinked "login_linked" InAppEmail true,
}

impl NotificationType {
    /// The type of a text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_json_names_and_read_back() {
        for kind in NotificationType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(NotificationType::parse(kind.as_str()), Some(*kind));
        }
        for channel in Channel::ALL {
            assert_eq!(serde_json::to_value(channel).unwrap(), channel.as_str());
            assert_eq!(Channel::parse(channel.as_str()), Some(channel));
        }
        assert_eq!((NotificationType::parse("other"), Channel::parse("sms")), (None, None));
    }

    #[test]
    fn invites_announcements_and_changes_of_how_people_sign_in_are_locked() {
        let locked: Vec<_> = NotificationType::ALL.iter().copied().filter(|kind| kind.is_locked()).collect();
        assert_eq!(
            locked,
            [NotificationType::Invite, NotificationType::SystemAnnouncement, NotificationType::LoginLinked]
        );
        for mailed in [NotificationType::Invite, NotificationType::LoginLinked] {
            assert_eq!(mailed.default_channel(), Channel::InAppEmail);
        }
    }
}
