//! Reasons why there is no connection to an OBS. The texts are shown to people and name no address.

use foundation::egress::NoAddress;

/// Close codes of obs-websocket 5.
const AUTHENTICATION_FAILED: u16 = 4009;
const UNSUPPORTED_RPC_VERSION: u16 = 4010;
const SESSION_INVALIDATED: u16 = 4011;

/// Reason why a connection ended or did not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Ended {
    #[error("The host has no address on the public internet")]
    NotPublic,
    // The text of `NotPublic`: a difference between the two would reveal internal names.
    #[error("The host has no address on the public internet")]
    UnknownHost,
    #[error("The host cannot be reached")]
    Unreachable,
    #[error("The host does not speak obs-websocket 5")]
    ForeignProtocol,
    #[error("OBS has another version of obs-websocket")]
    OtherVersion,
    #[error("OBS requires a password")]
    PasswordMissing,
    #[error("OBS refuses the password")]
    PasswordWrong,
    #[error("The stored password cannot be decrypted and must be entered again")]
    PasswordUnreadable,
    #[error("OBS ended the session")]
    SessionInvalidated,
    #[error("OBS closed the connection")]
    Closed,
    #[error("OBS does not answer")]
    Silent,
    #[error("OBS is not ready")]
    NotReady,
}

impl Ended {
    /// Reason of a close frame, or of an end without one.
    pub const fn of_close(code: Option<u16>) -> Self {
        match code {
            Some(AUTHENTICATION_FAILED) => Self::PasswordWrong,
            Some(UNSUPPORTED_RPC_VERSION) => Self::OtherVersion,
            Some(SESSION_INVALIDATED) => Self::SessionInvalidated,
            _ => Self::Closed,
        }
    }

    /// True when only a person can change it: at OBS or in the configuration.
    pub const fn is_permanent(self) -> bool {
        matches!(
            self,
            Self::NotPublic
                | Self::OtherVersion
                | Self::PasswordMissing
                | Self::PasswordWrong
                | Self::PasswordUnreadable
                | Self::SessionInvalidated
        )
    }

    /// Value of the metric label `reason`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::NotPublic => "not_public",
            Self::UnknownHost | Self::Unreachable => "unreachable",
            Self::ForeignProtocol | Self::OtherVersion => "protocol",
            Self::PasswordMissing | Self::PasswordWrong | Self::PasswordUnreadable => "password",
            Self::SessionInvalidated | Self::Closed => "closed",
            Self::Silent | Self::NotReady => "silent",
        }
    }
}

impl From<NoAddress> for Ended {
    fn from(reason: NoAddress) -> Self {
        match reason {
            NoAddress::NotPublic => Self::NotPublic,
            NoAddress::Unknown => Self::UnknownHost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_by_the_close_codes_of_obs_is_permanent_where_a_person_must_act() {
        for (code, reason, is_permanent) in [
            (Some(4009), Ended::PasswordWrong, true),
            (Some(4010), Ended::OtherVersion, true),
            (Some(4011), Ended::SessionInvalidated, true),
            (Some(4002), Ended::Closed, false),
            (Some(1001), Ended::Closed, false),
            (None, Ended::Closed, false),
        ] {
            assert_eq!(Ended::of_close(code), reason);
            assert_eq!(reason.is_permanent(), is_permanent, "{reason}");
        }
    }
}
