//! Types of notifications and the channels they arrive on (reference/notifications.md#types).

use serde::{Deserialize, Serialize};

/// Channel of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Nowhere.
    Off,
    /// In the list of notifications.
    InApp,
    /// By mail.
    Email,
    /// In the list and by mail.
    InAppEmail,
}

impl Channel {
    /// All channels.
    pub const ALL: [Self; 4] = [Self::Off, Self::InApp, Self::Email, Self::InAppEmail];

    /// Text in columns and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::InApp => "in_app",
            Self::Email => "email",
            Self::InAppEmail => "in_app_email",
        }
    }

    /// Channel with the given text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == text)
    }

    /// True when the notification is in the list.
    #[must_use]
    pub const fn is_in_app(self) -> bool {
        matches!(self, Self::InApp | Self::InAppEmail)
    }

    /// True when it is mailed.
    #[must_use]
    pub const fn is_mailed(self) -> bool {
        matches!(self, Self::Email | Self::InAppEmail)
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $text:literal $default:ident $locked:literal,)+) => {
        /// Subject of a notification.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum NotificationType { $($(#[$doc])* $name,)+ }

        impl NotificationType {
            /// All types, in the order of lists.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Text in columns, paths and JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// Channel unless the person chose another.
            #[must_use]
            pub const fn default_channel(self) -> Channel {
                match self { $(Self::$name => Channel::$default,)+ }
            }

            /// True when the channel cannot be changed.
            #[must_use]
            pub const fn is_locked(self) -> bool {
                match self { $(Self::$name => $locked,)+ }
            }
        }
    };
}

// Types of reviews and of lost connections are mailed as well, because the recipient has to act.
kinds! {
    /// Invite to an account.
    Invite "invite" InAppEmail true,
    /// A connection must be connected again.
    ConnectionReconnectRequired "connection_reconnect_required" InAppEmail false,
    /// Decision on an application to the developer programme.
    DeveloperApplication "developer_application" InAppEmail false,
    /// Decision on the verification of a developer.
    DeveloperVerification "developer_verification" InAppEmail false,
    /// Review decision or feedback of a tester on an extension of the person.
    ExtensionReview "extension_review" InAppEmail false,
    /// Update, suspension, access or invitation of testers of an extension.
    ExtensionUpdate "extension_update" InApp false,
    /// The triggers of an install are paused.
    ExtensionError "extension_error" InApp false,
    /// Decision on a request for a higher limit.
    LimitRequest "limit_request" InAppEmail false,
    /// Step of a payout to a developer.
    Payout "payout" InApp false,
    /// A blocked song plays on stream.
    CopyrightAlert "copyright_alert" InApp false,
    /// An automation of an account writes to the members.
    AutomationMessage "automation_message" InApp false,
    /// The service disabled a webhook endpoint.
    WebhookDisabled "webhook_disabled" InAppEmail false,
    /// A budget of an account is nearly or wholly used.
    UsageBudget "usage_budget" InAppEmail false,
    /// New status of an idea of the person.
    IdeaStatus "idea_status" InApp false,
    /// Comment on an idea of the person, or a reply to their comment.
    IdeaComment "idea_comment" InApp false,
    /// Mention in an idea or in a comment on one.
    IdeaMention "idea_mention" InApp false,
    /// Staff changed the plan of an account.
    PlanChanged "plan_changed" InApp false,
    /// An invite to an account was accepted.
    MemberJoined "member_joined" InApp false,
    /// Reserved: announcement of the operators.
    SystemAnnouncement "system_announcement" InApp true,
    /// A login was added, or a key requests a login or an e-mail address.
    LoginLinked "login_linked" InAppEmail true,
}

impl NotificationType {
    /// Type with the given text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_channels_parse_their_json_names() {
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
