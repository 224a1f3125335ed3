//! What people are told, in words: the one place of titles, messages and data of notifications.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::NotificationType;
use crate::{clock::rfc3339, platforms::Platform};

/// Something to tell. Nothing in it is a secret: it stands in lists, on sockets and in mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice<'a> {
    /// Somebody is invited into an account. Carries the actions `accept_invite` and `decline_invite`.
    Invite {
        invite_id: Uuid,
        account_id: Uuid,
        account_name: &'a str,
        role_name: &'a str,
        invited_by: Option<&'a str>,
        expires_at: Option<DateTime<Utc>>,
    },
    /// A connection lost its credentials.
    ReconnectRequired {
        /// `login`, `channel`, `bot` or `global_bot`.
        kind: &'a str,
        connection_id: Uuid,
        account_id: Option<Uuid>,
        platform: Platform,
        /// The name of the channel, bot or login on the platform.
        name: &'a str,
    },
    /// A reviewer decided about a version of an extension, or about the extension.
    ExtensionReview {
        extension_id: Uuid,
        extension_name: &'a str,
        version: Option<&'a str>,
        decision: ReviewDecision,
        notes: Option<&'a str>,
    },
    /// A newer version of an installed extension waits for the account's consent.
    UpdateAvailable { extension_id: Uuid, extension_name: &'a str, version: &'a str },
    /// What became of an installed extension of which a reviewer took something back.
    ExtensionStanding { extension_id: Uuid, extension_name: &'a str, standing: Standing<'a> },
    /// Somebody may test the versions of an extension that are in testing.
    TesterInvited { extension_id: Uuid, extension_name: &'a str },
    /// An account may install a private extension.
    AccessGranted { extension_id: Uuid, extension_name: &'a str, account_id: Uuid, account_name: &'a str },
    /// A tester says something about a version.
    TesterFeedback {
        extension_id: Uuid,
        extension_name: &'a str,
        version: &'a str,
        /// `bug`, `visual`, `feature` or `comment`.
        category: &'a str,
        body: &'a str,
    },
    /// The triggers of an install are paused because its handlers keep failing.
    TriggersPaused { extension_id: Uuid, extension_name: &'a str, install_id: Uuid, until: DateTime<Utc> },
    /// Somebody accepted an invite.
    MemberJoined {
        account_id: Uuid,
        account_name: &'a str,
        user_id: Uuid,
        user_name: &'a str,
        role_name: &'a str,
    },
    /// An account is on another plan.
    PlanChanged { account_id: Uuid, account_name: &'a str, plan_slug: &'a str, plan_name: &'a str },
    /// A session of the person added another way to sign in.
    LoginLinked {
        connection_id: Uuid,
        platform: Platform,
        /// The name of the login on the platform.
        name: &'a str,
    },
    /// An API key asks for another way to sign in. Carries the actions `confirm_login` and `decline_login`.
    LoginUnconfirmed {
        connection_id: Uuid,
        platform: Platform,
        /// The name of the login on the platform.
        name: &'a str,
        expires_at: DateTime<Utc>,
    },
    /// An API key asks for another e-mail address. Carries the actions `confirm_email` and `decline_email`.
    EmailUnconfirmed { email: &'a str },
    /// A payout to a developer was moved on. `amount` is in minor units of the currency.
    Payout { payout_id: Uuid, amount: i64, currency: &'a str, status: &'a str },
}

/// What a reviewer decided (specification C B1.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewDecision {
    ApprovedForTesting,
    Published,
    Rejected,
    Revoked,
    Suspended,
    Unsuspended,
}

/// Whether an installed extension runs after a reviewer took something back (specification C B1.2, B1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing<'a> {
    /// The extension is suspended.
    Suspended,
    /// The version that ran is revoked, and no other may run without the account's consent.
    Stopped,
    /// The version that ran is revoked, and another runs in its place.
    FellBack { to: &'a str },
    /// It runs again.
    Restored,
}

/// Something that can be done about a notification, by `POST /v1/notifications/{id}/actions/{key}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    pub key: String,
    pub label: String,
}

/// Key of the action that takes an invite.
pub const ACCEPT_INVITE: &str = "accept_invite";
/// Key of the action that turns an invite down.
pub const DECLINE_INVITE: &str = "decline_invite";
/// Key of the action that lets a login sign in that an API key linked.
pub const CONFIRM_LOGIN: &str = "confirm_login";
/// Key of the action that discards it.
pub const DECLINE_LOGIN: &str = "decline_login";
/// Key of the action that takes an e-mail address over that an API key asked for.
pub const CONFIRM_EMAIL: &str = "confirm_email";
/// Key of the action that discards it.
pub const DECLINE_EMAIL: &str = "decline_email";

impl Notice<'_> {
    /// What it is about.
    #[must_use]
    pub const fn kind(&self) -> NotificationType {
        match self {
            Self::Invite { .. } => NotificationType::Invite,
            Self::ReconnectRequired { .. } => NotificationType::ConnectionReconnectRequired,
            Self::ExtensionReview { .. } | Self::TesterFeedback { .. } => NotificationType::ExtensionReview,
            Self::UpdateAvailable { .. }
            | Self::ExtensionStanding { .. }
            | Self::TesterInvited { .. }
            | Self::AccessGranted { .. } => NotificationType::ExtensionUpdate,
            Self::TriggersPaused { .. } => NotificationType::ExtensionError,
            Self::MemberJoined { .. } => NotificationType::MemberJoined,
            Self::PlanChanged { .. } => NotificationType::PlanChanged,
            Self::Payout { .. } => NotificationType::Payout,
            Self::LoginLinked { .. } | Self::LoginUnconfirmed { .. } | Self::EmailUnconfirmed { .. } => {
                NotificationType::LoginLinked
            }
        }
    }

    /// One line.
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::Invite { account_name, .. } => format!("Invitation to {account_name}"),
            Self::ReconnectRequired { platform, .. } => format!("Reconnect {}", platform_name(*platform)),
            Self::ExtensionReview { extension_name, decision, .. } => {
                format!("{extension_name}: {}", decision.words())
            }
            Self::UpdateAvailable { extension_name, .. } => format!("{extension_name}: update available"),
            Self::ExtensionStanding { extension_name, standing, .. } => {
                format!("{extension_name}: {}", standing.words())
            }
            Self::TesterInvited { extension_name, .. } => format!("{extension_name}: you are a tester"),
            Self::AccessGranted { extension_name, .. } => format!("{extension_name}: access granted"),
            Self::TesterFeedback { extension_name, .. } => format!("{extension_name}: feedback of a tester"),
            Self::TriggersPaused { extension_name, .. } => format!("{extension_name}: triggers paused"),
            Self::MemberJoined { account_name, .. } => format!("New member in {account_name}"),
            Self::PlanChanged { account_name, .. } => format!("New plan for {account_name}"),
            Self::Payout { status, .. } => format!("Payout {status}"),
            Self::LoginLinked { platform, .. } => format!("New sign-in with {}", platform_name(*platform)),
            Self::LoginUnconfirmed { platform, .. } => {
                format!("Confirm the new sign-in with {}", platform_name(*platform))
            }
            Self::EmailUnconfirmed { .. } => "Confirm the new e-mail address".to_owned(),
        }
    }

    /// A sentence or two.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Invite { account_name, role_name, invited_by, .. } => match invited_by {
                Some(name) => format!("{name} invites you to {account_name} as {role_name}."),
                None => format!("You are invited to {account_name} as {role_name}."),
            },
            Self::ReconnectRequired { kind, platform, name, .. } => format!(
                "The {} connection {name} on {} no longer works. Connect it again to go on using it.",
                kind.replace('_', " "),
                platform_name(*platform)
            ),
            Self::ExtensionReview { version, decision, notes, .. } => {
                let what =
                    version.map_or_else(|| "The extension".into(), |version| format!("Version {version}"));
                let notes = notes.map(|notes| format!(" Notes: {notes}")).unwrap_or_default();
                format!("{what} was {}.{notes}", decision.words())
            }
            Self::UpdateAvailable { extension_name, version, .. } => {
                format!("Version {version} of {extension_name} waits for your consent.")
            }
            Self::ExtensionStanding { extension_name, standing, .. } => standing.sentence(extension_name),
            Self::TesterInvited { extension_name, .. } => {
                format!("You may install the versions of {extension_name} that are in testing.")
            }
            Self::AccessGranted { extension_name, account_name, .. } => {
                format!("{account_name} may now install {extension_name}.")
            }
            Self::TesterFeedback { version, category, body, .. } => {
                format!("A tester of version {version} reports ({category}): {body}")
            }
            Self::TriggersPaused { until, .. } => format!(
                "Its handlers failed again and again, so an install's triggers are paused until {}.",
                until.format("%H:%M:%S UTC")
            ),
            Self::MemberJoined { account_name, user_name, role_name, .. } => {
                format!("{user_name} joined {account_name} as {role_name}.")
            }
            Self::PlanChanged { account_name, plan_name, .. } => {
                format!("{account_name} is now on the plan {plan_name}.")
            }
            Self::Payout { amount, currency, status, .. } => {
                let (whole, rest) = (amount / 100, amount % 100);
                format!("Your payout of {whole}.{rest:02} {currency} is now {status}.")
            }
            Self::LoginLinked { platform, name, .. } => format!(
                "The {} account {name} can sign in as you from now on. If you did not add it, remove it from your \
                 logins and delete API keys that you do not know.",
                platform_name(*platform)
            ),
            Self::LoginUnconfirmed { platform, name, .. } => format!(
                "An API key asks to let the {} account {name} sign in as you. It cannot unless you confirm it in your \
                 notifications within 24 hours. If you did not ask for it, decline it and delete API keys that you \
                 do not know.",
                platform_name(*platform)
            ),
            Self::EmailUnconfirmed { email } => format!(
                "An API key asks to change your e-mail address to {email}. Yours stays as it is unless you confirm \
                 the new one in your notifications. If you did not ask for it, decline it and delete API keys that \
                 you do not know."
            ),
        }
    }

    /// What a client needs to act on it. Keys are in camelCase, as B §4.10 writes `inviteId`.
    #[must_use]
    pub fn data(&self) -> Value {
        match self {
            Self::Invite { invite_id, account_id, account_name, role_name, expires_at, .. } => json!({
                "inviteId": invite_id, "accountId": account_id, "accountName": account_name,
                "roleName": role_name, "expiresAt": expires_at.map(rfc3339),
            }),
            Self::ReconnectRequired { kind, connection_id, account_id, platform, .. } => json!({
                "kind": kind, "connectionId": connection_id, "accountId": account_id, "platform": platform,
            }),
            Self::ExtensionReview { extension_id, version, decision, .. } => json!({
                "extensionId": extension_id, "version": version, "decision": decision,
            }),
            Self::UpdateAvailable { extension_id, version, .. } => {
                json!({ "extensionId": extension_id, "version": version })
            }
            Self::ExtensionStanding { extension_id, standing, .. } => {
                json!({ "extensionId": extension_id, "standing": standing.as_str(), "version": standing.version() })
            }
            Self::TesterInvited { extension_id, .. } => json!({ "extensionId": extension_id }),
            Self::AccessGranted { extension_id, account_id, .. } => {
                json!({ "extensionId": extension_id, "accountId": account_id })
            }
            Self::TesterFeedback { extension_id, version, category, .. } => {
                json!({ "extensionId": extension_id, "version": version, "category": category })
            }
            Self::TriggersPaused { extension_id, install_id, until, .. } => json!({
                "extensionId": extension_id, "installId": install_id, "until": rfc3339(*until),
            }),
            Self::MemberJoined { account_id, user_id, .. } => {
                json!({ "accountId": account_id, "userId": user_id })
            }
            Self::PlanChanged { account_id, plan_slug, .. } => {
                json!({ "accountId": account_id, "planSlug": plan_slug })
            }
            Self::Payout { payout_id, amount, currency, status } => {
                json!({ "payoutId": payout_id, "amount": amount, "currency": currency, "status": status })
            }
            Self::LoginLinked { connection_id, platform, .. } => {
                json!({ "connectionId": connection_id, "platform": platform })
            }
            Self::LoginUnconfirmed { connection_id, platform, expires_at, .. } => json!({
                "connectionId": connection_id, "platform": platform, "expiresAt": rfc3339(*expires_at),
            }),
            Self::EmailUnconfirmed { email } => json!({ "email": email }),
        }
    }

    /// What can be done about it.
    #[must_use]
    pub fn actions(&self) -> Vec<Action> {
        let action = |key: &str, label: &str| Action { key: key.into(), label: label.into() };
        match self {
            Self::Invite { .. } => vec![action(ACCEPT_INVITE, "Accept"), action(DECLINE_INVITE, "Decline")],
            Self::LoginUnconfirmed { .. } => {
                vec![action(CONFIRM_LOGIN, "Confirm"), action(DECLINE_LOGIN, "Decline")]
            }
            Self::EmailUnconfirmed { .. } => {
                vec![action(CONFIRM_EMAIL, "Confirm"), action(DECLINE_EMAIL, "Decline")]
            }
            _ => Vec::new(),
        }
    }
}

