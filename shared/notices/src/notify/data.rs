//! Data and actions of notifications, for clients.

use serde_json::{Value, json};
use shared::clock::rfc3339;

use super::{
    Notice,
    action::{
        ACCEPT_INVITE, Action, CONFIRM_EMAIL, CONFIRM_LOGIN, DECLINE_EMAIL, DECLINE_INVITE, DECLINE_LOGIN,
    },
};

impl Notice<'_> {
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
            Self::UsageBudget {
                account_id, budget_id, subject, subject_id, unit, period, resets_at, ..
            } => {
                json!({
                    "accountId": account_id, "budgetId": budget_id, "subject": subject, "subjectId": subject_id,
                    "unit": unit, "period": period, "resetsAt": rfc3339(*resets_at),
                })
            }
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
