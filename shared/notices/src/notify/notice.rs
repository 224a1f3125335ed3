//! Notifications with their titles and messages. All of their texts are here.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{NotificationType, ReviewDecision, RunStatus};
use shared::platform::Platform;

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
    /// The use of an account has come near to a budget, or has reached it.
    UsageBudget {
        account_id: Uuid,
        account_name: &'a str,
        budget_id: Uuid,
        /// `account`, `extension` or `key`.
        subject: &'a str,
        subject_id: Uuid,
        /// `requests`, `handler_ms`, `fetches`, `messages` or `stored_bytes`.
        unit: &'a str,
        /// `hour`, `day` or `month`.
        period: &'a str,
        used: i64,
        maximum: i64,
        is_reached: bool,
        /// True when further use is refused.
        is_stopped: bool,
        resets_at: DateTime<Utc>,
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
            Self::UsageBudget { .. } => NotificationType::UsageBudget,
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
            Self::UsageBudget { account_name, is_reached: true, .. } => {
                format!("Usage budget of {account_name} reached")
            }
            Self::UsageBudget { account_name, .. } => {
                format!("Usage budget of {account_name} nearly reached")
            }
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
                format!("{what} was {}.{}", decision.words(), with_notes(*notes))
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
                    with_notes(*notes)
                )
            }
            Self::DeveloperApplication { display_name, decision, notes, .. } => {
                format!("Your application as {display_name} was {decision}.{}", with_notes(*notes))
            }
            Self::DeveloperVerification { decision, notes, .. } => {
                format!("Your verification as a developer is now {decision}.{}", with_notes(*notes))
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
            Self::UsageBudget { subject, unit, period, used, maximum, is_stopped, resets_at, .. } => {
                let (unit, whose) = (unit.replace('_', " "), subject_words(subject));
                let stopped = if *is_stopped {
                    format!(" Further use is refused until {}.", resets_at.format("%Y-%m-%d %H:%M UTC"))
                } else {
                    String::new()
                };
                format!("{used} of {maximum} {unit} of the {period} are used {whose}.{stopped}")
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

/// User of what a budget limits.
fn subject_words(subject: &str) -> &'static str {
    match subject {
        "extension" => "by an extension",
        "key" => "by a key",
        _ => "by the account",
    }
}

/// Notes of a reviewer as the end of a message.
fn with_notes(notes: Option<&str>) -> String {
    notes.map(|notes| format!(" Notes: {notes}")).unwrap_or_default()
}