impl Standing<'_> {
    const fn as_str(&self) -> &'static str {
        match self {
            Self::Suspended => "suspended",
            Self::Stopped => "stopped",
            Self::FellBack { .. } => "fell_back",
            Self::Restored => "restored",
        }
    }

    const fn words(&self) -> &'static str {
        match self {
            Self::Suspended => "suspended",
            Self::Stopped => "stopped",
            Self::FellBack { .. } => "another version runs",
            Self::Restored => "runs again",
        }
    }

    fn sentence(&self, extension_name: &str) -> String {
        match self {
            Self::Suspended => {
                format!("{extension_name} is suspended and does not run. Its settings and data are kept.")
            }
            Self::Stopped => format!(
                "The version of {extension_name} that you had is revoked, and no other may run without your consent."
            ),
            Self::FellBack { to } => {
                format!(
                    "The version of {extension_name} that you had is revoked; version {to} runs in its place."
                )
            }
            Self::Restored => format!("{extension_name} runs again."),
        }
    }

    const fn version(&self) -> Option<&str> {
        match self {
            Self::FellBack { to } => Some(to),
            _ => None,
        }
    }
}

impl ReviewDecision {
    const fn words(self) -> &'static str {
        match self {
            Self::ApprovedForTesting => "approved for testing",
            Self::Published => "published",
            Self::Rejected => "rejected",
            Self::Revoked => "revoked",
            Self::Suspended => "suspended",
            Self::Unsuspended => "released from suspension",
        }
    }
}

/// The platform's name as it writes itself.
const fn platform_name(platform: Platform) -> &'static str {
    match platform {
        Platform::Twitch => "Twitch",
        Platform::Youtube => "YouTube",
        Platform::Kick => "Kick",
        Platform::Trovo => "Trovo",
        Platform::Spotify => "Spotify",
        Platform::Discord => "Discord",
    }
}
