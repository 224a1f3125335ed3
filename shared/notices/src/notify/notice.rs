//! Texts of notifications. All titles, messages and data are here.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    NotificationType, ReviewDecision, RunStatus,
    action::{
        ACCEPT_INVITE, Action, CONFIRM_EMAIL, CONFIRM_LOGIN, DECLINE_EMAIL, DECLINE_INVITE, DECLINE_LOGIN,
    },
};
use shared::{clock::rfc3339, platform::Platform};

/// Content of a notification. It holds no secret: it appears in lists, on sockets and in mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice<'a> {
    /// A person is invited into an account. Carries the actions `accept_invite` and `decline_invite`.
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
        /// Name of the channel, bot or login on the platform.
        name: &'a str,
    },
    /// StreamElements no longer accepts the token that receives an account's tips.
    TipTokenRefused { token_id: Uuid, account_id: Uuid, account_name: &'a str, platform: Platform },
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
    /// The state of an installed extension changed after a reviewer revoked or suspended a part of it.
    ExtensionRunStatus { extension_id: Uuid, extension_name: &'a str, status: RunStatus<'a> },
    /// A person may test the versions of an extension that are in testing.
    TesterInvited { extension_id: Uuid, extension_name: &'a str },
    /// An account may install a private extension.
    AccessGranted { extension_id: Uuid, extension_name: &'a str, account_id: Uuid, account_name: &'a str },
    /// A tester gave feedback on a version.
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
    /// A person accepted an invite.
    MemberJoined {
        account_id: Uuid,
        account_name: &'a str,
        user_id: Uuid,
        user_name: &'a str,
        role_name: &'a str,
    },
    /// An account is on another plan.
    PlanChanged { account_id: Uuid, account_name: &'a str, plan_slug: &'a str, plan_name: &'a str },
    /// A session of the person added another login.
    LoginLinked {
        connection_id: Uuid,
        platform: Platform,
        /// Name of the login on the platform.
        name: &'a str,
    },
    /// An API key requests another login. Carries the actions `confirm_login` and `decline_login`.
    LoginUnconfirmed {
        connection_id: Uuid,
        platform: Platform,
        /// Name of the login on the platform.
        name: &'a str,
        expires_at: DateTime<Utc>,
    },
    /// An API key requests another e-mail address. Carries the actions `confirm_email` and `decline_email`.
    EmailUnconfirmed { email: &'a str },
    /// A song of the list of blocked songs plays while the account is live.
    CopyrightAlert {
        account_id: Uuid,
        account_name: &'a str,
        /// Id at Spotify; `None` for a local file.
        track_id: Option<&'a str>,
        title: &'a str,
        artist: &'a str,
    },
    /// A reviewer decided about a request for a higher limit.
    LimitRequest {
        request_id: Uuid,
        /// Key of the limit.
        limit_key: &'a str,
        /// Text of the limit for people.
        label: &'a str,
        /// `approved` or `rejected`.
        decision: &'a str,
        requested_value: i64,
        notes: Option<&'a str>,
    },
    /// An automation writes to the members of its account. Title and message are those of its node.
    AutomationMessage { account_id: Uuid, automation_id: Uuid, title: &'a str, message: &'a str },
    /// The service disabled a webhook endpoint of an account.
    WebhookDisabled {
        account_id: Uuid,
        account_name: &'a str,
        endpoint_id: Uuid,
        /// Host of its address.
        host: &'a str,
        /// `gone`, `failing` or `member_left`.
        reason: &'a str,
    },
    /// The status of an idea changed.
    IdeaStatus { idea_id: Uuid, title: &'a str, status: &'a str },
    /// A person commented on an idea, or replied to a comment on it.
    IdeaComment { idea_id: Uuid, comment_id: Uuid, title: &'a str },
    /// A person is mentioned in an idea, or in a comment on it.
    IdeaMention { idea_id: Uuid, comment_id: Option<Uuid>, title: &'a str },
    /// A reviewer decided about an application to the developer programme.
    DeveloperApplication {
        application_id: Uuid,
        /// Name of the developer or team.
        display_name: &'a str,
        /// `approved` or `rejected`.
        decision: &'a str,
        notes: Option<&'a str>,
    },
    /// A reviewer decided about the verification of a developer.
    DeveloperVerification {
        verification_id: Uuid,
        /// `verified` or `rejected`.
        decision: &'a str,
        notes: Option<&'a str>,
    },
    /// The accounts that a developer is paid to changed.
    PayoutSettings,
    /// The state of a payout to a developer changed. `amount` is in minor units of the currency.
    Payout { payout_id: Uuid, amount: i64, currency: &'a str, status: &'a str },
}

impl Notice<'_> {
    /// Type of the notification.
    #[must_use]
    pub const fn kind(&self) -> NotificationType {
        match self {
            Self::Invite { .. } => NotificationType::Invite,
            Self::ReconnectRequired { .. } | Self::TipTokenRefused { .. } => {
                NotificationType::ConnectionReconnectRequired
            }
            Self::ExtensionReview { .. } | Self::TesterFeedback { .. } => NotificationType::ExtensionReview,
            Self::UpdateAvailable { .. }
            | Self::ExtensionRunStatus { .. }
            | Self::TesterInvited { .. }
            | Self::AccessGranted { .. } => NotificationType::ExtensionUpdate,
            Self::TriggersPaused { .. } => NotificationType::ExtensionError,
            Self::MemberJoined { .. } => NotificationType::MemberJoined,
            Self::PlanChanged { .. } => NotificationType::PlanChanged,
            Self::LimitRequest { .. } => NotificationType::LimitRequest,
            Self::DeveloperApplication { .. } => NotificationType::DeveloperApplication,
            Self::DeveloperVerification { .. } => NotificationType::DeveloperVerification,
            Self::PayoutSettings | Self::Payout { .. } => NotificationType::Payout,
            Self::CopyrightAlert { .. } => NotificationType::CopyrightAlert,
            Self::AutomationMessage { .. } => NotificationType::AutomationMessage,
            Self::WebhookDisabled { .. } => NotificationType::WebhookDisabled,
            Self::IdeaStatus { .. } => NotificationType::IdeaStatus,
            Self::IdeaComment { .. } => NotificationType::IdeaComment,
            Self::IdeaMention { .. } => NotificationType::IdeaMention,
            Self::LoginLinked { .. } | Self::LoginUnconfirmed { .. } | Self::EmailUnconfirmed { .. } => {
                NotificationType::LoginLinked
            }
        }
    }

    /// Title, one line.
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::Invite { account_name, .. } => format!("Invitation to {account_name}"),
            Self::ReconnectRequired { platform, .. } => format!("Reconnect {}", platform_name(*platform)),
            Self::TipTokenRefused { .. } => "Replace the StreamElements token".to_owned(),
            Self::ExtensionReview { extension_name, decision, .. } => {
                format!("{extension_name}: {}", decision.words())
            }
            Self::UpdateAvailable { extension_name, .. } => format!("{extension_name}: update available"),
            Self::ExtensionRunStatus { extension_name, status, .. } => {
                format!("{extension_name}: {}", status.words())
            }
            Self::TesterInvited { extension_name, .. } => format!("{extension_name}: you are a tester"),
            Self::AccessGranted { extension_name, .. } => format!("{extension_name}: access granted"),
            Self::TesterFeedback { extension_name, .. } => format!("{extension_name}: feedback of a tester"),
            Self::TriggersPaused { extension_name, .. } => format!("{extension_name}: triggers paused"),
            Self::MemberJoined { account_name, .. } => format!("New member in {account_name}"),
            Self::PlanChanged { account_name, .. } => format!("New plan for {account_name}"),
            Self::LimitRequest { label, decision, .. } => format!("{label}: request {decision}"),
            Self::DeveloperApplication { decision, .. } => format!("Developer application {decision}"),
            Self::DeveloperVerification { decision, .. } => format!("Developer verification: {decision}"),
            Self::PayoutSettings => "Payout settings changed".to_owned(),
            Self::Payout { status, .. } => format!("Payout {status}"),
            Self::CopyrightAlert { account_name, .. } => format!("Blocked song on {account_name}"),
            Self::AutomationMessage { title, .. } => (*title).to_owned(),
            Self::WebhookDisabled { account_name, .. } => format!("Webhook of {account_name} disabled"),
            Self::IdeaStatus { title, .. }
            | Self::IdeaComment { title, .. }
            | Self::IdeaMention { title, .. } => format!("Idea: {title}"),
            Self::LoginLinked { platform, .. } => format!("New sign-in with {}", platform_name(*platform)),
            Self::LoginUnconfirmed { platform, .. } => {
                format!("Confirm the new sign-in with {}", platform_name(*platform))
            }
            Self::EmailUnconfirmed { .. } => "Confirm the new e-mail address".to_owned(),
        }
    }

    /// Message, a sentence or two.
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
            Self::TipTokenRefused { account_name, platform, .. } => format!(
                "StreamElements no longer accepts the token of {account_name} for {}. Store a new one to go on \
                 receiving tips.",
                platform_name(*platform)
            ),
            Self::ExtensionReview { version, decision, notes, .. } => {
                let what =
                    version.map_or_else(|| "The extension".into(), |version| format!("Version {version}"));
                format!("{what} was {}.{}", decision.words(), noted(*notes))
            }
            Self::UpdateAvailable { extension_name, version, .. } => {
                format!("Version {version} of {extension_name} waits for your consent.")
            }
            Self::ExtensionRunStatus { extension_name, status, .. } => status.sentence(extension_name),
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
            Self::LimitRequest { label, decision, requested_value, notes, .. } => {
                format!(
                    "Your request to raise the limit \"{label}\" to {requested_value} was {decision}.{}",
                    noted(*notes)
                )
            }
            Self::DeveloperApplication { display_name, decision, notes, .. } => {
                format!("Your application as {display_name} was {decision}.{}", noted(*notes))
            }
            Self::DeveloperVerification { decision, notes, .. } => {
                format!("Your verification as a developer is now {decision}.{}", noted(*notes))
            }
            Self::PayoutSettings => {
                "The accounts that your revenue is paid to were changed. If you did not do it, \
                 change them back and delete API keys that you do not know."
                    .to_owned()
            }
            Self::Payout { amount, currency, status, .. } => {
                let (whole, rest) = (amount / 100, amount % 100);
                format!("Your payout of {whole}.{rest:02} {currency} is now {status}.")
            }
            Self::CopyrightAlert { account_name, title, artist, .. } => {
                format!("{title} by {artist} plays on the stream of {account_name} and is a blocked song.")
            }
            Self::AutomationMessage { message, .. } => (*message).to_owned(),
            Self::WebhookDisabled { account_name, host, reason, .. } => {
                let cause = match *reason {
                    "gone" => "it wants no further events",
                    "member_left" => "the member who created it has left",
                    _ => "it has accepted nothing for days",
                };
                format!(
                    "The webhook of {account_name} at {host} was disabled: {cause}. You can enable it in the settings."
                )
            }
            Self::IdeaStatus { status, .. } => {
                format!("The status of your idea is now {}.", status.replace('_', " "))
            }
            Self::IdeaComment { .. } => "There is a new comment.".to_owned(),
            Self::IdeaMention { .. } => "You are mentioned.".to_owned(),
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

    /// Data that a client needs to act on it. Keys are in camel case
    /// (reference/notifications.md#notification).
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
            Self::TipTokenRefused { token_id, account_id, platform, .. } => {
                json!({ "seTokenId": token_id, "accountId": account_id, "platform": platform })
            }
            Self::ExtensionReview { extension_id, version, decision, .. } => json!({
                "extensionId": extension_id, "version": version, "decision": decision,
            }),
            Self::UpdateAvailable { extension_id, version, .. } => {
                json!({ "extensionId": extension_id, "version": version })
            }
            Self::ExtensionRunStatus { extension_id, status, .. } => {
                json!({ "extensionId": extension_id, "standing": status.as_str(), "version": status.version() })
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
            Self::LimitRequest { request_id, limit_key, decision, requested_value, .. } => json!({
                "requestId": request_id, "limitKey": limit_key, "decision": decision,
                "requestedValue": requested_value,
            }),
            Self::DeveloperApplication { application_id, decision, .. } => {
                json!({ "applicationId": application_id, "decision": decision })
            }
            Self::DeveloperVerification { verification_id, decision, .. } => {
                json!({ "verificationId": verification_id, "decision": decision })
            }
            Self::PayoutSettings => json!({}),
            Self::Payout { payout_id, amount, currency, status } => {
                json!({ "payoutId": payout_id, "amount": amount, "currency": currency, "status": status })
            }
            Self::CopyrightAlert { account_id, track_id, title, artist, .. } => json!({
                "accountId": account_id, "trackId": track_id, "title": title, "artist": artist,
            }),
            Self::AutomationMessage { account_id, automation_id, .. } => {
                json!({ "accountId": account_id, "automationId": automation_id })
            }
            Self::WebhookDisabled { account_id, endpoint_id, reason, .. } => json!({
                "accountId": account_id, "endpointId": endpoint_id, "reason": reason,
            }),
            Self::IdeaStatus { idea_id, status, .. } => json!({ "ideaId": idea_id, "status": status }),
            Self::IdeaComment { idea_id, comment_id, .. } => {
                json!({ "ideaId": idea_id, "commentId": comment_id })
            }
            Self::IdeaMention { idea_id, comment_id, .. } => {
                json!({ "ideaId": idea_id, "commentId": comment_id })
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

    /// Actions that it offers.
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

/// Name of the platform in its own spelling.
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

/// Notes of a reviewer as the end of a message.
fn noted(notes: Option<&str>) -> String {
    notes.map(|notes| format!(" Notes: {notes}")).unwrap_or_default()
}
