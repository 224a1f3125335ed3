//! Findings of the doctor: code, severity, message and remedy of each.

use api_core::Timestamp;
use chrono::{DateTime, Utc};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use utoipa::ToSchema;

use super::ConnectionDiagnosisStatus;

/// Finding with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ConnectionFinding {
    /// Code for programs.
    pub code: ConnectionFindingCode,
    /// Severity of the finding.
    pub severity: ConnectionFindingSeverity,
    /// Finding for people.
    pub message: String,
    /// Remedy for people.
    pub remedy: String,
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionFindingSeverity {
    /// The channel works, or may work again by itself.
    Warning,
    /// The channel does not work, or not fully. The derived code does not accept a variant `Error`.
    #[serde(rename = "error")]
    #[graphql(name = "ERROR", description = "The channel does not work, or not fully.")]
    Serious,
}

/// Kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionFindingCode {
    /// The connection is flagged: it must be made again.
    ReconnectRequired,
    /// The connection holds no token.
    TokenMissing,
    /// The token has expired and cannot be renewed now.
    TokenExpired,
    /// The platform refuses the token.
    TokenRefused,
    /// The token lacks scopes.
    ScopesMissing,
    /// The deployment has no application for the connection.
    ApplicationMissing,
    /// The application of the connection was deleted or replaced.
    ApplicationGone,
    /// The secret of the application cannot be decrypted.
    ApplicationUndecryptable,
    /// The platform refuses the application or the call.
    ApplicationRefused,
    /// The platform did not answer, or not as documented.
    PlatformUnavailable,
    /// The platform takes no further calls for a while.
    RateLimited,
    /// The clocks of this server and of the platform differ.
    ClockSkew,
    /// Deliveries that the platform had accepted are gone.
    SubscriptionsLost,
    /// The platform refused deliveries.
    SubscriptionsRefused,
    /// Deliveries are not requested or confirmed yet.
    SubscriptionsPending,
    /// No daemon reads the channel.
    ReaderMissing,
    /// The daemon that reads the channel waits although the channel is live, or does not get through.
    ReaderWaiting,
    /// The platform refuses the daemon that reads the channel.
    ReaderRefused,
    /// The channel is live, and nothing has arrived for days.
    NoEvents,
}

use ConnectionFindingCode as Code;

impl Code {
    const fn severity(self) -> ConnectionFindingSeverity {
        match self {
            Self::ScopesMissing
            | Self::RateLimited
            | Self::ClockSkew
            | Self::SubscriptionsRefused
            | Self::SubscriptionsPending
            | Self::ReaderMissing
            | Self::ReaderWaiting
            | Self::NoEvents => ConnectionFindingSeverity::Warning,
            Self::ReconnectRequired
            | Self::TokenMissing
            | Self::TokenExpired
            | Self::TokenRefused
            | Self::ApplicationMissing
            | Self::ApplicationGone
            | Self::ApplicationUndecryptable
            | Self::ApplicationRefused
            | Self::PlatformUnavailable
            | Self::SubscriptionsLost
            | Self::ReaderRefused => ConnectionFindingSeverity::Serious,
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Self::ReconnectRequired | Self::TokenMissing | Self::ApplicationGone => {
                "Connect the channel again."
            }
            Self::TokenExpired => {
                "Wait a few minutes: the token is renewed by itself. If the finding stays, connect the channel again."
            }
            Self::TokenRefused => {
                "The next call renews the token where it can be renewed. If the finding stays, connect the channel again."
            }
            Self::ScopesMissing => {
                "Connect the channel again and grant everything that the platform's page lists."
            }
            Self::ApplicationMissing => {
                "Operators enter the application of the platform, or the account enters its own under app credentials."
            }
            Self::ApplicationUndecryptable => {
                "Enter the credentials again under app credentials; operators check LUMIO_ENCRYPTION_KEYS."
            }
            Self::ApplicationRefused => {
                "Check client id and secret of the application at the platform, and enter them again."
            }
            Self::PlatformUnavailable => "Wait and check again. See the status page of the platform.",
            Self::RateLimited => "Wait and check again. Everything that waits is delivered later.",
            Self::ClockSkew => {
                "Operators synchronise the clock of the server: signed deliveries are refused beyond 10 minutes."
            }
            Self::SubscriptionsLost => {
                "Connect the channel again. On Kick they are requested again within the hour by themselves."
            }
            Self::SubscriptionsRefused => "Connect the channel again and grant what the message names.",
            Self::SubscriptionsPending => {
                "Wait a minute. If the finding stays, operators check that the daemon `connections` runs and that the \
                 platform reaches the public address."
            }
            Self::ReaderMissing => "Operators check that the daemon of the platform runs.",
            Self::ReaderWaiting => "Wait a minute. If the finding stays, the detail names the cause.",
            Self::ReaderRefused => "Connect the channel again.",
            Self::NoEvents => "Write a line in the chat. If it does not arrive, connect the channel again.",
        }
    }
}

impl ConnectionFinding {
    /// Finding with severity and remedy of its code.
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        let remedy = code.remedy().to_owned();
        Self { code, severity: code.severity(), message: message.into(), remedy }
    }

    /// The platform takes no calls until a time, when it states one.
    pub(super) fn rate_limited(platform: &str, until: Option<DateTime<Utc>>) -> Self {
        let until = until.map(|until| format!(" until {}", Timestamp::from(until)));
        Self::new(Code::RateLimited, format!("{platform} takes no calls{}.", until.unwrap_or_default()))
    }
}

/// Status that follows from findings.
pub(super) fn status(findings: &[ConnectionFinding]) -> ConnectionDiagnosisStatus {
    let statuses = findings.iter().map(|finding| match finding.severity {
        ConnectionFindingSeverity::Warning => ConnectionDiagnosisStatus::Warning,
        ConnectionFindingSeverity::Serious => ConnectionDiagnosisStatus::Broken,
    });
    statuses.max().unwrap_or(ConnectionDiagnosisStatus::Ok)
}
